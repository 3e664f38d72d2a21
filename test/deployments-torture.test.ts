// The deployments part of the torture, small.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { killDeployments } from '../torture/deployments.ts';
import { assertQuick, harmAndMend, summaryOf } from '../torture/drifts.ts';
import { whyNoLab } from '../torture/lab.ts';

// Each service here has its embedded database: a second run of the suite on another PostgreSQL would show the same.
const title = process.env.TEST_DATABASE_TITLE ?? 'embedded PostgreSQL';
const skip = title !== 'embedded PostgreSQL' && 'seen on the embedded PostgreSQL';

// They mostly wait: for the silence after which a run is taken for dead.
describe('kill -9 amid deployments', { concurrency: 2, timeout: 300_000, skip }, () => {
  test('simulated fabric: all is finished or explained, and it holds what the records say', async (context) => {
    const { acknowledged, worstSettleMs, interrupted } = await killDeployments('simulated', 5);
    assert.ok(acknowledged > 30, `only ${acknowledged} deeds`);
    context.diagnostic(`settled after ${worstSettleMs} ms; killed in ${JSON.stringify(interrupted)}`);
  });

  test('lab fabric: the same, packets cross where links are delivered and nowhere else, and drifts are repaired within ten seconds', async (context) => {
    const reason = await whyNoLab();
    if (reason) return context.skip(reason);
    const { acknowledged, worstSettleMs, interrupted } = await killDeployments('lab', 5, {
      async finale(data, ring) {
        const repairs = await harmAndMend(data, [ring], { deaths: 1, drifts: 4 });
        assert.ok(repairs.length >= 4, `only ${repairs.length} of 5`);
        context.diagnostic(summaryOf(repairs));
        assertQuick(repairs);
      },
    });
    assert.ok(acknowledged > 10, `only ${acknowledged} deeds`);
    context.diagnostic(`settled after ${worstSettleMs} ms; killed in ${JSON.stringify(interrupted)}`);
  });
});
