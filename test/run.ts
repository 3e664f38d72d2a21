// npm test: runs every test file, on the embedded PostgreSQL and, where the database matters, on Debian's as well.
// npm test -- FILE… runs these files on the embedded PostgreSQL, npm test -- --ordinary FILE… on Debian's.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { startEmbeddedPostgres } from '../src/store/embedded-postgres.ts';
import { ensureDebianPackages } from './harness/debian-packages.ts';
import { hasDebianPostgres, startDebianPostgres } from './harness/debian-postgres.ts';
import { root } from './harness/process.ts';
import { requirements } from './harness/requirements.ts';
import { type FileResult, runFile } from './harness/run-file.ts';
import { createIdleMeter, runTasks, type Task } from './harness/task-pool.ts';
import { prepareDataFolder } from './harness/template-database.ts';
import {
  allTestFiles,
  isTimed,
  rejectStaleRules,
  runsOnBothServers,
  sortByDuration,
  startsProcesses,
  usesDatabase,
} from './harness/test-files.ts';

const words = process.argv.slice(2);
const ordinaryOnly = words.includes('--ordinary');
const selected = words.filter((word) => word !== '--ordinary').map((word) => relative(root, resolve(root, word)));

interface Server {
  title: string;
  url: string;
  stop(): Promise<void>;
}

const memoryNeededBytes = 6 * 1024 ** 3;

/** Puts data folders into memory if there is room: no test needs durable storage, and a slow disk is not under test. */
async function chooseMemoryFolder(): Promise<void> {
  const memory = await statfs('/dev/shm').catch(() => undefined);
  if (memory && memory.bavail * memory.bsize > memoryNeededBytes) process.env.TMPDIR = '/dev/shm';
}

async function startEmbeddedServer(home: string): Promise<Server> {
  const server = await startEmbeddedPostgres({
    folder: home,
    account: undefined,
    onStep: () => undefined,
    onWarning: console.error,
  });
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query('alter system set fsync = off');
  await client.query('select pg_reload_conf()').finally(() => client.end());
  return { title: 'embedded PostgreSQL', url: server.url, stop: () => server.stop() };
}

/** Debian's PostgreSQL, or the reason why it cannot run. */
async function startOrdinaryServer(): Promise<Server | string> {
  const problem = await ensureDebianPackages(['postgresql'], hasDebianPostgres);
  if (problem) return `The suite did not run on an ordinary PostgreSQL: ${problem}`;
  const server = await startDebianPostgres();
  return { ...server, title: `Debian's PostgreSQL ${server.version}` };
}

/** The files that can run here, and a sentence for each requirement that the machine lacks. */
async function selectFiles(): Promise<{ files: string[]; notRun: string[] }> {
  const all = allTestFiles();
  rejectStaleRules(all);
  let files = selected.length ? selected : ordinaryOnly ? all.filter(runsOnBothServers) : all;
  const notRun: string[] = [];
  for (const requirement of requirements) {
    if (!files.some((file) => requirement.files.test(file))) continue;
    const problem = await requirement.ensure();
    if (!problem) continue;
    notRun.push(`${requirement.subject} not tested: ${problem}`);
    files = files.filter((file) => !requirement.files.test(file));
  }
  return { files, notRun };
}

interface Job {
  file: string;
  /** Absent for a file that reaches no database. */
  server: Server | undefined;
}
type Result = Job & FileResult;

const titleOf = ({ file, server }: Job): string => (server ? `${file} on ${server.title}` : file);

function listJobs(files: string[], embedded: Server | undefined, ordinary: Server | undefined): Job[] {
  const serversFor = (file: string): (Server | undefined)[] => {
    if (!usesDatabase(file)) return [undefined];
    return [embedded, selected.length || runsOnBothServers(file) ? ordinary : undefined].filter((server) => server);
  };
  return sortByDuration(files).flatMap((file) => serversFor(file).map((server) => ({ file, server })));
}

/** Files that start processes copy this data folder instead of building the demo world each. */
async function prepareData(home: string): Promise<void> {
  const data = join(home, 'prepared');
  await prepareDataFolder(data);
  process.env.TEST_PREPARED_DATA = data;
}

async function runJobs(jobs: Job[]): Promise<Result[]> {
  const results: Result[] = [];
  const toTask = (job: Job): Task => ({
    isTimed: isTimed(job.file),
    async run() {
      const result = await runFile(job.file, job.server?.url);
      results.push({ ...job, ...result });
      console.log(`\n── ${titleOf(job)}, ${result.seconds.toFixed(0)} s\n\n${result.output.trimEnd()}`);
    },
  });
  await runTasks(jobs.map(toTask));
  return results;
}

const slowestListed = 25;
const busyShare = 0.3;

/** The share of the CPUs that other processes use, measured while no test runs. */
async function measureForeignLoad(): Promise<number> {
  const idleShare = createIdleMeter();
  await pause(1000);
  return 1 - idleShare();
}

function reportFiles(results: Result[], foreignLoad: number): void {
  const slowest = results.toSorted((a, b) => b.seconds - a.seconds).slice(0, slowestListed);
  console.log(`\nslowest: ${slowest.map(({ file, seconds }) => `${file} ${seconds.toFixed(0)} s`).join(', ')}`);
  const failed = results.filter((result) => result.failed);
  for (const result of failed) console.log(`FAILED: ${titleOf(result)}`);
  if (failed.length && foreignLoad > busyShare)
    console.log(
      `The machine may be too slow for ${[...new Set(failed.map(({ file }) => file))].join(', ')}: ` +
        `other processes use ${Math.round(foreignLoad * 100)} % of its CPUs.`,
    );
}

async function main(): Promise<number> {
  const missing = selected.filter((file) => !existsSync(join(root, file)));
  if (missing.length) {
    console.error(`There is no test file ${missing.join(', ')}.`);
    return 2;
  }
  await chooseMemoryFolder();
  // Built once before the tests: otherwise the first services would all build it at the same time.
  execFileSync(process.execPath, [join(root, 'portal/build.ts')], { stdio: 'inherit' });
  const { files, notRun } = await selectFiles();
  const loadBefore = await measureForeignLoad();
  const home = await mkdtemp(join(tmpdir(), 'pbsuite-'));
  const servers: Server[] = [];
  let results: Result[];
  try {
    const needsServer = files.some((file) => usesDatabase(file));
    const embedded = needsServer && !ordinaryOnly ? await startEmbeddedServer(home) : undefined;
    if (embedded) servers.push(embedded);
    const ordinary = needsServer && (ordinaryOnly || !selected.length) ? await startOrdinaryServer() : undefined;
    if (typeof ordinary === 'object') servers.push(ordinary);
    if (typeof ordinary === 'string') notRun.push(ordinary);
    if (files.some(startsProcesses)) await prepareData(home);
    results = await runJobs(listJobs(files, embedded, typeof ordinary === 'object' ? ordinary : undefined));
  } finally {
    for (const server of servers) await server.stop();
    await rm(home, { recursive: true, force: true });
  }
  reportFiles(results, Math.max(loadBefore, await measureForeignLoad()));
  for (const line of notRun) console.log(`\nNOT RUN: ${line}`);
  const sum = (name: 'passed' | 'failed' | 'skipped') => results.reduce((total, result) => total + result[name], 0);
  const failed = sum('failed') + (process.env.CI === 'true' ? notRun.length : 0);
  console.log(`\n${sum('passed')} passed, ${failed} failed, ${sum('skipped')} skipped`);
  return failed === 0 && sum('passed') > 0 ? 0 : 1;
}

process.exit(await main());
