// Caches the routes that each role allows, one entry per revision of the role's policies.
import { problem } from '../../errors/problems.ts';
import type { Role, Route } from '../../http/route.ts';
import { allTenants, type Store } from '../../store/database.ts';
import type { Policy } from '../../store/tables.ts';
import { allowedRoutes, matchedRoutes, routeKey } from './rules.ts';
import { findRolePolicies } from './store.ts';

export interface Permissions {
  /** Synchronous if the role's permissions are cached. */
  allows(role: Role, route: Route): Promise<boolean> | boolean;
  /** The routes that the role allows, in the order of the route table. */
  allowedRoutes(role: Role): Promise<Route[]>;
  /** Throws 400 for policies that match no route: a deny with a typing error would deny nothing. */
  refuseUnmatched(policies: Policy[]): void;
  /** Throws 403 if the policies allow a route that the caller's role does not allow. */
  refuseEscalation(caller: Role, policies: Policy[]): Promise<void>;
}

const maxEntries = 1000;
const maxDetails = 20;
const unmatchedMessage =
  'matches no route: act, obj and res must fit one operation together (GET /openapi.json has its x-permission)';

/** `routes` is a function because the routes that use these permissions are among them. */
export function createPermissions(store: Store, routes: () => Route[]): Permissions {
  const cache = new Map<string, Set<string> | Promise<Set<string>>>();
  // The role of a cached identity is one object, so that most requests find its routes without building keys.
  const routesByRole = new WeakMap<Role, Set<Route>>();

  async function load(role: Role): Promise<Set<string>> {
    const found = await store.read(allTenants, (database) => findRolePolicies(database, role.id));
    return allowedRoutes(found?.policies ?? [], routes());
  }

  function routeKeysOf(role: Role): Set<string> | Promise<Set<string>> {
    const key = `${role.id} ${role.revision}`;
    const cached = cache.get(key);
    if (cached) return cached;
    if (cache.size >= maxEntries) cache.clear();
    const loading = load(role);
    cache.set(key, loading);
    loading.then(
      (keys) => cache.set(key, keys),
      () => cache.delete(key),
    );
    return loading;
  }

  return {
    allows(role, route) {
      const known = routesByRole.get(role);
      if (known) return known.has(route);
      const keys = routeKeysOf(role);
      if (!(keys instanceof Set)) return keys.then((loaded) => loaded.has(routeKey(route)));
      const allowed = new Set(routes().filter((one) => keys.has(routeKey(one))));
      routesByRole.set(role, allowed);
      return allowed.has(route);
    },
    async allowedRoutes(role) {
      const keys = await routeKeysOf(role);
      return routes().filter((route) => keys.has(routeKey(route)));
    },
    refuseUnmatched(policies) {
      const details = policies.flatMap((policy, index) =>
        matchedRoutes(policy, routes()).length ? [] : [{ path: `policies.${index}`, message: unmatchedMessage }],
      );
      if (details.length) throw problem('InvalidInput', { details: details.slice(0, maxDetails) });
    },
    async refuseEscalation(caller, policies) {
      const held = await routeKeysOf(caller);
      if (!allowedRoutes(policies, routes()).isSubsetOf(held)) throw problem('MoreThanHeld');
    },
  };
}
