import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { pino } from 'pino';
import { createAccessLog } from './access-log.ts';

const timeless = (line: string | undefined) => {
  const { time, ...rest } = JSON.parse(line ?? '');
  assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  return rest;
};

test('a line is what the logger would have written, whatever a caller sends as its address', () => {
  const lines: string[] = [];
  const options = { base: null, timestamp: pino.stdTimeFunctions.isoTime };
  const logger = pino(options, { write: (line: string) => void lines.push(line) });
  const tell = createAccessLog(logger);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string({ unit: 'grapheme' }), fc.nat(), (address, path, status) => {
      lines.length = 0;
      const answered = { requestId: 'a-1', method: 'GET', status, ms: 0.4, address };
      tell({ ...answered, path: JSON.stringify(path) });
      logger.info({ ...answered, path });
      assert.equal(lines[0]?.split('\n').length, 2, 'one line');
      assert.deepEqual(timeless(lines[0]), timeless(lines[1]));
    }),
  );
});

test('where the log is told to be quieter, it is', () => {
  const lines: string[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) });
  createAccessLog(logger)({ requestId: 'a', method: 'GET', path: '"/tags"', status: 200, ms: 1, address: '::1' });
  assert.deepEqual(lines, []);
});
