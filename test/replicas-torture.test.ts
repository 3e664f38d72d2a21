import assert from 'node:assert/strict';
import { test } from 'node:test';
import { strainReplicas } from '../torture/replicas.ts';

test('of two replicas behind a balancer one may be killed and both restarted in turn: nothing is lost or done twice, and each hears of the other within a second', {
  timeout: 900_000,
}, async (t) => {
  const size = { kills: 2, restarts: 1, seed: process.env.TORTURE_SEED ?? 'small' };
  const { ledger, ...seen } = await strainReplicas(size, (line) => t.diagnostic(line));
  t.diagnostic(JSON.stringify(seen));
  assert.deepEqual({ lost: seen.lost, twice: seen.twice, cut: ledger.cut }, { lost: 0, twice: 0, cut: [] });
  assert.ok(ledger.acknowledged > 50, `only ${ledger.acknowledged} writes`);
});
