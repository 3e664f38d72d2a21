// Refusals share one suite, run over every route of the API document. npm run torture -- tenants runs it at full size.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operationsOf } from '../torture/tenant-fixture.ts';
import { walkTenants } from '../torture/tenants.ts';
import { fixture } from './harness/service.ts';

const f = await fixture();

test('every route refuses who has no token, no right, no business there; foreign is the same as absent', {
  timeout: 600_000,
}, async (t) => {
  const { requests, routes, names } = await walkTenants(f, 'small', (line) => t.diagnostic(line));
  t.diagnostic(`${requests} requests, ${names} names`);
  assert.equal(routes, operationsOf(f).length);
  assert.ok(routes >= 24);
  assert.ok(requests > 1000, `only ${requests} requests`);
  assert.ok(names > 300, `only ${names} names`);
});
