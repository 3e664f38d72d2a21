// Groups, allocations, subscribed capacities and product pools through the HTTP API.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { fixture } from '../../../test/harness/service.ts';

const f = await fixture();
const { cobalt } = f.organisations;
const parent = await f.as('admin@meridian.example');
const admin = await f.as('admin@cobalt.example');
const [region, region2] = (await admin.get('/regions')).body;
const gigabit = 1_000_000_000;

async function capacity(bps = gigabit, more: object = {}): Promise<{ id: string }> {
  const input = { capacity: bps, duration: 12, region1Id: region.id, ...more };
  const response = await parent.post(`/organisations/${cobalt}/capacities`, input);
  assert.equal(response.status, 201, response.text);
  return response.body;
}
const group = async (name: string, more: object = {}) => (await admin.post('/groups', { name, ...more })).body;
const available = async (id: string): Promise<number> =>
  (await admin.get(`/capacities/available/${id}`)).body.availableCapacity;

describe('groups', () => {
  test('are created, read, updated and deleted', async () => {
    const [tag] = (await admin.get('/tags')).body;
    const created = await group('life', { description: 'one', tagIds: [tag.id, tag.id] });
    assert.deepEqual([created.tagIds, created.allocatedCapacity, created.countConnectors], [[tag.id], null, 0]);
    const path = `/groups/${created.id}`;
    const changed = (await admin.put(path, { name: 'life-2', tagIds: null })).body;
    assert.deepEqual([changed.name, changed.description, changed.tagIds], ['life-2', 'one', null]);
    assert.ok(changed.updatedAt > created.updatedAt);
    assert.equal((await admin.put(path, { countLinks: 3 })).body.code, 'ReadOnlyField');
    assert.equal((await admin.delete(path)).status, 204);
    for (const response of [await admin.get(path), await admin.put(path, {})]) assert.equal(response.status, 404);
    const entries = (await admin.get('/audit?serviceType=group&limit=3')).body;
    assert.deepEqual(
      entries.map((entry: { action: string }) => entry.action),
      ['delete', 'update', 'create'],
    );
  });
  test('are deleted again, or without having existed, with the same response and without an audit entry', async () => {
    const { id } = await group('twice');
    assert.equal((await admin.delete(`/groups/${id}`)).status, 204);
    const entries = async () => (await admin.get('/audit?serviceType=group&limit=1')).headers['content-range'];
    const before = await entries();
    const foreign = (await (await f.as('admin@atlas.example')).get('/groups')).body[0];
    for (const absent of [id, randomUUID(), foreign.id]) {
      const response = await admin.delete(`/groups/${absent}`);
      assert.deepEqual([response.status, response.text], [204, ''], absent);
    }
    assert.equal(await entries(), before);
    const atlas = await f.as('admin@atlas.example');
    assert.equal((await atlas.get(`/groups/${foreign.id}`)).body.id, foreign.id, 'another tenant’s group is unchanged');
    assert.equal((await admin.delete('/groups/x')).status, 404, 'a malformed id');
    const conditional = await admin.delete(`/groups/${id}`, { headers: { 'if-match': '"x"' } });
    assert.equal(conditional.status, 404, 'there is no version that If-Match could name');
  });
  test('may share a name, and are listed in the order of their creation', async () => {
    const [one, two] = [await group('twin'), await group('twin')];
    const { body, headers } = await admin.get('/groups?limit=100');
    const ids = body.map(({ id }: { id: string }) => id);
    assert.ok(ids.indexOf(one.id) < ids.indexOf(two.id));
    assert.match(headers['content-range'] ?? '', new RegExp(`^0-${body.length - 1}/${body.length}$`));
  });
  test('with connectors cannot be deleted', async () => {
    const [withConnectors] = (await admin.get('/groups')).body;
    const response = await admin.delete(`/groups/${withConnectors.id}`);
    assert.deepEqual([response.status, response.body.code], [405, 'GroupInUse']);
    assert.ok(
      (await admin.get(`/groups/${withConnectors.id}/capacities`)).body.length > 0,
      'its allocations are unchanged',
    );
  });
});

describe('allocations', () => {
  test('use up a capacity, and release it when they are deleted', async () => {
    const { id } = await capacity();
    const one = await group('draw-1');
    const two = await group('draw-2');
    const first = await admin.post(`/groups/${one.id}/capacities`, { capacityId: id, allocation: 700_000_000 });
    assert.equal(first.status, 201, first.text);
    assert.equal(await available(id), 300_000_000);
    const over = await admin.post(`/groups/${two.id}/capacities`, { capacityId: id, allocation: 300_000_001 });
    assert.deepEqual([over.status, over.body.code], [402, 'NotEnoughCapacity']);
    assert.equal(
      (await admin.post(`/groups/${two.id}/capacities`, { capacityId: id, allocation: 300_000_000 })).status,
      201,
    );
    assert.equal(await available(id), 0);
    const path = `/groups/${one.id}/capacities/${first.body.id}`;
    assert.equal((await admin.put(path, { allocation: 700_000_001 })).status, 402);
    assert.equal((await admin.put(path, { allocation: 600_000_000 })).body.allocation, 600_000_000);
    assert.equal((await admin.get(`/groups/${one.id}`)).body.allocatedCapacity, 600_000_000);
    assert.equal((await admin.delete(path)).status, 204);
    assert.deepEqual(
      [await available(id), (await admin.get(`/groups/${one.id}`)).body.allocatedCapacity],
      [700_000_000, null],
    );
    await admin.delete(`/groups/${two.id}`);
    assert.equal(await available(id), gigabit, 'deleting a group releases its allocations');
  });
  test('are unique for a group and capacity', async () => {
    const { id } = await capacity();
    const created = await group('once');
    const input = { capacityId: id, allocation: 1 };
    assert.equal((await admin.post(`/groups/${created.id}/capacities`, input)).status, 201);
    const again = await admin.post(`/groups/${created.id}/capacities`, input);
    assert.deepEqual([again.status, again.body.code], [409, 'AlreadyAllocated']);
  });
  test('are not found through another group, and cannot use another organisation’s capacity', async () => {
    const { id } = await capacity();
    const [one, two] = [await group('mine'), await group('other')];
    const { body } = await admin.post(`/groups/${one.id}/capacities`, { capacityId: id, allocation: 1 });
    assert.equal((await admin.delete(`/groups/${two.id}/capacities/${body.id}`)).status, 404);
    const foreign = (await parent.get(`/organisations/${f.organisations.atlas}/capacities`)).body[0].id;
    const response = await admin.post(`/groups/${one.id}/capacities`, { capacityId: foreign, allocation: 1 });
    assert.deepEqual([response.status, response.body.details[0].path], [404, 'capacityId']);
  });
  test('stay exact at the largest numbers', async () => {
    const most = Number.MAX_SAFE_INTEGER;
    const { id } = await capacity(most);
    const created = await group('large');
    const { body } = await admin.post(`/groups/${created.id}/capacities`, { capacityId: id, allocation: most - 1 });
    assert.deepEqual([body.allocation, await available(id)], [most - 1, 1]);
    const second = await group('large-2');
    assert.equal((await admin.post(`/groups/${second.id}/capacities`, { capacityId: id, allocation: 2 })).status, 402);
    assert.equal((await admin.post(`/groups/${second.id}/capacities`, { capacityId: id, allocation: 1 })).status, 201);
  });
});

describe('the sum of allocations', () => {
  test('never exceeds the capacity, for any sequence of operations', { timeout: 120_000 }, async () => {
    const total = 1000;
    const size = fc.integer({ min: 1, max: 700 });
    const step = fc.oneof(
      fc.record({ verb: fc.constant('add' as const), group: fc.nat(2), size }),
      fc.record({ verb: fc.constant('move' as const), group: fc.nat(2), size }),
      fc.record({ verb: fc.constant('take' as const), group: fc.nat(2), size }),
    );
    const groups = [await group('p-0'), await group('p-1'), await group('p-2')];
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        const { id } = await capacity(total);
        const model = new Map<number, { id: string; size: number }>();
        const sum = () => [...model.values()].reduce((all, one) => all + one.size, 0);
        for (const { verb, group: index, size: bps } of steps) {
          const path = `/groups/${groups[index].id}/capacities`;
          const existing = model.get(index);
          if (verb === 'add') {
            const { status, body } = await admin.post(path, { capacityId: id, allocation: bps });
            assert.equal(status, existing ? 409 : sum() + bps > total ? 402 : 201);
            if (status === 201) model.set(index, { id: body.id, size: bps });
          } else if (existing && verb === 'move') {
            const { status } = await admin.put(`${path}/${existing.id}`, { allocation: bps });
            assert.equal(status, sum() - existing.size + bps > total ? 402 : 200);
            if (status === 200) model.set(index, { id: existing.id, size: bps });
          } else if (existing) {
            assert.equal((await admin.delete(`${path}/${existing.id}`)).status, 204);
            model.delete(index);
          }
          assert.equal(await available(id), total - sum());
        }
        for (const [index, one] of model) await admin.delete(`/groups/${groups[index].id}/capacities/${one.id}`);
      }),
      { numRuns: 12 },
    );
  });
});

describe('subscribed capacities', () => {
  test('are managed by the parent, within one region or between two', async () => {
    const regional = (await parent.get(`/organisations/${cobalt}/capacities/${(await capacity()).id}`)).body;
    assert.deepEqual([regional.isRegional, regional.region2Id], [true, null]);
    const { id } = await capacity(gigabit, { region2Id: region2.id });
    const path = `/organisations/${cobalt}/capacities/${id}`;
    const between = (await admin.get(path)).body;
    assert.deepEqual([between.isRegional, between.region2Id], [false, region2.id]);
    assert.equal((await parent.put(path, { capacity: 2 * gigabit, duration: 24 })).body.capacity, 2 * gigabit);
    for (const body of [{ region1Id: region2.id }, { region2Id: null }, { isRegional: true }])
      assert.equal((await parent.put(path, body)).body.code, 'ReadOnlyField');
    for (const response of [
      await admin.put(path, { capacity: 1 }),
      await admin.delete(path),
      await parent.put(path, { capacity: 1 }, { scope: cobalt }),
    ])
      assert.deepEqual([response.status, response.body.code], [403, 'NotParent']);
    assert.equal((await parent.delete(path)).status, 204);
    assert.equal((await admin.get(path)).status, 404);
  });
  test('cannot shrink below the allocated part, or be deleted while a part is allocated', async () => {
    const { id } = await capacity();
    const path = `/organisations/${cobalt}/capacities/${id}`;
    const created = await group('shrink');
    await admin.post(`/groups/${created.id}/capacities`, { capacityId: id, allocation: 500 });
    for (const response of [await parent.put(path, { capacity: 499 }), await parent.delete(path)])
      assert.deepEqual([response.status, response.body.code], [409, 'BelowAllocated']);
    assert.equal((await parent.put(path, { capacity: 500 })).status, 200);
  });
  test('appear in the organisation’s record and in its audit trail', async () => {
    const { id } = await capacity();
    for (const client of [admin, parent]) {
      const { capacities } = (await client.get(`/organisations/${cobalt}`)).body;
      assert.ok(capacities.some((one: { id: string }) => one.id === id));
    }
    const [entry] = (await admin.get('/audit?limit=1')).body;
    assert.deepEqual([entry.action, entry.serviceType, entry.userName], ['create', 'capacity', 'Mara Lindqvist']);
  });
});

describe('products', () => {
  test('are set by the parent, created if missing, and never below the number in use', async () => {
    const path = `/organisations/${cobalt}/products/providerB/south-africa`;
    assert.equal((await admin.get(path)).status, 404);
    assert.equal((await parent.put(path, { total: 2 })).body.total, 2);
    assert.deepEqual((await admin.get(path)).body, {
      family: 'providerB',
      serviceRegion: 'south-africa',
      service: 'connector',
      type: 'cloudGateway',
      total: 2,
      used: 0,
    });
    const used = `/organisations/${cobalt}/products/providerA/north-america`;
    const { used: inUse, total } = (await admin.get(used)).body;
    assert.ok(inUse > 0);
    const below = await parent.put(used, { total: inUse - 1 });
    assert.deepEqual([below.status, below.body.code], [409, 'BelowUsed']);
    assert.equal((await parent.put(used, { total })).body.used, inUse);
    for (const [family, slug] of [
      ['providerZ', 'europe'],
      ['providerA', 'moon'],
    ])
      assert.equal((await parent.put(`/organisations/${cobalt}/products/${family}/${slug}`, { total: 1 })).status, 404);
    for (const response of [
      await admin.put(path, { total: 9 }),
      await parent.put(path, { total: 9 }, { scope: cobalt }),
    ])
      assert.deepEqual([response.status, response.body.code], [403, 'NotParent']);
  });
});
