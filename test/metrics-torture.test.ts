// npm run torture -- metrics, small.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { killWriters } from '../torture/metrics.ts';

test('kill -9 while agents write: no acknowledged point is lost', { timeout: 600_000 }, async () => {
  const { acknowledged, lost } = await killWriters(4);
  assert.ok(acknowledged > 400, `only ${acknowledged} points`);
  assert.equal(lost, 0);
});
