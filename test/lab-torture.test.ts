// The lab's half of the deployments' torture, small.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { killDeployments } from '../torture/deployments.ts';
import { assertQuick, harmAndMend, summaryOf } from '../torture/drift-repair.ts';

/** Generous: how quick repairs are is measured at full size. */
const repairedWithinMs = 90_000;

test('kill -9 amid deployments on the lab: packets cross where links are delivered and nowhere else, and drifts are repaired', {
  timeout: 600_000,
}, async (context) => {
  const { acknowledged, worstSettleMs, interrupted } = await killDeployments('lab', 5, {
    async finale(data, ring) {
      const repairs = await harmAndMend(data, [ring], { deaths: 1, drifts: 4 });
      assert.ok(repairs.length >= 4, `only ${repairs.length} of 5`);
      context.diagnostic(summaryOf(repairs));
      assertQuick(repairs, repairedWithinMs);
    },
  });
  assert.ok(acknowledged > 10, `only ${acknowledged} deeds`);
  context.diagnostic(`settled after ${worstSettleMs} ms; killed in ${JSON.stringify(interrupted)}`);
});
