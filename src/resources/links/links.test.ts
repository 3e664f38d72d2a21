// Links through the HTTP API.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { deploy, waitForDeployment, withBlockedFabric } from '../../../test/harness/deployable-group.ts';
import { fixture } from '../../../test/harness/service.ts';

const f = await fixture();
const { boreal } = f.organisations;
const parent = await f.as('admin@meridian.example');
const admin = parent.with({ scope: boreal });
await parent.put(`/organisations/${boreal}/products/providerA/europe`, { total: 100 });
const destinations = (await admin.get('/cloud-gateways-types')).body.cloudGatewayTypes;
const cloudDestinationID = destinations.find((one: { cspCity: string }) => one.cspCity === 'Amsterdam').id;
const group = (await admin.post('/groups', { name: 'links-test' })).body;
const [tag] = (await admin.get('/tags')).body;

let count = 0;
async function connector(): Promise<{ id: string; irn: string; name: string }> {
  const csp = { cloudDestinationID, providerA: { asNumber: 64710, providerAAccount: 42 } };
  const response = await admin.post('/flow/connector/set-registered', {
    name: `end-${count++}`,
    groupId: group.id,
    csp,
  });
  assert.equal(response.status, 200, response.text);
  return response.body;
}
async function link(more: object = {}) {
  const [from, to] = [await connector(), await connector()];
  const input = { name: `link-${count}`, from: from.irn, to: to.id, ...more };
  const response = await admin.post('/flow/link/set-registered', input);
  assert.equal(response.status, 200, response.text);
  return { from, to, created: response.body };
}
const jobs = async (id: string): Promise<number> =>
  (await f.owner.query(`select from pgboss.job where name = 'deploy' and data ->> 'id' = $1`, [id])).rowCount ?? 0;
const itemsInFabric = async (id: string): Promise<number> =>
  (await f.owner.query(`select from simulated_items where $1 = any(concerns)`, [id])).rowCount ?? 0;
const counts = async () => {
  const { countConnectors, countFlowConnectors, countLinks, countFlowLinks } = (await admin.get(`/groups/${group.id}`))
    .body;
  return [countConnectors, countFlowConnectors, countLinks, countFlowLinks];
};

describe('a link', () => {
  test('joins two connectors, gets a description from their names, and is counted in its group', async () => {
    const before = await counts();
    const { from, to, created } = await link({ tagIds: [tag.id] });
    assert.deepEqual(
      [created.from, created.to, created.state, created.description, created.tagIds],
      [from.id, to.id, 'registered', `${from.name} – ${to.name}`, [tag.id]],
    );
    assert.deepEqual(
      (await counts()).map((value, index) => value - before[index]),
      [2, 2, 1, 1],
    );
    assert.deepEqual((await admin.get(`/flow/link/${created.id}`)).body, created);
    const listed = (await admin.get(`/link/group/${group.id}?limit=100`)).body.find(
      (one: { id: string }) => one.id === created.id,
    );
    const { createdAt, updatedAt, ...rest } = created;
    assert.deepEqual(listed, {
      ...rest,
      created_at: createdAt.replace('T', ' ').replace('Z', ' +0000 UTC'),
      updated_at: updatedAt.replace('T', ' ').replace('Z', ' +0000 UTC'),
    });
    assert.deepEqual(
      (await admin.get(`/connectors?linkedTo=${from.irn}`)).body.map(({ id }: { id: string }) => id),
      [to.id],
    );
  });
  test('accepts the singular and the plural family in resource names', async () => {
    const [from, to] = [await connector(), await connector()];
    const response = await admin.post('/flow/link/set-registered', {
      name: 'singular',
      from: from.irn.replace('irn:connectors:', 'irn:connector:'),
      to: to.irn,
    });
    assert.equal(response.status, 200, response.text);
  });
  test('deploys its connectors with it, with one job each for twenty requests', async () => {
    const { from, to, created } = await link();
    // A request after the end of the deployment would start another one.
    const responses = await withBlockedFabric(f, () =>
      Promise.all(Array.from({ length: 20 }, () => admin.call('POST', `/flow/link/${created.id}/set-in-deployment`))),
    );
    for (const { status, body } of responses) assert.deepEqual([status, body.state], [200, 'in-deployment']);
    assert.equal((await waitForDeployment(admin, 'link', created.id)).state, 'delivered');
    for (const id of [created.id, from.id, to.id]) assert.equal(await jobs(id), 1);
    const { origin, steps } = (await admin.get(`/flow/link/${created.id}/deployment`)).body;
    assert.equal(origin, 'simulated');
    assert.deepEqual(
      // Any of the three deployments may run the order step.
      steps
        .map((step: { name: string; outcome: string }) => `${step.name} ${step.outcome}`)
        .filter((step: string) => step !== 'order done'),
      ['plan done', 'apply done', 'verify ends done', 'probe done'],
    );
    for (const [here, there] of [
      [from, to],
      [to, from],
    ] as const) {
      const { prefixes } = (await admin.get(`/connectors/${here.id}/prefixes`)).body;
      assert.ok(
        prefixes.some((one: { connectorId: string }) => one.connectorId === there.id),
        'a prefix of the other connector',
      );
    }
  });
  test('does not deploy connectors that are delivered', async () => {
    const { from, to, created } = await link();
    for (const { id } of [from, to]) await deploy(admin, 'connector', id);
    await deploy(admin, 'link', created.id);
    assert.deepEqual([await jobs(from.id), await jobs(to.id), await jobs(created.id)], [1, 1, 1]);
    assert.equal((await admin.get(`/connectors/${to.id}`)).body.state, 'delivered');
  });
});

describe('the fields of a link', () => {
  test('its group is the group of its ends, and another group is rejected', async () => {
    const [from, to] = [await connector(), await connector()];
    const input = { name: 'grouped', from: from.id, to: to.id };
    const other = await admin.post('/flow/link/set-registered', { ...input, groupId: from.id });
    assert.deepEqual([other.status, other.body.details[0].path], [400, 'groupId']);
    assert.equal((await admin.post('/flow/link/set-registered', { ...input, groupId: group.id })).status, 200);
  });
  test('name, description and tags change, the ends never', async () => {
    const { from, to, created } = await link();
    const path = `/flow/link/${created.id}`;
    assert.equal((await admin.put(path, { ...created, from: from.irn, to: to.id })).status, 200);
    assert.deepEqual((await admin.get(path)).body, created, 'the same ends by name or id change nothing');
    const changed = (await admin.put(path, { name: `${created.name}-2`, description: null, tagIds: [tag.id] })).body;
    assert.deepEqual([changed.name, changed.description, changed.tagIds], [`${created.name}-2`, null, [tag.id]]);
    const other = await connector();
    for (const body of [
      { created_at: '2026-01-01' },
      { from: to.id },
      { to: other.irn },
      { to: '0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10' },
    ]) {
      const response = await admin.put(path, body);
      assert.deepEqual([response.status, response.body.code], [400, 'ReadOnlyField']);
    }
  });
  test('a deleted link is gone at once, and is removed from the fabric afterwards', async () => {
    const [idle, used] = [await link(), await link()];
    await deploy(admin, 'link', used.created.id);
    assert.ok((await itemsInFabric(used.created.id)) > 0);
    for (const { created } of [idle, used]) {
      const response = await admin.delete(`/flow/link/${created.id}`);
      assert.deepEqual([response.status, response.body], [200, {}]);
      assert.equal((await admin.get(`/flow/link/${created.id}`)).status, 404);
    }
    for (const until = Date.now() + 60_000; (await itemsInFabric(used.created.id)) > 0; await pause(50))
      assert.ok(Date.now() < until, 'still in the fabric after 60 s');
    const again = { name: used.created.name, from: used.to.id, to: used.from.id };
    assert.equal((await admin.post('/flow/link/set-registered', again)).status, 200, 'name and pair are free');
  });
  test('ends of another organisation and malformed resource names are rejected', async () => {
    const [from, to] = [await connector(), await connector()];
    const foreign = (irn: string) => irn.replace(/^(irn:connectors:)[^:]+/, '$1aaaaaaaaaaaa');
    for (const [ends, status, path] of [
      [{ from: foreign(from.irn), to: foreign(to.irn) }, 404, 'from'],
      [{ from: from.irn, to: foreign(to.irn) }, 404, 'to'],
      [{ from: from.irn.replace('::', ':bogus:'), to: to.irn }, 400, 'from'],
    ] as const) {
      const response = await admin.post('/flow/link/set-registered', { name: 'foreign', ...ends });
      assert.deepEqual([response.status, response.body.details[0].path], [status, path], response.text);
    }
  });
  test('the list of a missing group, or of another organisation’s group, is 404', async () => {
    assert.equal((await admin.get('/link/group/0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10')).status, 404);
    const cobalt = parent.with({ scope: f.organisations.cobalt });
    assert.equal((await cobalt.get(`/link/group/${group.id}`)).status, 404);
  });
});
