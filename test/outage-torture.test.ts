import assert from 'node:assert/strict';
import { test } from 'node:test';
import { causeOutages } from '../torture/database-outage.ts';
import { startProxiedService } from '../torture/database-proxy.ts';

test('a database that refuses, cuts or ignores connections: timely 503 or 504, and recovery by itself', async (t) => {
  const size = { cycles: 3, seed: process.env.TORTURE_SEED ?? 'small' };
  const result = await causeOutages(await startProxiedService(), size, (line) => t.diagnostic(line));
  t.diagnostic(JSON.stringify(result));
  assert.equal(result.lost, 0);
  assert.ok(result.unavailable > 0, 'there was no outage');
});
