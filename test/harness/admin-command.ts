// Runs npm run admin beside a service.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { cleanEnvironment, root } from './process.ts';

export function launchAdmin(words: string[], flags: string[]) {
  const script = join(root, 'src/commands/admin.ts');
  const env = cleanEnvironment();
  const child = spawn(process.execPath, [script, ...words, ...flags], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const result = { code: null as number | null, out: '', errors: '' };
  child.stdout.on('data', (chunk) => (result.out += chunk));
  child.stderr.on('data', (chunk) => (result.errors += chunk));
  const ended = once(child, 'close').then(([code]) => ({ ...result, code: code as number | null }));
  return { child, ended };
}
