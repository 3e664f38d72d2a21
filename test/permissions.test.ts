import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fillPath, operationsOf } from '../torture/tenant-fixture.ts';
import { absentValues } from '../torture/tenants/context.ts';
import type { Client } from './harness/client.ts';
import { basic, fixture, mailedToken } from './harness/service.ts';

const f = await fixture();
const admin = await f.as('admin@meridian.example');
const secret = 'tidal lantern orbit cedar';
const operations = operationsOf(f);
const nameOf = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`;
const listOf = async (client: Client): Promise<string[]> => {
  const { status, body, text } = await client.get('/me/permissions');
  assert.equal(status, 200, text);
  return body.operations.map(nameOf);
};
const everything = { act: '*', eft: 'allow', obj: '/*', res: '*:read:*' };
const noUsers = { act: 'GET', eft: 'deny', obj: '/users*', res: 'users:read:*' };
let made = 0;
const userWith = async (role: string) => {
  const email = `permitted${++made}@permissions.example`;
  const response = await admin.post('/users', { email, lastName: 'Permitted', password: secret, role });
  assert.equal(response.status, 201, response.text);
  return { id: response.body.id, client: f.client.with({ token: (await f.signIn(email, secret)).access_token }) };
};

/** Calls every operation and returns those that the role allows. Missing records keep the calls from any effect. */
async function refusedTo(client: Client): Promise<string[]> {
  const forbidden: string[] = [];
  for (const operation of operations) {
    // This would delete the caller's tokens.
    if (nameOf(operation) === 'DELETE /personal/tokens') continue;
    const path = fillPath(operation.path, absentValues) + operation.query;
    const body = operation.method === 'GET' || operation.method === 'DELETE' ? {} : { body: [] };
    const { status, body: problem } = await client.call(operation.method, path, body);
    if (status === 403 && problem.code === 'Forbidden') forbidden.push(nameOf(operation));
  }
  return forbidden;
}

describe('the listed permissions match the responses of every route', () => {
  for (const role of ['admin', 'operator', 'viewer', 'billing'])
    test(role, async () => {
      const client = await f.as(`${role}@meridian.example`);
      assert.equal((await client.get('/me/permissions')).body.role, role);
      const allowed = await listOf(client);
      const forbidden = new Set(await refusedTo(client));
      assert.deepEqual(
        allowed,
        operations.map(nameOf).filter((name) => !forbidden.has(name)),
        'in the order of the document',
      );
      assert.equal(forbidden.size === 0, role === 'admin');
    });
  test('a role with a deny rule', async () => {
    await admin.post('/acl/roles', { role: 'discreet', policies: [everything, noUsers] });
    const { client } = await userWith('discreet');
    const forbidden = new Set(await refusedTo(client));
    assert.ok(forbidden.has('GET /users') && forbidden.has('GET /users/{userId}') && !forbidden.has('GET /audit'));
    assert.deepEqual(
      await listOf(client),
      operations.map(nameOf).filter((name) => !forbidden.has(name)),
    );
  });
});

test('an empty role still allows the own profile, permissions and tokens, and the places', async () => {
  await admin.post('/acl/roles', { role: 'nothing', policies: [] });
  const { client } = await userWith('nothing');
  const allowed = await listOf(client);
  assert.deepEqual(allowed.slice(0, 3), ['GET /me/info', 'PUT /me/info', 'GET /me/permissions']);
  assert.ok(allowed.includes('GET /regions') && !allowed.includes('GET /groups'));
});

test('a change of a role, or of a user’s role, takes effect at once', async () => {
  await admin.post('/acl/roles', { role: 'moving', policies: [everything] });
  const { id, client } = await userWith('moving');
  const before = await client.get('/me/permissions');
  assert.ok((await listOf(client)).includes('GET /users'));
  assert.equal((await admin.put('/acl/roles/moving', { policies: [everything, noUsers] })).status, 200);
  assert.ok(!(await listOf(client)).includes('GET /users'));
  const headers = { 'if-none-match': before.headers.etag ?? '' };
  assert.equal((await client.get('/me/permissions', { headers })).status, 200, 'it is another response');
  await admin.put(`/users/${id}`, { role: 'operator' });
  const after = await client.get('/me/permissions');
  assert.equal(after.body.role, 'operator');
  assert.deepEqual(after.body, (await (await f.as('operator@meridian.example')).get('/me/permissions')).body);
  const again = await client.get('/me/permissions', { headers: { 'if-none-match': after.headers.etag ?? '' } });
  assert.equal(again.status, 304);
});

test('the permissions are the same in the scope of a child; a reset token gets none', async () => {
  const own = await admin.get('/me/permissions');
  assert.deepEqual((await admin.get('/me/permissions', { scope: f.organisations.atlas })).body, own.body);
  const username = 'viewer@meridian.example';
  await f.client.post('/auth/reset', { grant_type: 'client_credentials', scope: 'reset', username }, { basic });
  const forbidden = await f.client.get('/me/permissions', { token: await mailedToken(f.data, username) });
  assert.deepEqual([forbidden.status, forbidden.body.code], [403, 'ResetTokenOnly']);
});
