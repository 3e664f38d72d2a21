// The embedded PostgreSQL: a real server of our own on a Unix socket that nobody else can reach. It runs in a process
// session of its own (Ctrl-C reaches the service first), is restarted when it dies, and what a killed service left behind
// is cleared away at the next start.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, readlinkSync, realpathSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readFile, rename, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { OperatorError } from '../errors/operator-error.ts';
import { processBirth } from '../host/data-folder-lock.ts';
import { type Account, chooseAccount, programFolder } from './postgres-binaries.ts';

export interface EmbeddedPostgres {
  url: string;
  stop(): Promise<void>;
}

export interface EmbeddedOptions {
  folder: string;
  account: string | undefined;
  onStep: (step: string) => void;
  onTrouble: (message: string) => void;
}

const major = '18';
const database = 'patchbay';
const heir = '/proc/self/fd/3';

interface Place {
  programs: string;
  cluster: string;
  log: string;
  account: Account | undefined;
}

/**
 * Starts one of PostgreSQL's programs on a data directory. When an account is dropped to, the directory is opened by root
 * and handed over as a file descriptor: the path /proc/self/fd/3 leads into it without passing its parents, which
 * the account may be unable to enter.
 */
function launch(place: Place, directory: string, program: string, args: string[]): ChildProcess {
  const log = openSync(place.log, 'a', 0o600);
  const opened = place.account ? openSync(directory, 'r') : undefined;
  const drop = place.account ? { uid: place.account.uid, gid: place.account.gid } : {};
  try {
    return spawn(join(place.programs, 'bin', program), ['-D', opened === undefined ? directory : heir, ...args], {
      ...drop,
      cwd: '/',
      detached: true,
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
      stdio: ['ignore', log, log, ...(opened === undefined ? [] : [opened])],
    });
  } finally {
    closeSync(log);
    if (opened !== undefined) closeSync(opened);
  }
}

async function lastLines(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.trimEnd().split('\n').slice(-6).join('\n');
}

/** Made beside its place and moved there when whole, so that a killed first start leaves nothing half made. */
async function createCluster(place: Place): Promise<void> {
  const draft = `${place.cluster}.new`;
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { mode: 0o700 });
  if (place.account) await chown(draft, place.account.uid, place.account.gid);
  const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--encoding=UTF8'];
  const child = launch(place, draft, 'initdb', ['--username=patchbay', '--auth=trust', ...locale]);
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`initdb failed:\n${await lastLines(place.log)}`);
  await rename(draft, place.cluster);
}

interface PidFile {
  pid: number;
  socketFolder: string;
  ready: boolean;
}

function readPidFile(cluster: string): PidFile | undefined {
  try {
    const lines = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
    return { pid: Number(lines[0]), socketFolder: lines[4] ?? '', ready: lines[7]?.trim() === 'ready' };
  } catch {
    return undefined;
  }
}

/** Is this process a server on this very directory? Process ids come round again, so a pid file alone proves nothing. */
function serves(pid: number, cluster: string): boolean {
  if (!processBirth(pid)) return false;
  if (existsSync('/proc/self')) {
    try {
      return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster);
    } catch {
      return false;
    }
  }
  // Without /proc the command line names the directory, since no account was dropped to.
  return (
    spawnSync('ps', ['-p', String(pid), '-o', 'command='])
      .stdout?.toString()
      .includes(`-D ${cluster} `) ?? false
  );
}

async function end(pid: number, isGone: () => boolean): Promise<void> {
  // Fast, then immediate shutdown, then none of its choosing: each is safe for what was committed.
  for (const [signal, seconds] of [
    ['SIGINT', 15],
    ['SIGQUIT', 5],
    ['SIGKILL', 5],
  ] as const) {
    try {
      process.kill(pid, signal);
    } catch {
      return;
    }
    for (const until = performance.now() + seconds * 1000; performance.now() < until; await pause(10))
      if (isGone()) return;
  }
}

async function clearOrphan(cluster: string, onStep: (step: string) => void): Promise<void> {
  const left = readPidFile(cluster);
  if (!left) return;
  if (serves(left.pid, cluster)) {
    onStep(`stopping the database server that a killed service left behind (process ${left.pid})`);
    await end(left.pid, () => !serves(left.pid, cluster));
  }
  if (left.socketFolder.includes('patchbay-')) await rm(left.socketFolder, { recursive: true, force: true });
}

async function startServer(place: Place, sockets: string): Promise<ChildProcess> {
  const options = [
    'listen_addresses=',
    'max_connections=100',
    'log_min_messages=warning',
    'log_timezone=UTC',
    'timezone=UTC',
  ];
  const args = ['-k', sockets, ...options.flatMap((option) => ['-c', option])];
  // After a kill -9 the old server's children may need a moment to notice: until then a new one is refused.
  for (const until = performance.now() + 20_000; ; await pause(200)) {
    const child = launch(place, place.cluster, 'postgres', args);
    const exit = { seen: false };
    child.once('exit', () => {
      exit.seen = true;
    });
    child.once('error', () => {
      exit.seen = true;
    });
    while (!exit.seen) {
      const state = readPidFile(place.cluster);
      if (state?.pid === child.pid && state?.ready) return child;
      if (performance.now() > until + 60_000) break;
      await pause(5);
    }
    if (performance.now() > until)
      throw new Error(`The embedded database does not start:\n${await lastLines(place.log)}`);
  }
}

async function ensureDatabase(host: string): Promise<void> {
  const client = new pg.Client({ host, user: 'patchbay', database: 'postgres' });
  await client.connect();
  try {
    const { rowCount } = await client.query('select from pg_database where datname = $1', [database]);
    if (!rowCount) await client.query(`create database ${database}`);
  } finally {
    await client.end();
  }
}

const urlOf = (sockets: string): string =>
  `postgresql://patchbay@localhost/${database}?host=${encodeURIComponent(sockets)}`;

/** Where the server listens that another process started on this data folder; undefined when none is ready. */
export function runningUrl(folder: string): string | undefined {
  const cluster = join(folder, 'postgres');
  const server = readPidFile(cluster);
  return server?.ready && serves(server.pid, cluster) ? urlOf(server.socketFolder) : undefined;
}

export async function startEmbedded(options: EmbeddedOptions): Promise<EmbeddedPostgres> {
  const cluster = join(options.folder, 'postgres');
  const account = await chooseAccount(options.account, cluster);
  const programs = await programFolder(account);
  const place: Place = { programs, cluster, log: join(options.folder, 'postgres.log'), account };
  if (await stat(cluster).catch(() => undefined)) {
    const version = (await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => '')).trim();
    if (version !== major)
      throw new OperatorError(
        `The database in ${cluster} is of PostgreSQL ${version || 'an unknown version'}; this Patchbay embeds ${major}.`,
      );
    await clearOrphan(cluster, options.onStep);
  } else {
    options.onStep('making the embedded database');
    await createCluster(place);
  }
  // Socket paths are limited to 107 bytes, so they lie in the temporary folder, enterable by this account alone.
  const sockets = await mkdtemp(join(tmpdir(), 'patchbay-'));
  await chmod(sockets, 0o700);
  if (account) await chown(sockets, account.uid, account.gid);

  let child = await startServer(place, sockets);
  let stopping = false;
  const supervise = () => {
    child.once('exit', async (code, signal) => {
      if (stopping) return;
      options.onTrouble(`The embedded database ended unexpectedly (${signal ?? code}); starting it again`);
      for (let wait = 100; !stopping; wait = Math.min(wait * 2, 5000)) {
        try {
          child = await startServer(place, sockets);
          if (stopping) await end(child.pid!, () => child.exitCode !== null || child.signalCode !== null);
          else supervise();
          return;
        } catch (error) {
          options.onTrouble((error as Error).message);
          await pause(wait);
        }
      }
    });
  };
  supervise();
  await ensureDatabase(sockets);
  return {
    url: urlOf(sockets),
    async stop() {
      stopping = true;
      if (child.exitCode === null && child.signalCode === null)
        await end(child.pid!, () => child.exitCode !== null || child.signalCode !== null);
      await rm(sockets, { recursive: true, force: true });
    },
  };
}
