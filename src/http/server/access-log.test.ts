import assert from 'node:assert/strict';
import { test } from 'node:test';
import { demoPassword } from '../../../src/demo/demo-world.ts';
import { fixture } from '../../../test/harness/service.ts';

const readiness = ['/health', '/ready', '/ping'];

test('health checks that succeed are not in the log at level info', async () => {
  const f = await fixture();
  f.logs.length = 0;
  for (const path of readiness) assert.ok((await f.client.get(path)).status < 300);
  assert.deepEqual(f.logs, []);
  await f.client.get('/health/unknown');
  assert.equal(f.logs.length, 1);
});

test('a line of the access log names user, organisation and the organisation acted for by id, and no person', async () => {
  const f = await fixture();
  const { meridian, boreal } = f.organisations;
  const { access_token: token } = await f.signIn('admin@meridian.example');
  const { rows } = await f.owner.query(`select id from users where email = 'admin@meridian.example'`);
  const { id: userId } = rows[0];
  const lineOf = async (path: string, scope?: string) => {
    f.logs.length = 0;
    assert.equal((await f.client.get(path, { token, scope })).status, 200);
    assert.doesNotMatch(f.logs.join(''), /@|%40|meridian|admin/i);
    assert.ok(!f.logs.join('').includes(token) && !f.logs.join('').includes(demoPassword));
    const { userId: user, organisationId, scopeOrganisationId } = JSON.parse(f.logs[0] ?? '');
    return [user, organisationId, scopeOrganisationId];
  };
  assert.deepEqual(await lineOf('/groups'), [userId, meridian, undefined]);
  assert.deepEqual(await lineOf('/groups', meridian), [userId, meridian, undefined]);
  assert.deepEqual(await lineOf('/users?search=admin%40meridian.example', boreal), [userId, meridian, boreal]);
  // The caller's own records do not belong to the organisation acted for.
  assert.deepEqual(await lineOf('/me/info', boreal), [userId, meridian, undefined]);
  f.logs.length = 0;
  await f.client.get('/groups');
  const { userId: nobody, organisationId } = JSON.parse(f.logs[0] ?? '');
  assert.deepEqual([nobody, organisationId], ['', '']);
});

test('a failure that the stop does not explain is an error with its cause during the stop too', async () => {
  const f = await fixture(['--drain', '2', '--memory', '0']);
  const admin = await f.as('admin@atlas.example');
  await f.owner.query('alter table tags rename to tags_elsewhere');
  f.logs.length = 0;
  const closed = f.service.close(1000);
  assert.equal((await f.client.get('/ready')).status, 503);
  const { status, headers } = await admin.get('/tags');
  assert.equal(status, 500);
  const errors = f.logs.map((line) => JSON.parse(line)).filter(({ level }) => level >= 40);
  assert.equal(errors.length, 1, f.logs.join(''));
  assert.equal(errors[0].requestId, headers['gateway-request-id']);
  assert.match(errors[0].err.stack, /tags/);
  await closed;
});
