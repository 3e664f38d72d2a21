// Appliances through the HTTP API.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fixture } from '../../../test/harness/service.ts';

const f = await fixture();
const admin = await f.as('admin@boreal.example');
const models = (await admin.get('/cloud-appliance-models')).body;
const input = {
  name: 'cpe-cph-01',
  siteName: 'Copenhagen, Ørestad',
  slacity: 'copenhagen',
  cloudApplianceModelID: models[0].id,
  kind: 'cloudAppliance',
};
const create = async (more: object = {}) => {
  const response = await admin.post('/cloud-appliances', { ...input, ...more });
  assert.equal(response.status, 201, response.text);
  return response.body;
};

test('an appliance is registered, read, updated and deleted', async () => {
  const [tag] = (await admin.get('/tags')).body;
  const created = await create({ tagIds: [tag.id] });
  assert.deepEqual(
    [
      created.slacity,
      created.region,
      created.cloudApplianceModel.modelName,
      created.cloudVirtualInterfaces,
      created.tagIds,
    ],
    ['copenhagen', 'europe', models[0].modelName, {}, [tag.id]],
  );
  const path = `/cloud-appliances/${created.id}`;
  assert.deepEqual((await admin.get(path)).body, created);
  const changed = await admin.put(path, { ...created, siteName: 'Ørestad 2', cloudApplianceModelID: models[1].id });
  assert.deepEqual(
    [changed.body.siteName, changed.body.cloudApplianceModel.modelName],
    ['Ørestad 2', models[1].modelName],
  );
  for (const body of [{ slacity: 'oslo' }, { kind: 'routingAppliance' }, { region: 'japan' }])
    assert.equal((await admin.put(path, body)).body.code, 'ReadOnlyField');
  assert.equal((await admin.delete(path)).status, 204);
  assert.equal((await admin.get(path)).status, 404);
});

test('a record sent back as it was listed or read changes nothing', async () => {
  for (const listed of (await admin.get('/cloud-appliances?limit=100')).body) {
    const path = `/cloud-appliances/${listed.id}`;
    const read = (await admin.get(path)).body;
    for (const body of [listed, read]) assert.equal((await admin.put(path, body)).status, 200);
    assert.deepEqual((await admin.get(path)).body, read);
  }
});

test('the error for an unknown model, city or tag names the field', async () => {
  const absent = '0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10';
  for (const [more, path] of [
    [{ cloudApplianceModelID: absent }, 'cloudApplianceModelID'],
    [{ slacity: 'atlantis' }, 'slacity'],
    [{ tagIds: [absent] }, 'tagIds'],
  ] as const) {
    const response = await admin.post('/cloud-appliances', { ...input, ...more });
    assert.deepEqual([response.status, response.body.details[0].path], [404, path]);
  }
});

test('the list can be filtered by kind and virtual interface, and contains the interfaces', async () => {
  const all = (await admin.get('/cloud-appliances?limit=100')).body;
  const kinds = async (query: string) =>
    (await admin.get(`/cloud-appliances?limit=100&${query}`)).body.map((one: { kind: string }) => one.kind);
  const [cloud, routing] = [await kinds('cloudApplianceOnly=true'), await kinds('routingApplianceOnly=true')];
  assert.ok(cloud.length > 0 && cloud.every((kind: string) => kind === 'cloudAppliance'));
  assert.ok(routing.length > 0 && routing.every((kind: string) => kind === 'routingAppliance'));
  assert.equal(cloud.length + routing.length, all.length);
  assert.equal((await kinds('cloudApplianceOnly=false')).length, all.length);
  const both = await admin.get('/cloud-appliances?cloudApplianceOnly=true&routingApplianceOnly=true');
  assert.deepEqual([both.status, both.body.details[0].path], [400, 'routingApplianceOnly']);
  const inUse = all.filter((one: { cloudVirtualInterfaces: unknown[] }) => one.cloudVirtualInterfaces.length);
  const ids = inUse
    .slice(0, 2)
    .map((one: { cloudVirtualInterfaces: { id: string }[] }) => one.cloudVirtualInterfaces[0]?.id);
  for (const query of [
    `virtualInterfacesIds=${ids.join(',')}`,
    ids.map((id: string) => `virtualInterfacesIds=${id}`).join('&'),
  ])
    assert.deepEqual((await admin.get(`/cloud-appliances?${query}`)).body, inUse.slice(0, 2));
  const paged = await admin.get('/cloud-appliances?cloudApplianceOnly=true&limit=1');
  assert.match(paged.headers.link ?? '', /cloudApplianceOnly=true&page=2&limit=1>; rel="next"/);
});

test('an appliance with interfaces cannot be deleted', async () => {
  const inUse = (await admin.get('/cloud-appliances')).body.find(
    (one: { cloudVirtualInterfaces: unknown[] }) => one.cloudVirtualInterfaces.length,
  );
  const response = await admin.delete(`/cloud-appliances/${inUse.id}`);
  assert.deepEqual([response.status, response.body.code], [405, 'ApplianceInUse']);
});
