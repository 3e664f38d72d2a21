// Evaluates policies against the operations of the OpenAPI document and their `x-permission`.
import type { Schemas } from '@patchbay/client';
import { useQuery } from '@tanstack/react-query';
import { ownApi, unwrap } from '../../api/client.ts';

export type Policy = Schemas['Policy'];
export const actions = ['read', 'write', 'deploy'] as const;
export type Action = (typeof actions)[number];

export interface Operation {
  method: string;
  path: string;
  summary: string;
  permission: string;
  resource: string;
  action: Action;
}

interface ApiDocument {
  paths: Record<string, Record<string, { summary?: string; 'x-permission'?: string }>>;
}

/** Resources that every role may use: own profile and tokens, regions and cities, health. */
const implicitResources = new Set(['me', 'tokens', 'places', 'health']);

function protectedOperations({ paths }: ApiDocument): Operation[] {
  return Object.entries(paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).flatMap(([verb, { summary = '', 'x-permission': permission }]) => {
      const [resource = '', action] = permission?.split(':') ?? [];
      if (!permission || implicitResources.has(resource)) return [];
      return [{ method: verb.toUpperCase(), path, summary, permission, resource, action: action as Action }];
    }),
  );
}

export const useOperations = () =>
  useQuery({
    queryKey: ['operations'],
    queryFn: async () => protectedOperations((await unwrap(ownApi.GET('/openapi.json'))) as unknown as ApiDocument),
    staleTime: Number.POSITIVE_INFINITY,
  });

function matches(policy: Policy, { method, path, permission }: Operation): boolean {
  const parts = policy.res.split(':');
  return (
    (policy.act === '*' || policy.act === method) &&
    (policy.obj.endsWith('*') ? path.startsWith(policy.obj.slice(0, -1)) : path === policy.obj) &&
    permission.split(':').every((part, index) => parts[index] === '*' || parts[index] === part)
  );
}

/** The rule of the service: at least one allow, no deny. */
export function allows(policies: Policy[], operation: Operation): boolean {
  const applicable = policies.filter((policy) => matches(policy, operation));
  return applicable.some(({ eft }) => eft === 'allow') && !applicable.some(({ eft }) => eft === 'deny');
}

export type Level = 'all' | 'some' | 'none';

export function levelOf(policies: Policy[], operations: Operation[]): Level {
  const count = operations.filter((operation) => allows(policies, operation)).length;
  return count === 0 ? 'none' : count === operations.length ? 'all' : 'some';
}

/** The policy that a checkbox of the matrix stands for. */
export const checkboxPolicy = (resource: string, action: Action): Policy => ({
  act: action === 'read' ? 'GET' : '*',
  eft: 'allow',
  obj: '/*',
  res: `${resource}:${action}:organisation`,
});

export const isSamePolicy = (a: Policy, b: Policy): boolean =>
  a.act === b.act && a.eft === b.eft && a.obj === b.obj && a.res === b.res;

const builtInRoles = new Set(['admin', 'operator', 'viewer', 'billing']);
export const isBuiltInRole = (role: string): boolean => builtInRoles.has(role);
