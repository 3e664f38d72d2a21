// What a reseller that has a parent itself hands out to its children is bounded by what it has.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { boundViolations } from '../torture/races/invariants.ts';
import type { ApiResponse } from './harness/client.ts';
import { fixture } from './harness/service.ts';

const f = await fixture();
const { atlas, cobalt, labs } = f.organisations;
const top = await f.as('admin@meridian.example');
const reseller = await f.as('admin@cobalt.example');
const outcome = ({ status, body }: ApiResponse) => [status, body?.code];

const must = async (response: Promise<ApiResponse>) => {
  const { status, text, body } = await response;
  assert.ok(status < 300, text);
  return body;
};

const [group] = await must(reseller.get('/groups'));
const regions: { id: string; slug: string }[] = await must(reseller.get('/regions'));

test('the demo world keeps the bounds of its resellers', async () => {
  assert.deepEqual((await f.owner.query(boundViolations)).rows, []);
});

describe('products', () => {
  const path = (id: string, family = 'providerA') => `/organisations/${id}/products/${family}/north-america`;
  const setTotal = (total: number, family?: string) => reseller.put(path(labs, family), { total });
  const left = async () => {
    const { total, used } = await must(reseller.get(path(cobalt)));
    return total - used;
  };
  const destination = async () =>
    (await must(reseller.get('/cloud-gateways-types'))).cloudGatewayTypes.find(
      (one: { region: string; family: { shortName: string } }) =>
        one.region === 'north-america' && one.family.shortName === 'providerA',
    ).id;
  const create = async (name: string, path = 'set-registered') =>
    reseller.post(`/flow/connector/${path}`, {
      name,
      groupId: group.id,
      csp: { cloudDestinationID: await destination(), providerA: { asNumber: 64710, providerAAccount: 42 } },
    });

  test('a reseller hands out what it has left, and not one more', async () => {
    const most = await left();
    assert.equal((await must(setTotal(most))).total, most);
    const refused = await setTotal(most + 1);
    assert.deepEqual(outcome(refused), [402, 'NotEnoughSpareProducts']);
    assert.equal(refused.body.details[0].path, 'total');
    assert.equal((await must(reseller.get(path(labs)))).total, most);
  });
  test('what it handed out it cannot use itself, and the check says so', async () => {
    await must(setTotal(await left()));
    assert.deepEqual(outcome(await create('handed-out')), [402, 'NotEnoughSpareProducts']);
    assert.deepEqual(outcome(await create('handed-out', 'check')), [402, 'NotEnoughSpareProducts']);
    await must(setTotal((await left()) - 1));
    const { id } = await must(create('handed-out'));
    assert.deepEqual(outcome(await setTotal((await left()) + 1)), [402, 'NotEnoughSpareProducts']);
    await must(reseller.delete(`/flow/connector/${id}`));
    await must(setTotal(await left()));
  });
  test('a second child shares what the first one left', async () => {
    await must(setTotal((await left()) - 1));
    const { id } = await must(reseller.post('/organisations', { name: 'Cobalt Studios' }));
    assert.equal((await must(reseller.put(path(id), { total: 1 }))).total, 1);
    assert.deepEqual(outcome(await reseller.put(path(id), { total: 2 })), [402, 'NotEnoughSpareProducts']);
    await must(reseller.put(path(id), { total: 0 }));
  });
  test('concurrent hand-outs with If-Match keep the bound', async () => {
    await must(setTotal(0));
    const most = await left();
    const ids: string[] = [];
    for (const name of ['One', 'Two', 'Three', 'Four'])
      ids.push((await must(reseller.post('/organisations', { name: `Cobalt ${name}` }))).id);
    for (const id of ids) await must(reseller.put(path(id), { total: 0 }));
    const etags = await Promise.all(ids.map(async (id) => (await reseller.get(path(id))).headers.etag ?? ''));
    const responses = await Promise.all(
      ids.map((id, index) => reseller.put(path(id), { total: most }, { headers: { 'if-match': etags[index] ?? '' } })),
    );
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 402, 402, 402]);
    assert.deepEqual((await f.owner.query(boundViolations)).rows, []);
    for (const id of ids) await must(reseller.put(path(id), { total: 0 }));
  });
  test('its parent cannot reduce its pool below what it handed out', async () => {
    await must(setTotal(await left()));
    const { total } = await must(reseller.get(path(cobalt)));
    assert.deepEqual(outcome(await top.put(path(cobalt), { total: total - 1 })), [409, 'BelowUsed']);
    await must(setTotal((await left()) - 1));
    await must(top.put(path(cobalt), { total: total - 1 }));
    await must(top.put(path(cobalt), { total }));
  });
  test('a family that it does not have cannot be handed out, save as nothing', async () => {
    const japan = `/organisations/${labs}/products/providerB/japan`;
    assert.deepEqual(outcome(await reseller.put(japan, { total: 1 })), [402, 'NotEnoughSpareProducts']);
    assert.equal((await reseller.put(japan, { total: 0 })).status, 200);
  });
  test('an organisation at the top hands out freely', async () => {
    assert.equal((await must(top.put(path(atlas, 'providerC'), { total: 1_000_000 }))).total, 1_000_000);
  });
  test('what was handed out too much before can be taken back', async () => {
    const { total } = await must(reseller.get(path(cobalt)));
    await f.owner.query(`begin; set local session_replication_role = replica;
      update product_pools set total = ${total + 5} from families, regions where family_id = families.id
        and short_name = 'providerA' and region_id = regions.id and slug = 'north-america'
        and organisation_id = '${labs}'; commit`);
    assert.deepEqual(outcome(await setTotal(total + 6)), [402, 'NotEnoughSpareProducts']);
    await must(setTotal(total + 4));
    await must(setTotal(1));
    assert.deepEqual((await f.owner.query(boundViolations)).rows, []);
  });
});

describe('capacities', () => {
  const region = (slug: string) => regions.find((one) => one.slug === slug)?.id;
  const capacitiesOf = (id: string) => `/organisations/${id}/capacities`;
  const subscribe = (capacity: number, ...slugs: [string, string?]) =>
    reseller.post(capacitiesOf(labs), {
      capacity,
      duration: 12,
      region1Id: region(slugs[0]),
      region2Id: slugs[1] ? region(slugs[1]) : null,
    });
  interface Capacity {
    id: string;
    capacity: number;
    region1Id: string;
    region2Id: string | null;
  }
  const own = async (first: string, second?: string): Promise<Capacity> => {
    const all: Capacity[] = await must(reseller.get(capacitiesOf(cobalt)));
    const found = all.find(
      (one) => one.region1Id === region(first) && one.region2Id === (second ? region(second) : null),
    );
    return found ?? assert.fail(`no capacity of ${first} and ${second}`);
  };
  const available = async (id: string): Promise<number> =>
    (await must(reseller.get(`/capacities/available/${id}`))).availableCapacity;
  const groupOf = async (name: string) => (await must(reseller.post('/groups', { name }))).id;

  test('a reseller hands out what it has left of a pair of regions, in either order, and not one bit more', async () => {
    const { id } = await own('north-america', 'southeast-asia');
    const most = await available(id);
    assert.deepEqual(outcome(await subscribe(most + 1, 'southeast-asia', 'north-america')), [402, 'NotEnoughCapacity']);
    const sold = await must(subscribe(most, 'southeast-asia', 'north-america'));
    assert.deepEqual(outcome(await subscribe(1, 'north-america', 'southeast-asia')), [402, 'NotEnoughCapacity']);
    const raised = await reseller.put(`${capacitiesOf(labs)}/${sold.id}`, { capacity: most + 1 });
    assert.deepEqual([...outcome(raised), raised.body.details[0].path], [402, 'NotEnoughCapacity', 'capacity']);
    const groupId = await groupOf('bounded');
    const allocation = { capacityId: id, allocation: 1 };
    assert.deepEqual(outcome(await reseller.post(`/groups/${groupId}/capacities`, allocation)), [
      402,
      'NotEnoughCapacity',
    ]);
    await must(reseller.put(`${capacitiesOf(labs)}/${sold.id}`, { capacity: most - 1 }));
    await must(reseller.post(`/groups/${groupId}/capacities`, allocation));
    await must(reseller.delete(`${capacitiesOf(labs)}/${sold.id}`));
    await must(reseller.delete(`/groups/${groupId}`));
  });
  test('concurrent changes with If-Match keep the bound', async () => {
    const most = await available((await own('north-america', 'southeast-asia')).id);
    const sold: string[] = [];
    for (const _ of [1, 2, 3, 4]) sold.push((await must(subscribe(1, 'north-america', 'southeast-asia'))).id);
    const paths = sold.map((id) => `${capacitiesOf(labs)}/${id}`);
    const etags = await Promise.all(paths.map(async (path) => (await reseller.get(path)).headers.etag ?? ''));
    const responses = await Promise.all(
      paths.map((path, index) =>
        reseller.put(path, { capacity: most - 3 }, { headers: { 'if-match': etags[index] ?? '' } }),
      ),
    );
    assert.deepEqual(responses.map(({ status }) => status).sort(), [200, 402, 402, 402]);
    assert.deepEqual((await f.owner.query(boundViolations)).rows, []);
    for (const path of paths) await must(reseller.delete(path));
  });
  test('a region of its own is no part of a pair', async () => {
    const { id } = await own('north-america', 'pacific');
    assert.equal(await available(id), 0);
    assert.deepEqual(outcome(await subscribe(1, 'north-america', 'pacific')), [402, 'NotEnoughCapacity']);
    const sold = await must(subscribe(1, 'north-america'));
    await must(reseller.delete(`${capacitiesOf(labs)}/${sold.id}`));
  });
  test('its parent can neither reduce nor end what it handed out', async () => {
    const { id, capacity } = await own('north-america', 'southeast-asia');
    const sold = await must(subscribe(await available(id), 'north-america', 'southeast-asia'));
    const path = `${capacitiesOf(cobalt)}/${id}`;
    assert.deepEqual(outcome(await top.put(path, { capacity: capacity - 1 })), [409, 'BelowAllocated']);
    assert.deepEqual(outcome(await top.delete(path)), [409, 'BelowAllocated']);
    const more = { capacity: 5, duration: 1, region1Id: region('europe'), region2Id: null };
    const extra = await must(top.post(capacitiesOf(cobalt), more));
    const europe = await must(subscribe(5, 'europe'));
    assert.deepEqual(outcome(await top.delete(`${capacitiesOf(cobalt)}/${extra.id}`)), [409, 'BelowAllocated']);
    for (const one of [sold, europe]) await must(reseller.delete(`${capacitiesOf(labs)}/${one.id}`));
    await must(top.delete(`${capacitiesOf(cobalt)}/${extra.id}`));
    assert.deepEqual((await f.owner.query(boundViolations)).rows, []);
  });
});
