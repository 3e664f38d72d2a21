import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fixture } from '../../../test/harness/service.ts';

const f = await fixture();
const admin = await f.as('admin@meridian.example');
const secret = 'tidal lantern orbit cedar';
let made = 0;
const body = (extra = {}) => ({ email: `idem${++made}@idem.example`, lastName: 'Twice', password: secret, ...extra });
const keyed = (key: string) => ({ headers: { 'idempotency-key': key } });
const count = async (email: string) =>
  (await f.owner.query('select count(*)::int as count from users where email = $1', [email])).rows[0].count;

describe('a request repeated with its Idempotency-Key', () => {
  test('runs once; the response is the same except for the request id', async () => {
    const wish = body();
    const first = await admin.post('/users', wish, keyed('a'));
    const second = await admin.post('/users', wish, keyed('a'));
    assert.equal(first.status, 201);
    assert.equal(second.status, 201);
    assert.equal(second.text, first.text);
    assert.notEqual(second.headers['gateway-request-id'], first.headers['gateway-request-id']);
    assert.equal(await count(wish.email), 1);
    assert.equal(
      (await admin.get('/audit?serviceType=user&action=create&limit=1')).body[0].serviceIRN.length > 0,
      true,
    );
  });
  test('with another body is 422', async () => {
    const wish = body();
    await admin.post('/users', wish, keyed('b'));
    const answer = await admin.post('/users', { ...wish, lastName: 'Other' }, keyed('b'));
    assert.equal(answer.status, 422);
    assert.equal(answer.body.code, 'KeyReused');
  });
  test('replays errors with a fresh request id, even when their reason has gone', async () => {
    const taken = await admin.post('/users', body());
    const wish = body({ email: taken.body.email });
    const first = await admin.post('/users', wish, keyed('c'));
    assert.equal(first.body.code, 'EmailTaken');
    await admin.delete(`/users/${taken.body.id}`);
    const second = await admin.post('/users', wish, keyed('c'));
    assert.deepEqual({ ...second.body, requestId: '' }, { ...first.body, requestId: '' });
    assert.notEqual(second.body.requestId, first.body.requestId);
    const invalid = await admin.post('/users', { email: 'x' }, keyed('d'));
    assert.equal(invalid.status, 400);
    assert.equal(
      (await admin.post('/users', body(), keyed('d'))).status,
      422,
      'an invalid request used the key as well',
    );
  });
  test('of another caller, scope or path is another request', async () => {
    await admin.post('/users', body(), keyed('e'));
    assert.equal((await admin.post('/users', body(), { ...keyed('e'), scope: f.organisations.atlas })).status, 201);
    assert.equal((await admin.post('/acl/roles', { role: 'idem', policies: [] }, keyed('e'))).status, 201);
    const boreal = await f.as('admin@boreal.example');
    assert.equal((await boreal.post('/users', body(), keyed('e'))).status, 201);
  });
  test('of a token creation is rejected: the value is shown once', async () => {
    const wish = { name: 'once', expiresIn: 600 };
    const first = await admin.post('/personal/tokens', wish, keyed('f'));
    assert.equal(first.status, 200);
    const second = await admin.post('/personal/tokens', wish, keyed('f'));
    assert.equal(second.status, 409);
    assert.equal(second.body.code, 'SecretShownOnce');
    assert.equal(
      (await admin.get('/personal/tokens')).body.filter((one: { name: string }) => one.name === 'once').length,
      1,
    );
    const kept = JSON.stringify((await f.owner.query('select * from idempotency_records')).rows);
    assert.ok(!kept.includes(first.body.accessToken) && !kept.includes(secret));
  });
  test('runs again after 24 hours', async () => {
    const wish = body();
    const first = await admin.post('/users', wish, keyed('g'));
    await f.owner.query(`update idempotency_records set created_at = created_at - interval '24 hours 1 second'`);
    assert.equal((await admin.post('/users', wish, keyed('g'))).body.code, 'EmailTaken');
    assert.equal(first.status, 201);
  });
});

test('malformed keys are rejected by name; GET, PUT and DELETE ignore keys', async () => {
  for (const key of ['', 'x'.repeat(256)])
    assert.equal(
      (await admin.post('/users', body(), keyed(key))).body.details[0].path,
      'Idempotency-Key',
      JSON.stringify(key),
    );
  assert.equal((await admin.put('/me/info', {}, keyed('h'))).status, 200);
  assert.equal((await admin.get('/me/info', keyed('h'))).status, 200);
});

test('20 concurrent repetitions create one record; each gets its response or StillRunning', async () => {
  for (let round = 0; round < 5; round++) {
    const wish = body();
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => admin.post('/users', wish, keyed(`race-${round}`))),
    );
    assert.equal(await count(wish.email), 1);
    const done = answers.filter((answer) => answer.status === 201);
    assert.ok(done.length >= 1);
    assert.equal(new Set(done.map((answer) => answer.body.id)).size, 1);
    assert.ok(answers.every((answer) => answer.status === 201 || answer.body.code === 'StillRunning'));
  }
});
