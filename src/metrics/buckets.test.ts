import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { TimeSlices } from '../concurrency/time-slices.ts';
import { aggregateSeries, availabilityRows, counterRates, maxGapMs, meanRows, seriesOfBestOrigin } from './buckets.ts';
import type { Series } from './samples.ts';
import { fiveMinutesMs, hourMs, minuteMs } from './time-range.ts';
import { FiveMinuteTotals, fiveMinuteUsage, sumHourlyUsage, toHourlyUsage } from './usage.ts';

function sumFiveMinutes(connectors: Float64Array[], from: number, to: number) {
  const totals = new FiveMinuteTotals(connectors[0]?.length ?? 0);
  for (const own of connectors) totals.add(own);
  return totals.sumBetween(from, to);
}

const gauge = (values: [number, number][], quantity: Series['quantity'] = 'bits_send', origin = 'written'): Series => ({
  subjectId: 'a',
  quantity,
  type: 'gauge',
  origin,
  times: values.map(([time]) => time),
  values: values.map(([, value]) => value),
});

describe('counter rates', () => {
  const rates = (samples: [number, number][]) => {
    const { times, values } = counterRates(gauge(samples));
    return times.map((time, index) => [time, values[index]]);
  };
  test('are bits per second at the time of the later sample', () => {
    assert.deepEqual(
      rates([
        [0, 100],
        [10_000, 1350],
      ]),
      [[10_000, 1000]],
    );
  });
  test('skip a reset and continue after it', () => {
    assert.deepEqual(
      rates([
        [0, 5000],
        [1000, 10],
        [2000, 20],
      ]),
      [[2000, 80]],
    );
  });
  test('are absent after a gap of more than an hour', () => {
    assert.deepEqual(
      rates([
        [0, 0],
        [maxGapMs + 1, 1000],
      ]),
      [],
    );
    assert.equal(
      rates([
        [0, 0],
        [maxGapMs, 1000],
      ]).length,
      1,
    );
  });
  test('of a single sample are empty', () => assert.deepEqual(rates([[0, 5]]), []));
});

describe('buckets', () => {
  const range = { fromMs: 0, toMs: 3 * fiveMinutesMs, intervalMs: fiveMinutesMs };
  test('include their start and exclude their end; empty ones are absent', async () => {
    const [found] = await aggregateSeries(
      [
        gauge([
          [0, 2],
          [fiveMinutesMs - 1, 4],
          [2 * fiveMinutesMs, 9],
          [3 * fiveMinutesMs, 100],
        ]),
      ],
      'bits_send',
      range,
    );
    assert.deepEqual(found && meanRows(found.buckets, range), [
      [0, 3],
      [2 * fiveMinutesMs, 9],
    ]);
  });
  test('of a status count samples up and down, where any value but 0 is down', async () => {
    const [found] = await aggregateSeries(
      [
        gauge(
          [
            [0, 0],
            [1, 2],
            [2, 1],
            [3, 3],
          ],
          'bgp_status',
        ),
      ],
      'bgp_status',
      range,
    );
    assert.deepEqual(found && availabilityRows(found.buckets, range), [[0, 1, 3]]);
  });
  test('of a counter with more samples than one slice has contain each rate once', async () => {
    const count = 20_000;
    const times = Float64Array.from({ length: count }, (_, index) => index * 10);
    const values = Float64Array.from({ length: count }, (_, index) => index);
    const counter: Series = { ...gauge([]), type: 'counter', times, values };
    const [found] = await aggregateSeries([counter], 'bits_send', range);
    assert.equal(found?.buckets.counts[0], count - 1);
    assert.equal(found?.buckets.sums[0], (count - 1) * 800);
  });
  test('never mix measured and simulated samples', async () => {
    const simulated = gauge(
      [
        [0, 100],
        [fiveMinutesMs, 100],
      ],
      'bits_send',
      'simulated',
    );
    const measured = gauge([[fiveMinutesMs, 5]], 'bits_send', 'written');
    const resultsIn = async (wanted: typeof range) =>
      (await aggregateSeries([simulated, measured], 'bits_send', wanted)).map(({ buckets, origin }) => ({
        origin,
        rows: meanRows(buckets, wanted),
      }));
    const both = [
      [0, 100],
      [fiveMinutesMs, 100],
    ];
    assert.deepEqual(await resultsIn(range), [
      { origin: 'written', rows: [[fiveMinutesMs, 5]] },
      { origin: 'simulated', rows: both },
    ]);
    const early = { fromMs: 0, toMs: fiveMinutesMs, intervalMs: fiveMinutesMs };
    assert.deepEqual(await resultsIn(early), [{ origin: 'simulated', rows: [[0, 100]] }]);
    assert.deepEqual(seriesOfBestOrigin([], range), []);
  });
});

const samples = fc.array(fc.tuple(fc.integer({ min: 0, max: 6 * hourMs - 1 }), fc.integer({ min: 0, max: 1000 })), {
  maxLength: 60,
});
const inOrder = (list: [number, number][]): [number, number][] => [...new Map(list)].sort(([a], [b]) => a - b);

/** Reference implementation: for each five minutes the larger mean of the two directions. */
function referenceUsage(sent: [number, number][], received: [number, number][]): (number | undefined)[] {
  const mean = (list: [number, number][], bucket: number): number | undefined => {
    const own = list.filter(([time]) => Math.floor(time / fiveMinutesMs) === bucket).map(([, value]) => value);
    return own.length ? own.reduce((sum, value) => sum + value, 0) / own.length : undefined;
  };
  return Array.from({ length: 72 }, (_, bucket) => {
    const both = [mean(sent, bucket), mean(received, bucket)].filter((value) => value !== undefined);
    return both.length ? Math.max(...both) : undefined;
  });
}

test('total usage is equal by five minutes, by hours and by the reference implementation', async () => {
  const slices = new TimeSlices();
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(samples, samples), { minLength: 1, maxLength: 3 }), async (connectors) => {
      const ordered = connectors.map(([sent, received]) => [inOrder(sent), inOrder(received)] as const);
      const usages: Float64Array[] = [];
      for (const [sent, received] of ordered) {
        const series = [gauge(sent), gauge(received, 'bits_received')].filter(({ times }) => times.length > 0);
        const usage = await fiveMinuteUsage(series, 0, 6 * hourMs, slices);
        usages.push(usage?.values ?? new Float64Array(72).fill(Number.NaN));
      }
      const expected = ordered.map(([sent, received]) => referenceUsage(sent, received));
      for (const [from, to] of [
        [0, 6],
        [1, 2],
        [3, 6],
      ] as const) {
        let [sum, count] = [0, 0];
        for (let bucket = from * 12; bucket < to * 12; bucket++) {
          const values = expected.map((own) => own[bucket]).filter((value) => value !== undefined);
          sum += values.reduce((total, value) => total + value, 0);
          if (values.length) count++;
        }
        for (const found of [
          sumFiveMinutes(usages, from * 12, to * 12),
          sumHourlyUsage(usages.map(toHourlyUsage), from, to),
        ]) {
          assert.equal(found.count, count);
          assert.ok(Math.abs(found.sum - sum) <= 1e-9 * Math.max(1, sum), `${found.sum} is not ${sum}`);
        }
      }
    }),
    { numRuns: 200 },
  );
  assert.equal(fiveMinutesMs, 5 * minuteMs);
});
