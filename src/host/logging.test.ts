import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { test } from 'node:test';
import fc from 'fast-check';
import { createAccessLog, createJsonLogger } from './logging.ts';

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

function recordingLogger(level: string) {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line), flushSync: () => undefined };
  return { lines, logger: createJsonLogger({ level, base: null }, destination) };
}

function withoutTime(line: string | undefined) {
  const { time, ...rest } = JSON.parse(line ?? '');
  assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  return rest;
}

test('an access log line equals the line that pino would write, for any address and path', () => {
  const { lines, logger } = recordingLogger('info');
  const logRequest = createAccessLog(logger);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.nat(), (address, path, status) => {
      lines.length = 0;
      const entry = {
        requestId: 'a-1',
        method: 'GET',
        path,
        status,
        ms: 0.4,
        address,
        userId: 'u-1',
        organisationId: 'o-1',
      };
      logRequest({ ...entry, level: 'info', scopeOrganisationId: '' });
      logRequest({ ...entry, level: 'info', scopeOrganisationId: 'o-2' });
      logger.info(entry);
      logger.info({ ...entry, scopeOrganisationId: 'o-2' });
      assert.equal(lines[0]?.split('\n').length, 2, 'one line');
      assert.deepEqual(lines.slice(0, 2).map(withoutTime), lines.slice(2).map(withoutTime));
    }),
  );
});

test('the access log respects the level of the logger', () => {
  const { lines, logger } = recordingLogger('info');
  createAccessLog(logger)({
    level: 'debug',
    requestId: 'a',
    method: 'GET',
    path: '/tags',
    status: 200,
    ms: 1,
    address: '::1',
    userId: '',
    organisationId: '',
    scopeOrganisationId: '',
  });
  assert.deepEqual(lines, []);
});
