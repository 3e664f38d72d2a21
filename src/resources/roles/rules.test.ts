import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Route } from '../../http/route.ts';
import type { Policy } from '../../store/tables.ts';
import { baselinePolicies, builtInRoles } from './built-in-roles.ts';
import { allowedRoutes, matchedRoutes, objMatches, resMatches, routeKey } from './rules.ts';

const makeRoute = (method: string, path: string, permission: string) =>
  ({ method, path, access: { by: 'token', permission } }) as unknown as Route;
const routes = [
  makeRoute('GET', '/me/info', 'me:read:own'),
  makeRoute('PUT', '/me/info', 'me:write:own'),
  makeRoute('GET', '/users', 'users:read:organisation'),
  makeRoute('POST', '/users', 'users:write:organisation'),
  makeRoute('GET', '/users/{userId}', 'users:read:organisation'),
  makeRoute('DELETE', '/users/{userId}', 'users:write:organisation'),
  makeRoute('GET', '/cities', 'places:read:organisation'),
  makeRoute('POST', '/flow/link/{linkid}/set-in-deployment', 'links:deploy:organisation'),
  makeRoute('GET', '/audit', 'audit:read:organisation'),
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

test('a naive evaluation gives the same result: deny wins, and no match means denied', () => {
  const matches = (one: Policy, route: Route): boolean =>
    (one.act === '*' || one.act === route.method) &&
    objMatches(route.path, one.obj) &&
    resMatches((route.access as { permission: string }).permission, one.res);
  fc.assert(
    fc.property(policies, (list) => {
      const allowed = allowedRoutes(list, routes);
      for (const route of routes) {
        const hits = [...list, ...baselinePolicies].filter((one) => matches(one, route));
        assert.equal(
          allowed.has(routeKey(route)),
          hits.some((one) => one.eft === 'allow') && !hits.some((one) => one.eft === 'deny'),
        );
      }
    }),
    { numRuns: 500 },
  );
});

test('an added allow never revokes, an added deny never grants; the baseline applies to every role', () => {
  fc.assert(
    fc.property(policies, policy, (list, more) => {
      const before = allowedRoutes(list, routes);
      const after = allowedRoutes([...list, more], routes);
      assert.ok(more.eft === 'allow' ? before.isSubsetOf(after) : after.isSubsetOf(before));
    }),
    { numRuns: 500 },
  );
  assert.deepEqual([...allowedRoutes([], routes)].sort(), ['GET /cities', 'GET /me/info', 'PUT /me/info']);
});

test('the built-in roles allow the expected routes', () => {
  const held = (name: string) =>
    [...allowedRoutes(builtInRoles.find((role) => role.name === name)?.policies ?? [], routes)].sort();
  assert.deepEqual(held('admin'), [...all].sort());
  assert.deepEqual(held('viewer'), [
    'GET /audit',
    'GET /cities',
    'GET /me/info',
    'GET /users',
    'GET /users/{userId}',
    'PUT /me/info',
  ]);
  assert.deepEqual(held('operator'), [...held('viewer'), 'POST /flow/link/{linkid}/set-in-deployment'].sort());
  assert.deepEqual(held('billing'), ['GET /audit', 'GET /cities', 'GET /me/info', 'PUT /me/info']);
});

test('a trailing * matches the rest of a path', () => {
  assert.ok(objMatches('/users/{userId}', '/users/*'));
  assert.ok(!objMatches('/users', '/users/*'));
  assert.ok(!objMatches('/users/{userId}', '/users'));
  assert.ok(objMatches('/users', '/*'));
});

test('200 distinct policies are evaluated in less than 20 ms of CPU time', () => {
  const many = Array.from({ length: 100 }, (_, index) => makeRoute('GET', `/r${index}/{id}`, `r${index}:read:own`));
  const list = Array.from({ length: 200 }, (_, index): Policy => {
    return { act: '*', obj: '/*', res: `x${'-'.repeat(index % 90)}${index}:read:own`, eft: 'deny' };
  });
  // The first run is compiled while it runs.
  allowedRoutes(list, [...many]);
  const before = process.threadCpuUsage();
  allowedRoutes(list, many);
  const { user, system } = process.threadCpuUsage(before);
  assert.ok(user + system < 20_000, `${user + system} µs`);
});

test('a policy matches a route in act, obj and res together', () => {
  const readUsers = { act: 'GET', obj: '/users*', res: 'users:read:organisation', eft: 'deny' } as const;
  assert.deepEqual(matchedRoutes(readUsers, routes), ['GET /users', 'GET /users/{userId}']);
  for (const wrong of [{ act: 'PUT' }, { obj: '/user' }, { res: 'user:read:organisation' }, { res: '*:deploy:*' }])
    assert.deepEqual(matchedRoutes({ ...readUsers, ...wrong }, routes), []);
});
