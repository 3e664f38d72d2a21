// The embedded PostgreSQL: a server on a private Unix socket. It runs in its own process session, so that Ctrl-C
// reaches the service first. It is restarted when it dies, and a start stops the server of a killed service.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { chown, mkdir, readFile, rename, rmdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { OperatorError } from '../errors/operator-error.ts';
import { processStartTime } from '../host/data-folder-lock.ts';
import { type Account, chooseAccount, ownUserName, takeOverFromNobody } from './postgres-account.ts';
import { resolveBinaryFolder } from './postgres-binaries.ts';
import { createSocketFolder, findSocketFolder, removeSocketFolder } from './socket-folder.ts';

export interface EmbeddedPostgres {
  url: string;
  stop(): Promise<void>;
}

export interface EmbeddedPostgresOptions {
  folder: string;
  account: string | undefined;
  onStep: (step: string) => void;
  onWarning: (message: string) => void;
}

const major = '18';
const database = 'patchbay';
const inheritedDirectory = '/proc/self/fd/3';

interface Installation {
  binaries: string;
  cluster: string;
  log: string;
  account: Account | undefined;
}

/**
 * Spawns a program on a data directory, with the rights of the account. Root opens the directory and passes it as a
 * file descriptor: /proc/self/fd/3 does not traverse its parents, which the account may be unable to enter.
 */
function spawnOn(
  { log: logFile, account }: Installation,
  directory: string,
  program: string,
  argsOf: (directory: string) => string[],
): ChildProcess {
  const log = openSync(logFile, 'a', 0o600);
  const opened = account ? openSync(directory, 'r') : undefined;
  const user = account ? { uid: account.uid, gid: account.gid } : {};
  try {
    return spawn(program, argsOf(opened === undefined ? directory : inheritedDirectory), {
      ...user,
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

const spawnPostgres = (installation: Installation, directory: string, program: string, args: string[]): ChildProcess =>
  spawnOn(installation, directory, join(installation.binaries, 'bin', program), (path) => ['-D', path, ...args]);

/** Runs a shell script in a directory that the account owns: root must not follow what the account has put there. */
async function runScript(
  installation: Installation,
  directory: string,
  script: string,
  ...args: string[]
): Promise<number | null> {
  const child = spawnOn(installation, directory, '/bin/sh', (path) => [
    '-c',
    `cd "$1" && ${script}`,
    'sh',
    path,
    ...args,
  ]);
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}

async function lastLines(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text.trimEnd().split('\n').slice(-6).join('\n');
}

/** Deletes what a killed first start has left, with the rights of the account that it belongs to. */
async function removeDraft(installation: Installation, draft: string): Promise<void> {
  const found = await stat(draft).catch(() => undefined);
  if (!found) return;
  const account = installation.account && { name: '', uid: found.uid || installation.account.uid, gid: found.gid };
  await runScript({ ...installation, account }, draft, 'find . -mindepth 1 -delete');
  await rmdir(draft);
}

/** Creates the cluster under another name and renames it when complete: a killed first start leaves no partial one. */
async function createCluster(installation: Installation): Promise<void> {
  const { cluster, log, account } = installation;
  const draft = `${cluster}.new`;
  await removeDraft(installation, draft);
  await mkdir(draft, { mode: 0o700 });
  if (account) await chown(draft, account.uid, account.gid);
  const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--encoding=UTF8'];
  const access = ['--username=patchbay', '--auth-local=peer', '--auth-host=reject'];
  const child = spawnPostgres(installation, draft, 'initdb', [...access, ...locale]);
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`initdb failed:\n${await lastLines(log)}`);
  await rename(draft, cluster);
}

const accessRules = `# Patchbay writes this file at each start.
local all         all peer map=patchbay
local replication all peer map=patchbay
`;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** The user of the service may sign in, and root, who runs commands beside the service of another user. */
const userMap = (): string =>
  [...new Set([ownUserName(), 'root'])].map((name) => `patchbay ${quoted(name)} all\n`).join('');

const writeAccess =
  'umask 077 && printf %s "$2" >pg_ident.conf.new && mv -f pg_ident.conf.new pg_ident.conf && ' +
  'printf %s "$3" >pg_hba.conf.new && mv -f pg_hba.conf.new pg_hba.conf';

/** Written at each start, since the user may be another one, and clusters of earlier versions trust every user. */
async function writeAccessFiles(installation: Installation): Promise<void> {
  const { cluster, log } = installation;
  const code = await runScript(installation, cluster, writeAccess, userMap(), accessRules);
  if (code !== 0) throw new Error(`The access rules in ${cluster} cannot be written:\n${await lastLines(log)}`);
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

/** Whether this process is the server of this directory. Process ids are reused, so the pid file alone is no proof. */
function serves(pid: number, cluster: string): boolean {
  if (!processStartTime(pid)) return false;
  if (existsSync('/proc/self')) {
    try {
      // The account writes the pid file: it must not be able to name a process of somebody else in this directory.
      if (statSync(`/proc/${pid}`).uid !== statSync(cluster).uid) return false;
      return readlinkSync(`/proc/${pid}/cwd`) === realpathSync(cluster);
    } catch {
      return false;
    }
  }
  // Without /proc, the command line contains the directory, since no file descriptor was passed.
  return (
    spawnSync('ps', ['-p', String(pid), '-o', 'command='])
      .stdout?.toString()
      .includes(`-D ${cluster} `) ?? false
  );
}

async function stopProcess(pid: number, hasExited: () => boolean): Promise<void> {
  // Fast shutdown, immediate shutdown, kill: none of them loses committed data.
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
      if (hasExited()) return;
  }
}

async function stopOrphan(cluster: string, onStep: (step: string) => void): Promise<void> {
  const orphan = readPidFile(cluster);
  if (!orphan || !serves(orphan.pid, cluster)) return;
  onStep(`stopping the database server of a killed service (process ${orphan.pid})`);
  await stopProcess(orphan.pid, () => !serves(orphan.pid, cluster));
}

const hasExited = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

async function startServer(installation: Installation, socketFolder: string): Promise<ChildProcess> {
  const { cluster, log } = installation;
  const options = [
    'listen_addresses=',
    'max_connections=100',
    'log_min_messages=warning',
    'log_timezone=UTC',
    'timezone=UTC',
  ];
  const args = ['-k', socketFolder, ...options.flatMap((option) => ['-c', option])];
  // After a SIGKILL the old server's children take a moment to exit; until then a new server refuses to start.
  for (const until = performance.now() + 20_000; ; await pause(200)) {
    const child = spawnPostgres(installation, cluster, 'postgres', args);
    let hasFailed = false;
    const onFailure = (): void => {
      hasFailed = true;
    };
    child.once('exit', onFailure);
    child.once('error', onFailure);
    while (!hasFailed) {
      const state = readPidFile(cluster);
      if (state?.pid === child.pid && state?.ready) return child;
      if (performance.now() > until + 60_000) break;
      await pause(5);
    }
    if (performance.now() > until) throw new Error(`The embedded database does not start:\n${await lastLines(log)}`);
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

const formatUrl = (socketFolder: string): string =>
  `postgresql://patchbay@localhost/${database}?host=${encodeURIComponent(socketFolder)}`;

/** The URL of the server that another process runs on this data folder; undefined when none is ready. */
export function findRunningUrl(folder: string): string | undefined {
  const cluster = join(folder, 'postgres');
  const server = readPidFile(cluster);
  if (!server?.ready || !serves(server.pid, cluster)) return undefined;
  // A service of an earlier version, or of another user, has no record that this process trusts.
  return formatUrl(findSocketFolder(folder) ?? server.socketFolder);
}

/** Restarts the server whenever it exits, until it is stopped. */
class Supervisor {
  readonly #installation: Installation;
  readonly #socketFolder: string;
  readonly #onWarning: (message: string) => void;
  #child: ChildProcess;
  #isStopping = false;

  constructor(
    installation: Installation,
    socketFolder: string,
    child: ChildProcess,
    onWarning: (message: string) => void,
  ) {
    this.#installation = installation;
    this.#socketFolder = socketFolder;
    this.#onWarning = onWarning;
    this.#child = child;
    this.#watch();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    await this.#stopChild();
  }

  async #stopChild(): Promise<void> {
    const child = this.#child;
    if (!hasExited(child)) await stopProcess(child.pid!, () => hasExited(child));
  }

  #watch(): void {
    this.#child.once('exit', (code, signal) => {
      if (this.#isStopping) return;
      this.#onWarning(`The embedded database exited unexpectedly (${signal ?? code}); restarting it`);
      void this.#restart();
    });
  }

  async #restart(): Promise<void> {
    for (let delayMs = 100; !this.#isStopping; delayMs = Math.min(delayMs * 2, 5000)) {
      try {
        this.#child = await startServer(this.#installation, this.#socketFolder);
        if (this.#isStopping) await this.#stopChild();
        else this.#watch();
        return;
      } catch (error) {
        this.#onWarning((error as Error).message);
        await pause(delayMs);
      }
    }
  }
}

/** Creates the cluster, or checks its version and stops a server that still runs on it. */
async function prepareCluster(installation: Installation, onStep: (step: string) => void): Promise<void> {
  const { cluster, account } = installation;
  if (!(await stat(cluster).catch(() => undefined))) {
    onStep('creating the embedded database');
    await createCluster(installation);
    return writeAccessFiles(installation);
  }
  const version = (await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => '')).trim();
  if (version !== major)
    throw new OperatorError(
      `The database in ${cluster} is of PostgreSQL ${version || 'an unknown version'}; this Patchbay embeds ${major}.`,
    );
  await stopOrphan(cluster, onStep);
  await takeOverFromNobody(cluster, account, onStep);
  await writeAccessFiles(installation);
}

export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { folder, onStep, onWarning } = options;
  const cluster = join(folder, 'postgres');
  const account = await chooseAccount(options.account, cluster, onStep);
  const binaries = await resolveBinaryFolder(account);
  const installation: Installation = { binaries, cluster, log: join(folder, 'postgres.log'), account };
  await prepareCluster(installation, onStep);
  await removeSocketFolder(folder);
  const socketFolder = await createSocketFolder(folder, account);

  const child = await startServer(installation, socketFolder);
  const supervisor = new Supervisor(installation, socketFolder, child, onWarning);
  await ensureDatabase(socketFolder);
  return {
    url: formatUrl(socketFolder),
    async stop() {
      await supervisor.stop();
      await removeSocketFolder(folder);
    },
  };
}
