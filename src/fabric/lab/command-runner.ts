// What the lab runs its commands on: this machine as root, or a user namespace of its own that a small process keeps. No shell ever:
// programs get their arguments as arrays, and batches of lines that names.ts made.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { processBirth } from '../../host/data-folder-lock.ts';

export interface CommandRunner {
  /** Runs a program to its end; its output, or an error with what it complained about. */
  run(program: Program, args: string[], input?: string): Promise<string>;
  /** The same for one that says by its end how it went: what it printed, on both of its outputs. */
  attempt(program: Program, args: string[]): Promise<{ isGood: boolean; text: string }>;
  /** Which namespace a name stands for; undefined when there is none. */
  identityOf(namespace: string): string | undefined;
  /** Starts one that goes on by itself. */
  launch(program: Program, args: string[]): ChildProcess;
  /** One line about it. */
  describe(): string;
  /** Ends what keeps it, when nothing is left on it. */
  end(): Promise<void>;
}

const packages = {
  ip: 'iproute2',
  tc: 'iproute2',
  bird: 'bird2',
  fping: 'fping',
  traceroute: 'traceroute',
  ethtool: 'ethtool',
  unshare: 'util-linux',
  nsenter: 'util-linux',
  mount: 'mount',
  sysctl: 'procps',
} as const;
export type Program = keyof typeof packages;

const folders = ['/usr/sbin', '/usr/bin', '/sbin', '/bin', '/usr/local/sbin', '/usr/local/bin'];

function find(program: Program): string | undefined {
  return folders
    .map((folder) => join(folder, program))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

export class LabError extends Error {}

const cannot = (reason: string): LabError => new LabError(`The lab fabric cannot work here: ${reason}`);

function findAll(isRoot: boolean): Map<Program, string> {
  if (process.platform !== 'linux') throw cannot(`it needs Linux, and this is ${process.platform}`);
  const needed = (Object.keys(packages) as Program[]).filter(
    (name) => !isRoot || !['unshare', 'nsenter', 'mount'].includes(name),
  );
  const found = new Map(needed.map((name) => [name, find(name)]));
  const missing = needed.filter((name) => found.get(name) === undefined);
  if (missing.length) {
    const names = [...new Set(missing.map((name) => packages[name]))];
    throw cannot(`${missing.join(', ')} missing (Debian: apt-get install ${names.join(' ')})`);
  }
  return found as Map<Program, string>;
}

/** A process that is there and no zombie. */
export const isAlive = (pid: number): boolean => processBirth(pid) !== undefined;

/** Its command line, one argument after the other; empty when it is gone. */
export function argumentsOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean);
  } catch {
    return [];
  }
}

/** The process that a file names, if it is alive and was started with this argument. */
export async function processOf(pidFile: string, argument: string): Promise<number | undefined> {
  const pid = Number(await readFile(pidFile, 'utf8').catch(() => ''));
  return pid > 1 && isAlive(pid) && argumentsOf(pid).includes(argument) ? pid : undefined;
}

/** Ends a process for good, and waits until it is gone. */
export async function endProcess(pid: number): Promise<void> {
  if (pid <= 1) return;
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    return;
  }
  for (let look = 0; look < 200 && isAlive(pid); look++) await pause(5);
}

// Programs that only root has on its path are called by other programs too; and all shall speak the language that is read here.
const env = { PATH: folders.join(':'), LC_ALL: 'C' };
const runLimitMs = 10_000;

function runProgram(name: string, file: string, args: string[], input?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(file, args, { timeout: runLimitMs, maxBuffer: 2 ** 24, env }, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      const complaint = stderr.trim().split('\n').slice(0, 3).join('; ') || error.message;
      reject(new LabError(`${name}: ${complaint}`));
    });
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input ?? '');
  });
}

/** The process that keeps the user namespace: found again after a kill of the service, or started. */
async function keepNamespace(found: Map<Program, string>, folder: string): Promise<number> {
  const pidFile = join(folder, 'agent.pid');
  const mark = join(folder, 'agent');
  const known = await processOf(pidFile, mark);
  if (known) return known;
  // It reads a pipe that only it holds the other end of: it waits for ever, and for nothing.
  await rm(mark, { force: true });
  await runProgram('mkfifo', '/usr/bin/mkfifo', [mark]);
  const args = ['-Urnm', '--', '/usr/bin/tail', '-f', mark];
  const agent = spawn(found.get('unshare') ?? '', args, { detached: true, stdio: 'ignore', env });
  agent.on('error', () => undefined);
  agent.unref();
  const { pid } = agent;
  for (let look = 0; pid && look < 400; look++) {
    if (argumentsOf(pid)[0]?.endsWith('tail') && isMapped(pid)) {
      const enter = ['-t', String(pid), '-U', '-m', '-n', '--preserve-credentials', '--'];
      const mount = [...enter, found.get('mount') ?? '', '-t', 'tmpfs', 'tmpfs', '/run'];
      await runProgram('mount', found.get('nsenter') ?? '', mount);
      // Only a whole one is found again.
      await writeFile(pidFile, String(pid));
      return pid;
    }
    if (!isAlive(pid)) break;
    await pause(5);
  }
  throw cannot(
    'this user may not make a user namespace (as root: sysctl kernel.unprivileged_userns_clone=1, or start the service as root)',
  );
}

function isMapped(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/uid_map`, 'utf8').trim() !== '' && existsSync(`/proc/${pid}/ns/net`);
  } catch {
    return false;
  }
}

export async function openCommandRunner(folder: string): Promise<CommandRunner> {
  const isRoot = process.getuid?.() === 0;
  const found = findAll(isRoot);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  let agent = isRoot ? 0 : await keepNamespace(found, folder);
  let starting: Promise<number> | undefined;
  /** When the one that kept the namespace is gone, so is everything in it: whoever comes first starts another, and all wait for that. */
  async function ensureAgent(): Promise<void> {
    if (isRoot || argumentsOf(agent).includes(join(folder, 'agent'))) return;
    starting ??= keepNamespace(found, folder).finally(() => {
      starting = undefined;
    });
    agent = await starting;
  }
  const inside = (file: string, args: string[]): [string, string[]] =>
    isRoot
      ? [file, args]
      : [
          found.get('nsenter') ?? '',
          ['-t', String(agent), '-U', '-m', '-n', '--preserve-credentials', '--', file, ...args],
        ];
  const fileOf = (program: Program): string => found.get(program) ?? '';
  return {
    async run(program, args, input) {
      await ensureAgent();
      const [file, words] = inside(fileOf(program), args);
      return runProgram(program, file, words, input);
    },
    async attempt(program, args) {
      await ensureAgent();
      const [file, words] = inside(fileOf(program), args);
      return new Promise((resolve) =>
        execFile(file, words, { timeout: runLimitMs, maxBuffer: 2 ** 20, env }, (error, stdout, stderr) =>
          resolve({ isGood: !error, text: `${stdout}${stderr}` }),
        ),
      );
    },
    identityOf(namespace) {
      try {
        return `net:[${statSync(join(isRoot ? '/' : `/proc/${agent}/root`, 'run/netns', namespace)).ino}]`;
      } catch {
        return undefined;
      }
    },
    launch(program, args) {
      const [file, words] = inside(fileOf(program), args);
      const child = spawn(file, words, { detached: true, stdio: 'ignore', env });
      child.on('error', () => undefined);
      child.unref();
      return child;
    },
    describe: () => (isRoot ? 'as root' : `inside a user namespace that process ${agent} keeps`),
    async end() {
      if (isRoot) return;
      if (argumentsOf(agent).includes(join(folder, 'agent'))) await endProcess(agent);
      await rm(join(folder, 'agent.pid'), { force: true });
    },
  };
}
