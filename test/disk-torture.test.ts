import assert from 'node:assert/strict';
import { test } from 'node:test';
import { causeOutages } from '../torture/database-outage.ts';
import { openSmallDisk } from '../torture/small-disk.ts';

test('a full disk of the embedded database: timely 503 or 504, and recovery by itself', async (t) => {
  const size = { cycles: 2, seed: process.env.TORTURE_SEED ?? 'small' };
  const result = await causeOutages(await openSmallDisk(), size, (line) => t.diagnostic(line));
  t.diagnostic(JSON.stringify(result));
  assert.equal(result.lost, 0);
  assert.ok(result.unavailable > 0, 'the disk was never full');
});
