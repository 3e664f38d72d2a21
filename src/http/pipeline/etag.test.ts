import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixture } from '../../../test/harness/service.ts';

const f = await fixture();
const admin = await f.as('admin@meridian.example');
const secret = 'tidal lantern orbit cedar';
let made = 0;
const create = async () =>
  (await admin.post('/users', { email: `tag${++made}@tags.example`, lastName: 'Tag', password: secret })).body;
const tagOf = async (path: string): Promise<string> => (await admin.get(path)).headers.etag ?? assert.fail('no ETag');

test('a current If-None-Match gets 304, an older one gets the new body', async () => {
  const { id } = await create();
  for (const path of [`/users/${id}`, '/users?limit=100', '/regions', `/organisations/${f.organisations.atlas}`]) {
    const etag = await tagOf(path);
    const same = await admin.get(path, { headers: { 'if-none-match': etag } });
    assert.deepEqual([same.status, same.text, same.headers.etag], [304, '', etag]);
    assert.equal((await admin.get(path, { headers: { 'if-none-match': `"other", W/${etag}` } })).status, 304);
    assert.equal((await admin.get(path, { headers: { 'if-none-match': '"other"' } })).status, 200);
  }
  const before = await tagOf('/users?limit=1');
  await create();
  assert.equal(
    (await admin.get('/users?limit=1', { headers: { 'if-none-match': before } })).status,
    200,
    'the total belongs to a list',
  );
});

test('a stale If-Match gets 412 and changes nothing', async () => {
  const { id } = await create();
  const path = `/users/${id}`;
  const etag = await tagOf(path);
  assert.equal((await admin.put(path, { firstName: 'One' }, { headers: { 'if-match': etag } })).status, 200);
  const late = await admin.put(path, { firstName: 'Two' }, { headers: { 'if-match': etag } });
  assert.deepEqual([late.status, late.body.code], [412, 'Stale']);
  assert.equal((await admin.delete(path, { headers: { 'if-match': etag } })).status, 412);
  assert.equal((await admin.get(path)).body.firstName, 'One');
  assert.equal((await admin.put(path, { firstName: 'Three' }, { headers: { 'if-match': '*' } })).status, 200);
  assert.equal((await admin.delete(path, { headers: { 'if-match': await tagOf(path) } })).status, 204);
  assert.equal((await admin.delete(path, { headers: { 'if-match': '*' } })).status, 404);
});

test('a path without a read route accepts only If-Match: *', async () => {
  const { id } = (await admin.post('/personal/tokens', { name: 'tagless', expiresIn: 60 })).body;
  assert.equal((await admin.delete(`/personal/tokens/${id}`, { headers: { 'if-match': '"x"' } })).status, 412);
  assert.equal((await admin.delete(`/personal/tokens/${id}`, { headers: { 'if-match': '*' } })).status, 204);
});

test('the OpenAPI document has an ETag', async () => {
  const { headers } = await f.client.get('/openapi.json');
  assert.equal((await f.client.get('/openapi.json', { headers: { 'if-none-match': headers.etag ?? '' } })).status, 304);
});

test('the page of children does not make an organisation stale', async () => {
  const path = `/organisations/${f.organisations.meridian}`;
  const etag = await tagOf(`${path}?limit=1&offset=1`);
  assert.equal((await admin.put(path, { phone: '+31 1' }, { headers: { 'if-match': etag } })).status, 200);
  assert.equal((await admin.put(path, { phone: '+31 2' }, { headers: { 'if-match': etag } })).status, 412);
});

test('of 10 concurrent writers with one ETag on two paths to a record, exactly one succeeds', async () => {
  const user = await create();
  const own = f.client.with({ token: (await f.signIn(user.email, secret)).access_token });
  for (let round = 0; round < 10; round++) {
    const etag = await tagOf(`/users/${user.id}`);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        admin.put(`/users/${user.id}`, { firstName: `Writer ${round} ${index}` }, { headers: { 'if-match': etag } }),
      ),
    );
    assert.deepEqual(answers.map((answer) => answer.status).sort(), [200, ...Array(9).fill(412)]);
    const winner = answers.find((answer) => answer.status === 200);
    assert.equal((await own.get('/me/info')).body.firstName, winner?.body.firstName);
  }
});

test('concurrent updates of different fields of one sub-object both persist', async () => {
  const user = await create();
  for (let round = 0; round < 10; round++) {
    await Promise.all([
      admin.put(`/users/${user.id}`, { contact: { phone: `p${round}` } }),
      admin.put(`/users/${user.id}`, { contact: { site: `s${round}` } }),
      admin.put(`/organisations/${f.organisations.atlas}`, { phone: `o${round}` }),
      admin.put(`/organisations/${f.organisations.atlas}`, { address: { city: `c${round}` } }),
    ]);
    assert.deepEqual((await admin.get(`/users/${user.id}`)).body.contact, { phone: `p${round}`, site: `s${round}` });
    const organisation = (await admin.get(`/organisations/${f.organisations.atlas}`)).body;
    assert.deepEqual([organisation.phone, organisation.address.city], [`o${round}`, `c${round}`]);
  }
});

test('an update without If-Match makes an earlier ETag stale', async () => {
  const user = await create();
  for (let round = 0; round < 10; round++) {
    const etag = await tagOf(`/users/${user.id}`);
    const [plain, careful] = await Promise.all([
      admin.put(`/users/${user.id}`, { contact: { phone: `plain ${round}` } }),
      admin.put(`/users/${user.id}`, { contact: { site: `careful ${round}` } }, { headers: { 'if-match': etag } }),
    ]);
    assert.equal(plain.status, 200);
    const { contact } = (await admin.get(`/users/${user.id}`)).body;
    assert.equal(contact.phone, `plain ${round}`);
    assert.equal(
      contact.site === `careful ${round}`,
      careful.status === 200,
      'what was acknowledged is there, what was refused is not',
    );
    assert.ok([200, 412].includes(careful.status));
  }
});
