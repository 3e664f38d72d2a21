// What policies allow. Decisions are made by casbin on the matched route (method, template, permission), never on a raw path.
import { type Enforcer, newEnforcer, newModelFromString } from 'casbin';
import type { Route } from '../../http/route.ts';
import type { Policy } from '../../store/tables.ts';
import { baseline } from './built-in-roles.ts';

const model = `
[request_definition]
r = act, obj, res
[policy_definition]
p = act, obj, res, eft
[policy_effect]
e = some(where (p.eft == allow)) && !some(where (p.eft == deny))
[matchers]
m = actMatches(r.act, p.act) && objMatches(r.obj, p.obj) && resMatches(r.res, p.res)
`;

export const actMatches = (asked: string, policy: string): boolean => policy === '*' || policy === asked;

export const objMatches = (asked: string, policy: string): boolean =>
  policy.endsWith('*') ? asked.startsWith(policy.slice(0, -1)) : asked === policy;

export function resMatches(asked: string, policy: string): boolean {
  const parts = policy.split(':');
  return asked.split(':').every((part, index) => parts[index] === '*' || parts[index] === part);
}

async function enforcerOf(policies: Policy[]): Promise<Enforcer> {
  const enforcer = await newEnforcer(newModelFromString(model));
  await enforcer.addFunction('actMatches', actMatches);
  await enforcer.addFunction('objMatches', objMatches);
  await enforcer.addFunction('resMatches', resMatches);
  // casbin keeps a set: a policy that stands twice is one.
  const rows = new Map([...policies, ...baseline].map((policy) => [JSON.stringify(policy), policy]));
  await enforcer.addPolicies([...rows.values()].map(({ act, obj, res, eft }) => [act, obj, res, eft]));
  return enforcer;
}

export const routeKey = (route: Pick<Route, 'method' | 'path'>): string => `${route.method} ${route.path}`;

/** The routes (of those that ask for a permission) that these policies allow. */
export async function allowedRoutes(policies: Policy[], routes: Route[]): Promise<Set<string>> {
  const enforcer = await enforcerOf(policies);
  const allowed = new Set<string>();
  for (const route of routes) {
    if (route.access.by !== 'token') continue;
    if (enforcer.enforceSync(route.method, route.path, route.access.permission)) allowed.add(routeKey(route));
  }
  return allowed;
}

/** Does the first hold everything that the second holds? */
export const contains = (holder: Set<string>, other: Set<string>): boolean => other.isSubsetOf(holder);
