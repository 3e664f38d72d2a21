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
  const before = await clockNow();
  assert.equal(before.ahead, 0);
  assert.ok(Math.abs(before.moment - Date.now() / 1000) < 5);
  assert.ok(before.late < 5, `${before.late} s`);
});

test('monotonic time continues after the clock is set back, and the log reports it', async () => {
  const { moment } = await clockNow();
  await f.owner.query(`update clock set latest = clock_timestamp() + interval '1 hour'`);
  const { ahead } = await eventually(clockNow, (now) => now.ahead > hour - 60, 5);
  assert.ok(ahead <= hour + 1, `${ahead} s`);
  const later = await clockNow();
  assert.ok(later.moment >= moment + hour && later.moment < moment + hour + 60, 'monotonic time skips nothing');
  assert.ok((await clockNow()).moment > later.moment, 'monotonic time keeps advancing');
  assert.ok(f.logs.some((line) => /clock of the database was set back by 3\d\d\d s/.test(line)));
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
