// npm run torture -- races, small.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runRaces } from '../torture/races.ts';
import { fixture } from './harness/service.ts';

const f = await fixture();

test('concurrent requests: one wins, the others are refused, sums stay exact and none fails', {
  timeout: 600_000,
}, async (context) => {
  const { requests } = await runRaces(f, { seed: process.env.TORTURE_SEED ?? 'small' }, (line) =>
    context.diagnostic(line),
  );
  assert.ok(requests > 1000, `only ${requests} requests`);
});
