import { test } from 'node:test';
import { turnClocks } from '../torture/clock.ts';

test('what expires does so to the second and stays over when the clock is set back, also by a replica whose own clock is wrong', {
  timeout: 600_000,
}, async (t) => {
  const seed = process.env.TORTURE_SEED ?? 'small';
  t.diagnostic(JSON.stringify(await turnClocks({ cases: 15, seed }, (line) => t.diagnostic(line))));
});
