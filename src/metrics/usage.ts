// Used capacity: for each connector and five minutes, the larger mean of the two directions.
import type { TimeSlices } from '../concurrency/time-slices.ts';
import { addSeries, combinedOrigin, emptyBucketSums, type Row, seriesOfBestOrigin } from './buckets.ts';
import type { Quantity } from './quantities.ts';
import type { SampleOrigin, Series } from './samples.ts';
import { type BucketedRange, ceilTo, fiveMinutesMs, hourMs, type TimeRange } from './time-range.ts';

const bucketsPerHour = hourMs / fiveMinutesMs;

/** The quantities that usage is made of. */
export const directions: Quantity[] = ['bits_send', 'bits_received'];

/** By hour: the sum of its five-minute values, and a bit mask of the five-minute buckets that have one. */
export interface HourlyUsage {
  sums: Float64Array;
  measured: Uint16Array;
}

export interface SubjectUsage {
  usage: HourlyUsage;
  origin: SampleOrigin;
}

export const emptyHourlyUsage = (hours: number): HourlyUsage => ({
  sums: new Float64Array(hours),
  measured: new Uint16Array(hours),
});

/**
 * One connector by five-minute buckets, NaN where nothing was measured. Both ends of the range are multiples of five
 * minutes.
 */
export async function fiveMinuteUsage(
  series: Series[],
  fromMs: number,
  toMs: number,
  slices: TimeSlices,
): Promise<{ values: Float64Array; origin: SampleOrigin } | undefined> {
  const range: BucketedRange = { fromMs, toMs, intervalMs: fiveMinutesMs };
  const chosen = seriesOfBestOrigin(series, range);
  if (chosen.length === 0) return undefined;
  const count = (toMs - fromMs) / fiveMinutesMs;
  const values = new Float64Array(count).fill(Number.NaN);
  for (const quantity of directions) {
    const { sums, counts } = emptyBucketSums(count);
    for (const one of chosen)
      if (one.quantity === quantity) await addSeries({ sums, counts }, range, one, quantity, slices);
    for (let bucket = 0; bucket < count; bucket++) {
      const sampleCount = counts[bucket] ?? 0;
      const mean = (sums[bucket] ?? 0) / sampleCount;
      const otherDirection = values[bucket] ?? Number.NaN;
      if (sampleCount && !(otherDirection >= mean)) values[bucket] = mean;
    }
  }
  return { values, origin: combinedOrigin(chosen.map(({ origin }) => origin)) };
}

/** Folds five-minute values, which begin and end on whole hours. */
export function toHourlyUsage(values: Float64Array): HourlyUsage {
  const usage = emptyHourlyUsage(values.length / bucketsPerHour);
  for (let bucket = 0; bucket < values.length; bucket++) {
    const value = values[bucket] ?? Number.NaN;
    if (Number.isNaN(value)) continue;
    const hour = Math.floor(bucket / bucketsPerHour);
    usage.sums[hour] = (usage.sums[hour] ?? 0) + value;
    usage.measured[hour] = (usage.measured[hour] ?? 0) | (1 << (bucket % bucketsPerHour));
  }
  return usage;
}

const popCount = (word: number): number => {
  let count = 0;
  for (let rest = word; rest; rest &= rest - 1) count++;
  return count;
};

/** The sum of the five-minute values of several connectors, and the number of five-minute buckets that have any. */
export interface UsageSum {
  sum: number;
  count: number;
}

export function sumHourlyUsage(usages: HourlyUsage[], fromHour: number, toHour: number): UsageSum {
  let sum = 0;
  let count = 0;
  for (let hour = fromHour; hour < toHour; hour++) {
    let measured = 0;
    for (const usage of usages) {
      sum += usage.sums[hour] ?? 0;
      measured |= usage.measured[hour] ?? 0;
    }
    count += popCount(measured);
  }
  return { sum, count };
}

/** Adds up the five-minute values of several connectors. */
export class FiveMinuteTotals {
  private readonly sums: Float64Array;
  private readonly isMeasured: Uint8Array;

  constructor(bucketCount: number) {
    this.sums = new Float64Array(bucketCount);
    this.isMeasured = new Uint8Array(bucketCount);
  }

  add(values: Float64Array): void {
    for (let bucket = 0; bucket < values.length; bucket++) {
      const value = values[bucket] ?? Number.NaN;
      if (Number.isNaN(value)) continue;
      this.sums[bucket] = (this.sums[bucket] ?? 0) + value;
      this.isMeasured[bucket] = 1;
    }
  }

  sumBetween(fromBucket: number, toBucket: number): UsageSum {
    let sum = 0;
    let count = 0;
    for (let bucket = Math.max(0, fromBucket); bucket < Math.min(toBucket, this.sums.length); bucket++) {
      sum += this.sums[bucket] ?? 0;
      count += this.isMeasured[bucket] ?? 0;
    }
    return { sum, count };
  }
}

/** For each bucket of the range, the mean of the five-minute sums that begin in it. */
export function usageRows(range: BucketedRange, sumOf: (fromMs: number, toMs: number) => UsageSum): Row[] {
  const rows: Row[] = [];
  for (let at = range.fromMs; at < range.toMs; at += range.intervalMs) {
    const { sum, count } = sumOf(at, at + range.intervalMs);
    if (count) rows.push([at, sum / count]);
  }
  return rows;
}

/** The range of the five-minute buckets that begin within a range. */
export const alignToFiveMinutes = ({ fromMs, toMs }: TimeRange): TimeRange => ({
  fromMs: ceilTo(fromMs, fiveMinutesMs),
  toMs: ceilTo(toMs, fiveMinutesMs),
});
