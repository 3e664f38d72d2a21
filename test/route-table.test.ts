// npm run torture -- tenants, small: tenant isolation on every route of the API document.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operationsOf } from '../torture/tenant-fixture.ts';
import { testIsolation } from '../torture/tenants.ts';
import { fixture } from './harness/service.ts';

const f = await fixture();

test('every route refuses missing tokens and permissions, and other tenants look missing', {
  timeout: 600_000,
}, async (t) => {
  const { requests, routes, references } = await testIsolation(f, 'small', (line) => t.diagnostic(line));
  t.diagnostic(`${requests} requests, ${references} references`);
  assert.equal(routes, operationsOf(f).length);
  assert.ok(routes >= 24);
  assert.ok(requests > 1000, `only ${requests} requests`);
  assert.ok(references > 300, `only ${references} references`);
});
