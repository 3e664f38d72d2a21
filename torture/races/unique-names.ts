// Twenty want the same: one has it, and the others are told that it is taken.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { ApiResponse } from '../../test/harness/client.ts';
import {
  type Arena,
  clear,
  type Deed,
  make,
  makeAppliance,
  makeGroup,
  must,
  outcomesOf,
  range,
  rush,
  sell,
  subscribe,
  winnerOf,
} from '../race-fixture.ts';
import { countOf, settled } from './invariants.ts';
import { allocate, deploy, join, provider, remove, site, takeBack } from './requests.ts';

const twenty = range(20);

async function sameName(arena: Arena, group: string, appliance: string, round: number): Promise<void> {
  const wishes = [
    twenty.map((index) => provider(arena, 'the name', group, index % 2)),
    twenty.map((index) => site('the name', group, appliance, 100 + index)),
    twenty.map((index) =>
      index % 2 ? provider(arena, 'the name', group) : site('the name', group, appliance, 100 + index),
    ),
  ];
  const { body } = winnerOf(await rush(arena, wishes[round % 3] ?? []), '200', '409 NameTaken');
  await settled(arena);
  await clear(arena, remove('connector', body.id));
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
  winnerOf(await rush(arena, Array(20).fill(takeBack(group, body.id))), '204', '404 NotFound');
  await settled(arena);
}

/** Deployments that all come before the first of them could end: whoever asks after that has another one. */
async function whileTurnIsTaken(arena: Arena, group: string, deployments: Deed[]): Promise<ApiResponse[]> {
  const begun = () => countOf(arena, `audit where organisation_id = $1 and action = 'deploy'`, arena.id);
  const holder = await arena.f.owner.connect();
  try {
    await holder.query(
      `insert into fabric_groups (group_id, token, held_until, swept_at) values ($1, nextval('fabric_tokens'), now() - interval '1 hour', now()) on conflict do nothing`,
      [group],
    );
    await holder.query('begin');
    await holder.query('select from fabric_groups where group_id = $1 for update', [group]);
    const before = await begun();
    const asked = rush(arena, deployments);
    for (const until = Date.now() + 30_000; Date.now() < until && (await begun()) < before + deployments.length; )
      await pause(20);
    await holder.query('rollback');
    return await asked;
  } finally {
    holder.release();
  }
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
  const deployments = twenty.flatMap(() => [deploy('link', link), deploy('connector', a)]);
  for (const answer of await whileTurnIsTaken(arena, group, deployments)) assert.equal(answer.status, 200, answer.text);
  for (const id of [link, a, b])
    assert.equal(await countOf(arena, `pgboss.job where name = 'deploy' and data ->> 'id' = $1`, id), 1, 'one job');
  winnerOf(await rush(arena, Array(20).fill(remove('link', link))), '200', '404 NotFound');
  for (const end of ends) winnerOf(await rush(arena, Array(20).fill(remove('connector', end))), '200', '404 NotFound');
  await settled(arena);
}

interface Ground {
  group: string;
  appliance: string;
}

/** The same contest again and again, on one group and one appliance. */
const onGround =
  (contest: (arena: Arena, ground: Ground, round: number) => Promise<void>) =>
  async (arena: Arena, rounds: number): Promise<void> => {
    await sell(arena, 20);
    const ground = { group: await makeGroup(arena), appliance: await makeAppliance(arena) };
    for (const round of range(rounds)) await contest(arena, ground, round);
  };

export const oneName = onGround((arena, { group, appliance }, round) => sameName(arena, group, appliance, round));
export const oneVlan = onGround((arena, { group, appliance }) => sameVlan(arena, group, appliance));
export const onePair = onGround((arena, { group, appliance }) => samePair(arena, group, appliance));

export async function oneAllocation(arena: Arena, rounds: number): Promise<void> {
  const capacity = 10e9;
  const capacityId = await subscribe(arena, capacity);
  const group = await makeGroup(arena);
  for (const _ of range(rounds)) await sameAllocation(arena, group, capacityId, capacity);
}

/** Eight that are there want the same new name, or the same VLAN. */
export const oneNewName = onGround(async (arena, { group, appliance }) => {
  const ids: string[] = [];
  for (const index of range(8)) ids.push(await make(arena, site(`old-${index}`, group, appliance, 10 + index)));
  const change = (body: unknown) =>
    ids.map((id): Deed => ({ what: 'change connector', method: 'PUT', path: `/flow/connector/${id}`, body }));
  winnerOf(await rush(arena, change({ name: 'the new name' })), '200', '409 NameTaken');
  winnerOf(await rush(arena, change({ entreprise: { vlan: 400 } })), '200', '409 VlanTaken');
  await settled(arena);
  for (const id of ids) await clear(arena, remove('connector', id));
});

/** Eight pairs, one name. */
export const oneLinkName = onGround(async (arena, { group, appliance }) => {
  const hub = await make(arena, provider(arena, 'hub', group));
  const ends: string[] = [];
  for (const index of range(8)) ends.push(await make(arena, site(`end-${index}`, group, appliance, 10 + index)));
  const links = ends.map((end, index) => (index % 2 ? join('the link', hub, end) : join('the link', end, hub)));
  const { body } = winnerOf(await rush(arena, links), '200', '409 NameTaken');
  await settled(arena);
  await clear(arena, remove('link', body.id));
  for (const id of [hub, ...ends]) await clear(arena, remove('connector', id));
});

/** The first connectors of a group at an edge, all at once: one router. */
export const oneRouter = onGround(async (arena, { appliance }) => {
  const group = await makeGroup(arena);
  const wishes = range(8).map((index) =>
    index % 2 ? provider(arena, `router-${index}`, group, 0) : site(`router-${index}`, group, appliance, 20 + index),
  );
  const made = await rush(arena, wishes);
  for (const { status, text } of made) assert.equal(status, 200, text);
  const { rows } = await arena.f.owner.query('select edge_code from routers where group_id = $1', [group]);
  assert.equal(rows.length, new Set(rows.map((row) => row.edge_code)).size, 'two routers on one edge');
  await settled(arena);
  for (const { body } of made) await clear(arena, remove('connector', body.id));
  await clear(arena, remove('group', group));
});

const tag = (name: string): Deed => ({ what: 'create tag', method: 'POST', path: '/tags', body: { name } });

/** One tag of this name, whether it is made or renamed; deleted once. */
export async function oneTag(arena: Arena, rounds: number): Promise<void> {
  const others = await Promise.all(range(4).map((index) => make(arena, tag(`other-${index}`))));
  for (const round of range(rounds)) {
    const name = `the tag ${round}`;
    const renamed = others.map(
      (id): Deed => ({ what: 'create tag', method: 'PUT', path: `/tags/${id}`, body: { name } }),
    );
    const answers = await rush(arena, [...range(16).map(() => tag(name)), ...renamed]);
    const won = answers.filter(({ status }) => status < 300);
    assert.equal(won.length, 1);
    const lost = answers.filter((answer) => !won.includes(answer));
    assert.deepEqual(outcomesOf(lost), { '409 NameTaken': 19 });
    await settled(arena);
    if (others.includes(won[0]?.body.id)) continue;
    const deletion: Deed = { what: 'delete tag', method: 'DELETE', path: `/tags/${won[0]?.body.id}` };
    winnerOf(await rush(arena, Array(20).fill(deletion)), '204', '404 NotFound');
  }
}

/** A point of a series that nobody has written yet, from twenty agents at once: one series, and every point counted in. */
export const oneSeries = onGround(async (arena, { group, appliance }, round) => {
  const id = await make(arena, site(`measured-${round}`, group, appliance, 30));
  const { irn } = (await must(arena.child.get(`/connectors/${id}`))).body;
  const answers = await Promise.all(
    twenty.map((index) =>
      arena.child.call('POST', '/metrics/write', {
        raw: `interface,irn=${irn} ifHCInOctets=${index}i ${BigInt(Date.now() - 60_000 - index) * 1_000_000n}`,
      }),
    ),
  );
  arena.tally.requests += answers.length;
  for (const { status, text } of answers) assert.equal(status, 204, text);
  assert.equal(await countOf(arena, 'metric_series where subject_id = $1 and origin = 2', id), 1, 'one series');
  await settled(arena);
  await clear(arena, remove('connector', id));
});
