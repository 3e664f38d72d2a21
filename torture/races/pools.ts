// The last product of a pool, the last bit of a capacity: what is used and what is sold stay exact.
import assert from 'node:assert/strict';
import {
  type Arena,
  between,
  clear,
  type Deed,
  make,
  makeGroup,
  must,
  oneOf,
  poolPath,
  range,
  rush,
  sell,
  subscribe,
  weighed,
  winnerOf,
} from '../race-fixture.ts';
import { countOf, settled } from './invariants.ts';
import { allocate, checked, provider, remove, resell, takeBack } from './requests.ts';

export async function lastProduct(arena: Arena, rounds: number): Promise<void> {
  const total = 3;
  await sell(arena, total);
  const groups = await Promise.all(range(4).map(() => makeGroup(arena)));
  for (const index of range(total - 1)) await make(arena, provider(arena, `base-${index}`, groups[0] ?? ''));
  const pool = async () => {
    const { used } = (await must(arena.child.get(poolPath(arena)))).body;
    return { used, connectors: await countOf(arena, 'connectors where organisation_id = $1', arena.id) };
  };
  for (const round of range(rounds)) {
    const wishes = range(20).map((index) =>
      provider(arena, `last-${round}-${index}`, groups[index % groups.length] ?? '', index % 2),
    );
    const won = winnerOf(await rush(arena, wishes), '200', '402 NotEnoughSpareProducts');
    assert.deepEqual(await pool(), { used: total, connectors: total });
    await settled(arena);
    await clear(arena, remove('connector', won.body.id));
    assert.deepEqual(await pool(), { used: total - 1, connectors: total - 1 });
  }
}

/** Who only asks whether the last product can be had keeps it from nobody, and takes nothing. */
export async function askedMeanwhile(arena: Arena, rounds: number): Promise<void> {
  await sell(arena, 1);
  const groupId = await makeGroup(arena);
  const used = async () => (await must(arena.child.get(poolPath(arena)))).body.used;
  for (const round of range(rounds)) {
    const wish = { ...provider(arena, `asked-${round}`, groupId, round % 2), late: 10 };
    const made = { ...wish, may: ['200'] };
    const asked = range(19).map(() => checked(wish));
    const [won] = await rush(arena, [made, ...asked]);
    assert.equal(await used(), 1);
    assert.equal(await countOf(arena, 'connectors where organisation_id = $1', arena.id), 1);
    await settled(arena);
    await clear(arena, remove('connector', won?.body.id));
    assert.equal(await used(), 0);
  }
}

// The last bit of a capacity, in both senses: sums of this size are exact only when nobody adds them up as floats.

export async function lastBit(arena: Arena, rounds: number): Promise<void> {
  const capacity = Number.MAX_SAFE_INTEGER;
  const capacityId = await subscribe(arena, capacity);
  const groups = await Promise.all(range(21).map(() => makeGroup(arena)));
  await make(arena, allocate(groups.pop() ?? '', capacityId, capacity - 1));
  const left = async () => (await must(arena.child.get(`/capacities/available/${capacityId}`))).body.availableCapacity;
  for (const _ of range(rounds)) {
    const wishes = groups.map((groupId) => allocate(groupId, capacityId, 1));
    const { body } = winnerOf(await rush(arena, wishes), '201', '402 NotEnoughCapacity');
    assert.equal(await left(), 0);
    await settled(arena);
    await clear(arena, takeBack(body.groupId, body.id));
    assert.equal(await left(), 1);
  }
}

interface Share {
  id: string;
  group_id: string;
}

/** Any deed on allocations, in every state that they can be met in. */
function anyAllocation(arena: Arena, groups: string[], capacities: string[], shares: Share[], most: number): Deed {
  const { dice } = arena;
  const [groupId = '', capacityId = ''] = [oneOf(groups, dice.next), oneOf(capacities, dice.next)];
  const { id, group_id } = oneOf(shares, dice.next) ?? { id: groupId, group_id: groupId };
  const share = takeBack(group_id, id).path;
  const subscribed = `/organisations/${arena.id}/capacities/${capacityId}`;
  const bps = between(dice, 1, most);
  const body = { allocation: bps };
  const changed = ['200', '402 NotEnoughCapacity', '404 NotFound'];
  const allocated = ['201', '402 NotEnoughCapacity', '404 NotFound', '409 AlreadyAllocated'];
  const gone = ['204', '404 NotFound'];
  return weighed(dice, [
    [10, { ...allocate(groupId, capacityId, bps), may: allocated }],
    [6, { what: 'change', method: 'PUT', path: share, body, may: changed }],
    [3, { ...takeBack(group_id, id), may: gone }],
    [1, { ...remove('group', groupId), may: gone }],
    [1, resell(arena, subscribed, { capacity: 3 * bps }, 'BelowAllocated')],
  ]);
}

export async function mixedAllocations(arena: Arena, rounds: number): Promise<void> {
  const most = 4e9;
  const capacities = [await subscribe(arena, 3 * most), await subscribe(arena, 3 * most)];
  for (const _ of range(rounds)) {
    const all = async (table: string) =>
      (await arena.f.owner.query(`select * from ${table} where organisation_id = $1`, [arena.id])).rows;
    const groups: string[] = (await all('groups')).map(({ id }) => id);
    while (groups.length < 12) groups.push(await makeGroup(arena));
    const shares: Share[] = await all('allocations');
    await rush(
      arena,
      range(20).map(() => anyAllocation(arena, groups, capacities, shares, most)),
    );
    await settled(arena);
  }
}

/** The parent takes back what nobody uses yet: who comes first decides, and nobody has what is not sold. */
export async function shrunkPool(arena: Arena, rounds: number): Promise<void> {
  const group = await makeGroup(arena);
  for (const round of range(rounds)) {
    await sell(arena, 3);
    const kept = await make(arena, provider(arena, `kept-${round}`, group));
    const makers = range(5).map((index) => ({
      ...provider(arena, `new-${round}-${index}`, group, index % 2),
      late: 12,
    }));
    const [sale, ...makings] = await rush(arena, [
      { ...resell(arena, poolPath(arena), { total: 1 }, 'BelowUsed'), late: round % 2 ? 0 : 8 },
      ...makers.map((maker) => ({ ...maker, may: ['200', '402 NotEnoughSpareProducts'] })),
    ]);
    const made = makings.filter(({ status }) => status === 200);
    assert.equal(made.length, sale?.status === 200 ? 0 : 2, 'sold back with nothing made, or refused with all in use');
    await settled(arena);
    for (const id of [kept, ...made.map(({ body }) => body.id)]) await clear(arena, remove('connector', id));
  }
}
