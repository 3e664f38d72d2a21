import assert from 'node:assert/strict';
import { test } from 'node:test';
import { basic, fixture, mailedToken } from '../../../test/harness/service.ts';
import { parseIrn } from '../../values/irn.ts';

const f = await fixture();
const admin = await f.as('admin@meridian.example');
const secret = 'tidal lantern orbit cedar';
interface AuditRecord {
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

test('every successful write creates one audit entry; reads and rejected writes create none', async () => {
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
  assert.deepEqual(
    body.map((entry: AuditRecord) => `${entry.action} ${entry.serviceType} ${entry.serviceName}`).reverse(),
    [
      'create user Ada Seen',
      'update user Ada Noted',
      'create role noted',
      'delete role noted',
      'create token noted',
      'delete token noted',
      'update user Mara Lindqvist',
      'update organisation Meridian Exchange',
      'delete user Ada Noted',
    ],
  );
  const me = (await admin.get('/me/info')).body;
  for (const entry of body as AuditRecord[]) {
    assert.deepEqual(
      [entry.userID, entry.userName, entry.organisationID, entry.clientIP],
      [me.id, 'Mara Lindqvist', f.organisations.meridian, '127.0.0.1'],
    );
    assert.equal(parseIrn(entry.serviceIRN)?.family, entry.serviceType);
  }
  assert.equal(parseIrn((body as AuditRecord[])[0]?.serviceIRN ?? '')?.id, user.id);
});

test('an update lists the changed fields, and secrets are masked', async () => {
  const changesOf = async (client = admin) => (await client.get('/audit?action=update&limit=1')).body[0].changes;
  const { id } = (
    await admin.post('/users', { email: 'fields@audit.example', lastName: 'Fields', password: secret, role: 'viewer' })
  ).body;
  await admin.put(`/users/${id}`, { role: 'operator', contact: { phone: '+46 8' } });
  assert.deepEqual(await changesOf(), [
    { path: 'role', before: 'viewer', after: 'operator' },
    { path: 'contact', before: null, after: { phone: '+46 8', site: null } },
  ]);
  await admin.put(`/users/${id}`, { password: 'velvet harbour ninety maples', contact: { phone: '+46 9' } });
  assert.deepEqual(await changesOf(), [
    { path: 'contact.phone', before: '+46 8', after: '+46 9' },
    { path: 'password', before: null, after: '***' },
  ]);
  await admin.put(`/users/${id}`, {});
  assert.deepEqual(await changesOf(), []);
  await admin.put(`/organisations/${f.organisations.meridian}`, { phone: '+31 8', address: { city: 'Leiden' } });
  assert.deepEqual(
    (await changesOf()).map(({ path, after }: { path: string; after: unknown }) => [path, after]),
    [
      ['phone', '+31 8'],
      ['address.city', 'Leiden'],
    ],
  );
  const tag = (await admin.post('/tags', { name: 'before' })).body;
  await admin.put(`/tags/${tag.id}`, { name: 'after' });
  assert.deepEqual(await changesOf(), [{ path: 'name', before: 'before', after: 'after' }]);
});

test('what a parent does for a child names the parent', async () => {
  const scoped = admin.with({ scope: f.organisations.atlas });
  await scoped.post('/tags', { name: 'from the parent' });
  const [entry] = (await scoped.get('/audit?limit=1')).body;
  assert.deepEqual([entry.organisationID, entry.onBehalf], [f.organisations.atlas, f.organisations.meridian]);
  await admin.post('/tags', { name: 'own' });
  assert.equal((await admin.get('/audit?limit=1')).body[0].onBehalf, null);
});

test('sessions leave a trace: sign-ins, refusals, lockouts, resets, sign-outs and theft', async () => {
  const email = 'trace@audit.example';
  const { id } = (await admin.post('/users', { email, lastName: 'Trace', password: secret })).body;
  const grant = (body: object) =>
    f.client.post('/auth/token', { scope: 'everything', ...body }, { basic, headers: { 'user-agent': 'tracer/1' } });
  const signIn = (password: string) => grant({ grant_type: 'password', username: email, password });
  const traces = async () =>
    (await admin.get(`/audit?serviceType=session&userID=${id}&limit=100`)).body
      .map((entry: AuditRecord) => entry.action)
      .reverse();
  const { refresh_token } = (await signIn(secret)).body;
  assert.equal((await grant({ grant_type: 'refresh_token', refresh_token })).status, 200);
  await f.owner.query(
    `update tokens set rotated_at = rotated_at - interval '20 seconds' where user_id = $1 and rotated_at is not null`,
    [id],
  );
  assert.equal((await grant({ grant_type: 'refresh_token', refresh_token })).status, 400);
  for (let count = 0; count < 7; count++) await signIn('wrong wrong wrong');
  await grant({ grant_type: 'password', username: 'nobody@audit.example', password: 'x' });
  const reset = { grant_type: 'client_credentials', scope: 'reset', username: email };
  await f.client.post('/auth/reset', reset, { basic });
  const token = await mailedToken(f.data, email);
  await f.client.put('/me/info', { password: 'velvet harbour ninety maples' }, { token });
  const origin = { 'sec-fetch-site': 'same-origin' };
  const session = await f.client.post(
    '/portal/session',
    { username: email, password: 'velvet harbour ninety maples' },
    { headers: origin },
  );
  const [cookie = ''] = String(session.headers['set-cookie']).split(';');
  assert.equal((await f.client.post('/portal/session/end', {}, { headers: { ...origin, cookie } })).status, 204);
  const refused = Array(5).fill('sign-in-refused');
  assert.deepEqual(await traces(), [
    'sign-in',
    'refresh-reused',
    ...refused,
    'lock',
    'reset-asked',
    'reset',
    'sign-in',
    'sign-out',
  ]);
  const [first] = (await admin.get(`/audit?action=sign-in&userID=${id}`)).body.reverse();
  assert.deepEqual(
    [first.userAgent, first.clientIP, first.userName, first.changes],
    ['tracer/1', '127.0.0.1', 'Trace', null],
  );
});

test('filters apply alone and combined, and stay in the page links', async () => {
  const all = (await admin.get('/audit?limit=100')).body as AuditRecord[];
  const expect = async (query: string, matches: (entry: AuditRecord) => boolean) => {
    const found = (await admin.get(`/audit?limit=100&${query}`)).body as AuditRecord[];
    assert.deepEqual(found, all.filter(matches), query);
    assert.ok(found.length > 0, query);
  };
  const me = (await admin.get('/me/info')).body;
  const middle = all[4]?.createdAt ?? '';
  await expect('action=create', (entry) => entry.action === 'create');
  await expect('serviceType=user', (entry) => entry.serviceType === 'user');
  await expect(`userID=${me.id}`, (entry) => entry.userID === me.id);
  await expect(
    `action=update&serviceType=user&userID=${me.id}`,
    (entry) => entry.action === 'update' && entry.serviceType === 'user' && entry.userID === me.id,
  );
  const whole = `${middle.slice(0, 19)}Z`;
  await expect(`start-d=${whole}`, (entry) => entry.createdAt >= whole.replace('Z', '.'));
  const exactly = all[3]?.createdAt ?? '';
  await expect(`start-d=${exactly}`, (entry) => entry.createdAt >= exactly);
  await expect(`end-d=${exactly}`, (entry) => entry.createdAt < exactly);
  assert.deepEqual((await admin.get(`/audit?end-d=2020-01-01T00:00:00Z`)).body, []);
  assert.match(
    (await admin.get('/audit?action=create&limit=1')).headers.link ?? '',
    /<\/audit\?action=create&page=2&limit=1>; rel="next"/,
  );
});

test('the earliest and latest times are accepted as filters', async () => {
  for (const query of ['start-d=0000-01-01T00:00:00Z', 'start-d=0001-01-01T00:00:00%2B23:59'])
    assert.ok((await admin.get(`/audit?${query}`)).body.length > 0, query);
  assert.ok((await admin.get('/audit?end-d=9999-12-31T23:59:59-23:59')).body.length > 0);
  assert.equal((await admin.get('/audit?end-d=2026-01-01T00:00:00-24:00')).status, 400);
});

test('malformed filters give 400 with the name of the filter', async () => {
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

test('a child sees its own audit entries and not those of its parent', async () => {
  const atlas = (await (await f.as('admin@atlas.example')).get('/audit')).body as AuditRecord[];
  assert.ok(atlas.length > 0);
  assert.ok(atlas.every((entry) => entry.organisationID === f.organisations.atlas));
  assert.deepEqual((await admin.get('/audit', { scope: f.organisations.atlas })).body, atlas);
});

test('the application’s database role can insert audit rows but not change or delete them', async () => {
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
