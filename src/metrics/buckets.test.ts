import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { availabilityRows, bestSeries, bucketSumsOf, maxGapMs, meansOf, ratesOf } from './buckets.ts';
import type { Series } from './samples.ts';
import { fiveMinutesMs, hourMs, minuteMs } from './time-range.ts';
import { FiveMinuteSums, fiveMinuteSums, hourly, sumOfHours } from './usage.ts';

function sumOfSlots(connectors: Float64Array[], from: number, to: number) {
  const together = new FiveMinuteSums(connectors[0]?.length ?? 0);
  for (const own of connectors) together.add(own);
  return together.between(from, to);
}

const gauge = (values: [number, number][], quantity: Series['quantity'] = 'bits_send', origin = 'written'): Series => ({
  subjectId: 'a',
  quantity,
  form: 'gauge',
  origin,
  times: values.map(([time]) => time),
  values: values.map(([, value]) => value),
});

describe('rates of a counter', () => {
  const rates = (samples: [number, number][]) => {
    const { times, values } = ratesOf(gauge(samples));
    return times.map((time, index) => [time, values[index]]);
  };
  test('are bits per second, stamped at the later sample', () => {
    assert.deepEqual(
      rates([
        [0, 100],
        [10_000, 1350],
      ]),
      [[10_000, 1000]],
    );
  });
  test('leave out a reset, and go on after it', () => {
    assert.deepEqual(
      rates([
        [0, 5000],
        [1000, 10],
        [2000, 20],
      ]),
      [[2000, 80]],
    );
  });
  test('say nothing about a silence', () => {
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
  test('of one sample are none', () => assert.deepEqual(rates([[0, 5]]), []));
});

describe('buckets', () => {
  const range = { fromMs: 0, toMs: 3 * fiveMinutesMs, intervalMs: fiveMinutesMs };
  test('hold their first moment and not their last; empty ones are absent', () => {
    const found = bucketSumsOf(
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
    assert.deepEqual(found && meansOf(found.tally, range), [
      [0, 3],
      [2 * fiveMinutesMs, 9],
    ]);
  });
  test('of a status count ups and downs, where anything but 0 is down', () => {
    const found = bucketSumsOf(
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
    assert.deepEqual(found && availabilityRows(found.tally, range), [[0, 1, 3]]);
  });
  test('never mix what was measured with what was simulated', () => {
    const simulated = gauge(
      [
        [0, 100],
        [fiveMinutesMs, 100],
      ],
      'bits_send',
      'simulated',
    );
    const measured = gauge([[fiveMinutesMs, 5]], 'bits_send', 'written');
    const found = bucketSumsOf([simulated, measured], 'bits_send', range);
    assert.deepEqual(found && [meansOf(found.tally, range), found.origin], [[[fiveMinutesMs, 5]], 'written']);
    const early = { fromMs: 0, toMs: fiveMinutesMs, intervalMs: fiveMinutesMs };
    assert.equal(bucketSumsOf([simulated, measured], 'bits_send', early)?.origin, 'simulated');
    assert.deepEqual(bestSeries([], range), []);
  });
});

const samples = fc.array(fc.tuple(fc.integer({ min: 0, max: 6 * hourMs - 1 }), fc.integer({ min: 0, max: 1000 })), {
  maxLength: 60,
});
const inOrder = (list: [number, number][]): [number, number][] => [...new Map(list)].sort(([a], [b]) => a - b);

/** As a person would do it: for each five minutes the larger mean of the two directions. */
function naively(sent: [number, number][], received: [number, number][]): (number | undefined)[] {
  const mean = (list: [number, number][], slot: number): number | undefined => {
    const own = list.filter(([time]) => Math.floor(time / fiveMinutesMs) === slot).map(([, value]) => value);
    return own.length ? own.reduce((sum, value) => sum + value, 0) / own.length : undefined;
  };
  return Array.from({ length: 72 }, (_, slot) => {
    const both = [mean(sent, slot), mean(received, slot)].filter((value) => value !== undefined);
    return both.length ? Math.max(...both) : undefined;
  });
}

test('what connectors use together is the same by slots, by hours and by hand', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(samples, samples), { minLength: 1, maxLength: 3 }), (connectors) => {
      const made = connectors.map(([sent, received]) => [inOrder(sent), inOrder(received)] as const);
      const slots = made.map(([sent, received]) => {
        const traces = [gauge(sent), gauge(received, 'bits_received')].filter(({ times }) => times.length > 0);
        return fiveMinuteSums(traces, 0, 6 * hourMs)?.slots ?? new Float64Array(72).fill(Number.NaN);
      });
      const expected = made.map(([sent, received]) => naively(sent, received));
      for (const [from, to] of [
        [0, 6],
        [1, 2],
        [3, 6],
      ] as const) {
        let [sum, count] = [0, 0];
        for (let slot = from * 12; slot < to * 12; slot++) {
          const values = expected.map((own) => own[slot]).filter((value) => value !== undefined);
          sum += values.reduce((total, value) => total + value, 0);
          if (values.length) count++;
        }
        for (const found of [sumOfSlots(slots, from * 12, to * 12), sumOfHours(slots.map(hourly), from, to)]) {
          assert.equal(found.slots, count);
          assert.ok(Math.abs(found.sum - sum) <= 1e-9 * Math.max(1, sum), `${found.sum} is not ${sum}`);
        }
      }
    }),
    { numRuns: 200 },
  );
  assert.equal(fiveMinutesMs, 5 * minuteMs);
});
