import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stressReplicas } from '../torture/replicas.ts';

test('kills and restarts of two replicas: no write is lost or applied twice, changes are visible within a second', {
  timeout: 900_000,
}, async (t) => {
  const size = { kills: 2, restarts: 1, seed: process.env.TORTURE_SEED ?? 'small' };
  const { ledger, ...result } = await stressReplicas(size, (line) => t.diagnostic(line));
  t.diagnostic(JSON.stringify(result));
  assert.deepEqual(
    { lost: result.lost, duplicates: result.duplicates, cut: ledger.cut },
    { lost: [], duplicates: [], cut: [] },
  );
  assert.ok(ledger.acknowledged > 50, `only ${ledger.acknowledged} writes`);
});
