// npm test: everything. Starts two PostgreSQL servers (the embedded one, and Debian's as "an ordinary PostgreSQL"), installs what
// is missing where it may, and runs the suite on the one and what depends on a database on the other. npm test -- FILE… runs these
// files on the embedded one, npm test -- --ordinary FILE… on Debian's.
import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import pg from 'pg';
import { startEmbedded } from '../src/store/embedded-postgres.ts';
import { balancerPackages, hasBalancer } from '../torture/balancer.ts';
import { lacksSmallDisk } from '../torture/small-disk.ts';
import { browserPackages, hasBrowser } from './harness/browser.ts';
import { ensureDebian, hasProgram } from './harness/debian-packages.ts';
import { hasDebianPostgres, startDebianPostgres } from './harness/debian-postgres.ts';
import { faketimePackages, hasFaketime } from './harness/faketime.ts';
import { enginePackages, hasEngines } from './harness/metric-engines.ts';
import { compileCache } from './harness/process.ts';

const root = join(import.meta.dirname, '..');
const ordinaryOnly = process.argv.includes('--ordinary');
const asked = process.argv.slice(2).filter((word) => word !== '--ordinary');

interface Totals {
  pass: number;
  fail: number;
  skipped: number;
}

const slowestTold = 8;

/** Runs these files in this order, so many at once. */
async function runSuite(title: string, databaseUrl: string, files: string[], atOnce: number): Promise<Totals> {
  console.log(`\n── ${title}\n`);
  const events = run({
    files: files.map((file) => resolve(root, file)),
    cwd: root,
    concurrency: atOnce,
    timeout: 1_200_000,
    env: { ...process.env, ...compileCache, TEST_DATABASE_URL: databaseUrl, TEST_DATABASE_TITLE: title },
  });
  const seconds = new Map<string, number>();
  let counts: { passed: number; failed?: number; cancelled: number; skipped: number; todo: number } | undefined;
  events.on('test:summary', (summary) => {
    if (summary.file) seconds.set(relative(root, summary.file), summary.duration_ms / 1000);
    else counts = summary.counts;
  });
  events.compose(spec).pipe(process.stdout, { end: false });
  await finished(events);
  const slowest = [...seconds].sort(([, a], [, b]) => b - a).slice(0, slowestTold);
  console.log(`ℹ slowest ${slowest.map(([file, took]) => `${file} ${took.toFixed(0)} s`).join(', ')}`);
  // A runner that died without its closing lines has not passed.
  if (!counts) return { pass: 0, fail: 1, skipped: 0 };
  const { passed, failed = 0, cancelled, skipped, todo } = counts;
  return { pass: passed, fail: failed + cancelled, skipped: skipped + todo };
}

/** Files that need more than the project brings along, which is installed where it may be. Where it cannot be had they do not run, which is said. */
const needy: { what: string; files: RegExp; lacks: () => Promise<string | undefined> | string | undefined }[] = [
  {
    what: 'The lab fabric was',
    files: /\blab\b/,
    lacks: () =>
      ensureDebian(['bird2', 'iproute2', 'fping', 'ethtool', 'traceroute', 'iperf3'], () =>
        ['bird', 'ip', 'tc', 'fping', 'ethtool', 'traceroute', 'iperf3'].every(hasProgram),
      ),
  },
  {
    what: 'InfluxDB and VictoriaMetrics were',
    files: /\bmetric-(engines|failures)\b/,
    lacks: () => ensureDebian(enginePackages, hasEngines),
  },
  {
    what: 'Replicas behind a balancer were',
    files: /\breplicas-torture\b/,
    lacks: () => ensureDebian(balancerPackages, hasBalancer),
  },
  {
    what: 'Clocks that jump were',
    files: /\bclock-torture\b/,
    lacks: () => ensureDebian(faketimePackages, hasFaketime),
  },
  {
    what: 'The portal in a browser was',
    files: /^test\/portal\//,
    lacks: () => ensureDebian(browserPackages, hasBrowser),
  },
  { what: 'A full disk was', files: /\bdisk-torture\b/, lacks: lacksSmallDisk },
];

const roomBytes = 6 * 1024 ** 3;

/** Data folders lie in memory where there is room: nothing here outlives the machine, and a busy disk is not what is tested. */
async function chooseMemory(): Promise<void> {
  const memory = await statfs('/dev/shm').catch(() => undefined);
  if (memory && memory.bavail * memory.bsize > roomBytes) process.env.TMPDIR = '/dev/shm';
}

/** The server outlives every test, and the machine outlives the server: it need not wait for a disk. */
async function forgoDisk(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('alter system set fsync = off');
  await client.query('select pg_reload_conf()').finally(() => client.end());
}

async function main(): Promise<number> {
  await chooseMemory();
  // Once for all: services that start at the same time should not all begin to.
  execFileSync(process.execPath, [join(root, 'portal/build.ts')], { stdio: 'inherit' });
  const home = await mkdtemp(join(tmpdir(), 'pbsuite-'));
  const missing: string[] = [];
  const totals: Totals[] = [];
  const closers: (() => Promise<void>)[] = [];
  try {
    const embedded = await startEmbedded({
      folder: home,
      account: undefined,
      onStep: () => undefined,
      onTrouble: console.error,
    });
    closers.push(() => embedded.stop());
    await forgoDisk(embedded.url);
    const every = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: root }).sort();
    // Those start services with databases of their own, or speak of engines elsewhere: which PostgreSQL the suite runs on makes no difference
    // to them.
    const isNeedy = (file: string): boolean => needy.some(({ files }) => files.test(file));
    const onEither = every.filter((file) => !isNeedy(file) && !/\b(torture|lifecycle|demo-history)\b/.test(file));
    // They wait for a browser more than for anything else, and for nobody's clock.
    const isPortal = (file: string): boolean => file.startsWith('test/portal/');
    // Of these the database is a mere occasion: what they look at happens in front of it.
    const isInFront = (file: string): boolean =>
      /^src\/(http|mail)\/|\b(bad-input|brand|fifth-provider|openapi|route-table|walks)\b/.test(file);
    if (!ordinaryOnly) {
      const left: RegExp[] = [];
      for (const { what, files, lacks } of needy) {
        // Whoever asks for some files has nothing installed for others.
        if (asked.length && !asked.some((file) => files.test(file))) continue;
        const reason = await lacks();
        if (!reason) continue;
        missing.push(`${what} not tested: ${reason}`);
        left.push(files);
      }
      const once = every.filter((file) => !onEither.includes(file) && !left.some((files) => files.test(file)));
      const onEmbedded = [...once.filter(isPortal), ...onEither];
      // Two of those that measure time leave each other enough of it; of the others, three keep two cores at work.
      if (!asked.length) {
        const timed = once.filter((file) => !isPortal(file));
        totals.push(await runSuite('services of their own', embedded.url, timed, 2));
      }
      totals.push(await runSuite('embedded PostgreSQL', embedded.url, asked.length ? asked : onEmbedded, 3));
    }

    if (ordinaryOnly || !asked.length) {
      const problem = await ensureDebian(['postgresql'], hasDebianPostgres);
      const debian = problem ? undefined : await startDebianPostgres();
      if (debian) {
        closers.push(() => debian.stop());
        const behind = asked.length ? asked : onEither.filter((file) => !isInFront(file));
        totals.push(
          await runSuite(`Debian's PostgreSQL ${debian.version} through DATABASE_URL`, debian.url, behind, 3),
        );
      } else missing.push(`The suite did not run on an ordinary PostgreSQL: ${problem}`);
    }
  } finally {
    for (const close of closers.reverse()) await close();
    await rm(home, { recursive: true, force: true });
  }
  const sum = (name: keyof Totals): number => totals.reduce((total, one) => total + one[name], 0);
  for (const line of missing) console.log(`\nNOT RUN: ${line}`);
  const notRunFails = process.env.CI === 'true' ? missing.length : 0;
  console.log(`\n${sum('pass')} passed, ${sum('fail') + notRunFails} failed, ${sum('skipped')} skipped`);
  return sum('fail') + notRunFails === 0 && sum('pass') > 0 ? 0 : 1;
}

process.exit(await main());
