// Tags through the HTTP API.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixture } from '../../../test/harness/service.ts';

const f = await fixture();
const admin = await f.as('admin@cobalt.example');

test('a tag is created, read, updated and deleted; its name is unique in its organisation', async () => {
  const created = await admin.post('/tags', { name: 'night-shift', color: '#112233' });
  assert.deepEqual([created.status, created.body.description], [201, null]);
  const path = `/tags/${created.body.id}`;
  assert.deepEqual((await admin.get(path)).body, created.body);
  const again = await admin.post('/tags', { name: 'night-shift' });
  assert.deepEqual([again.status, again.body.code], [409, 'NameTaken']);
  assert.equal((await admin.put(path, { name: 'live' })).body.code, 'NameTaken');
  assert.equal((await admin.put(path, { color: null, description: 'after ten' })).body.color, null);
  assert.equal((await admin.put(path, { color: 'red' })).status, 400);
  assert.equal((await admin.delete(path)).status, 204);
  assert.equal((await admin.get(path)).status, 404);
  const other = await f.as('admin@atlas.example');
  assert.equal((await other.post('/tags', { name: 'live' })).status, 201, 'another organisation may use the name');
});

test('deleting a tag removes it from all records', async () => {
  const { id } = (await admin.post('/tags', { name: 'passing' })).body;
  const [group] = (await admin.get('/groups')).body;
  const [connector] = (await admin.get('/connectors')).body;
  const [appliance] = (await admin.get('/cloud-appliances')).body;
  const [link] = (await admin.get(`/link/group/${group.id}`)).body;
  const paths = [
    [`/groups/${group.id}`, `/groups/${group.id}`],
    [`/flow/connector/${connector.id}`, `/connectors/${connector.id}`],
    [`/cloud-appliances/${appliance.id}`, `/cloud-appliances/${appliance.id}`],
    [`/flow/link/${link.id}`, `/flow/link/${link.id}`],
  ] as const;
  for (const [write, read] of paths) {
    assert.equal((await admin.put(write, { tagIds: [id] })).status, 200, write);
    assert.deepEqual((await admin.get(read)).body.tagIds, [id]);
  }
  assert.deepEqual(
    (await admin.get(`/connectors?tags=${id}`)).body.map((one: { id: string }) => one.id),
    [connector.id],
  );
  await admin.delete(`/tags/${id}`);
  for (const [, read] of paths) assert.equal((await admin.get(read)).body.tagIds, null, read);
});
