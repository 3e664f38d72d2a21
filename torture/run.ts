// npm run torture -- PART: the hard tests at full size. Each part is run small by npm test.
import assert from 'node:assert/strict';
import { startTorturePostgres } from './postgres.ts';

const parts: Record<string, { about: string; run: () => Promise<void> }> = {
  tenants: {
    about:
      'every route × no token, broken token, wrong role, foreign scope, foreign and absent id, from every tenant to every other',
    run: async () => {
      const stop = await startTorturePostgres();
      const { startFixture } = await import('../test/harness/service.ts');
      const { walkTenants } = await import('./tenants.ts');
      const f = await startFixture();
      try {
        const { requests, routes } = await walkTenants(f, 'full', (line) => console.log(`  … ${line}`));
        console.log(
          `tenants: ${requests} requests over ${routes} routes; nothing crossed, foreign = absent, no victim changed`,
        );
      } finally {
        await f.close();
        await stop();
      }
    },
  },
  races: {
    about:
      '20 to 50 at once for what one can have, and makers against those who delete: one wins, sums stay exact, nothing dangles',
    run: async () => {
      const stop = await startTorturePostgres();
      const { startFixture } = await import('../test/harness/service.ts');
      const { runRaces } = await import('./races.ts');
      const f = await startFixture();
      try {
        const { rounds, requests, slow, slowestMilliseconds, deadlocks } = await runRaces(f, 'full', (line) =>
          console.log(`  … ${line}`),
        );
        console.log(
          `races: ${requests} requests in ${rounds} rounds, none failed; sums exact after each round; slowest ${slowestMilliseconds} ms, ${slow} over 900 ms, ${deadlocks} deadlocks`,
        );
      } finally {
        await f.close();
        await stop();
      }
    },
  },
  rotation: {
    about: 'keys rotated beside writers and readers of secrets, half of the rotations killed: none is lost',
    run: async () => {
      const stop = await startTorturePostgres();
      const { startFixture } = await import('../test/harness/service.ts');
      const { rotateUnderLoad } = await import('./rotation.ts');
      const f = await startFixture();
      try {
        const size = { connectors: 2000, rotations: 20, kills: 20 };
        const seen = await rotateUnderLoad(f, size, (line) => console.log(`  … ${line}`));
        console.log(
          `rotation: ${seen.rotations} rotations and ${seen.killed} killed ones under ${seen.writes} writes and ${seen.reads} reads of ${size.connectors} secrets; ${seen.lost} lost`,
        );
        assert.equal(seen.lost, 0, 'secrets were lost');
      } finally {
        await f.close();
        await stop();
      }
    },
  },
  kill: {
    about: '100 kill -9 of service, database or both under write load; 50 orderly stops under load',
    run: async () => {
      const { killCycles, stopCycles } = await import('./kill.ts');
      const killed = await killCycles(100, (line) => console.log(`  … ${line}`));
      console.log(
        `kill: ${killed.cycles} kills (${killed.kinds}); ${killed.acknowledged} writes acknowledged, ${killed.lost} lost, ready again in ${killed.readyMilliseconds} ms (median; worst ${killed.worstMilliseconds} ms)`,
      );
      assert.equal(killed.lost, 0, 'acknowledged writes were lost');
      const stopped = await stopCycles(50, (line) => console.log(`  … ${line}`));
      console.log(
        `stop: ${stopped.cycles} stops (${stopped.kinds}); ${stopped.answered} requests answered, ${stopped.cut} cut, database closed cleanly ${stopped.clean} times`,
      );
      assert.equal(stopped.cut, 0, 'requests in flight were cut');
      assert.equal(stopped.clean, stopped.cycles, 'the database was not closed cleanly each time');
    },
  },
  deployments: {
    about:
      '300 kill -9 amid deployments on the simulated fabric, 50 on the lab; then 100 killed BIRDs and 100 other drifts of a lab that stands',
    run: async () => {
      await killOn('simulated', 300);
      await onLabOnly(async () => {
        await killOn('lab', 50);
        const { assertQuick, driftAndRepair, summaryOf } = await import('./drifts.ts');
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
  'fabric-figures': {
    about: 'how fast the lab deploys, and what 50 links over 40 routers cost',
    run: () =>
      onLabOnly(async () => {
        const { takeFigures } = await import('./fabric-figures.ts');
        await takeFigures({ links: 20 }, (line) => console.log(`fabric-figures: ${line}`));
      }),
  },
};

const tell = (line: string): void => console.log(`  … ${line}`);

/** The lab's parts: where it cannot be, that is said, and in CI it is a failure. */
async function onLabOnly(run: () => Promise<void>): Promise<void> {
  const { whyNoLab } = await import('./lab.ts');
  const reason = await whyNoLab();
  if (reason) console.log(`NOT RUN: the lab fabric: ${reason}`);
  else await run();
}

async function killOn(fabric: 'simulated' | 'lab', kills: number): Promise<void> {
  const { killDeployments } = await import('./deployments.ts');
  const seen = await killDeployments(fabric, kills, { log: tell });
  const listed = (counts: Record<string, number>): string =>
    Object.entries(counts)
      .map(([what, count]) => `${what} ${count}`)
      .join(', ');
  console.log(
    `deployments: ${seen.kills} kills on the ${fabric} fabric, in ${listed(seen.interrupted)}; ${seen.acknowledged} deeds acknowledged, none lost`,
  );
  console.log(
    `deployments: ${seen.looks} times all settled on the ${fabric} fabric (longest ${(seen.worstSettleMs / 1000).toFixed(1)} s), and it held what the records say (at last ${listed(seen.states)}); ${seen.errors} errors, all explained`,
  );
}

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in parts));
if (!asked.length || unknown.length) {
  if (unknown.length) console.error(`There is no part ${unknown.join(', ')}.`);
  console.error(
    `npm run torture -- PART…\n${Object.entries(parts)
      .map(([name, { about }]) => `  ${name.padEnd(16)}${about}`)
      .join('\n')}`,
  );
  process.exit(2);
}
for (const name of asked) {
  const started = Date.now();
  await parts[name]?.run();
  console.log(`${name}: passed in ${Math.round((Date.now() - started) / 1000)} s`);
}
