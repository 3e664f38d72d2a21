import assert from 'node:assert/strict';
import { test } from 'node:test';
import { takeDatabaseAway } from '../torture/database-outage.ts';
import { openSmallDisk } from '../torture/small-disk.ts';

test('while the disk of the embedded database is full, callers are told in time, and everything goes on when there is room', async (t) => {
  const size = { cycles: 2, seed: process.env.TORTURE_SEED ?? 'small' };
  const seen = await takeDatabaseAway(await openSmallDisk(), size, (line) => t.diagnostic(line));
  t.diagnostic(JSON.stringify(seen));
  assert.equal(seen.lost, 0);
  assert.ok(seen.refused > 0, 'it was full');
});
