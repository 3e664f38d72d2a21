import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { measureStalls, tooLong } from '../torture/stalls.ts';
import { startFixture } from './harness/service.ts';

test("no request of one tenant stalls the others' for more than 20 ms", { timeout: 600_000 }, async (t) => {
  const inventory = { connectors: 20, groups: 5, users: 3, roles: 3 };
  const size = { ...inventory, variety: 1, every: 12, only: '', isCompactionWatched: false };
  const holds = await measureStalls(size, (line) => t.diagnostic(line));
  for (const { route, holdMs, what, otherMs } of holds)
    t.diagnostic(`${route}: ${holdMs.toFixed(1)} ms (${what}); others ${otherMs.toFixed(1)} ms`);
  assert.ok(holds.length > 90, 'few routes were measured');
  assert.deepEqual(tooLong(holds), []);
});

test('an expensive request counts for many against the rate limit, and an ordinary one for one', async () => {
  const f = await startFixture(['--rate-limit', '50']);
  try {
    const admin = await f.as('admin@meridian.example');
    const remaining = async (): Promise<number> => {
      const { headers } = await admin.get('/regions');
      return Number(/r=(\d+)/.exec(headers.ratelimit ?? '')?.[1]);
    };
    // The bucket fills by 50 in a second, up to 250.
    const full = await remaining();
    assert.ok((await remaining()) >= full - 2);
    const raw = gzipSync('a\n'.repeat(3_000_000));
    const headers = { 'content-encoding': 'gzip' };
    const writes = await Promise.all([1, 2, 3].map(() => admin.call('POST', '/metrics/write', { raw, headers })));
    assert.deepEqual(
      writes.map(({ status }) => status),
      [400, 400, 400],
    );
    const left = await remaining();
    assert.ok(left < full - 50, `${left} of ${full} requests are left`);
  } finally {
    await f.close();
  }
});
