// Refusals that all routes share: no valid token, a reset token, no permission, and a scope of another tenant.
import assert from 'node:assert/strict';
import { basic, mailedToken } from '../../test/harness/service.ts';
import { absentId, comparable, secret, type Tenant } from '../tenant-fixture.ts';
import { absentValues, type IsolationContext, recordsOf } from './context.ts';

/** No token, malformed, expired and refresh tokens: 401, with equal responses to all invalid tokens. */
export async function withoutToken({ f, call, operations }: IsolationContext): Promise<void> {
  const spare = await f.signIn('viewer@meridian.example');
  await f.owner.query(
    `update tokens set expires_at = now() where id = (select id from tokens where kind = 'access' and user_id =
       (select id from users where email = 'viewer@meridian.example') order by created_at desc limit 1)`,
  );
  const invalid = [
    `${spare.access_token.slice(0, -1)}x`,
    'Bearer',
    spare.access_token,
    spare.refresh_token,
    'a'.repeat(5000),
  ];
  for (const operation of operations) {
    const none = await call(f.client, operation, absentValues);
    assert.deepEqual([none.status, none.body.code], [401, 'Unauthenticated'], operation.path);
    const refused = new Set<string>();
    for (const token of invalid) refused.add(comparable(await call(f.client, operation, absentValues, { token })));
    assert.equal(refused.size, 1, `${operation.path} distinguishes invalid tokens`);
    assert.ok([...refused][0]?.includes('InvalidToken'));
  }
}

/** A reset token is accepted by the route that sets the password only. */
export async function withResetToken({ f, call, operations }: IsolationContext): Promise<void> {
  await f.client.post(
    '/auth/reset',
    { grant_type: 'client_credentials', scope: 'reset', username: 'billing@meridian.example' },
    { basic },
  );
  const token = await mailedToken(f.data, 'billing@meridian.example');
  for (const operation of operations) {
    const response = await call(f.client, operation, absentValues, { token });
    assert.deepEqual(
      [response.status, response.body.code],
      [403, 'ResetTokenOnly'],
      `${operation.method} ${operation.path}`,
    );
  }
}

/** A role without policies reaches profile, tokens, places and health only. The built-in roles write what they may. */
export async function withoutPermission({
  f,
  call,
  operations,
  tenants: { meridian },
}: IsolationContext): Promise<void> {
  await meridian.admin.post('/acl/roles', { role: 'nothing', policies: [] });
  await meridian.admin.post('/users', {
    email: 'nothing@canary.example',
    lastName: 'Nothing',
    password: secret,
    role: 'nothing',
  });
  const nothing = f.client.with({ token: (await f.signIn('nothing@canary.example', secret)).access_token });
  for (const operation of operations) {
    const response = await call(nothing, operation, absentValues);
    if (/^(me|tokens|places|health):/.test(operation.permission)) assert.notEqual(response.status, 403, operation.path);
    else assert.deepEqual([response.status, response.body.code], [403, 'Forbidden'], operation.path);
  }
  for (const role of ['viewer', 'billing', 'operator']) {
    const client = await f.as(`${role}@meridian.example`);
    for (const operation of operations.filter(({ permission }) =>
      /^(users|roles|organisations):write/.test(permission),
    ))
      assert.equal(
        (await call(client, operation, recordsOf(meridian))).body.code,
        'Forbidden',
        `${role} ${operation.path}`,
      );
  }
}

/** Scopes of a sibling, parent, grandchild or unknown id, or by a non-reseller: equal 403. Malformed: 400. */
export async function withForeignScope({
  call,
  operations,
  tenants: { meridian, atlas, boreal, labs, cobalt, delta, echo },
}: IsolationContext): Promise<void> {
  const foreign: [Tenant, string][] = [
    [atlas, boreal.id],
    [atlas, meridian.id],
    [atlas, labs.id],
    [meridian, labs.id],
    [meridian, absentId],
    [meridian, '00000000-0000-0000-0000-000000000000'],
    [labs, cobalt.id],
    [labs, delta.id],
    [meridian, delta.id],
    [cobalt, echo.id],
    [echo, delta.id],
    [delta, cobalt.id],
  ];
  for (const operation of operations) {
    const responses = new Set<string>();
    for (const [caller, scope] of foreign)
      responses.add(comparable(await call(caller.admin, operation, absentValues, { scope })));
    assert.equal(responses.size, 1, `${operation.path} distinguishes scopes of other tenants`);
    assert.ok([...responses][0]?.includes('ForbiddenScope'));
    for (const scope of ['x', `${atlas.id},${atlas.id}`, ` ${atlas.id}x`])
      assert.equal((await call(meridian.admin, operation, absentValues, { scope })).body.code, 'InvalidScopeHeader');
    const twice = { headers: { 'service-scope': [atlas.id, atlas.id] } };
    assert.equal(
      (await call(meridian.admin, operation, absentValues, twice)).body.code,
      'InvalidScopeHeader',
      'sent twice',
    );
  }
}
