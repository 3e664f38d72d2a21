// Processes of the embedded PostgreSQL: its programs run with the rights of an account, and a running server is found by its
// pid file.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, readlinkSync, realpathSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { processStartTime } from '../host/data-folder-lock.ts';
import type { Account } from './postgres-account.ts';

const inheritedDirectory = '/proc/self/fd/3';

export interface Installation {
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

export const spawnPostgres = (
  installation: Installation,
  directory: string,
  program: string,
  args: string[],
): ChildProcess =>
  spawnOn(installation, directory, join(installation.binaries, 'bin', program), (path) => ['-D', path, ...args]);

/** Runs a shell script in a directory that the account owns: root must not follow what the account has put there. */
export async function runScript(
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

/** The last lines that were written after the first `size` bytes. */
export async function lastLines(file: string, size = 0): Promise<string> {
  const text = await readFile(file).then(
    (bytes) => bytes.toString('utf8', size),
    () => '',
  );
  return text.trimEnd().split('\n').slice(-6).join('\n');
}

interface PidFile {
  pid: number;
  socketFolder: string;
  ready: boolean;
}

export function readPidFile(cluster: string): PidFile | undefined {
  try {
    const lines = readFileSync(join(cluster, 'postmaster.pid'), 'utf8').split('\n');
    return { pid: Number(lines[0]), socketFolder: lines[4] ?? '', ready: lines[7]?.trim() === 'ready' };
  } catch {
    return undefined;
  }
}

/** Whether this process is the server of this directory. Process ids are reused, so the pid file alone is no proof. */
export function serves(pid: number, cluster: string): boolean {
  if (!processStartTime(pid)) return false;
  if (existsSync('/proc/self')) {
    try {
      // The account writes the pid file: it must not be able to name a process of another user.
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

export async function stopProcess(pid: number, hasExited: () => boolean): Promise<void> {
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
