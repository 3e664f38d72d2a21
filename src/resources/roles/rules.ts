// Evaluates policies with casbin, on the matched route (method, template, permission) and never on a raw path.
import { type Enforcer, newEnforcer, newModelFromString } from 'casbin';
import type { Route } from '../../http/route.ts';
import type { Policy } from '../../store/tables.ts';
import { baselinePolicies } from './built-in-roles.ts';

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

export const actMatches = (method: string, policy: string): boolean => policy === '*' || policy === method;

export const objMatches = (template: string, policy: string): boolean =>
  policy.endsWith('*') ? template.startsWith(policy.slice(0, -1)) : template === policy;

export function resMatches(permission: string, policy: string): boolean {
  const parts = policy.split(':');
  return permission.split(':').every((part, index) => parts[index] === '*' || parts[index] === part);
}

async function createEnforcer(policies: Policy[]): Promise<Enforcer> {
  const enforcer = await newEnforcer(newModelFromString(model));
  await enforcer.addFunction('actMatches', actMatches);
  await enforcer.addFunction('objMatches', objMatches);
  await enforcer.addFunction('resMatches', resMatches);
  // casbin expects distinct policies.
  const rows = new Map([...policies, ...baselinePolicies].map((policy) => [JSON.stringify(policy), policy]));
  await enforcer.addPolicies([...rows.values()].map(({ act, obj, res, eft }) => [act, obj, res, eft]));
  return enforcer;
}

export const routeKey = (route: Pick<Route, 'method' | 'path'>): string => `${route.method} ${route.path}`;

/** The keys of the routes that these policies allow. Routes without a permission are left out. */
export async function allowedRoutes(policies: Policy[], routes: Route[]): Promise<Set<string>> {
  const enforcer = await createEnforcer(policies);
  const allowed = new Set<string>();
  for (const route of routes) {
    if (route.access.by !== 'token') continue;
    if (enforcer.enforceSync(route.method, route.path, route.access.permission)) allowed.add(routeKey(route));
  }
  return allowed;
}
