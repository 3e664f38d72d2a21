// npm test: everything. Starts two PostgreSQL servers (the embedded one, and Debian's as "an ordinary PostgreSQL"), installs what
// is missing where it may, and runs the whole suite on each. npm test -- FILE… runs these files on the embedded one,
// npm test -- --ordinary FILE… on Debian's.
import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../src/store/embedded.ts';
import { ensureDebian, hasProgram } from './harness/debian.ts';
import { startDebianPostgres } from './harness/debian-postgres.ts';
import { enginePackages, hasEngines } from './harness/engines.ts';

const root = join(import.meta.dirname, '..');
const ordinaryOnly = process.argv.includes('--ordinary');
const asked = process.argv.slice(2).filter((word) => word !== '--ordinary');

interface Totals {
  pass: number;
  fail: number;
  skipped: number;
}

function runSuite(title: string, databaseUrl: string, patterns: string[]): Promise<Totals> {
  console.log(`\n── ${title}\n`);
  return new Promise((resolve) => {
    const args = [
      '--test',
      '--test-concurrency=2',
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      '--test-timeout=600000',
      ...patterns,
    ];
    const child = spawn(process.execPath, args, {
      cwd: root,
      env: { ...process.env, TEST_DATABASE_URL: databaseUrl, TEST_DATABASE_TITLE: title },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let tail = '';
    child.stdout.on('data', (chunk: Buffer) => {
      process.stdout.write(chunk);
      tail = (tail + chunk.toString('utf8')).slice(-20_000_000);
    });
    child.on('exit', (code) => {
      const count = (name: string): number =>
        Number([...tail.matchAll(new RegExp(`^(?:ℹ|#) ${name} (\\d+)`, 'gm'))].at(-1)?.[1] ?? 0);
      const totals = {
        pass: count('pass'),
        fail: count('fail') + count('cancelled'),
        skipped: count('skipped') + count('todo'),
      };
      // A runner that died without its closing lines has not passed.
      resolve(code !== 0 && totals.fail === 0 ? { ...totals, fail: 1 } : totals);
    });
  });
}

/** What the lab fabric works with; answers why it cannot. */
const prepareLab = (): Promise<string | undefined> =>
  ensureDebian(['bird2', 'iproute2', 'fping', 'ethtool', 'traceroute', 'iperf3'], () =>
    ['bird', 'ip', 'tc', 'fping', 'ethtool', 'traceroute', 'iperf3'].every(hasProgram),
  );

async function main(): Promise<number> {
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
    const every = globSync(['src/**/*.test.ts', 'test/**/*.test.ts'], { cwd: root }).sort();
    // Those start services with databases of their own, or speak of engines elsewhere: which PostgreSQL the suite runs on makes no difference
    // to them.
    const isLab = (file: string): boolean => /\blab\b/.test(file);
    const isOfEngines = (file: string): boolean => /\bmetric-(engines|failures)\b/.test(file);
    const patterns = asked.length
      ? asked
      : every.filter((file) => !isLab(file) && !isOfEngines(file) && !/\b(torture|lifecycle)\b/.test(file));
    if (!ordinaryOnly) {
      const noLab = await prepareLab();
      if (noLab) missing.push(`The lab fabric was not tested: ${noLab}`);
      const noEngines = await ensureDebian(enginePackages, hasEngines);
      if (noEngines) missing.push(`InfluxDB and VictoriaMetrics were not tested: ${noEngines}`);
      const once = every.filter(
        (file) => !patterns.includes(file) && !(noLab && isLab(file)) && !(noEngines && isOfEngines(file)),
      );
      totals.push(await runSuite('embedded PostgreSQL', embedded.url, asked.length ? asked : [...patterns, ...once]));
    }

    if (ordinaryOnly || !asked.length) {
      const problem = await ensureDebian(['postgresql'], () => globSync('/usr/lib/postgresql/*/bin/initdb').length > 0);
      const debian = problem ? undefined : await startDebianPostgres();
      if (debian) {
        closers.push(() => debian.stop());
        totals.push(await runSuite(`Debian's PostgreSQL ${debian.version} through DATABASE_URL`, debian.url, patterns));
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
