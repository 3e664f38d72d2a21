// What each role may do, computed once for each revision of its policies.

import { problem } from '../../errors/problems.ts';
import type { Role, Route } from '../../http/route.ts';
import { allTenants, type Store } from '../../store/database.ts';
import type { Policy } from '../../store/tables.ts';
import { allowedRoutes, contains, routeKey } from './rules.ts';
import { findRolePolicies } from './store.ts';

export interface Permissions {
  allows(role: Role, route: Route): Promise<boolean>;
  /** The same, if that was asked before; else no. */
  isKnownAllowed(role: Role, route: Route): boolean;
  /** Every route that the role is allowed, in the order of the table. */
  allowedTo(role: Role): Promise<Route[]>;
  /** Refuses (403) when policies reach further than the caller's role does. */
  refuseBeyond(caller: Role, policies: Policy[]): Promise<void>;
}

const most = 1000;
const keyOf = ({ id, revision }: Role): string => `${id} ${revision}`;

/** `routes` is asked late: the routes of the roles themselves are among them. */
export function createPermissions(store: Store, routes: () => Route[]): Permissions {
  const memo = new Map<string, Promise<Set<string>>>();
  const settled = new Map<string, Set<string>>();

  async function load(role: Role): Promise<Set<string>> {
    const found = await store.read(allTenants, (database) => findRolePolicies(database, role.id));
    return allowedRoutes(found?.policies ?? [], routes());
  }

  function heldBy(role: Role): Promise<Set<string>> {
    const key = keyOf(role);
    const known = memo.get(key);
    if (known) return known;
    if (memo.size >= most) {
      memo.clear();
      settled.clear();
    }
    const made = load(role);
    memo.set(key, made);
    made.then(
      (held) => settled.set(key, held),
      () => memo.delete(key),
    );
    return made;
  }

  return {
    allows: async (role, route) => (await heldBy(role)).has(routeKey(route)),
    isKnownAllowed: (role, route) => settled.get(keyOf(role))?.has(routeKey(route)) ?? false,
    async allowedTo(role) {
      const held = await heldBy(role);
      return routes().filter((route) => held.has(routeKey(route)));
    },
    async refuseBeyond(caller, policies) {
      if (!contains(await heldBy(caller), await allowedRoutes(policies, routes()))) throw problem('MoreThanHeld');
    },
  };
}
