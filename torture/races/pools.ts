// Races for the last product of a pool and the last bit of a capacity: used and sold quantities stay exact.
import assert from 'node:assert/strict';
import { mustSucceed, pick, range } from '../helpers.ts';
import {
  between,
  cleanUp,
  create,
  createGroup,
  pickWeighted,
  poolPath,
  type RaceContext,
  type RaceRequest,
  sendAll,
  setPoolTotal,
  subscribeCapacity,
  winnerOf,
} from '../race-fixture.ts';
import { checkSums, countOf } from './invariants.ts';
import { allocate, changeSale, deallocate, dryRunOf, providerConnector, remove } from './requests.ts';

export async function lastProduct(context: RaceContext, rounds: number): Promise<void> {
  const total = 3;
  await setPoolTotal(context, total);
  const groups = await Promise.all(range(4).map(() => createGroup(context)));
  for (const index of range(total - 1))
    await create(context, providerConnector(context, `base-${index}`, groups[0] ?? ''));
  const pool = async () => {
    const { used } = (await mustSucceed(context.child.get(poolPath(context)))).body;
    return { used, connectors: await countOf(context, 'connectors where organisation_id = $1', context.id) };
  };
  for (const round of range(rounds)) {
    const requests = range(20).map((index) =>
      providerConnector(context, `last-${round}-${index}`, groups[index % groups.length] ?? '', index % 2),
    );
    const won = winnerOf(await sendAll(context, requests), '200', '402 NotEnoughSpareProducts');
    assert.deepEqual(await pool(), { used: total, connectors: total });
    await checkSums(context);
    await cleanUp(context, remove('connector', won.body.id));
    assert.deepEqual(await pool(), { used: total - 1, connectors: total - 1 });
  }
}

/** Dry runs beside a creation neither take nor block the last product. */
export async function dryRunsBeside(context: RaceContext, rounds: number): Promise<void> {
  await setPoolTotal(context, 1);
  const groupId = await createGroup(context);
  const used = async () => (await mustSucceed(context.child.get(poolPath(context)))).body.used;
  for (const round of range(rounds)) {
    const request = { ...providerConnector(context, `dry-${round}`, groupId, round % 2), maxDelayMs: 10 };
    const dryRuns = range(19).map(() => dryRunOf(request));
    const [won] = await sendAll(context, [{ ...request, allowed: ['200'] }, ...dryRuns]);
    assert.equal(await used(), 1);
    assert.equal(await countOf(context, 'connectors where organisation_id = $1', context.id), 1);
    await checkSums(context);
    await cleanUp(context, remove('connector', won?.body.id));
    assert.equal(await used(), 0);
  }
}

/** The sums are so large that floating-point arithmetic would be inexact. */
export async function lastBit(context: RaceContext, rounds: number): Promise<void> {
  const capacity = Number.MAX_SAFE_INTEGER;
  const capacityId = await subscribeCapacity(context, capacity);
  const groups = await Promise.all(range(21).map(() => createGroup(context)));
  await create(context, allocate(groups.pop() ?? '', capacityId, capacity - 1));
  const available = async () =>
    (await mustSucceed(context.child.get(`/capacities/available/${capacityId}`))).body.availableCapacity;
  for (const _ of range(rounds)) {
    const requests = groups.map((groupId) => allocate(groupId, capacityId, 1));
    const { body } = winnerOf(await sendAll(context, requests), '201', '402 NotEnoughCapacity');
    assert.equal(await available(), 0);
    await checkSums(context);
    await cleanUp(context, deallocate(body.groupId, body.id));
    assert.equal(await available(), 1);
  }
}

interface Allocation {
  id: string;
  group_id: string;
}

/** A random request on allocations in any state. */
function anyAllocation(
  context: RaceContext,
  groups: string[],
  capacities: string[],
  allocations: Allocation[],
  maxBps: number,
): RaceRequest {
  const { random } = context;
  const [groupId = '', capacityId = ''] = [pick(groups, random), pick(capacities, random)];
  const { id, group_id } = pick(allocations, random) ?? { id: groupId, group_id: groupId };
  const path = deallocate(group_id, id).path;
  const subscribed = `/organisations/${context.id}/capacities/${capacityId}`;
  const bps = between(random, 1, maxBps);
  const body = { allocation: bps };
  const changed = ['200', '402 NotEnoughCapacity', '404 NotFound'];
  const allocated = ['201', '402 NotEnoughCapacity', '404 NotFound', '409 AlreadyAllocated'];
  const deleted = ['204', '404 NotFound'];
  return pickWeighted(random, [
    [10, { ...allocate(groupId, capacityId, bps), allowed: allocated }],
    [6, { operation: 'change allocation', method: 'PUT', path, body, allowed: changed }],
    [3, { ...deallocate(group_id, id), allowed: deleted }],
    [1, { ...remove('group', groupId), allowed: deleted }],
    [1, changeSale(context, subscribed, { capacity: 3 * bps }, 'BelowAllocated')],
  ]);
}

export async function mixedAllocations(context: RaceContext, rounds: number): Promise<void> {
  const maxBps = 4e9;
  const capacities = [await subscribeCapacity(context, 3 * maxBps), await subscribeCapacity(context, 3 * maxBps)];
  for (const _ of range(rounds)) {
    const all = async (table: string) =>
      (await context.f.owner.query(`select * from ${table} where organisation_id = $1`, [context.id])).rows;
    const groups: string[] = (await all('groups')).map(({ id }) => id);
    while (groups.length < 12) groups.push(await createGroup(context));
    const allocations: Allocation[] = await all('allocations');
    await sendAll(
      context,
      range(20).map(() => anyAllocation(context, groups, capacities, allocations, maxBps)),
    );
    await checkSums(context);
  }
}

/** The parent reduces a pool while products are taken: either the reduction or the creations win. */
export async function shrunkPool(context: RaceContext, rounds: number): Promise<void> {
  const group = await createGroup(context);
  for (const round of range(rounds)) {
    await setPoolTotal(context, 3);
    const existing = await create(context, providerConnector(context, `existing-${round}`, group));
    const creations = range(5).map((index) => ({
      ...providerConnector(context, `new-${round}-${index}`, group, index % 2),
      maxDelayMs: 12,
    }));
    const [sale, ...responses] = await sendAll(context, [
      { ...changeSale(context, poolPath(context), { total: 1 }, 'BelowUsed'), maxDelayMs: round % 2 ? 0 : 8 },
      ...creations.map((creation) => ({ ...creation, allowed: ['200', '402 NotEnoughSpareProducts'] })),
    ]);
    const created = responses.filter(({ status }) => status === 200);
    assert.equal(created.length, sale?.status === 200 ? 0 : 2, 'reduced with none created, or refused with all used');
    await checkSums(context);
    for (const id of [existing, ...created.map(({ body }) => body.id)]) await cleanUp(context, remove('connector', id));
  }
}
