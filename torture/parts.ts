// The parts of the torture at full size: what each is about, and what it must have seen.
import assert from 'node:assert/strict';
import { ensureDebianPackages } from '../test/harness/debian-packages.ts';
import { faketimePackages, hasFaketime } from '../test/harness/faketime.ts';
import type { Fixture } from '../test/harness/service.ts';
import { balancerPackages, hasBalancer } from './balancer.ts';
import type { Ground } from './database-outage.ts';
import { startTorturePostgres } from './postgres.ts';
import { seed } from './seed.ts';

export const parts: Record<string, { about: string; run: () => Promise<void> }> = {
  tenants: {
    about:
      'over 50,000 requests from every tenant of a tree of four levels to every other: every route × wrong token, role and scope, and names of others in each path, body, resource name, filter and header',
    run: () =>
      onService(async (f) => {
        const { walkTenants } = await import('./tenants.ts');
        const every = Number(process.env.TORTURE_EVERY ?? 1);
        const { requests, routes, names } = await walkTenants(f, 'full', tell, every);
        console.log(
          `tenants: ${requests} requests over ${routes} routes, ${names} names of others where no path has a place for them; nothing crossed, foreign = absent, no victim changed`,
        );
        assert.ok(requests >= 50_000 || every > 1, 'that is too few');
      }),
  },
  wall: {
    about:
      'row-level security alone: every table × select, insert, update, delete × every tenant, and the whole API while the application forgets its conditions: 0 foreign rows',
    run: async () => {
      await onService(async (f) => {
        const { fillTables, probeTables } = await import('./row-security/tables.ts');
        await fillTables(f);
        const { tables, tenants, statements } = await probeTables(f, Number.POSITIVE_INFINITY, tell);
        console.log(`wall: ${statements} statements on ${tables} tables for ${tenants} tenants; 0 foreign rows`);
      });
      await onPostgres(async () => {
        const { assailUnfiltered, seeCrossing } = await import('./row-security.ts');
        await seeCrossing();
        const { requests, opened } = await assailUnfiltered('full');
        console.log(
          `wall: ${requests} requests while ${opened} statements had lost their condition; nothing crossed (with both walls down it does)`,
        );
      });
    },
  },
  fuzz: {
    about:
      '200,000 requests made from the API document, valid, nearly valid and wild, over every operation and role: no failure, every answer as documented',
    run: () =>
      onService(async (f) => {
        const { fuzz } = await import('./fuzz.ts');
        const { requests, operations, byStatus } = await fuzz(f, { requests: 200_000, seed }, tell);
        console.log(
          `fuzz: ${requests} requests over ${operations} operations, seed ${seed}; no failure, all as documented: ${listed(byStatus)}`,
        );
      }),
  },
  sockets: {
    about:
      '5,000 malformed, oversized and smuggling requests and 5,000 slow connections: answered in JSON or closed, little memory, nobody else notices',
    run: async () => {
      const { strainSockets } = await import('./sockets.ts');
      const seen = await strainSockets({ broken: 5000, slow: 5000, seed }, tell);
      console.log(
        `sockets: ${seen.broken} broken requests (${seen.answered} answered, ${seen.closed} closed) and ${seen.slow} slow connections, seed ${seed}; memory grew by ${seen.grownMegabytes} MB at the most, others had p99 ${seen.p99Milliseconds} ms`,
      );
      assert.ok(seen.grownMegabytes <= 150, 'it grew by more than 150 MB');
      assert.ok(seen.p99Milliseconds <= 1000, 'others had to wait');
    },
  },
  'database-away': {
    about:
      'the database refused, cut and silent under load, 75 times, and the disk of the embedded one full, 25 times: 503 or 504 in time, nothing lost, nobody let in, and back by itself',
    run: async () => {
      const { takeDatabaseAway } = await import('./database-outage.ts');
      const endure = async (ground: Ground, cycles: number): Promise<void> => {
        const seen = await takeDatabaseAway(ground, { cycles, seed }, tell);
        console.log(
          `database-away: ${listed(seen.cycles)}, seed ${seed}; ${seen.requests} requests, ${seen.refused} of them 503 or 504, slowest ${seen.slowestMilliseconds} ms; back after ${seen.backMilliseconds} ms at the most; ${seen.acknowledged} writes acknowledged, ${seen.lost} lost`,
        );
        assert.equal(seen.lost, 0, 'acknowledged writes were lost');
        assert.ok(seen.backMilliseconds <= 5000, 'it took longer than five seconds to come back');
      };
      await onPostgres(async () => endure(await (await import('./database-proxy.ts')).openTroubledWay(), 75));
      const { lacksSmallDisk, openSmallDisk } = await import('./small-disk.ts');
      const reason = lacksSmallDisk();
      if (reason) leaveOut(`a full disk: ${reason}`);
      else await endure(await openSmallDisk(), 25);
    },
  },
  races: {
    about:
      'up to 20 at once for what one can have, makers against those who delete, answers that are cut, writers with one ETag; 1,000 rounds of each race: one wins, sums stay exact, nothing dangles',
    run: () =>
      onService(async (f) => {
        const { runRaces } = await import('./races.ts');
        const { TORTURE_ROUNDS: rounds = '1000', TORTURE_RACES: only = '' } = process.env;
        const seen = await runRaces(f, { seed, rounds: Number(rounds), only }, tell);
        console.log(
          `races: ${seen.races} races of ${rounds} rounds, seed ${seed}; ${seen.requests} requests, none failed; one winner, sums exact after each round; slowest ${seen.slowestMilliseconds} ms, ${seen.slow} over 900 ms, ${seen.deadlocks} deadlocks`,
        );
      }),
  },
  rotation: {
    about: 'keys rotated beside writers and readers of secrets, half of the rotations killed: none is lost',
    run: () =>
      onService(async (f) => {
        const { rotateUnderLoad } = await import('./rotation.ts');
        const size = { connectors: 2000, rotations: 20, kills: 20 };
        const seen = await rotateUnderLoad(f, size, tell);
        console.log(
          `rotation: ${seen.rotations} rotations and ${seen.killed} killed ones under ${seen.writes} writes and ${seen.reads} reads of ${size.connectors} secrets; ${seen.lost} lost`,
        );
        assert.equal(seen.lost, 0, 'secrets were lost');
      }),
  },
  kill: {
    about:
      '300 kill -9 of service, database or both under creations, changes, deletions, allocations, tags and tokens; 50 orderly stops under load',
    run: async () => {
      const { killCycles, stopCycles } = await import('./kill.ts');
      const kills = Number(process.env.TORTURE_KILLS ?? 300);
      const killed = await killCycles({ cycles: kills, seed }, tell);
      console.log(
        `kill: ${killed.cycles} kills (${killed.kinds}), seed ${seed}; ${killed.acknowledged} writes acknowledged, ${killed.lost} lost; of ${killed.cut} that were cut ${killed.cutButDone} were done, whole; audit rows = writes; ready again in ${killed.readyMilliseconds} ms (median; worst ${killed.worstMilliseconds} ms)`,
      );
      assert.equal(killed.lost, 0, 'acknowledged writes were lost');
      const stopped = await stopCycles({ cycles: Math.ceil(kills / 6), seed }, tell);
      console.log(
        `stop: ${stopped.cycles} stops (${stopped.kinds}); ${stopped.answered} requests answered, ${stopped.cut} cut, database closed cleanly ${stopped.clean} times`,
      );
      assert.equal(stopped.cut, 0, 'requests in flight were cut');
      assert.equal(stopped.clean, stopped.cycles, 'the database was not closed cleanly each time');
    },
  },
  clock: {
    about:
      "200 times something expires, to the second, and the database's clock is set back; of two replicas one has a wrong clock: nothing revives",
    run: () =>
      withPackages(faketimePackages, hasFaketime, async () => {
        const { turnClocks } = await import('./clock.ts');
        const seen = await turnClocks({ cases: 200, seed }, tell);
        console.log(
          `clock: ${listed(seen.cases)}, seed ${seed}; ${seen.answers} answers, all as they should be, ${seen.unsure} too slow to tell; a clock that was set back was noticed after ${seen.noticedMilliseconds} ms at the most`,
        );
      }),
  },
  replicas: {
    about:
      'two replicas behind HAProxy under load, 10 times one killed -9 and 10 times both restarted in turn: nothing lost, nothing twice, nobody cut by a restart, and each knows within a second what the other was told',
    run: () =>
      withPackages(balancerPackages, hasBalancer, async () => {
        await onPostgres(async () => {
          const { strainReplicas } = await import('./replicas.ts');
          const { ledger, ...seen } = await strainReplicas({ kills: 10, restarts: 10, seed }, tell);
          console.log(
            `replicas: ${seen.kills} kills and ${seen.restarts} rolling restarts, seed ${seed}; ${ledger.requests} requests, ${ledger.repeated} repeated, ${ledger.cut.length} cut by a restart; ${ledger.acknowledged} writes acknowledged, ${seen.lost} lost, ${seen.twice} done twice; deployments of a killed one settled after ${seen.takenOverMilliseconds} ms at the most, nobody answered for ${ledger.gapMilliseconds} ms at the most`,
          );
          console.log(`replicas: milliseconds for which the other went by what was before: ${listed(seen.stale)}`);
          assert.deepEqual({ lost: seen.lost, twice: seen.twice, cut: ledger.cut }, { lost: 0, twice: 0, cut: [] });
        });
      }),
  },
  deployments: {
    about:
      '300 kill -9 amid deployments on the simulated fabric, 50 on the lab; then 100 killed BIRDs and 100 other drifts of a lab that stands',
    run: async () => {
      await killOn('simulated', 300);
      await onLabOnly(async () => {
        await killOn('lab', 50);
        const { assertQuick, driftAndRepair, summaryOf } = await import('./drift-repair.ts');
        const repairs = await driftAndRepair({ deaths: 100, drifts: 100 }, tell);
        console.log(summaryOf(repairs));
        assertQuick(repairs);
      });
    },
  },
  metrics: {
    about:
      '50 kill -9 of service, database or both while agents write points, late ones among them: none that was acknowledged is lost',
    run: async () => {
      const { killWriters } = await import('./metrics.ts');
      const { kills, acknowledged, lost } = await killWriters(50, tell);
      console.log(`metrics: ${kills} kills; ${acknowledged} points acknowledged, ${lost} lost`);
    },
  },
  backups: {
    about:
      '20 backups under write load, each restored into a fresh place, some restores killed: what was acknowledged before is there, whole',
    run: async () => {
      await onPostgres(async () => {
        const { backUpAndRestore } = await import('./backups.ts');
        const seen = await backUpAndRestore(20, tell);
        console.log(
          `backups: ${seen.cycles} backups while serving (slowest ${seen.slowestBackupMilliseconds} ms, up to ${seen.megabytes} MB), each restored, ${seen.killed} restores killed half way before; ${seen.expected} records and ${seen.points} points were acknowledged before, ${seen.lost} lost; ${seen.open} deployments were open and went on`,
        );
      });
    },
  },
  secrets: {
    about:
      '1,000 secrets in every field that takes one and where people put one by mistake: none in tables, journal, logs, backup, figures or lists',
    run: async () => {
      const { plantSecrets } = await import('./secrets.ts');
      const { found, ...seen } = await plantSecrets({ plants: 1000, seed }, tell);
      console.log(
        `secrets: ${seen.plants} plantings of ${seen.secrets} secrets, seed ${seed}; sought in ${seen.patterns} spellings in ${seen.places} places (${seen.megabytes} MB), ${found.length} found`,
      );
      assert.deepEqual(found, []);
    },
  },
  'fabric-figures': {
    about: 'how fast the lab deploys, and what 50 links over 40 routers cost',
    run: () =>
      onLabOnly(async () => {
        const { takeFigures } = await import('./fabric-benchmark.ts');
        await takeFigures({ links: 20 }, (line) => console.log(`fabric-figures: ${line}`));
      }),
  },
};

function tell(line: string): void {
  console.log(`  … ${line}`);
}

const listed = (counts: Record<string, number>): string =>
  Object.entries(counts)
    .map(([what, count]) => `${what} ${count}`)
    .join(', ');

/** What could not be run, and why. */
export const notRun: string[] = [];
function leaveOut(reason: string): void {
  notRun.push(reason);
  console.log(`NOT RUN: ${reason}`);
}

/** The parts that start services in this very process. */
async function onPostgres(run: () => Promise<void>): Promise<void> {
  const stop = await startTorturePostgres();
  try {
    await run();
  } finally {
    await stop();
  }
}

/** Those that need one. */
const onService = (run: (f: Fixture) => Promise<void>): Promise<void> =>
  onPostgres(async () => {
    const { startFixture } = await import('../test/harness/service.ts');
    const f = await startFixture();
    try {
      await run(f);
    } finally {
      await f.close();
    }
  });

/** The lab's parts: where it cannot be, that is said. */
async function onLabOnly(run: () => Promise<void>): Promise<void> {
  const { whyNoLab } = await import('./lab-inspector.ts');
  const reason = await whyNoLab();
  if (reason) leaveOut(`the lab fabric: ${reason}`);
  else await run();
}

/** Parts that need a program of Debian's. */
async function withPackages(names: string[], isThere: () => boolean, run: () => Promise<void>): Promise<void> {
  const reason = await ensureDebianPackages(names, isThere);
  if (reason) leaveOut(reason);
  else await run();
}

async function killOn(fabric: 'simulated' | 'lab', kills: number): Promise<void> {
  const { killDeployments } = await import('./deployments.ts');
  const seen = await killDeployments(fabric, kills, { log: tell });
  console.log(
    `deployments: ${seen.kills} kills on the ${fabric} fabric, in ${listed(seen.interrupted)}; ${seen.acknowledged} deeds acknowledged, none lost`,
  );
  console.log(
    `deployments: ${seen.looks} times all settled on the ${fabric} fabric (longest ${(seen.worstSettleMs / 1000).toFixed(1)} s), and it held what the records say (at last ${listed(seen.states)}); ${seen.errors} errors, all explained`,
  );
}
