// npm run torture -- deployments, small, on the lab fabric.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { killDeployments } from '../torture/deployments.ts';
import { assertFast, injectFaults, summaryOf } from '../torture/drift-repair.ts';

/** Generous: the full size checks the duration of repairs. */
const repairedWithinMs = 90_000;

test('kill -9 during deployments on the lab: packets pass delivered links only, and drift is repaired', {
  timeout: 600_000,
}, async (context) => {
  const { acknowledged, worstSettleMs, interrupted } = await killDeployments('lab', 5, {
    async afterKills(data, ring) {
      const repairs = await injectFaults(data, [ring], { kills: 1, drifts: 4 });
      assert.ok(repairs.length >= 4, `only ${repairs.length} of 5`);
      context.diagnostic(summaryOf(repairs));
      assertFast(repairs, repairedWithinMs);
    },
  });
  assert.ok(acknowledged > 10, `only ${acknowledged} writes`);
  context.diagnostic(`settled after ${worstSettleMs} ms; killed in ${JSON.stringify(interrupted)}`);
});
