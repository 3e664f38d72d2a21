import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { pino } from 'pino';
import { problem } from '../errors/problems.ts';
import { type DatabaseState, FailureLog } from './failure-log.ts';

function recordingFailureLog(readState: () => DatabaseState) {
  const lines: { level: number; msg: string; err?: { message: string } }[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line)) };
  const failures = new FailureLog(pino({ level: 'info', base: null }, destination));
  failures.watchDatabase(async () => readState());
  return { failures, lines, shown: () => lines.map(({ level, msg }) => `${level} ${msg}`) };
}

/** The error of a port on which nothing listens. */
const refusedConnection = () =>
  new Promise<Error>((resolve) => void connect({ host: '127.0.0.1', port: 1 }).once('error', resolve));
const missingFile = () => readFile('/nonexistent/file').catch((error: Error) => error);
const terminated = () => Object.assign(new Error('terminating connection'), { code: '57P01' });

test('a refused connection stays a warning while the database responds: another server refused it', async () => {
  const { failures, lines, shown } = recordingFailureLog(() => 'available');
  failures.warn(await refusedConnection(), 'sending a mail failed; retrying');
  await pause(10);
  assert.deepEqual(shown(), ['40 sending a mail failed; retrying']);
  assert.match(lines[0]?.err?.message ?? '', /ECONNREFUSED/);
});

test('connections that the server closes are one warning, and an outage is one warning with its end', async () => {
  let state: DatabaseState = 'available';
  const { failures, shown } = recordingFailureLog(() => state);
  for (let count = 0; count < 5; count++) failures.warn(terminated(), 'job queue error');
  await pause(1000);
  state = 'unreachable';
  for (let count = 0; count < 5; count++) failures.error(problem('DatabaseUnavailable'), 'DatabaseUnavailable');
  await pause(700);
  failures.warn(await refusedConnection(), 'job queue error');
  state = 'available';
  await pause(1000);
  assert.deepEqual(shown().slice(0, 2), [
    '40 The database has closed connections (terminating connection). They are replaced.',
    '40 The database is unavailable. Requests get 503 until it responds.',
  ]);
  assert.match(shown()[2] ?? '', /^30 The database is available again after \d\.\d s\.$/);
  assert.equal(shown().length, 3);
});

test('a restart that refuses connections just after it closed them is an outage', async () => {
  let state: DatabaseState = 'available';
  const { failures, shown } = recordingFailureLog(() => state);
  failures.warn(terminated(), 'job queue error');
  await pause(50);
  state = 'unreachable';
  failures.warn(await refusedConnection(), 'reading the database clock failed; retrying');
  failures.error(problem('DatabaseUnavailable'), 'DatabaseUnavailable');
  await pause(50);
  state = 'available';
  await pause(1200);
  assert.match(
    shown().join('\n'),
    /^40 The database has closed connections.*\n40 The database is unavailable .*\n30 The database is available again after \d\.\d s\.$/,
  );
});

test('a database that becomes read-only is one warning with its end', async () => {
  let state: DatabaseState = 'read-only';
  const { failures, shown } = recordingFailureLog(() => state);
  const refused = () => Object.assign(new Error('cannot execute UPDATE'), { code: '25006' });
  for (let count = 0; count < 5; count++) failures.warn(refused(), 'job queue error');
  await pause(50);
  state = 'available';
  await pause(1200);
  assert.equal(shown().length, 2);
  assert.equal(
    shown()[0],
    '40 The database is read-only (cannot execute UPDATE). Writes get 503 until it accepts them.',
  );
});

test('other failures keep their level during an outage and during the stop', async () => {
  const { failures, shown } = recordingFailureLog(() => 'unreachable');
  failures.stop();
  failures.warn(terminated(), 'job queue error');
  failures.error(problem('Stopping'), 'Stopping');
  failures.error(await missingFile(), 'Internal');
  failures.warn(Object.assign(new Error('disk full'), { code: '53100' }), 'housekeeping failed');
  await pause(10);
  assert.deepEqual(shown(), ['50 Internal', '40 housekeeping failed']);
});
