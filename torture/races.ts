// Many at once for what only one can have, makers against those who delete what they build on, requests that are cut and sent again, writers
// who read the same: one wins, who comes too late is told so, sums stay exact, nothing dangles, nothing fails.
import assert from 'node:assert/strict';
import type { Client } from '../test/harness/client.ts';
import type { Fixture } from '../test/harness/service.ts';
import { type Arena, openArena, slowMilliseconds, type Tally } from './race-fixture.ts';
import {
  disabledMeanwhile,
  endedBrowser,
  lockout,
  oneRefresh,
  oneReset,
  personalTokens,
  stolenRefresh,
} from './races/credentials.ts';
import * as deletions from './races/deletions.ts';
import { cutAnswers } from './races/idempotency.ts';
import { sameTag, writtenOrDeleted } from './races/if-match.ts';
import { ruins, trail } from './races/invariants.ts';
import { oneTurn } from './races/leases.ts';
import { whirl } from './races/mixed.ts';
import { askedMeanwhile, lastBit, lastProduct, mixedAllocations, shrunkPool } from './races/pools.ts';
import * as duplicates from './races/unique-names.ts';
import { countedChildren, lastAdmin, oneAddress, oneNewAddress, oneRole } from './races/users-and-roles.ts';

type Race = (arena: Arena, rounds: number) => Promise<void>;

/** Each race, and how many rounds of it npm test runs. */
const races: Record<string, [run: Race, smallRounds: number]> = {
  'the last product': [lastProduct, 4],
  'the last product, asked about': [askedMeanwhile, 4],
  'the last bit': [lastBit, 4],
  'allocations up and down': [mixedAllocations, 6],
  'a pool shrunk under its takers': [shrunkPool, 4],
  'one name': [duplicates.oneName, 3],
  'one new name': [duplicates.oneNewName, 2],
  'one VLAN': [duplicates.oneVlan, 2],
  'one allocation': [duplicates.oneAllocation, 2],
  'one pair': [duplicates.onePair, 2],
  'one name of a link': [duplicates.oneLinkName, 2],
  'one router': [duplicates.oneRouter, 3],
  'one tag': [duplicates.oneTag, 3],
  'one series': [duplicates.oneSeries, 2],
  'one address': [oneAddress, 2],
  'one new address': [oneNewAddress, 2],
  'one role': [oneRole, 2],
  'the last admin': [lastAdmin, 4],
  'counted children': [countedChildren, 3],
  'a lockout': [lockout, 3],
  'one refresh': [oneRefresh, 4],
  'a stolen refresh': [stolenRefresh, 4],
  "a browser's session": [endedBrowser, 4],
  'one reset': [oneReset, 3],
  'personal tokens': [personalTokens, 3],
  'disabled meanwhile': [disabledMeanwhile, 3],
  'link against delete': [deletions.linkAgainstDelete, 16],
  'a name made and freed': [deletions.nameChurn, 6],
  'a group deleted under its makers': [deletions.groupChurn, 6],
  'an appliance deleted under its makers': [deletions.applianceChurn, 6],
  'a capacity ended under its allocations': [deletions.capacityChurn, 6],
  'a tag deleted under its records': [deletions.tagChurn, 6],
  'a role deleted under its holders': [deletions.roleChurn, 6],
  'answers that are cut': [cutAnswers, 10],
  'one ETag': [sameTag, 13],
  'written or deleted': [writtenOrDeleted, 5],
  'one turn': [oneTurn, 3],
  'everything at once': [whirl, 4],
};

export interface Races {
  races: number;
  rounds: number;
  requests: number;
  slow: number;
  slowestMilliseconds: number;
  deadlocks: number;
}

export interface Size {
  seed: string;
  /** Of each race; without it, as few as npm test runs. */
  rounds?: number;
  /** Those whose names hold one of these words, between commas. */
  only?: string;
}

type Log = (line: string) => void;

async function deadlocksOf(f: Fixture): Promise<number> {
  const { rows } = await f.owner.query('select deadlocks from pg_stat_database where datname = current_database()');
  return Number(rows[0].deadlocks);
}

const progressMs = 15_000;

/** Runs one race to its end, and says how it went. */
async function runRace(f: Fixture, parent: Client, name: string, size: Size, log: Log): Promise<Tally> {
  const [run, smallRounds] = races[name] ?? assert.fail(`there is no race ${name}`);
  const rounds = size.rounds ?? smallRounds;
  const arena = await openArena(f, parent, name, size.seed);
  const { tally } = arena;
  const before = await deadlocksOf(f);
  const begunMs = Date.now();
  const telling = setInterval(() => {
    const rate = Math.round((tally.requests * 1000) / (Date.now() - begunMs));
    log(`${name}: ${tally.rounds} of ${rounds} rounds, ${rate} requests a second`);
  }, progressMs);
  try {
    await run(arena, rounds);
  } catch (error) {
    throw new Error(`${name}, seed ${size.seed}, round ${tally.rounds}: ${(error as Error).message}`, { cause: error });
  } finally {
    clearInterval(telling);
  }
  for (const [complaint, text] of Object.entries({ 'audit rows and records disagree': trail, 'ruins are left': ruins }))
    assert.deepEqual((await f.owner.query(text, [arena.id])).rows, [], `${name}: ${complaint}`);
  return { ...tally, deadlocks: (await deadlocksOf(f)) - before };
}

function lineOf(name: string, tally: Tally, milliseconds: number): string {
  const outcomes = Object.entries(tally.outcomes).sort(([a], [b]) => a.localeCompare(b));
  return [
    `${name}: ${tally.requests} requests in ${tally.rounds} rounds and ${Math.round(milliseconds / 1000)} s`,
    outcomes.map(([outcome, count]) => `${count} × ${outcome}`).join(', '),
    `slowest ${tally.slowestMilliseconds} ms, ${tally.slow} over ${slowMilliseconds} ms, ${tally.deadlocks} deadlocks`,
  ].join('; ');
}

export async function runRaces(f: Fixture, size: Size, log: Log = () => undefined): Promise<Races> {
  const all: Tally[] = [];
  const words = (size.only ?? '').split(',');
  const names = Object.keys(races).filter((name) => words.some((word) => name.includes(word)));
  assert.ok(names.length, `no race is called ${size.only}; there are: ${Object.keys(races).join(', ')}`);
  for (const name of names) {
    const begun = Date.now();
    // A token lives for an hour; all races together take longer.
    const parent = await f.as('admin@meridian.example');
    const tally = await runRace(f, parent, name, size, log);
    all.push(tally);
    log(lineOf(name, tally, Date.now() - begun));
  }
  const sum = (of: (tally: Tally) => number): number => all.reduce((total, tally) => total + of(tally), 0);
  return {
    races: all.length,
    rounds: sum(({ rounds }) => rounds),
    requests: sum(({ requests }) => requests),
    slow: sum(({ slow }) => slow),
    slowestMilliseconds: Math.max(...all.map(({ slowestMilliseconds }) => slowestMilliseconds)),
    deadlocks: sum(({ deadlocks }) => deadlocks),
  };
}
