// Runs the commands for backups as an operator does, and interrupts them.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { cleanEnvironment, root } from '../test/harness/process.ts';

/** Runs `npm run backup` or `restore`; sends the signal when `untilSignal` resolves. */
export async function command(
  name: 'backup' | 'restore',
  args: string[],
  untilSignal?: (isOver: () => boolean) => Promise<unknown>,
  signal: 'SIGKILL' | 'SIGINT' = 'SIGKILL',
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [join(root, 'src', 'commands', `${name}.ts`), ...args], {
    env: cleanEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const ended = once(child, 'close') as Promise<[number | null]>;
  await untilSignal?.(() => child.exitCode !== null).then(() => child.kill(signal));
  const [code] = await ended;
  return { code, output };
}
