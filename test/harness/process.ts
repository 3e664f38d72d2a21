// The service as an operator runs it: a process with its own data folder.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after } from 'node:test';
import { promisify } from 'node:util';

export const root = join(import.meta.dirname, '..', '..');

export interface RunningService {
  child: ChildProcess;
  url: string;
  output: () => string;
  ca: () => Promise<string>;
  exited: Promise<{ code: number | null; signal: string | null }>;
}

export interface LaunchOptions {
  args?: string[];
  env?: Record<string, string>;
  script?: string;
  /** A command with arguments that starts the service. */
  wrapper?: string[];
  /** Another copy of the project to run. */
  project?: string;
  /** The first start is under test: an empty data folder stays empty. */
  isFirstStart?: boolean;
}

/** Node's compile cache, as in `npm start`: a process starts in 0.8 s instead of 1.3 s. */
export const compileCache = { NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'node') };

/** An environment without the machine's settings. */
export const cleanEnvironment = (extra: Record<string, string> = {}): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: process.env.HOME ?? '/',
  ...compileCache,
  ...extra,
});

const launched = new Set<ChildProcess>();
const endedWithinMs = 20_000;

/** Stops services that a failed test has left running: the test runner would wait for them forever. */
async function stopRemaining(): Promise<void> {
  for (const child of launched) {
    const ended = once(child, 'exit');
    const force = setTimeout(() => child.kill('SIGKILL'), endedWithinMs);
    child.kill('SIGTERM');
    await ended;
    clearTimeout(force);
  }
}
// Torture and bench stop their services themselves.
if (process.env.NODE_TEST_CONTEXT) after(stopRemaining);

export function launch(
  data: string,
  { args = [], env = {}, script = 'src/main.ts', project = root, wrapper = [] }: LaunchOptions = {},
) {
  const [command = '', ...first] = [...wrapper, process.execPath];
  const child = spawn(
    command,
    [
      ...first,
      join(project, script),
      ...(args[0] === 'start' ? ['start'] : []),
      '--data',
      data,
      ...args.filter((word) => word !== 'start'),
    ],
    {
      cwd: root,
      env: cleanEnvironment(env),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    },
  );
  launched.add(child);
  child.once('exit', () => launched.delete(child));
  let text = '';
  child.stdout.on('data', (chunk) => {
    text += chunk;
  });
  child.stderr.on('data', (chunk) => {
    text += chunk;
  });
  const exited = once(child, 'exit').then(([code, signal]) => ({ code, signal }));
  return { child, output: () => text, exited };
}

/** Flags of every service under test: any port, demo world without history, no rate limits, long database timeouts. */
export const usualFlags = [
  '--port',
  '0',
  '--demo',
  'on',
  '--demo-history',
  'off',
  '--rate-limit',
  'off',
  '--rate-limit-login',
  'off',
  '--database-patience',
  '20',
];
/** The default patience, for tests of an unreachable database. */
export const defaultPatience = ['--database-patience', '4'];

const neutralFlags = new Set([
  '--behind-proxy',
  '--brand',
  '--drain',
  '--log',
  '--memory',
  '--monitor-port',
  '--rate-limit',
  '--rate-limit-login',
  '--simulated-fail',
  '--tls-cert',
  '--tls-key',
]);
/** True if the first start with these flags builds the same demo world as the usual flags alone. */
export const buildsUsualWorld = (flags: string[]): boolean =>
  flags.every(
    (word, index) =>
      !word.startsWith('--') || neutralFlags.has(word) || (word === '--demo' && flags[index + 1] === 'public'),
  );

/** Copies the data folder that test/run.ts has prepared over an empty one: a start on it has nothing left to build. */
async function copyPrepared(data: string, options: LaunchOptions): Promise<void> {
  const prepared = process.env.TEST_PREPARED_DATA;
  if (!prepared || options.isFirstStart || options.project || !buildsUsualWorld(options.args ?? [])) return;
  if ((await readdir(data).catch(() => [])).length) return;
  await rm(data, { recursive: true, force: true });
  await promisify(execFile)('cp', ['-a', prepared, data]);
}

const readyWithinMs = 180_000;

export async function start(data: string, options: LaunchOptions = {}): Promise<RunningService> {
  await copyPrepared(data, options);
  const { child, output, exited } = launch(data, {
    ...options,
    args: [...usualFlags, ...(options.args ?? [])],
  });
  const url = await new Promise<string>((resolve, reject) => {
    const look = () => {
      const found = /"url":"([^"]+)"/.exec(output())?.[1];
      // The log and the message for the operator come through two pipes: both must have arrived.
      if (found && output().includes('is ready.')) resolve(found);
    };
    child.stdout?.on('data', look);
    child.stderr?.on('data', look);
    exited.then(({ code }) => reject(new Error(`The service ended with ${code} before it was ready:\n${output()}`)));
    const late = () => reject(new Error(`The service is not ready after ${readyWithinMs / 1000} s:\n${output()}`));
    setTimeout(late, readyWithinMs).unref();
  });
  return { child, url, output, exited, ca: () => readFile(join(data, 'tls', 'ca.pem'), 'utf8') };
}
