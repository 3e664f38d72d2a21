// The parts of the torture at full size, and what each must achieve.
import assert from 'node:assert/strict';
import { ensureDebianPackages } from '../test/harness/debian-packages.ts';
import { faketimePackages, hasFaketime } from '../test/harness/faketime.ts';
import type { Part } from '../test/harness/requested-parts.ts';
import type { Fixture } from '../test/harness/service.ts';
import { balancerPackages, hasBalancer } from './balancer.ts';
import type { OutageTarget } from './database-outage.ts';
import { startTorturePostgres } from './postgres.ts';
import { seed } from './seed.ts';

export const parts: Record<string, Part & { run: () => Promise<void> }> = {
  tenants: {
    about:
      'over 50,000 requests between all tenants of a four-level tree: every route × wrong token, role and scope, ' +
      'and ids of other tenants in each path, body, resource name, filter and header',
    run: () => withService(checkTenants),
  },
  'row-security': {
    alias: 'wall',
    about:
      'row-level security alone: every table × select, insert, update, delete × every tenant, and the whole API ' +
      'without conditions on the organisation: 0 rows of other tenants',
    run: checkRowSecurity,
  },
  fuzz: {
    about:
      '200,000 requests generated from the API document (valid, nearly valid and random) over every operation ' +
      'and role: no failure, every response as documented',
    run: () =>
      withService(async (f) => {
        const { fuzz } = await import('./fuzz.ts');
        const { requests, operations, byStatus } = await fuzz(f, { requests: 200_000, seed }, log);
        const summary = `${requests} requests over ${operations} operations, seed ${seed}`;
        console.log(`fuzz: ${summary}; no failure, all as documented: ${listCounts(byStatus)}`);
      }),
  },
  sockets: {
    about:
      '5,000 malformed, oversized and smuggling requests and 5,000 slow connections: JSON response or close, ' +
      'little memory, other callers unaffected',
    run: checkSockets,
  },
  stalls: {
    about:
      'the most expensive requests of every route, accepted and refused, with a brand: none holds the event loop for ' +
      'more than 20 ms, and other tenants are served meanwhile',
    run: checkStalls,
  },
  'database-outage': {
    alias: 'database-away',
    about:
      'the database refuses, cuts or ignores connections under load, 75 times, and the disk of the embedded one ' +
      'is full, 25 times: 503 or 504 in time, no lost write, no access without a token, recovery by itself',
    run: checkOutages,
  },
  races: {
    about:
      'up to 20 requests at once for a unique value, creations against deletions, lost responses, writes with ' +
      'one ETag; 1,000 rounds of each race: one winner, exact sums, no dangling references',
    run: () => withService(checkRaces),
  },
  rotation: {
    about: 'keys rotated while secrets are written and read, half of the rotations killed: no lost secret',
    run: () =>
      withService(async (f) => {
        const { rotateUnderLoad } = await import('./rotation.ts');
        const size = { connectors: 2000, rotations: 20, kills: 20 };
        const result = await rotateUnderLoad(f, size, log);
        console.log(
          `rotation: ${result.rotations} rotations and ${result.killed} killed ones during ${result.writes} ` +
            `writes and ${result.reads} reads of ${size.connectors} secrets; ${result.lost} lost`,
        );
        assert.equal(result.lost, 0, 'secrets were lost');
      }),
  },
  kill: {
    about:
      '300 kill -9 of service, database or both during creations, changes, deletions, allocations, tags and ' +
      'tokens; 50 orderly stops under load',
    run: checkKills,
  },
  clock: {
    about:
      "200 expiries, to the second, with the database's clock set back, on two replicas of which one has a wrong " +
      'clock: nothing becomes valid again',
    run: () =>
      withPackages(faketimePackages, hasFaketime, async () => {
        const { jumpClocks } = await import('./clock.ts');
        const result = await jumpClocks({ cases: 200, seed }, log);
        console.log(
          `clock: ${listCounts(result.cases)}, seed ${seed}; ${result.responses} responses, all as expected, ` +
            `${result.skipped} skipped as too slow; a clock set back was detected within ` +
            `${result.detectedMilliseconds} ms`,
        );
      }),
  },
  replicas: {
    about:
      'two replicas behind HAProxy under load, one killed 10 times and both restarted in turn 10 times: no lost ' +
      'or duplicate write, no request cut by a restart, changes visible at the other replica within a second',
    run: () => withPackages(balancerPackages, hasBalancer, () => withPostgres(checkReplicas)),
  },
  upgrade: {
    about:
      'two replicas behind HAProxy under load, upgraded in turn from an earlier commit, 3 times: no request cut, no ' +
      'lost or duplicate write',
    run: () => withPackages(balancerPackages, hasBalancer, () => withPostgres(checkUpgrades)),
  },
  deployments: {
    about:
      '300 kill -9 during deployments on the simulated fabric, 50 on the lab; then 100 killed BIRDs and 100 ' +
      'other drifts of a deployed lab',
    run: async () => {
      await checkDeployments('simulated', 300);
      await withLabSupport(async () => {
        await checkDeployments('lab', 50);
        const { assertFast, repairTwoRings, summaryOf } = await import('./drift-repair.ts');
        const repairs = await repairTwoRings({ kills: 100, drifts: 100 }, log);
        console.log(summaryOf(repairs));
        assertFast(repairs);
      });
    },
  },
  metrics: {
    about:
      '50 kill -9 of service, database or both while agents write points, late ones included: no acknowledged ' +
      'point is lost',
    run: async () => {
      const { killWriters } = await import('./metrics.ts');
      const { kills, acknowledged, lost } = await killWriters(50, log);
      console.log(`metrics: ${kills} kills; ${acknowledged} points acknowledged, ${lost} lost`);
    },
  },
  backups: {
    about:
      '20 backups under write load, each restored to a fresh target, some restores killed: all writes ' +
      'acknowledged before the backup are restored; 100 backups with pruning killed: no backup deleted too early',
    run: () =>
      withPostgres(async () => {
        const { backUpAndRestore } = await import('./backups.ts');
        const result = await backUpAndRestore(20, 100, log);
        console.log(
          `backups: ${result.cycles} backups while serving (slowest ${result.slowestBackupMilliseconds} ms, up ` +
            `to ${result.megabytes} MB), each restored, ${result.killed} restores killed before; ` +
            `${result.expected} writes and ${result.points} points acknowledged before, ${result.lost} lost; ` +
            `${result.openDeployments} open deployments continued; ${result.pruning.killed} of ` +
            `${result.pruning.runs} backups with pruning killed, ${result.pruning.deleted} old backups deleted`,
        );
      }),
  },
  secrets: {
    about:
      '1,000 secrets in every field that takes one and in places where users put one by mistake: none in tables, ' +
      'WAL, logs, backup, process metrics or lists',
    run: async () => {
      const { plantSecrets } = await import('./secrets.ts');
      const { found, ...result } = await plantSecrets({ requests: 1000, seed }, log);
      console.log(
        `secrets: ${result.secrets} secrets in ${result.requests} requests, seed ${seed}; searched in ` +
          `${result.patterns} encodings in ${result.places} places (${result.megabytes} MB), ${found.length} found`,
      );
      assert.deepEqual(found, []);
    },
  },
  'fabric-benchmark': {
    alias: 'fabric-figures',
    about: 'how fast the lab deploys, and what 50 links over 40 routers cost',
    run: () =>
      withLabSupport(async () => {
        const { runFabricBenchmark } = await import('./fabric-benchmark.ts');
        await runFabricBenchmark({ links: 20 }, (line) => console.log(`fabric-benchmark: ${line}`));
      }),
  },
};

async function checkTenants(f: Fixture): Promise<void> {
  const { testIsolation } = await import('./tenants.ts');
  const every = Number(process.env.TORTURE_EVERY ?? 1);
  const { requests, routes, references } = await testIsolation(f, 'full', log, every);
  console.log(
    `tenants: ${requests} requests over ${routes} routes, ${references} references to other tenants outside of ` +
      `paths; no data leaked, other tenants' records indistinguishable from missing ones, no record of others ` +
      'changed',
  );
  assert.ok(requests >= 50_000 || every > 1, 'too few requests');
}

async function checkRowSecurity(): Promise<void> {
  await withService(async (f) => {
    const { fillTables, probeTables } = await import('./row-security/tables.ts');
    await fillTables(f);
    const { tables, tenants, statements } = await probeTables(f, Number.POSITIVE_INFINITY, log);
    const summary = `${statements} statements on ${tables} tables for ${tenants} tenants`;
    console.log(`row-security: ${summary}; 0 rows of other tenants`);
  });
  await withPostgres(async () => {
    const { attackWithoutFilter, verifyDetection } = await import('./row-security.ts');
    await verifyDetection();
    const { requests, rewritten } = await attackWithoutFilter('full');
    console.log(
      `row-security: ${requests} requests with ${rewritten} statements without their condition; no data leaked ` +
        '(without row-level security it does)',
    );
  });
}

async function checkSockets(): Promise<void> {
  const { stressSockets } = await import('./sockets.ts');
  const result = await stressSockets({ malformed: 5000, slow: 5000, seed }, log);
  console.log(
    `sockets: ${result.malformed} malformed requests (${result.answered} answered, ${result.closed} closed) and ` +
      `${result.slow} slow connections, seed ${seed}; memory grew by up to ${result.grownMegabytes} MB, p99 of ` +
      `other callers ${result.p99Milliseconds} ms`,
  );
  assert.ok(result.grownMegabytes <= 150, 'memory grew by more than 150 MB');
  assert.ok(result.p99Milliseconds <= 1000, 'other callers had to wait');
}

async function checkStalls(): Promise<void> {
  const { maxHoldMs, measureStalls, tooLong } = await import('./stalls.ts');
  const inventory = { connectors: 1000, groups: 120, users: 120, roles: 50 };
  const only = process.env.TORTURE_ROUTES ?? '';
  const holds = await measureStalls({ ...inventory, variety: 10, every: 1, only, isCompactionWatched: true }, log);
  for (const { route, requests, holdMs, what, otherMs } of holds)
    log(
      `${route}: ${requests} requests, longest hold ${holdMs.toFixed(1)} ms (${what}), others ${otherMs.toFixed(1)} ms`,
    );
  const worst = holds.reduce((a, b) => (a.holdMs > b.holdMs ? a : b));
  const requests = holds.reduce((sum, one) => sum + one.requests, 0);
  console.log(
    `stalls: ${requests} requests to ${holds.length} routes; longest hold ${worst.holdMs.toFixed(1)} ms ` +
      `(${worst.route}, ${worst.what}); median of others ${Math.max(...holds.map(({ otherMs }) => otherMs)).toFixed(1)} ` +
      'ms at worst',
  );
  assert.deepEqual(tooLong(holds), [], `a request held the event loop for more than ${maxHoldMs} ms`);
}

async function checkOutages(): Promise<void> {
  const { causeOutages } = await import('./database-outage.ts');
  const check = async (target: OutageTarget, cycles: number): Promise<void> => {
    const result = await causeOutages(target, { cycles, seed }, log);
    console.log(
      `database-outage: ${listCounts(result.cycles)}, seed ${seed}; ${result.requests} requests, ` +
        `${result.unavailable} of them 503 or 504, slowest ${result.slowestMilliseconds} ms; recovered within ` +
        `${result.recoveryMilliseconds} ms; ${result.acknowledged} writes acknowledged, ${result.lost} lost`,
    );
    assert.equal(result.lost, 0, 'acknowledged writes were lost');
    assert.ok(result.recoveryMilliseconds <= 5000, 'the recovery took longer than five seconds');
  };
  await withPostgres(async () => check(await (await import('./database-proxy.ts')).startProxiedService(), 75));
  const { lacksSmallDisk, openSmallDisk } = await import('./small-disk.ts');
  const reason = lacksSmallDisk();
  if (reason) skip(`a full disk: ${reason}`);
  else await check(await openSmallDisk(), 25);
}

async function checkRaces(f: Fixture): Promise<void> {
  const { runRaces } = await import('./races.ts');
  const { TORTURE_ROUNDS: rounds = '1000', TORTURE_RACES: only = '' } = process.env;
  const result = await runRaces(f, { seed, rounds: Number(rounds), only }, log);
  console.log(
    `races: ${result.races} races of ${rounds} rounds, seed ${seed}; ${result.requests} requests, none failed; ` +
      `one winner, sums exact after each round; slowest ${result.slowestMilliseconds} ms, ${result.slow} over 900 ` +
      `ms, ${result.deadlocks} deadlocks`,
  );
}

async function checkKills(): Promise<void> {
  const { killCycles, stopCycles } = await import('./kill.ts');
  const kills = Number(process.env.TORTURE_KILLS ?? 300);
  const killed = await killCycles({ cycles: kills, seed }, log);
  console.log(
    `kill: ${killed.cycles} kills (${killed.kinds}), seed ${seed}; ${killed.acknowledged} writes acknowledged, ` +
      `${killed.lost} lost; of ${killed.interrupted} interrupted writes ${killed.interruptedButApplied} were ` +
      `applied, completely; audit entries match writes; ready again in ${killed.readyMilliseconds} ms (median; ` +
      `worst ${killed.worstMilliseconds} ms)`,
  );
  const stopped = await stopCycles({ cycles: Math.ceil(kills / 6), seed }, log);
  console.log(
    `stop: ${stopped.cycles} stops (${stopped.kinds}); ${stopped.answered} requests answered, ${stopped.cut} ` +
      `cut, database shut down cleanly ${stopped.clean} times`,
  );
  assert.equal(stopped.cut, 0, 'requests in progress were cut');
  assert.equal(stopped.clean, stopped.cycles, 'the database was not always shut down cleanly');
}

async function checkReplicas(): Promise<void> {
  const { stressReplicas } = await import('./replicas.ts');
  const { ledger, ...result } = await stressReplicas({ kills: 10, restarts: 10, seed }, log);
  console.log(
    `replicas: ${result.kills} kills and ${result.restarts} rolling restarts, seed ${seed}; ${ledger.requests} ` +
      `requests, ${ledger.retried} retried, ${ledger.cut.length} cut by a restart; ${ledger.acknowledged} writes ` +
      `acknowledged, ${result.lost.length} lost, ${result.duplicates.length} duplicated; deployments taken over ` +
      `within ${result.takeoverMilliseconds} ms, longest time without a response ${ledger.gapMilliseconds} ms`,
  );
  console.log(`replicas: milliseconds of stale reads at the other replica: ${listCounts(result.stale)}`);
  const { lost, duplicates } = result;
  assert.deepEqual({ lost, duplicates, cut: ledger.cut }, { lost: [], duplicates: [], cut: [] });
}

async function checkUpgrades(): Promise<void> {
  const { installEarlierVersion } = await import('./earlier-version.ts');
  const { upgradeReplicas } = await import('./replicas.ts');
  await using opened = new AsyncDisposableStack();
  const earlier = await installEarlierVersion(process.env.TORTURE_FROM ?? 'HEAD~1');
  opened.defer(() => earlier.remove());
  for (let upgrade = 1; upgrade <= 3; upgrade++) {
    const { ledger, lost, duplicates } = await upgradeReplicas(earlier.folder);
    console.log(
      `upgrade: from ${earlier.commit}; ${ledger.requests} requests, ${ledger.cut.length} cut; ` +
        `${ledger.acknowledged} writes acknowledged, ${lost.length} lost, ${duplicates.length} duplicated; longest ` +
        `time without a response ${ledger.gapMilliseconds} ms`,
    );
    assert.deepEqual({ lost, duplicates, cut: ledger.cut }, { lost: [], duplicates: [], cut: [] });
  }
}

async function checkDeployments(fabric: 'simulated' | 'lab', kills: number): Promise<void> {
  const { killDeployments } = await import('./deployments.ts');
  const result = await killDeployments(fabric, kills, { log });
  console.log(
    `deployments: ${result.kills} kills on the ${fabric} fabric, during ${listCounts(result.interrupted)}; ` +
      `${result.acknowledged} writes acknowledged, none lost`,
  );
  console.log(
    `deployments: the ${fabric} fabric settled ${result.checks} times (slowest ` +
      `${(result.worstSettleMs / 1000).toFixed(1)} s) and matched the records (at the end ` +
      `${listCounts(result.states)}); ${result.errors} errors, all explained`,
  );
}

function log(line: string): void {
  console.log(`  … ${line}`);
}

const listCounts = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ');

/** What could not run, and why. */
export const skipped: string[] = [];
function skip(reason: string): void {
  skipped.push(reason);
  console.log(`NOT RUN: ${reason}`);
}

/** Runs with a PostgreSQL server. */
async function withPostgres(run: () => Promise<void>): Promise<void> {
  const stop = await startTorturePostgres();
  try {
    await run();
  } finally {
    await stop();
  }
}

/** Runs with a service in this process. */
const withService = (run: (f: Fixture) => Promise<void>): Promise<void> =>
  withPostgres(async () => {
    const { startFixture } = await import('../test/harness/service.ts');
    const f = await startFixture();
    try {
      await run(f);
    } finally {
      await f.close();
    }
  });

/** Runs where a lab is possible. */
async function withLabSupport(run: () => Promise<void>): Promise<void> {
  const { whyNoLab } = await import('./lab-inspector.ts');
  const reason = await whyNoLab();
  if (reason) skip(`the lab fabric: ${reason}`);
  else await run();
}

/** Runs where these Debian packages are, or can be installed. */
async function withPackages(names: string[], isInstalled: () => boolean, run: () => Promise<void>): Promise<void> {
  const reason = await ensureDebianPackages(names, isInstalled);
  if (reason) skip(reason);
  else await run();
}
