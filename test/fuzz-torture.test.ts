import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzz } from '../torture/fuzz.ts';
import { strainSockets } from '../torture/sockets.ts';
import { startFixture } from './harness/service.ts';

const seed = process.env.TORTURE_SEED ?? 'small';

test('whatever is asked, the answer is one that the API document knows', async (t) => {
  const f = await startFixture();
  try {
    const { requests, operations, byStatus } = await fuzz(f, { requests: 3000, seed }, (line) => t.diagnostic(line));
    t.diagnostic(`${requests} requests over ${operations} operations; ${JSON.stringify(byStatus)}`);
  } finally {
    await f.close();
  }
});

test('whatever bytes come, they are answered in JSON or the connection is closed, and others do not notice', async (t) => {
  const seen = await strainSockets({ broken: 300, slow: 400, seed }, (line) => t.diagnostic(line));
  t.diagnostic(JSON.stringify(seen));
  assert.ok(seen.answered > 100, 'many can be answered');
  assert.ok(seen.grownMegabytes <= 150, `${seen.grownMegabytes} MB more`);
});
