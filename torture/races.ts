// Many at once for what only one can have: the last product, the last bit of capacity, a name, a VLAN, a pair of connectors; and
// makers against those who delete what they build on. Who comes too late is told so, sums stay exact, nothing dangles, nothing fails.
import assert from 'node:assert/strict';
import type { Client } from '../test/harness/client.ts';
import type { Fixture } from '../test/harness/service.ts';
import { type Arena, openArena, slowMilliseconds, type Tally } from './arena.ts';
import { ruins, trail } from './races/books.ts';
import { applianceChurn, capacityChurn, groupChurn, linkAgainstDelete, nameChurn } from './races/deletions.ts';
import { theSame } from './races/duplicates.ts';
import { lastBit, lastProduct, mixedAllocations } from './races/supplies.ts';
import { whirl } from './races/whirl.ts';

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
