import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';

/** Logs `count` lines in a separate process. */
function talk(count: number) {
  const script = `
    import { createLogger } from '${new URL('./logging.ts', import.meta.url).href}';
    const logger = await createLogger('info');
    for (let n = 0; n < ${count}; n++) {
      logger.info({ n }, 'a line that is as long as lines of the log usually are, more or less');
      if (n % 500 === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    }
    logger.warn('the last');
    console.error('it is alive');
    process.exit(0);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'exit');
  return { child, ended };
}

test('every line arrives in order, even when the process exits immediately', { timeout: 120_000 }, async () => {
  const { child, ended } = talk(5000);
  let text = '';
  for await (const chunk of child.stdout) text += chunk;
  assert.equal((await ended)[0], 0);
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(
    lines.slice(0, -1).map(({ n }) => n),
    Array.from({ length: 5000 }, (_, n) => n),
  );
  assert.equal(lines.at(-1).msg, 'the last');
});

test('the process continues when the reader of its log has closed the pipe', { timeout: 120_000 }, async () => {
  const { child, ended } = talk(5000);
  child.stdout.destroy();
  let told = '';
  child.stderr.on('data', (chunk) => {
    told += chunk;
  });
  assert.equal((await ended)[0], 0);
  assert.match(told, /it is alive/);
});
