import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fuzz } from '../torture/fuzz.ts';
import { stressSockets } from '../torture/sockets.ts';
import { startFixture } from './harness/service.ts';

const seed = process.env.TORTURE_SEED ?? 'small';

test('every response to a fuzzed request is as documented', async (t) => {
  const f = await startFixture();
  try {
    const { requests, operations, byStatus } = await fuzz(f, { requests: 3000, seed }, (line) => t.diagnostic(line));
    t.diagnostic(`${requests} requests over ${operations} operations; ${JSON.stringify(byStatus)}`);
  } finally {
    await f.close();
  }
});

test('malformed requests get a JSON response or a closed connection, and other callers are not affected', async (t) => {
  const result = await stressSockets({ malformed: 300, slow: 400, seed }, (line) => t.diagnostic(line));
  t.diagnostic(JSON.stringify(result));
  assert.ok(result.answered > 100, 'few requests were answered');
  assert.ok(result.grownMegabytes <= 150, `${result.grownMegabytes} MB more`);
});
