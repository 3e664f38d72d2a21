// Simulates a clock that is set back by moving the recorded time ahead. (torture/clock.ts changes real clocks.)
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../test/harness/deployable-group.ts';
import { fixture } from '../../test/harness/service.ts';

const f = await fixture();
const clockNow = async (): Promise<{ ahead: number; moment: number; late: number }> =>
  (
    await f.owner.query(
      `select extract(epoch from ahead)::float8 as ahead, extract(epoch from moment)::float8 as moment,
         extract(epoch from clock_timestamp() + ahead - clock.latest)::float8 as late from clock, present`,
    )
  ).rows[0];
const hour = 3600;

test('monotonic time follows the clock and is recorded every second', async () => {
  const beforeSeconds = Date.now() / 1000;
  const { ahead, moment } = await clockNow();
  assert.equal(ahead, 0);
  assert.ok(moment > beforeSeconds - 1 && moment < Date.now() / 1000 + 1);
  await eventually(clockNow, ({ late }) => late < 2);
});

test('monotonic time continues after the clock is set back, and the log reports it', async () => {
  const { moment } = await clockNow();
  const startedMs = Date.now();
  await f.owner.query(`update clock set latest = clock_timestamp() + interval '1 hour'`);
  const { ahead } = await eventually(clockNow, (now) => now.ahead > hour - 60);
  assert.ok(ahead <= hour + 1, `${ahead} s`);
  const later = await clockNow();
  const elapsedSeconds = (Date.now() - startedMs) / 1000;
  assert.ok(later.moment >= moment + hour, 'monotonic time does not go back');
  assert.ok(later.moment < moment + hour + elapsedSeconds + 60, 'monotonic time skips nothing');
  assert.ok((await clockNow()).moment > later.moment, 'monotonic time keeps advancing');
  const isReported = (logs: string[]) => logs.some((line) => /clock was set back by 3\d\d\d s/.test(line));
  await eventually(async () => f.logs, isReported);
});

test('rejecting an expired token records the time, so that the token stays expired', async () => {
  const admin = await f.as('admin@meridian.example');
  const { id, access_token: token } = (await admin.post('/personal/tokens', { name: 'brief', expiresIn: 60 })).body;
  const latest = async () =>
    (await f.owner.query(`select latest >= expires_at as passed from clock, tokens where tokens.id = $1`, [id]))
      .rows[0];
  await f.owner.query(`update tokens set expires_at = (select moment from present) where id = $1`, [id]);
  assert.equal((await f.client.get('/me/info', { token })).status, 401);
  assert.deepEqual(await latest(), { passed: true });
});
