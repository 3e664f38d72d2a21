// Refusals that every route shares: no token, a token for something else, no permission, a scope that is not theirs.
import assert from 'node:assert/strict';
import { basic, mailedToken } from '../../test/harness/service.ts';
import { absentId, essence, secret, type Tenant } from '../tenant-fixture.ts';
import { absent, recordsOf, type Stage } from './context.ts';

/** No token, broken ones, an expired one and a refresh token: 401, the broken ones all alike. */
export async function withoutToken({ f, call, operations }: Stage): Promise<void> {
  const spare = await f.signIn('viewer@meridian.example');
  await f.owner.query(
    `update tokens set expires_at = now() where id = (select id from tokens where kind = 'access' and user_id =
       (select id from users where email = 'viewer@meridian.example') order by created_at desc limit 1)`,
  );
  const broken = [
    `${spare.access_token.slice(0, -1)}x`,
    'Bearer',
    spare.access_token,
    spare.refresh_token,
    'a'.repeat(5000),
  ];
  for (const operation of operations) {
    const none = await call(f.client, operation, absent);
    assert.deepEqual([none.status, none.body.code], [401, 'Unauthenticated'], operation.path);
    const refused = new Set<string>();
    for (const token of broken) refused.add(essence(await call(f.client, operation, absent, { token })));
    assert.equal(refused.size, 1, `${operation.path} tells broken tokens apart`);
    assert.ok([...refused][0]?.includes('InvalidToken'));
  }
}

/** A reset token opens the one route that sets the password. */
export async function withResetToken({ f, call, operations }: Stage): Promise<void> {
  await f.client.post(
    '/auth/reset',
    { grant_type: 'client_credentials', scope: 'reset', username: 'billing@meridian.example' },
    { basic },
  );
  const token = await mailedToken(f.data, 'billing@meridian.example');
  for (const operation of operations) {
    const answer = await call(f.client, operation, absent, { token });
    assert.deepEqual(
      [answer.status, answer.body.code],
      [403, 'ResetTokenOnly'],
      `${operation.method} ${operation.path}`,
    );
  }
}

/** A role that allows nothing has its own profile, tokens and places, and hears whether the metrics work; the shipped ones write only what they are for. */
export async function withoutPermission({ f, call, operations, tenants: { meridian } }: Stage): Promise<void> {
  await meridian.admin.post('/acl/roles', { role: 'nothing', policies: [] });
  await meridian.admin.post('/users', {
    email: 'nothing@canary.example',
    lastName: 'Nothing',
    password: secret,
    role: 'nothing',
  });
  const nothing = f.client.with({ token: (await f.signIn('nothing@canary.example', secret)).access_token });
  for (const operation of operations) {
    const answer = await call(nothing, operation, absent);
    if (/^(me|tokens|places|health):/.test(operation.permission)) assert.notEqual(answer.status, 403, operation.path);
    else assert.deepEqual([answer.status, answer.body.code], [403, 'Forbidden'], operation.path);
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

/** Sibling, parent, grandchild, unknown, all-zero, no reseller: one 403. Malformed or twice: 400. */
export async function withForeignScope({
  call,
  operations,
  tenants: { meridian, atlas, boreal, labs, cobalt, delta, echo },
}: Stage): Promise<void> {
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
    const seen = new Set<string>();
    for (const [caller, scope] of foreign) seen.add(essence(await call(caller.admin, operation, absent, { scope })));
    assert.equal(seen.size, 1, `${operation.path} tells foreign scopes apart`);
    assert.ok([...seen][0]?.includes('ForbiddenScope'));
    for (const scope of ['x', `${atlas.id},${atlas.id}`, ` ${atlas.id}x`])
      assert.equal((await call(meridian.admin, operation, absent, { scope })).body.code, 'InvalidScopeHeader');
    const twice = { headers: { 'service-scope': [atlas.id, atlas.id] } };
    assert.equal((await call(meridian.admin, operation, absent, twice)).body.code, 'InvalidScopeHeader', 'sent twice');
  }
}
