// The simulated half of the deployments' torture, small. (The other half: lab-torture.test.ts.)
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { killDeployments } from '../torture/deployments.ts';

test('kill -9 amid deployments: all is finished or explained, and the fabric holds what the records say', {
  timeout: 600_000,
}, async (context) => {
  const { acknowledged, worstSettleMs, interrupted } = await killDeployments('simulated', 5);
  assert.ok(acknowledged > 30, `only ${acknowledged} deeds`);
  context.diagnostic(`settled after ${worstSettleMs} ms; killed in ${JSON.stringify(interrupted)}`);
});
