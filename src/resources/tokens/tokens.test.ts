import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { fixture } from '../../../test/harness/service.ts';
import { demoPassword } from '../../demo/demo-world.ts';
import { newToken, tokenKindOf } from './rules.ts';

const f = await fixture();
const me = await f.as('operator@meridian.example');
const make = async (extra = {}, client = me) =>
  (await client.post('/personal/tokens', { name: 'terraform', expiresIn: 600, ...extra })).body;

test('a token names its kind, and the checksum detects a wrong character', () => {
  for (const kind of ['access', 'refresh', 'personal', 'reset'] as const) {
    const token = newToken(kind);
    assert.equal(tokenKindOf(token), kind);
    fc.assert(
      fc.property(fc.nat({ max: token.length - 1 }), fc.constantFrom(...'0aZ_'), (place, letter) => {
        const changed = token.slice(0, place) + letter + token.slice(place + 1);
        if (changed !== token) assert.equal(tokenKindOf(changed), undefined);
      }),
    );
  }
  fc.assert(fc.property(fc.string(), (text) => tokenKindOf(text) === undefined));
});

test('a personal token is shown once, in both spellings, and is accepted like an access token', async () => {
  const response = await me.post('/personal/tokens', { name: 'terraform', comment: 'pipeline', expiresIn: 86400 });
  assert.equal(response.status, 200);
  assert.equal(response.headers['cache-control'], 'no-store');
  const { body } = response;
  assert.equal(body.accessToken, body.access_token);
  assert.equal(body.expiresIn, 86400);
  assert.equal(body.expires_in, 86400);
  assert.equal(body.tokenType, 'Bearer');
  assert.equal(body.token_type, 'Bearer');
  const scripted = f.client.with({ token: body.accessToken });
  assert.equal((await scripted.get('/me/info')).body.email, 'operator@meridian.example');
  const listed = (await me.get('/personal/tokens')).body.find((one: { id: string }) => one.id === body.id);
  assert.deepEqual(
    { ...listed, createdAt: '', userId: '' },
    { id: body.id, name: 'terraform', comment: 'pipeline', createdAt: '', expiresIn: 86400, userId: '' },
  );
  assert.ok(!JSON.stringify((await me.get('/personal/tokens')).body).includes(body.accessToken));
});

test('the lifetime is between a minute and a year', async () => {
  for (const expiresIn of [59, 31_536_001, 0, -1, 1.5, '600', null])
    assert.equal((await me.post('/personal/tokens', { name: 'x', expiresIn })).status, 400, String(expiresIn));
  for (const expiresIn of [60, 31_536_000])
    assert.equal((await me.post('/personal/tokens', { name: 'x', expiresIn })).status, 200);
  const { id, accessToken } = await make({ expiresIn: 60 });
  await f.owner.query(`update tokens set expires_at = now() where id = $1`, [id]);
  assert.equal((await f.client.get('/me/info', { token: accessToken })).status, 401);
  assert.ok(
    !(await me.get('/personal/tokens')).body.some((one: { id: string }) => one.id === id),
    'expired tokens are not listed',
  );
  assert.equal((await me.delete(`/personal/tokens/${id}`)).status, 404);
});

test('read-only keys are rejected by name', async () => {
  for (const key of ['id', 'userId', 'createdAt', 'irn']) {
    const response = await me.post('/personal/tokens', { name: 'x', expiresIn: 60, [key]: 'x' });
    assert.deepEqual([response.body.code, response.body.details[0].path], ['ReadOnlyField', key]);
  }
});

test('only the owner deletes a personal token, one or all', async () => {
  const one = await make();
  const two = await make();
  const other = await f.as('viewer@meridian.example');
  const theirs = await make({}, other);
  assert.equal((await other.delete(`/personal/tokens/${one.id}`)).status, 404);
  assert.equal((await me.delete(`/personal/tokens/${one.id}`)).status, 204);
  assert.equal((await f.client.get('/me/info', { token: one.accessToken })).status, 401);
  assert.equal((await f.client.get('/me/info', { token: two.accessToken })).status, 200);
  assert.equal((await me.delete('/personal/tokens')).status, 204);
  assert.equal((await f.client.get('/me/info', { token: two.accessToken })).status, 401);
  assert.deepEqual((await me.get('/personal/tokens')).body, []);
  assert.equal((await f.client.get('/me/info', { token: theirs.accessToken })).status, 200);
});

test('a personal token belongs to the user, also when the user acts for a child', async () => {
  const admin = await f.as('admin@meridian.example');
  const token = await make({}, admin.with({ scope: f.organisations.atlas }));
  assert.ok((await admin.get('/personal/tokens')).body.some((one: { id: string }) => one.id === token.id));
  assert.equal(
    (await f.client.get('/me/info', { token: token.accessToken })).body.organisationId,
    f.organisations.meridian,
  );
});

test('every role may create personal tokens', async () => {
  for (const role of ['admin', 'operator', 'viewer', 'billing'])
    assert.ok((await make({}, await f.as(`${role}@meridian.example`))).accessToken);
});

test('a personal token cannot manage credentials', async () => {
  const admin = await f.as('admin@meridian.example');
  const { id, accessToken } = await make({}, admin);
  const scripted = f.client.with({ token: accessToken });
  const own = (await admin.get('/me/info')).body;
  const other = { email: 'other@tokens.example', lastName: 'Other', password: 'velvet harbour ninety maples' };
  const { id: otherId } = (await admin.post('/users', other)).body;
  const refusals = [
    await scripted.post('/personal/tokens', { name: 'x', expiresIn: 31_536_000 }),
    await scripted.delete('/personal/tokens'),
    await scripted.delete(`/personal/tokens/${id}`),
    await scripted.put('/me/info', { password: 'velvet harbour ninety maples', currentPassword: demoPassword }),
    await scripted.put('/me/info', { email: 'taken.over@meridian.example', currentPassword: demoPassword }),
    await scripted.put(`/users/${own.id}`, { password: 'velvet harbour ninety maples' }),
    await scripted.put(`/users/${own.number}`, { email: 'taken.over@meridian.example' }),
    await scripted.put(`/users/${otherId}`, { password: 'seven copper lanterns at dusk' }),
    await scripted.put(`/users/${otherId}`, { email: 'taken.over@meridian.example' }),
  ];
  assert.deepEqual(
    refusals.map(({ status, body }) => [status, body.code]),
    refusals.map(() => [403, 'NotWithPersonalToken']),
  );
  assert.equal((await scripted.put('/me/info', { preference: { language: 'sv' } })).status, 200);
  assert.equal((await admin.get('/personal/tokens')).body.filter((one: { id: string }) => one.id === id).length, 1);
});

test('a user has at most 50 personal tokens, also with concurrent creations', async () => {
  const billing = await f.as('billing@meridian.example');
  await billing.delete('/personal/tokens');
  const create = () => billing.post('/personal/tokens', { name: 'many', expiresIn: 600 });
  const responses = await Promise.all(Array.from({ length: 60 }, create));
  const statuses = responses.map(({ status }) => status);
  assert.deepEqual([statuses.filter((one) => one === 200).length, new Set(statuses)], [50, new Set([200, 409])]);
  assert.equal((await create()).body.code, 'TooManyTokens');
  await f.owner.query(`update tokens set expires_at = now() where id = $1`, [
    responses.find((one) => one.status === 200)?.body.id,
  ]);
  assert.equal((await create()).status, 200, 'expired tokens do not count');
  await billing.delete('/personal/tokens');
});

test('an admin sees and revokes the tokens of others; other roles do not', async () => {
  const admin = await f.as('admin@meridian.example');
  const viewer = await f.as('viewer@meridian.example');
  const { id: userId } = (await viewer.get('/me/info')).body;
  const { id, accessToken } = await make({ name: 'of the viewer' }, viewer);
  const listed = await admin.get(`/users/${userId}/tokens`);
  assert.equal(listed.status, 200);
  assert.deepEqual(
    listed.body.filter((one: { id: string }) => one.id === id).map((one: { name: string }) => one.name),
    ['of the viewer'],
  );
  assert.ok(!listed.text.includes(accessToken));
  for (const role of ['viewer', 'operator', 'billing']) {
    const other = await f.as(`${role}@meridian.example`);
    assert.equal((await other.get(`/users/${userId}/tokens`)).status, 403);
    assert.equal((await other.delete(`/users/${userId}/tokens/${id}`)).status, 403);
  }
  const stranger = await f.as('admin@cobalt.example');
  assert.equal((await stranger.get(`/users/${userId}/tokens`)).status, 404);
  assert.equal((await stranger.delete(`/users/${userId}/tokens/${id}`)).status, 404);
  assert.equal((await admin.delete(`/users/${userId}/tokens/${id}`)).status, 204);
  assert.equal((await f.client.get('/me/info', { token: accessToken })).status, 401);
  assert.equal((await admin.delete(`/users/${userId}/tokens/${id}`)).status, 404);
});
