// The embedded PostgreSQL: a server on a private Unix socket. It runs in its own process session, so that Ctrl-C
// reaches the service first. It is restarted when it dies, and a start stops the server of a killed service.
import type { ChildProcess } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { OperatorError } from '../errors/operator-error.ts';
import { chooseAccount } from './postgres-account.ts';
import { resolveBinaryFolder } from './postgres-binaries.ts';
import { prepareCluster } from './postgres-cluster.ts';
import { type Installation, lastLines, readPidFile, serves, spawnPostgres, stopProcess } from './postgres-process.ts';
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

const database = 'patchbay';
const hasExited = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

/** What a further attempt does not mend. A restart tries again nevertheless: the operator may have mended it. */
const permanentFailure =
  /wrong ownership|invalid permissions|Permission denied|No space left|Read-only file system|contains errors/;

async function startServer(
  installation: Installation,
  socketFolder: string,
  isRestart: boolean,
): Promise<ChildProcess> {
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
    const { size } = await stat(log);
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
    const reason = await lastLines(log, size);
    if (performance.now() > until || (!isRestart && permanentFailure.test(reason)))
      throw new OperatorError(`The embedded database does not start:\n${reason}`);
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
        this.#child = await startServer(this.#installation, this.#socketFolder, true);
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

export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const { folder, onStep, onWarning } = options;
  const cluster = join(folder, 'postgres');
  const account = await chooseAccount(options.account, cluster, onStep);
  const binaries = await resolveBinaryFolder(account);
  const installation: Installation = { binaries, cluster, log: join(folder, 'postgres.log'), account };
  await prepareCluster(installation, onStep);
  await removeSocketFolder(folder);
  const socketFolder = await createSocketFolder(folder, account);

  const child = await startServer(installation, socketFolder, false);
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
