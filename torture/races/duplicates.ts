// Twenty want the same: one has it, and the others are told that it is taken.
import assert from 'node:assert/strict';
import { type Arena, clear, make, makeAppliance, makeGroup, range, rush, sell, subscribe, winnerOf } from '../arena.ts';
import { countOf, settled } from './books.ts';
import { allocate, deploy, join, provider, remove, site, takeBack } from './deeds.ts';

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

export async function theSame(arena: Arena, rounds: number): Promise<void> {
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
