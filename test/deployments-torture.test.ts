// npm run torture -- deployments, small, on the simulated fabric. (On the lab: lab-torture.test.ts.)
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { killDeployments } from '../torture/deployments.ts';

test('kill -9 during deployments: all are finished or explained, and the fabric matches the records', {
  timeout: 600_000,
}, async (context) => {
  const { acknowledged, worstSettleMs, interrupted } = await killDeployments('simulated', 5);
  assert.ok(acknowledged > 30, `only ${acknowledged} writes`);
  context.diagnostic(`settled after ${worstSettleMs} ms; killed in ${JSON.stringify(interrupted)}`);
});
