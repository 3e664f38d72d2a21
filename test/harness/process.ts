// The service as an operator runs it: a process of its own, on a data folder of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after } from 'node:test';

export const root = join(import.meta.dirname, '..', '..');

export interface Running {
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
  /** What runs it, with arguments. */
  wrapper?: string[];
  /** Another copy of the project to run. */
  project?: string;
}

/** As npm start has it: a process that starts finds the modules compiled (0.8 s instead of 1.3 s, and there are hundreds). */
export const compileCache = { NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'node') };

/** A clean environment: nothing of the machine's settings reaches the service. */
export const cleanEnvironment = (extra: Record<string, string> = {}): Record<string, string> => ({
  PATH: process.env.PATH ?? '',
  HOME: process.env.HOME ?? '/',
  ...compileCache,
  ...extra,
});

const launched = new Set<ChildProcess>();
const endedWithinMs = 20_000;

/** A service that a failed test has left behind would keep the runner waiting for ever. */
async function endWhatWasLeft(): Promise<void> {
  for (const child of launched) {
    const ended = once(child, 'exit');
    const force = setTimeout(() => child.kill('SIGKILL'), endedWithinMs);
    child.kill('SIGTERM');
    await ended;
    clearTimeout(force);
  }
}
// Torture and bench end theirs themselves.
if (process.env.NODE_TEST_CONTEXT) after(endWhatWasLeft);

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

/** Of every service that is tested: any port, the demo world without its history, nobody is counted, and a starved machine is waited for. */
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
/** For those who look at how a database that is away is told. */
export const usualPatience = ['--database-patience', '4'];

const readyWithinMs = 180_000;

export async function start(data: string, options: LaunchOptions = {}): Promise<Running> {
  const { child, output, exited } = launch(data, {
    ...options,
    args: [...usualFlags, ...(options.args ?? [])],
  });
  const url = await new Promise<string>((resolve, reject) => {
    const look = () => {
      const found = /"url":"([^"]+)"/.exec(output())?.[1];
      // The log and what a person is told come through two pipes: both must have arrived.
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
