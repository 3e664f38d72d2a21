import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Route } from '../../http/route.ts';
import type { Policy } from '../../store/tables.ts';
import { baseline, builtInRoles } from './built-in-roles.ts';
import { allowedRoutes, contains, objMatches, resMatches, routeKey } from './rules.ts';

const routeOf = (method: string, path: string, permission: string) =>
  ({ method, path, access: { by: 'token', permission } }) as unknown as Route;
const routes = [
  routeOf('GET', '/me/info', 'me:read:own'),
  routeOf('PUT', '/me/info', 'me:write:own'),
  routeOf('GET', '/users', 'users:read:organisation'),
  routeOf('POST', '/users', 'users:write:organisation'),
  routeOf('GET', '/users/{userId}', 'users:read:organisation'),
  routeOf('DELETE', '/users/{userId}', 'users:write:organisation'),
  routeOf('GET', '/cities', 'places:read:organisation'),
  routeOf('POST', '/flow/link/{linkid}/set-in-deployment', 'links:deploy:organisation'),
  routeOf('GET', '/audit', 'audit:read:organisation'),
];
const all = routes.map(routeKey);

const policy = fc.record({
  act: fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', '*'),
  obj: fc.constantFrom('/*', '/users', '/users*', '/users/{userId}', '/me/info', '/audit', '/flow/*', '/u*', '/'),
  res: fc.constantFrom(
    '*:read:*',
    '*:write:*',
    'users:read:organisation',
    'users:write:*',
    'me:read:own',
    'links:deploy:organisation',
    'audit:read:own',
  ),
  eft: fc.constantFrom('allow' as const, 'deny' as const),
});
const policies = fc.array(policy, { maxLength: 6 });

test('a naive reading of the policies decides the same: deny wins, and what nothing matches is denied', async () => {
  const matches = (one: Policy, route: Route): boolean =>
    (one.act === '*' || one.act === route.method) &&
    objMatches(route.path, one.obj) &&
    resMatches((route.access as { permission: string }).permission, one.res);
  await fc.assert(
    fc.asyncProperty(policies, async (list) => {
      const allowed = await allowedRoutes(list, routes);
      for (const route of routes) {
        const hits = [...list, ...baseline].filter((one) => matches(one, route));
        assert.equal(
          allowed.has(routeKey(route)),
          hits.some((one) => one.eft === 'allow') && !hits.some((one) => one.eft === 'deny'),
        );
      }
    }),
    { numRuns: 60 },
  );
});

test('adding an allow never takes away, adding a deny never gives; every role has its own profile unless denied', async () => {
  await fc.assert(
    fc.asyncProperty(policies, policy, async (list, more) => {
      const before = await allowedRoutes(list, routes);
      const after = await allowedRoutes([...list, more], routes);
      assert.ok(more.eft === 'allow' ? contains(after, before) : contains(before, after));
    }),
    { numRuns: 60 },
  );
  assert.deepEqual([...(await allowedRoutes([], routes))].sort(), ['GET /cities', 'GET /me/info', 'PUT /me/info']);
});

test('the shipped roles hold what they are for', async () => {
  const held = async (name: string) =>
    [...(await allowedRoutes(builtInRoles.find((role) => role.name === name)?.policies ?? [], routes))].sort();
  assert.deepEqual(await held('admin'), [...all].sort());
  assert.deepEqual(await held('viewer'), [
    'GET /audit',
    'GET /cities',
    'GET /me/info',
    'GET /users',
    'GET /users/{userId}',
    'PUT /me/info',
  ]);
  assert.deepEqual(
    await held('operator'),
    [...(await held('viewer')), 'POST /flow/link/{linkid}/set-in-deployment'].sort(),
  );
  assert.deepEqual(await held('billing'), ['GET /audit', 'GET /cities', 'GET /me/info', 'PUT /me/info']);
});

test('a star stands for the rest of a path only at its end', () => {
  assert.ok(objMatches('/users/{userId}', '/users/*'));
  assert.ok(!objMatches('/users', '/users/*'));
  assert.ok(!objMatches('/users/{userId}', '/users'));
  assert.ok(objMatches('/users', '/*'));
});
