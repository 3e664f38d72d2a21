// npm run bench -- PART…: how fast it is, beside what people would use instead, in one run on one machine.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { selectParts } from '../test/harness/requested-parts.ts';

interface Part {
  about: string;
  run: () => Promise<boolean>;
  /** Only for who asks for it by name. */
  isApart?: true;
}

const parts: Record<string, Part> = {
  requests: {
    about: 'reading and making connectors among 100,000, beside a bare server that sends the same bytes',
    run: async () => (await import('./requests.ts')).benchRequests(),
  },
  'sign-in': {
    about: 'signing in beside the hash alone, and reading during a flood of it',
    run: async () => (await import('./sign-in.ts')).benchSignIn(),
  },
  growth: {
    about: 'the same requests among 1,000 and among 1,000,000 connectors',
    run: async () => (await import('./growth.ts')).benchGrowth(),
  },
  children: {
    about: 'the regional report of 100 and of 1,000 children',
    run: async () => (await import('./children.ts')).benchChildren(),
  },
  instead: {
    about: 'a mock of our own document and a store of JSON records, which people would develop against',
    run: async () => (await import('./alternatives.ts')).benchInstead(),
  },
  replicas: {
    about: 'one service and two on one PostgreSQL',
    run: async () => (await import('./replicas.ts')).benchReplicas(),
  },
  rest: {
    about: 'the second start, memory at rest, the size of what is installed',
    run: async () => (await import('./idle.ts')).benchRest(),
  },
  world: {
    about: 'loads the bulk data of `requests` into the database at DATABASE_URL, and measures nothing',
    run: async () => (await import('./seed-database.ts')).makeWorld(),
    isApart: true,
  },
  metrics: {
    about: '12 million points in the embedded engine, InfluxDB and VictoriaMetrics: asking and writing',
    run: async () => (await import('./metrics.ts')).benchMetrics(),
  },
};

/** Each part in a process of its own, since some keep to a core; what falls short is told at the end. */
async function runAll(): Promise<number> {
  const verdicts: string[] = [];
  for (const [name, { isApart }] of Object.entries(parts)) {
    if (isApart) continue;
    const child = spawn(process.execPath, [import.meta.filename, name], { stdio: 'inherit' });
    const [code] = (await once(child, 'close')) as [number | null];
    verdicts.push(`| ${name} | ${code === 0 ? 'reached' : code === shortCode ? 'falls short' : 'failed'} |`);
  }
  console.log(`\n| Part | |\n|---|---|\n${verdicts.join('\n')}`);
  if (verdicts.some((verdict) => verdict.endsWith('failed |'))) return 1;
  return verdicts.every((verdict) => verdict.endsWith('reached |')) ? 0 : shortCode;
}

/** What falls short is a result, and whoever asks for it in a script wants to know. */
const shortCode = 3;
const asked = selectParts(
  parts,
  (list) =>
    `npm run bench               everything, with a table at the end\nnpm run bench -- PART…\n${list}\nBENCH_SECONDS and BENCH_ROUNDS make a run shorter; more in docs/benchmarks.md. It ends with 3 when a goal falls short.`,
);
if (asked.length === 0) process.exit(await runAll());
let isReached = true;
for (const name of asked) isReached = ((await parts[name]?.run()) ?? false) && isReached;
process.exit(isReached ? 0 : shortCode);
