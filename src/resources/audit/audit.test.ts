import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixture } from '../../../test/harness/service.ts';
import { parseIrn } from '../../values/irn.ts';

const f = await fixture();
const admin = await f.as('admin@meridian.example');
const secret = 'tidal lantern orbit cedar';
interface Deed {
  action: string;
  serviceType: string;
  serviceName: string;
  serviceIRN: string;
  userName: string;
  userID: string;
  createdAt: string;
  organisationID: string;
  clientIP: string;
}
const total = async (query = '') =>
  Number((await admin.get(`/audit?${query}`)).headers['content-range']?.split('/')[1]);

test('every successful write leaves one row with who, what and for whom; refused ones and reads leave none', async () => {
  const before = await total();
  const user = (
    await admin.post('/users', { email: 'seen@audit.example', firstName: 'Ada', lastName: 'Seen', password: secret })
  ).body;
  await admin.put(`/users/${user.id}`, { lastName: 'Noted' });
  await admin.post('/acl/roles', { role: 'noted', policies: [] });
  await admin.delete('/acl/roles/noted');
  const token = (await admin.post('/personal/tokens', { name: 'noted', expiresIn: 60 })).body;
  await admin.delete(`/personal/tokens/${token.id}`);
  await admin.put('/me/info', { preference: { language: 'nl' } });
  await admin.put(`/organisations/${f.organisations.meridian}`, { phone: '+31 9' });
  await admin.delete(`/users/${user.id}`);
  await admin.get('/users');
  await admin.post('/users', { email: 'seen@audit.example' });
  await admin.delete(`/users/${user.id}`);
  const { body } = await admin.get('/audit?limit=9');
  assert.equal(await total(), before + 9);
  assert.deepEqual(body.map((deed: Deed) => `${deed.action} ${deed.serviceType} ${deed.serviceName}`).reverse(), [
    'create user Ada Seen',
    'update user Ada Noted',
    'create role noted',
    'delete role noted',
    'create token noted',
    'delete token noted',
    'update user Mara Lindqvist',
    'update organisation Meridian Exchange',
    'delete user Ada Noted',
  ]);
  const me = (await admin.get('/me/info')).body;
  for (const deed of body as Deed[]) {
    assert.deepEqual(
      [deed.userID, deed.userName, deed.organisationID, deed.clientIP],
      [me.id, 'Mara Lindqvist', f.organisations.meridian, '127.0.0.1'],
    );
    assert.equal(parseIrn(deed.serviceIRN)?.family, deed.serviceType);
  }
  assert.equal(parseIrn((body as Deed[])[0]?.serviceIRN ?? '')?.id, user.id);
});

test('filters narrow it, alone and together; their pages keep them', async () => {
  const all = (await admin.get('/audit?limit=100')).body as Deed[];
  const expect = async (query: string, holds: (deed: Deed) => boolean) => {
    const found = (await admin.get(`/audit?limit=100&${query}`)).body as Deed[];
    assert.deepEqual(found, all.filter(holds), query);
    assert.ok(found.length > 0, query);
  };
  const me = (await admin.get('/me/info')).body;
  const middle = all[4]?.createdAt ?? '';
  await expect('action=create', (deed) => deed.action === 'create');
  await expect('serviceType=user', (deed) => deed.serviceType === 'user');
  await expect(`userID=${me.id}`, (deed) => deed.userID === me.id);
  await expect(
    `action=update&serviceType=user&userID=${me.id}`,
    (deed) => deed.action === 'update' && deed.serviceType === 'user' && deed.userID === me.id,
  );
  const whole = `${middle.slice(0, 19)}Z`;
  await expect(`start-d=${whole}`, (deed) => deed.createdAt >= whole.replace('Z', '.'));
  const exactly = all[3]?.createdAt ?? '';
  await expect(`start-d=${exactly}`, (deed) => deed.createdAt >= exactly);
  await expect(`end-d=${exactly}`, (deed) => deed.createdAt < exactly);
  assert.deepEqual((await admin.get(`/audit?end-d=2020-01-01T00:00:00Z`)).body, []);
  assert.match(
    (await admin.get('/audit?action=create&limit=1')).headers.link ?? '',
    /<\/audit\?action=create&page=2&limit=1>; rel="next"/,
  );
});

test('the ends of time are no error', async () => {
  for (const query of ['start-d=0000-01-01T00:00:00Z', 'start-d=0001-01-01T00:00:00%2B23:59'])
    assert.ok((await admin.get(`/audit?${query}`)).body.length > 0, query);
  assert.ok((await admin.get('/audit?end-d=9999-12-31T23:59:59-23:59')).body.length > 0);
  assert.equal((await admin.get('/audit?end-d=2026-01-01T00:00:00-24:00')).status, 400);
});

test('malformed filters are 400 by name', async () => {
  for (const query of [
    'action=destroy',
    'userID=7',
    'start-d=yesterday',
    'end-d=2026-11-14T09:30:00+02:00',
    'start-d=2026-02-30T00:00:00Z',
    'action=create&action=update',
  ])
    assert.equal((await admin.get(`/audit?${query}`)).body.details[0].path, query.split('=')[0], query);
});

test('a child sees its own trail and not its parent’s', async () => {
  const atlas = (await (await f.as('admin@atlas.example')).get('/audit')).body as Deed[];
  assert.ok(atlas.length > 0);
  assert.ok(atlas.every((deed) => deed.organisationID === f.organisations.atlas));
  assert.deepEqual((await admin.get('/audit', { scope: f.organisations.atlas })).body, atlas);
});

test('the application’s own database role can add rows and neither change nor remove them', async () => {
  const client = await f.owner.connect();
  try {
    await client.query('begin; set local role patchbay_app');
    await client.query(`select set_config('patchbay.everywhere', 'on', true)`);
    for (const statement of [
      `update audit set user_name = 'nobody'`,
      'delete from audit',
      'truncate audit',
      'delete from organisations',
    ]) {
      await client.query('savepoint s');
      await assert.rejects(client.query(statement), /permission denied/, statement);
      await client.query('rollback to savepoint s');
    }
  } finally {
    await client.query('rollback');
    client.release();
  }
});
