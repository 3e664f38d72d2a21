// Many at once for what only one can have: the last product, the last bit of capacity, a name, a VLAN, a pair of connectors; and
// makers against those who delete what they build on. Who comes too late is told so, sums stay exact, nothing dangles, nothing fails.
import assert from 'node:assert/strict';
import type { Client } from '../test/harness/client.ts';
import type { Fixture } from '../test/harness/service.ts';
import {
  type Arena,
  allocate,
  between,
  clear,
  countOf,
  type Deed,
  deploy,
  join,
  make,
  makeAppliance,
  makeGroup,
  must,
  oneOf,
  openArena,
  perform,
  poolPath,
  provider,
  range,
  remove,
  resell,
  ruins,
  rush,
  sell,
  settled,
  site,
  slowMilliseconds,
  subscribe,
  type Tally,
  takeBack,
  trail,
  weighed,
  winnerOf,
} from './arena.ts';

/** Rounds of each race. */
const sizes = {
  small: { products: 5, bits: 5, mixed: 6, links: 40, same: 2, churn: 8, whirl: 6 },
  full: { products: 200, bits: 200, mixed: 200, links: 1000, same: 25, churn: 200, whirl: 100 },
};
export type Size = keyof typeof sizes;

export interface Races {
  rounds: number;
  requests: number;
  slow: number;
  slowestMilliseconds: number;
  deadlocks: number;
  races: Record<string, Tally>;
}

// 1. The last product of a pool.

async function lastProduct(arena: Arena, rounds: number): Promise<void> {
  const total = 3;
  await sell(arena, total);
  const groups = await Promise.all(range(4).map(() => makeGroup(arena)));
  for (const index of range(total - 1)) await make(arena, provider(arena, `base-${index}`, groups[0] ?? ''));
  const pool = async () => {
    const { used } = (await must(arena.child.get(poolPath(arena)))).body;
    return { used, connectors: await countOf(arena, 'connectors where organisation_id = $1', arena.id) };
  };
  for (const round of range(rounds)) {
    const wishes = range(50).map((index) =>
      provider(arena, `last-${round}-${index}`, groups[index % groups.length] ?? '', index % 2),
    );
    const won = winnerOf(await rush(arena, wishes), '200', '402 NotEnoughSpareProducts');
    assert.deepEqual(await pool(), { used: total, connectors: total });
    await settled(arena);
    await clear(arena, remove('connector', won.body.id));
    assert.deepEqual(await pool(), { used: total - 1, connectors: total - 1 });
  }
}

// 2. The last bit of a capacity, in both senses: sums of this size are exact only when nobody adds them up as floats.

async function lastBit(arena: Arena, rounds: number): Promise<void> {
  const capacity = Number.MAX_SAFE_INTEGER;
  const capacityId = await subscribe(arena, capacity);
  const groups = await Promise.all(range(51).map(() => makeGroup(arena)));
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
  const [groupId = '', capacityId = ''] = [oneOf(groups), oneOf(capacities)];
  const { id, group_id } = oneOf(shares) ?? { id: groupId, group_id: groupId };
  const share = takeBack(group_id, id).path;
  const subscribed = `/organisations/${arena.id}/capacities/${capacityId}`;
  const bps = between(1, most);
  const body = { allocation: bps };
  const changed = ['200', '402 NotEnoughCapacity', '404 NotFound'];
  const allocated = ['201', '402 NotEnoughCapacity', '404 NotFound', '409 AlreadyAllocated'];
  const gone = ['204', '404 NotFound'];
  return weighed([
    [10, { ...allocate(groupId, capacityId, bps), may: allocated }],
    [6, { what: 'change', method: 'PUT', path: share, body, may: changed }],
    [3, { ...takeBack(group_id, id), may: gone }],
    [1, { ...remove('group', groupId), may: gone }],
    [1, resell(arena, subscribed, { capacity: 3 * bps }, 'BelowAllocated')],
  ]);
}

async function mixedAllocations(arena: Arena, rounds: number): Promise<void> {
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
      range(50).map(() => anyAllocation(arena, groups, capacities, shares, most)),
    );
    await settled(arena);
  }
}

// 3. A connector is deleted while somebody links it.

async function linkAgainstDelete(arena: Arena, rounds: number): Promise<void> {
  await sell(arena, 2);
  const group = await makeGroup(arena);
  const appliance = await makeAppliance(arena);
  const peer = await make(arena, provider(arena, 'peer', group));
  for (const round of range(rounds)) {
    const name = `victim-${round}`;
    const victim = await make(arena, round % 2 ? provider(arena, name, group, 1) : site(name, group, appliance, 7));
    const out = join(`out-${round}`, victim, peer);
    const back = join(`back-${round}`, peer, victim);
    const links = [[out], [back], [out, back], [back, out]][round % 4] ?? [];
    const [deletion, ...linkings] = await rush(arena, [
      { ...remove('connector', victim), may: ['200', '405 ConnectorLinked'] },
      ...links.map((link) => ({ ...link, late: 5, may: ['200', '404 NotFound', '409 AlreadyLinked'] })),
    ]);
    const made = linkings.filter(({ status }) => status === 200);
    const left = [
      await countOf(arena, 'connectors where id = $1', victim),
      await countOf(arena, 'links where $1 in (from_id, to_id)', victim),
    ];
    assert.deepEqual(left, deletion?.status === 200 ? [0, 0] : [1, 1], 'it is there with its link, or gone');
    assert.equal(made.length, left[1], 'who was told of a link has one');
    await settled(arena);
    for (const { body } of made) await clear(arena, remove('link', body.id));
    if (made.length) await clear(arena, remove('connector', victim));
  }
}

// 4. Twenty want the same.

const twenty = range(20);

async function sameName(arena: Arena, group: string, appliance: string): Promise<void> {
  const wishes = [
    twenty.map((index) => provider(arena, 'the name', group, index % 2)),
    twenty.map((index) => site('the name', group, appliance, 100 + index)),
    twenty.map((index) =>
      index % 2 ? provider(arena, 'the name', group) : site('the name', group, appliance, 100 + index),
    ),
  ];
  for (const all of wishes) {
    const { body } = winnerOf(await rush(arena, all), '200', '409 NameTaken');
    await settled(arena);
    await clear(arena, remove('connector', body.id));
  }
}

async function sameVlan(arena: Arena, group: string, appliance: string): Promise<void> {
  const wishes = twenty.map((index) => site(`vlan-${index}`, group, appliance, 204));
  const { body } = winnerOf(await rush(arena, wishes), '200', '409 VlanTaken');
  await settled(arena);
  await clear(arena, remove('connector', body.id));
}

/** Of all there is: the losers must hear of the allocation that stands, not of the capacity that is spent. */
async function sameAllocation(arena: Arena, group: string, capacityId: string, capacity: number): Promise<void> {
  const wishes = twenty.map(() => allocate(group, capacityId, capacity));
  const { body } = winnerOf(await rush(arena, wishes), '201', '409 AlreadyAllocated');
  await settled(arena);
  winnerOf(await rush(arena, Array(20).fill(takeBack(group, body.id))), '204', '404 NotFound');
  await settled(arena);
}

/** Linked once, deployed once, deleted once, however many ask. */
async function samePair(arena: Arena, group: string, appliance: string): Promise<void> {
  const ends = [
    await make(arena, provider(arena, 'this end', group)),
    await make(arena, site('that end', group, appliance, 300)),
  ];
  const [a = '', b = ''] = ends;
  const wishes = twenty.map((index) => (index % 2 ? join(`pair-${index}`, a, b) : join(`pair-${index}`, b, a)));
  const link = winnerOf(await rush(arena, wishes), '200', '409 AlreadyLinked').body.id;
  await settled(arena);
  const deployments = twenty.flatMap(() => [deploy('link', link), deploy('connector', a)]);
  for (const answer of await rush(arena, deployments)) assert.equal(answer.status, 200, answer.text);
  for (const id of [link, a, b])
    assert.equal(await countOf(arena, `pgboss.job where name = 'deploy' and data ->> 'id' = $1`, id), 1, 'one job');
  winnerOf(await rush(arena, Array(20).fill(remove('link', link))), '200', '404 NotFound');
  for (const end of ends) winnerOf(await rush(arena, Array(20).fill(remove('connector', end))), '200', '404 NotFound');
  await settled(arena);
}

async function theSame(arena: Arena, rounds: number): Promise<void> {
  await sell(arena, 20);
  const capacity = 10e9;
  const capacityId = await subscribe(arena, capacity);
  const group = await makeGroup(arena);
  const appliance = await makeAppliance(arena);
  for (const _ of range(rounds)) {
    await sameName(arena, group, appliance);
    await sameVlan(arena, group, appliance);
    await sameAllocation(arena, group, capacityId, capacity);
    await samePair(arena, group, appliance);
  }
}

// 5. Makers against those who delete.

/** The name is free when its connector is gone, and only then. */
async function nameChurn(arena: Arena, rounds: number): Promise<void> {
  await sell(arena, 2);
  const group = await makeGroup(arena);
  const appliance = await makeAppliance(arena);
  for (const round of range(rounds)) {
    const first = round % 2 ? provider(arena, 'the name', group) : site('the name', group, appliance, 99);
    const held = await make(arena, first);
    const makers = range(8).map((index) =>
      (index + round) % 3
        ? provider(arena, 'the name', group, index % 2)
        : site('the name', group, appliance, index + 1),
    );
    const deletions = range(2).map(() => ({ ...remove('connector', held), late: 4, may: ['200', '404 NotFound'] }));
    const [one, other, ...makings] = await rush(arena, [
      ...deletions,
      ...makers.map((maker) => ({ ...maker, late: 8, may: ['200', '409 NameTaken'] })),
    ]);
    assert.deepEqual([one?.status, other?.status].sort(), [200, 404]);
    const made = makings.filter(({ status }) => status === 200);
    assert.ok(made.length <= 1, 'one holds the name');
    assert.equal(await countOf(arena, 'connectors where organisation_id = $1', arena.id), made.length);
    await settled(arena);
    for (const { body } of made) await clear(arena, remove('connector', body.id));
  }
}

interface Ground {
  table: string;
  inUse: string;
  make: () => Promise<string>;
  remove: (id: string) => Deed;
  /** Something that is hung on it, and how that is taken off again. */
  hang: (id: string, name: string, index: number) => Deed;
  free: (body: { id: string; groupId: string }) => Deed;
}

/** What is hung on a record keeps it; a record that is gone takes nothing. */
async function groundChurn(arena: Arena, rounds: number, ground: Ground): Promise<void> {
  for (const round of range(rounds)) {
    const id = await ground.make();
    const wishes = range(1 + (round % 4)).map((index) => ground.hang(id, `${round}-${index}`, index));
    const [deletion, ...makings] = await rush(arena, [
      { ...ground.remove(id), late: 4, may: ['204', ground.inUse] },
      ...wishes.map((wish) => ({ ...wish, late: 6, may: ['200', '201', '404 NotFound'] })),
    ]);
    const made = makings.filter(({ status }) => status < 300);
    const isGone = deletion?.status === 204;
    assert.equal(await countOf(arena, `${ground.table} where id = $1`, id), isGone ? 0 : 1);
    assert.equal(made.length, isGone ? 0 : makings.length, 'all or none: they wait for the deletion, or it for them');
    await settled(arena);
    for (const { body } of made) await clear(arena, ground.free(body));
    if (!isGone) await clear(arena, ground.remove(id));
  }
}

async function groupChurn(arena: Arena, rounds: number): Promise<void> {
  await sell(arena, 4);
  const appliance = await makeAppliance(arena);
  await groundChurn(arena, rounds, {
    table: 'groups',
    inUse: '405 GroupInUse',
    make: () => makeGroup(arena),
    remove: (id) => remove('group', id),
    hang: (id, name, index) => (index % 2 ? site(name, id, appliance, index) : provider(arena, name, id, index / 2)),
    free: ({ id }) => remove('connector', id),
  });
}

async function applianceChurn(arena: Arena, rounds: number): Promise<void> {
  const group = await makeGroup(arena);
  await groundChurn(arena, rounds, {
    table: 'appliances',
    inUse: '405 ApplianceInUse',
    make: () => makeAppliance(arena),
    remove: (id) => remove('appliance', id),
    hang: (id, name, index) => site(name, group, id, 1 + index),
    free: ({ id }) => remove('connector', id),
  });
}

async function capacityChurn(arena: Arena, rounds: number): Promise<void> {
  const groups = await Promise.all(range(4).map(() => makeGroup(arena)));
  const path = `/organisations/${arena.id}/capacities`;
  await groundChurn(arena, rounds, {
    table: 'subscribed_capacities',
    inUse: '409 BelowAllocated',
    make: () => subscribe(arena, 4e9),
    remove: (id) => ({ what: 'delete capacity', method: 'DELETE', path: `${path}/${id}`, by: arena.parent }),
    hang: (id, _, index) => allocate(groups[index] ?? '', id, 1e9),
    free: ({ groupId, id }) => takeBack(groupId, id),
  });
}

/** What is known to be there, or was a moment ago. */
interface Known {
  group: string[];
  appliance: string[];
  connector: string[];
  link: string[];
}

function anyDeed(arena: Arena, known: Known): Deed {
  // Where there is none yet, something else is named: that is not found.
  const pick = (kind: keyof Known): string => oneOf(known[kind]) ?? known.group[0] ?? '';
  const name = `whirl-${between(1, 12)}`;
  const created = ['200', '402 NotEnoughSpareProducts', '404 NotFound', '409 NameTaken', '409 VlanTaken'];
  const deleted = ['200', '204', '404 NotFound', '405 ConnectorLinked', '405 GroupInUse', '405 ApplianceInUse'];
  const changed = ['200', '404 NotFound', '409 NameTaken'];
  const linked = ['200', '400 InvalidInput', '404 NotFound', '409 NameTaken', '409 AlreadyLinked'];
  const connector = pick('connector');
  return weighed([
    [6, { ...provider(arena, name, pick('group'), between(0, 1)), may: created }],
    [6, { ...site(name, pick('group'), pick('appliance'), between(1, 6)), may: created }],
    [7, { ...remove('connector', connector), may: deleted }],
    [5, { ...join(name, connector, pick('connector')), may: linked }],
    [4, { ...remove('link', pick('link')), may: deleted }],
    [2, { ...remove('group', pick('group')), may: deleted }],
    [2, { ...remove('appliance', pick('appliance')), may: deleted }],
    [2, { ...deploy('connector', connector), may: changed }],
    [2, { ...deploy('link', pick('link')), may: changed }],
    [2, { what: 'rename', method: 'PUT', path: `/flow/connector/${connector}`, body: { name }, may: changed }],
    [1, resell(arena, poolPath(arena), { total: between(2, 10) }, 'BelowUsed')],
  ]);
}

/** Everything at once, on few records, so that all meet all. */
async function whirl(arena: Arena, rounds: number): Promise<void> {
  await sell(arena, 6);
  const known: Known = { group: [], appliance: [], connector: [], link: [] };
  for (const _ of range(rounds)) {
    for (const kind of ['group', 'appliance', 'connector', 'link'] as const) {
      const rows = await arena.f.owner.query(`select id from ${kind}s where organisation_id = $1`, [arena.id]);
      known[kind] = rows.rows.map(({ id }) => id);
    }
    while (known.group.length < 3) known.group.push(await makeGroup(arena));
    while (known.appliance.length < 3) known.appliance.push(await makeAppliance(arena));
    const worker = async () => {
      for (const __ of range(3)) {
        const deed = anyDeed(arena, known);
        const { status, body } = await perform(arena, deed);
        if (status !== 200 || !deed.what.startsWith('create')) continue;
        known[deed.what === 'create link' ? 'link' : 'connector'].push(body.id);
      }
    };
    await Promise.all(range(20).map(worker));
    await settled(arena);
  }
}

const races: Record<string, { run: (arena: Arena, rounds: number) => Promise<void>; rounds: keyof typeof sizes.full }> =
  {
    'the last product': { run: lastProduct, rounds: 'products' },
    'the last bit': { run: lastBit, rounds: 'bits' },
    'allocations up and down': { run: mixedAllocations, rounds: 'mixed' },
    'link against delete': { run: linkAgainstDelete, rounds: 'links' },
    'twenty for the same': { run: theSame, rounds: 'same' },
    'a name made and freed': { run: nameChurn, rounds: 'churn' },
    'a group deleted under its makers': { run: groupChurn, rounds: 'churn' },
    'an appliance deleted under its makers': { run: applianceChurn, rounds: 'churn' },
    'a capacity ended under its allocations': { run: capacityChurn, rounds: 'churn' },
    'everything at once': { run: whirl, rounds: 'whirl' },
  };

async function deadlocksOf(f: Fixture): Promise<number> {
  const { rows } = await f.owner.query('select deadlocks from pg_stat_database where datname = current_database()');
  return Number(rows[0].deadlocks);
}

/** Runs one race to its end, and says how it went. */
async function runRace(f: Fixture, parent: Client, name: string, size: Size): Promise<Tally> {
  const { run, rounds } = races[name] ?? assert.fail(`there is no race ${name}`);
  const arena = await openArena(f, parent, name);
  const before = await deadlocksOf(f);
  await run(arena, sizes[size][rounds]);
  for (const [complaint, text] of Object.entries({ 'audit rows and records disagree': trail, 'ruins are left': ruins }))
    assert.deepEqual((await f.owner.query(text, [arena.id])).rows, [], complaint);
  return { ...arena.tally, deadlocks: (await deadlocksOf(f)) - before };
}

function lineOf(name: string, tally: Tally, milliseconds: number): string {
  const outcomes = Object.entries(tally.outcomes).sort(([a], [b]) => a.localeCompare(b));
  return [
    `${name}: ${tally.requests} requests in ${tally.rounds} rounds and ${Math.round(milliseconds / 1000)} s`,
    outcomes.map(([outcome, count]) => `${count} × ${outcome}`).join(', '),
    `slowest ${tally.slowestMilliseconds} ms, ${tally.slow} over ${slowMilliseconds} ms, ${tally.deadlocks} deadlocks`,
  ].join('; ');
}

export async function runRaces(f: Fixture, size: Size, log: (line: string) => void = () => undefined): Promise<Races> {
  const parent = await f.as('admin@meridian.example');
  const tallies: Record<string, Tally> = {};
  for (const name of Object.keys(races)) {
    const begun = Date.now();
    const tally = await runRace(f, parent, name, size);
    tallies[name] = tally;
    log(lineOf(name, tally, Date.now() - begun));
  }
  const all = Object.values(tallies);
  const sum = (of: (tally: Tally) => number): number => all.reduce((total, tally) => total + of(tally), 0);
  return {
    rounds: sum(({ rounds }) => rounds),
    requests: sum(({ requests }) => requests),
    slow: sum(({ slow }) => slow),
    slowestMilliseconds: Math.max(...all.map(({ slowestMilliseconds }) => slowestMilliseconds)),
    deadlocks: sum(({ deadlocks }) => deadlocks),
    races: tallies,
  };
}
