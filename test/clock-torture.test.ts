import { test } from 'node:test';
import { jumpClocks } from '../torture/clock.ts';

test('records expire on time and stay expired when the clock is set back, also on a replica with a wrong clock', {
  timeout: 600_000,
}, async (t) => {
  const seed = process.env.TORTURE_SEED ?? 'small';
  t.diagnostic(JSON.stringify(await jumpClocks({ cases: 15, seed }, (line) => t.diagnostic(line))));
});
