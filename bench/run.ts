// npm run bench -- PART…: benchmarks against baselines and alternatives, in one run on one machine.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Part, selectParts } from '../test/harness/requested-parts.ts';

interface Benchmark extends Part {
  run: () => Promise<boolean>;
  /** Runs only when it is named. */
  isOnRequest?: true;
}

const parts: Record<string, Benchmark> = {
  requests: {
    about: 'reads and creations of connectors among 100,000, compared with a plain server that sends the same bytes',
    run: async () => (await import('./requests.ts')).benchRequests(),
  },
  'sign-in': {
    about: 'sign-in compared with the password hash, and reads during a flood of sign-ins',
    run: async () => (await import('./sign-in.ts')).benchSignIn(),
  },
  growth: {
    about: 'the same requests among 1,000 and among 1,000,000 connectors',
    run: async () => (await import('./growth.ts')).benchGrowth(),
  },
  children: {
    about: 'the regional report of a reseller with 100 and with 1,000 children',
    run: async () => (await import('./children.ts')).benchChildren(),
  },
  alternatives: {
    alias: 'instead',
    about: 'a mock server generated from the API document, and a JSON record server',
    run: async () => (await import('./alternatives.ts')).benchAlternatives(),
  },
  replicas: {
    about: 'one service and two on one PostgreSQL',
    run: async () => (await import('./replicas.ts')).benchReplicas(),
  },
  idle: {
    alias: 'rest',
    about: 'time of the second start, memory at rest, installed size',
    run: async () => (await import('./idle.ts')).benchIdle(),
  },
  'seed-database': {
    alias: 'world',
    about: 'loads the bulk data of `requests` into the database at DATABASE_URL, and measures nothing',
    run: async () => (await import('./seed-database.ts')).seedDatabase(),
    isOnRequest: true,
  },
  metrics: {
    about: '12 million points in the embedded engine, InfluxDB and VictoriaMetrics: queries and writes',
    run: async () => (await import('./metrics.ts')).benchMetrics(),
  },
};

/** Runs each part in its own process, as some set their CPU affinity, and prints a table. */
async function runAll(): Promise<number> {
  const rows: string[] = [];
  for (const [name, { isOnRequest }] of Object.entries(parts)) {
    if (isOnRequest) continue;
    const child = spawn(process.execPath, [import.meta.filename, name], { stdio: 'inherit' });
    const [code] = (await once(child, 'close')) as [number | null];
    rows.push(`| ${name} | ${code === 0 ? 'reached' : code === shortCode ? 'missed' : 'failed'} |`);
  }
  console.log(`\n| Part | |\n|---|---|\n${rows.join('\n')}`);
  if (rows.some((row) => row.endsWith('failed |'))) return 1;
  return rows.every((row) => row.endsWith('reached |')) ? 0 : shortCode;
}

/** The exit code when a goal is missed, for scripts. */
const shortCode = 3;
const requested = selectParts(
  parts,
  (list) => `npm run bench               all parts, with a table at the end
npm run bench -- PART…
${list}
BENCH_SECONDS and BENCH_ROUNDS shorten a run; docs/benchmarks.md has more. The exit code is 3 when a goal is missed.`,
);
if (requested.length === 0) process.exit(await runAll());
let isReached = true;
for (const name of requested) isReached = ((await parts[name]?.run()) ?? false) && isReached;
process.exit(isReached ? 0 : shortCode);
