// The roles that every organisation has. Every start writes them to the database: the code is authoritative.
import type { Policy } from '../../store/tables.ts';

const allow = (act: string, obj: string, res: string): Policy => ({ act, obj, res, eft: 'allow' });

/** Policies of every role, custom ones included: the user's own profile and tokens, places, and metrics health. */
export const baselinePolicies: Policy[] = [
  allow('*', '/me/info', 'me:read:own'),
  allow('*', '/me/info', 'me:write:own'),
  allow('GET', '/me/permissions', 'me:read:own'),
  allow('*', '/personal/tokens*', 'tokens:read:own'),
  allow('*', '/personal/tokens*', 'tokens:write:own'),
  allow('GET', '/*', 'places:read:*'),
  allow('GET', '/health/metrics', 'health:read:*'),
];

export const adminPolicies = ['read', 'write', 'deploy'].map((action) => allow('*', '/*', `*:${action}:*`));
const readEverything = allow('GET', '/*', '*:read:*');
const operatorResources = ['groups', 'tags', 'connectors', 'links', 'appliances', 'allocations', 'metrics'];
const billingResources = ['organisations', 'products', 'capacities', 'reports', 'audit'];

export interface BuiltInRole {
  id: string;
  name: string;
  policies: Policy[];
}

export const builtInRoles: BuiltInRole[] = [
  { id: '6f7a1c04-53c5-4d52-8c1c-0a4b1f6f0001', name: 'admin', policies: [...adminPolicies, ...baselinePolicies] },
  {
    id: '6f7a1c04-53c5-4d52-8c1c-0a4b1f6f0002',
    name: 'operator',
    policies: [
      readEverything,
      ...operatorResources.map((resource) => allow('*', '/*', `${resource}:write:organisation`)),
      ...['connectors', 'links'].map((resource) => allow('*', '/*', `${resource}:deploy:organisation`)),
      ...baselinePolicies,
    ],
  },
  { id: '6f7a1c04-53c5-4d52-8c1c-0a4b1f6f0003', name: 'viewer', policies: [readEverything, ...baselinePolicies] },
  {
    id: '6f7a1c04-53c5-4d52-8c1c-0a4b1f6f0004',
    name: 'billing',
    policies: [
      ...billingResources.map((resource) => allow('GET', '/*', `${resource}:read:organisation`)),
      ...baselinePolicies,
    ],
  },
];

export const adminRoleId = '6f7a1c04-53c5-4d52-8c1c-0a4b1f6f0001';
export const defaultRoleName = 'viewer';
export const isBuiltInRole = (id: string): boolean => builtInRoles.some((role) => role.id === id);
