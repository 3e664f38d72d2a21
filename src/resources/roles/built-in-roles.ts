// The roles that every organisation has. Written to the database at each start, so that the code decides.
import type { Policy } from '../../store/tables.ts';

const allow = (act: string, obj: string, res: string): Policy => ({ act, obj, res, eft: 'allow' });

/** What every role has, custom ones included: one's own profile and what one may do, one's own tokens, the places, and whether the metrics work. */
export const baseline: Policy[] = [
  allow('*', '/me/info', 'me:read:own'),
  allow('*', '/me/info', 'me:write:own'),
  allow('GET', '/me/permissions', 'me:read:own'),
  allow('*', '/personal/tokens*', 'tokens:read:own'),
  allow('*', '/personal/tokens*', 'tokens:write:own'),
  allow('GET', '/*', 'places:read:*'),
  allow('GET', '/health/metrics', 'health:read:*'),
];

/** What an admin holds: everything of the organisation, its users and children. */
export const adminPolicies = ['read', 'write', 'deploy'].map((action) => allow('*', '/*', `*:${action}:*`));
const reads = allow('GET', '/*', '*:read:*');
const operated = ['groups', 'tags', 'connectors', 'links', 'appliances', 'allocations', 'metrics'];
const billed = ['organisations', 'products', 'capacities', 'reports', 'audit'];

export interface BuiltInRole {
  id: string;
  name: string;
  policies: Policy[];
}

export const builtInRoles: BuiltInRole[] = [
  { id: '6f7a1c04-53c5-4d52-8c1c-0a4b1f6f0001', name: 'admin', policies: [...adminPolicies, ...baseline] },
  {
    id: '6f7a1c04-53c5-4d52-8c1c-0a4b1f6f0002',
    name: 'operator',
    policies: [
      reads,
      ...operated.map((resource) => allow('*', '/*', `${resource}:write:organisation`)),
      ...['connectors', 'links'].map((resource) => allow('*', '/*', `${resource}:deploy:organisation`)),
      ...baseline,
    ],
  },
  { id: '6f7a1c04-53c5-4d52-8c1c-0a4b1f6f0003', name: 'viewer', policies: [reads, ...baseline] },
  {
    id: '6f7a1c04-53c5-4d52-8c1c-0a4b1f6f0004',
    name: 'billing',
    policies: [...billed.map((resource) => allow('GET', '/*', `${resource}:read:organisation`)), ...baseline],
  },
];

export const adminRoleId = '6f7a1c04-53c5-4d52-8c1c-0a4b1f6f0001';
export const defaultRoleName = 'viewer';
export const isBuiltIn = (id: string): boolean => builtInRoles.some((role) => role.id === id);
