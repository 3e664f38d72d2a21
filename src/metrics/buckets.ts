// From samples to buckets: the one place where means are made. Pure.

import { isStatus, type Quantity } from './quantities.ts';
import type { SampleOrigin, Samples, Series } from './samples.ts';
import { bucketsIn, type Range } from './time-range.ts';

/** Sum and number of what fell into each bucket of a range. Of statuses, the sum counts those that were not up. */
export interface BucketSums {
  sums: Float64Array;
  counts: Uint32Array;
}

export const emptyBucketSums = (buckets: number): BucketSums => ({
  sums: new Float64Array(buckets),
  counts: new Uint32Array(buckets),
});

/** A counter that was silent for longer says nothing about the time between. */
export const maxGapMs = 3_600_000;

/** Rates of a counter in bits per second, each at the later of two samples. One that went back was reset, and gives none. */
export function ratesOf({ times, values }: Samples): { times: number[]; values: number[] } {
  const rates = { times: [] as number[], values: [] as number[] };
  for (let index = 1; index < times.length; index++) {
    const elapsed = (times[index] ?? 0) - (times[index - 1] ?? 0);
    const grown = (values[index] ?? 0) - (values[index - 1] ?? 0);
    if (grown < 0 || elapsed <= 0 || elapsed > maxGapMs) continue;
    rates.times.push(times[index] ?? 0);
    rates.values.push((grown * 8 * 1000) / elapsed);
  }
  return rates;
}

/** What counts of a trace. */
export const countedIn = (trace: Pick<Series, 'form' | 'times' | 'values'>): Samples =>
  trace.form === 'counter' ? ratesOf(trace) : trace;

export function addSamples(
  tally: BucketSums,
  { fromMs, intervalMs }: Range,
  samples: Samples,
  quantity: Quantity,
): void {
  const { times, values } = samples;
  const asDowns = isStatus(quantity);
  const buckets = tally.sums.length;
  for (let index = 0; index < times.length; index++) {
    const bucket = Math.floor(((times[index] ?? 0) - fromMs) / intervalMs);
    if (bucket < 0 || bucket >= buckets) continue;
    const value = values[index] ?? 0;
    tally.sums[bucket] = (tally.sums[bucket] ?? 0) + (asDowns ? Number(value !== 0) : value);
    tally.counts[bucket] = (tally.counts[bucket] ?? 0) + 1;
  }
}

const rank = (origin: SampleOrigin): number => (origin === 'simulated' ? 0 : origin === 'lab' ? 1 : 2);

/** The traces of one quantity of one subject that count: those of the best origin that says anything in this time. Origins never mix. */
export function bestSeries<T extends Series>(traces: T[], { fromMs, toMs }: { fromMs: number; toMs: number }): T[] {
  const says = (trace: T): boolean => {
    const { times } = countedIn(trace);
    for (let index = times.length - 1; index >= 0; index--) {
      const time = times[index] ?? 0;
      if (time < fromMs) return false;
      if (time < toMs) return true;
    }
    return false;
  };
  const ranks = [...new Set(traces.map(({ origin }) => rank(origin)))].sort((a, b) => b - a);
  for (const wanted of ranks) {
    const those = traces.filter(({ origin }) => rank(origin) === wanted);
    if (those.some(says)) return those;
  }
  return [];
}

/** The least that can be said of several: one that is simulated makes the whole simulated. */
export const jointOrigin = (origins: Iterable<SampleOrigin>): SampleOrigin =>
  [...origins].sort((a, b) => rank(a) - rank(b))[0] ?? 'written';

/** One subject and quantity by the buckets of a range. */
export function bucketSumsOf(
  traces: Series[],
  quantity: Quantity,
  range: Range,
): { tally: BucketSums; origin: SampleOrigin } | undefined {
  const counted = bestSeries(
    traces.filter((trace) => trace.quantity === quantity),
    range,
  );
  if (counted.length === 0) return undefined;
  const tally = emptyBucketSums(bucketsIn(range));
  for (const trace of counted) addSamples(tally, range, countedIn(trace), quantity);
  return { tally, origin: jointOrigin(counted.map(({ origin }) => origin)) };
}

export type Row = [timeMs: number, ...values: number[]];

export function meansOf({ sums, counts }: BucketSums, { fromMs, intervalMs }: Range): Row[] {
  const rows: Row[] = [];
  for (let bucket = 0; bucket < sums.length; bucket++) {
    const count = counts[bucket] ?? 0;
    if (count) rows.push([fromMs + bucket * intervalMs, (sums[bucket] ?? 0) / count]);
  }
  return rows;
}

/** How many times it was measured up and down. */
export function availabilityRows({ sums, counts }: BucketSums, { fromMs, intervalMs }: Range): Row[] {
  const rows: Row[] = [];
  for (let bucket = 0; bucket < sums.length; bucket++) {
    const count = counts[bucket] ?? 0;
    const downs = sums[bucket] ?? 0;
    if (count) rows.push([fromMs + bucket * intervalMs, count - downs, downs]);
  }
  return rows;
}
