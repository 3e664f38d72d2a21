// The fixture of benchmarks: a service with an embedded database on the server core, filled with bulk data.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type Keys, openKeyFile } from '../src/host/key-file.ts';
import { newToken } from '../src/resources/tokens/rules.ts';
import { findRunningUrl } from '../src/store/embedded-postgres.ts';
import { type BulkData, loadBulkData } from '../test/harness/bulk-data.ts';
import { freePort } from '../test/harness/debian-postgres.ts';
import { cleanEnvironment, type RunningService, root, start } from '../test/harness/process.ts';
import type { Target } from './load.ts';
import { databasePid, hasTwoCores, serverCore } from './processes.ts';

export interface Server extends Target {
  ca: string;
  pid: number;
  stop(): Promise<void>;
}

export interface BenchFixture {
  folder: string;
  databaseUrl: string;
  databasePid: number;
  owner: pg.Pool;
  keys: Keys;
  service: Server;
  /** An admin of the n-th organisation. */
  member(n: number): Promise<Member>;
  /** Starts another service on the same database. */
  startService(args: string[], core?: string): Promise<Server>;
  close(): Promise<void>;
}

export interface Member {
  organisationId: string;
  token: string;
  userId: string;
}

export async function describeData(database: pg.Pool | pg.Client, startMs: number): Promise<string> {
  const { rows } = await database.query(
    `select (select count(*) from organisations)::int as organisations,
       (select count(*) from connectors)::int as connectors, (select count(*) from links)::int as links`,
  );
  const { organisations, connectors, links } = rows[0];
  const seconds = Math.round((Date.now() - startMs) / 1000);
  return `${organisations} organisations, ${connectors} connectors, ${links} links, loaded in ${seconds} s`;
}

/** Equal organisations, children of two resellers: the first has a hundred, the second all others. */
export const evenTenants = (organisations: number, connectors: number): BulkData => ({
  organisations,
  connectors: String(connectors),
  groups: '5',
  appliances: '4',
  users: '1',
  capacities: '2',
  parent: `case when n <= 2 then null when n <= 102 then (select id from bulk parent where parent.n = 1)
    else (select id from bulk parent where parent.n = 2) end`,
  isReseller: 'n <= 2',
  linkEvery: 2,
  allocated: 'g = 1',
});

const onCore = (core: string): string[] => (hasTwoCores ? ['taskset', '-c', core] : []);
const wrapper = onCore(serverCore);
const quietFlags = ['--demo', 'off', '--log', 'info', '--monitor-port', 'off'];

async function toServer(running: RunningService): Promise<Server> {
  // Discards the log, which would fill the memory.
  running.child.stdout?.removeAllListeners('data').resume();
  return {
    url: running.url,
    ca: await running.ca(),
    pid: running.child.pid ?? 0,
    async stop() {
      running.child.kill('SIGTERM');
      await running.exited;
    },
  };
}

export async function openFixture(bulk: BulkData, log: (line: string) => void): Promise<BenchFixture> {
  const folder = await mkdtemp(join(tmpdir(), 'pbbench-'));
  const service = await toServer(await start(folder, { wrapper, args: quietFlags }));
  const databaseUrl = findRunningUrl(folder) ?? '';
  const owner = new pg.Pool({ connectionString: databaseUrl, max: 4 });
  const keys = await openKeyFile(join(folder, 'keys.json'));
  const startMs = Date.now();
  const loader = await owner.connect();
  await loadBulkData(loader, bulk);
  loader.release();
  log(await describeData(owner, startMs));
  const others: Server[] = [];
  return {
    folder,
    databaseUrl,
    databasePid: databasePid(folder),
    owner,
    keys,
    service,
    async member(n) {
      const { rows: found } = await owner.query(
        `select users.id, users.organisation_id from users where email_key = $1`,
        [`${n}-1@bulk.example`],
      );
      const token = newToken('personal');
      await owner.query(
        `insert into tokens (kind, hash, user_id, organisation_id, name, expires_in_seconds, expires_at)
         values ('personal', $1, $2, $3, 'bench', 86400, now() + interval '1 day')`,
        [keys.hash('token', token), found[0].id, found[0].organisation_id],
      );
      return { organisationId: found[0].organisation_id, token, userId: found[0].id };
    },
    async startService(args, core = serverCore) {
      const ownFolder = await mkdtemp(join(tmpdir(), 'pbbench-'));
      const more = ['--database-url', databaseUrl, '--keys', join(folder, 'keys.json'), ...quietFlags, ...args];
      const running = await toServer(await start(ownFolder, { wrapper: onCore(core), args: more }));
      const stop = async (): Promise<void> => {
        await running.stop();
        await rm(ownFolder, { recursive: true, force: true });
      };
      others.push({ ...running, stop });
      return { ...running, stop };
    },
    async close() {
      for (const other of others) await other.stop().catch(() => undefined);
      await owner.end();
      await service.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** Starts a program on the server core. */
function launchProgram(command: string[]): { child: ChildProcess; output: () => string } {
  const [program = '', ...args] = [...wrapper, ...command];
  const child = spawn(program, args, { cwd: root, env: cleanEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => {
      text = `${text}${chunk}`.slice(-maxOutput);
    });
  return { child, output: () => text };
}

const maxOutput = 10_000;
const startTimeoutMs = 60_000;

async function untilReady<T>(
  { child, output }: ReturnType<typeof launchProgram>,
  check: () => Promise<T | undefined> | T | undefined,
): Promise<T> {
  for (const until = Date.now() + startTimeoutMs; Date.now() < until && child.exitCode === null; await pause(50)) {
    const found = await check();
    if (found !== undefined) return found;
  }
  child.kill('SIGKILL');
  throw new Error(`${child.spawnargs.join(' ')} is not ready:\n${output()}`);
}

/** Starts a program of this project, and waits until it prints its URL. */
export async function startProgram(command: string[]): Promise<{ child: ChildProcess; url: string }> {
  const program = launchProgram(command);
  return { child: program.child, url: await untilReady(program, () => /"url":"([^"]+)"/.exec(program.output())?.[1]) };
}

/** Starts a third-party program on a free port, and waits until it responds. */
export async function startThirdParty(
  command: (port: string) => string[],
): Promise<{ child: ChildProcess; url: string }> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const program = launchProgram(command(String(port)));
  const responds = (): Promise<true | undefined> =>
    fetch(url).then(
      () => true,
      () => undefined,
    );
  await untilReady(program, responds);
  return { child: program.child, url };
}
