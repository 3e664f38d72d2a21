// Evaluates policies on the matched route (method, template, permission), never on a raw path. Pure.
import type { Route } from '../../http/route.ts';
import type { Policy } from '../../store/tables.ts';
import { baselinePolicies } from './built-in-roles.ts';

export const objMatches = (template: string, policy: string): boolean =>
  policy.endsWith('*') ? template.startsWith(policy.slice(0, -1)) : template === policy;

export const resMatches = (permission: string, policy: string): boolean =>
  partsMatch(permission.split(':'), policy.split(':'));

function partsMatch(permission: string[], policy: string[]): boolean {
  for (let index = 0; index < permission.length; index++)
    if (policy[index] !== '*' && policy[index] !== permission[index]) return false;
  return true;
}

/** The routes that need a permission, with its parts: splitting it for every policy would take most of the time. */
interface GuardedRoute {
  method: string;
  path: string;
  key: string;
  permission: string[];
}

const toGuarded = (route: Route): GuardedRoute[] =>
  route.access.by === 'token'
    ? [{ method: route.method, path: route.path, key: routeKey(route), permission: route.access.permission.split(':') }]
    : [];

const maxMatches = 2000;
interface RouteMatches {
  guarded: GuardedRoute[];
  /** The keys of the matched routes by policy: roles consist of few distinct policies, and routes never change. */
  keys: Map<string, string[]>;
}
const matchesByRoutes = new WeakMap<Route[], RouteMatches>();

function matchesOf(routes: Route[]): RouteMatches {
  const known = matchesByRoutes.get(routes);
  if (known) return known;
  const made: RouteMatches = { guarded: routes.flatMap(toGuarded), keys: new Map() };
  matchesByRoutes.set(routes, made);
  return made;
}

/** The keys of the routes that a policy matches. Routes without a permission are left out. */
export function matchedRoutes({ act, obj, res }: Policy, routes: Route[]): string[] {
  const { guarded, keys } = matchesOf(routes);
  const text = `${act} ${obj} ${res}`;
  const known = keys.get(text);
  if (known) return known;
  const parts = res.split(':');
  const found: string[] = [];
  for (const route of guarded)
    if ((act === '*' || act === route.method) && objMatches(route.path, obj) && partsMatch(route.permission, parts))
      found.push(route.key);
  if (keys.size >= maxMatches) keys.clear();
  keys.set(text, found);
  return found;
}

export const routeKey = (route: Pick<Route, 'method' | 'path'>): string => `${route.method} ${route.path}`;

/** The keys of the routes that these policies allow. A deny wins over every allow. */
export function allowedRoutes(policies: Policy[], routes: Route[]): Set<string> {
  const allowed = new Set<string>();
  const denied = new Set<string>();
  for (const policy of [...policies, ...baselinePolicies])
    for (const key of matchedRoutes(policy, routes)) (policy.eft === 'allow' ? allowed : denied).add(key);
  return allowed.difference(denied);
}
