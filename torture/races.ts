// Races: concurrent requests for a unique value, creations against deletions, repeated requests, and writes with one
// ETag. One wins, the others are refused with the right reason, sums stay exact, and no record refers to a missing one.
import assert from 'node:assert/strict';
import type { Client } from '../test/harness/client.ts';
import type { Fixture } from '../test/harness/service.ts';
import { type Log, noLog } from './helpers.ts';
import { openContext, type Race, type RaceStats, slowMilliseconds } from './race-fixture.ts';
import * as credentials from './races/credentials.ts';
import * as deletions from './races/deletions.ts';
import { lostResponses } from './races/idempotency.ts';
import { oneEtag, updatedOrDeleted } from './races/if-match.ts';
import { auditDifferences, teardownDifferences } from './races/invariants.ts';
import { oneLease } from './races/leases.ts';
import { mixedRequests } from './races/mixed.ts';
import * as pools from './races/pools.ts';
import * as resellers from './races/resellers.ts';
import * as unique from './races/unique-names.ts';
import * as users from './races/users-and-roles.ts';

/** Each race, and the number of rounds in npm test. */
const races: Record<string, [run: Race, smallRounds: number]> = {
  'last product': [pools.lastProduct, 4],
  'last product beside dry runs': [pools.dryRunsBeside, 4],
  'last bit of capacity': [pools.lastBit, 4],
  'mixed allocations': [pools.mixedAllocations, 6],
  'pool reduced during creations': [pools.shrunkPool, 4],
  'last product of a reseller': [resellers.lastHandedOut, 4],
  'products of a reseller, mixed': [resellers.mixedHandOuts, 4],
  'last bit of a reseller': [resellers.lastHandedOutBit, 4],
  'connector name': [unique.oneName, 3],
  'connector renamed': [unique.oneNewName, 2],
  VLAN: [unique.oneVlan, 2],
  'subnet on a router': [unique.oneSubnet, 3],
  'address blocks': [unique.ownBlocks, 2],
  allocation: [unique.oneAllocation, 2],
  'linked pair': [unique.onePair, 2],
  'link name': [unique.oneLinkName, 2],
  router: [unique.oneRouter, 3],
  'tag name': [unique.oneTag, 3],
  'metric series': [unique.oneSeries, 2],
  'email address': [users.oneAddress, 2],
  'email address changed': [users.oneNewAddress, 2],
  'role name': [users.oneRole, 2],
  'last admin': [users.lastAdmin, 4],
  'demotion undone': [users.undoneDemotion, 6],
  'number of children': [users.countedChildren, 3],
  'account lock': [credentials.lockout, 3],
  'refresh token': [credentials.oneRefreshToken, 4],
  'refresh token reused': [credentials.reusedRefreshToken, 4],
  'browser session ended': [credentials.endedSession, 4],
  'reset token': [credentials.oneResetToken, 3],
  'personal tokens': [credentials.personalTokens, 3],
  'user disabled': [credentials.disabledUser, 3],
  'connector deleted during linking': [deletions.linkAgainstDelete, 16],
  'name deleted and reused': [deletions.nameChurn, 6],
  'group deleted during creations': [deletions.groupChurn, 6],
  'appliance deleted during creations': [deletions.applianceChurn, 6],
  'capacity deleted during allocations': [deletions.capacityChurn, 6],
  'tag deleted during assignments': [deletions.tagChurn, 6],
  'role deleted during assignments': [deletions.roleChurn, 6],
  'lost responses': [lostResponses, 10],
  ETag: [oneEtag, 13],
  'updated or deleted': [updatedOrDeleted, 5],
  lease: [oneLease, 3],
  'mixed requests': [mixedRequests, 4],
};

export interface RacesResult {
  races: number;
  rounds: number;
  requests: number;
  slow: number;
  slowestMilliseconds: number;
  deadlocks: number;
}

export interface Size {
  seed: string;
  /** Of each race; the small number by default. */
  rounds?: number;
  /** Words separated by commas: only races whose names contain one of them run. */
  only?: string;
}

async function countDeadlocks(f: Fixture): Promise<number> {
  const { rows } = await f.owner.query('select deadlocks from pg_stat_database where datname = current_database()');
  return Number(rows[0].deadlocks);
}

const progressMs = 15_000;

async function runRace(f: Fixture, parent: Client, name: string, size: Size, log: Log): Promise<RaceStats> {
  const [run, smallRounds] = races[name] ?? assert.fail(`there is no race ${name}`);
  const rounds = size.rounds ?? smallRounds;
  const context = await openContext(f, parent, name, size.seed);
  const { stats } = context;
  const before = await countDeadlocks(f);
  const startMs = Date.now();
  const progress = setInterval(() => {
    const rate = Math.round((stats.requests * 1000) / (Date.now() - startMs));
    log(`${name}: ${stats.rounds} of ${rounds} rounds, ${rate} requests per second`);
  }, progressMs);
  try {
    await run(context, rounds);
  } catch (error) {
    throw new Error(`${name}, seed ${size.seed}, round ${stats.rounds}: ${(error as Error).message}`, { cause: error });
  } finally {
    clearInterval(progress);
  }
  for (const [failure, query] of Object.entries({
    'audit entries and records disagree': auditDifferences,
    'the number of teardowns is wrong': teardownDifferences,
  }))
    assert.deepEqual((await f.owner.query(query, [context.id])).rows, [], `${name}: ${failure}`);
  return { ...stats, deadlocks: (await countDeadlocks(f)) - before };
}

function summaryOf(name: string, stats: RaceStats, milliseconds: number): string {
  const outcomes = Object.entries(stats.outcomes).sort(([a], [b]) => a.localeCompare(b));
  return [
    `${name}: ${stats.requests} requests in ${stats.rounds} rounds and ${Math.round(milliseconds / 1000)} s`,
    outcomes.map(([outcome, count]) => `${count} × ${outcome}`).join(', '),
    `slowest ${stats.slowestMilliseconds} ms, ${stats.slow} over ${slowMilliseconds} ms, ${stats.deadlocks} deadlocks`,
  ].join('; ');
}

export async function runRaces(f: Fixture, size: Size, log: Log = noLog): Promise<RacesResult> {
  const all: RaceStats[] = [];
  const words = (size.only ?? '').split(',');
  const names = Object.keys(races).filter((name) => words.some((word) => name.includes(word)));
  assert.ok(names.length, `no race is named ${size.only}; the races are: ${Object.keys(races).join(', ')}`);
  for (const name of names) {
    const startMs = Date.now();
    // A token is valid for an hour, less than all races take.
    const parent = await f.as('admin@meridian.example');
    const stats = await runRace(f, parent, name, size, log);
    all.push(stats);
    log(summaryOf(name, stats, Date.now() - startMs));
  }
  const sum = (of: (stats: RaceStats) => number): number => all.reduce((total, stats) => total + of(stats), 0);
  return {
    races: all.length,
    rounds: sum(({ rounds }) => rounds),
    requests: sum(({ requests }) => requests),
    slow: sum(({ slow }) => slow),
    slowestMilliseconds: Math.max(...all.map(({ slowestMilliseconds }) => slowestMilliseconds)),
    deadlocks: sum(({ deadlocks }) => deadlocks),
  };
}
