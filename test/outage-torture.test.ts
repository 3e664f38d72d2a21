import assert from 'node:assert/strict';
import { test } from 'node:test';
import { takeDatabaseAway } from '../torture/database-outage.ts';
import { openTroubledWay } from '../torture/database-proxy.ts';

test('while the database is refused, cut or silent, callers are told in time, and everything goes on when it is back', async (t) => {
  const size = { cycles: 3, seed: process.env.TORTURE_SEED ?? 'small' };
  const seen = await takeDatabaseAway(await openTroubledWay(), size, (line) => t.diagnostic(line));
  t.diagnostic(JSON.stringify(seen));
  assert.equal(seen.lost, 0);
  assert.ok(seen.refused > 0, 'it was away');
});
