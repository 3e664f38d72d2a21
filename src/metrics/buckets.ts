// Aggregation of samples into the buckets of a range. Pure.
import { isStatus, type Quantity } from './quantities.ts';
import type { SampleOrigin, Samples, Series } from './samples.ts';
import { type BucketedRange, bucketCount, hourMs, type TimeRange } from './time-range.ts';

/** Sum and count of the samples in each bucket. For a status, the sum counts the samples that were not OK. */
export interface BucketSums {
  sums: Float64Array;
  counts: Uint32Array;
}

export interface AggregatedSeries {
  buckets: BucketSums;
  origin: SampleOrigin;
}

export const emptyBucketSums = (count: number): BucketSums => ({
  sums: new Float64Array(count),
  counts: new Uint32Array(count),
});

/** Two counter samples that lie further apart give no rate. */
export const maxGapMs = hourMs;

/**
 * Rates in bits per second, each at the later of two counter samples. A counter that decreased was reset, and gives no
 * rate.
 */
export function counterRates({ times, values }: Samples): { times: number[]; values: number[] } {
  const rates = { times: [] as number[], values: [] as number[] };
  for (let index = 1; index < times.length; index++) {
    const elapsedMs = (times[index] ?? 0) - (times[index - 1] ?? 0);
    const octets = (values[index] ?? 0) - (values[index - 1] ?? 0);
    if (octets < 0 || elapsedMs <= 0 || elapsedMs > maxGapMs) continue;
    rates.times.push(times[index] ?? 0);
    rates.values.push((octets * 8 * 1000) / elapsedMs);
  }
  return rates;
}

export const rateIfCounter = (series: Pick<Series, 'type' | 'times' | 'values'>): Samples =>
  series.type === 'counter' ? counterRates(series) : series;

export function addSamples(
  { sums, counts }: BucketSums,
  { fromMs, intervalMs }: BucketedRange,
  { times, values }: Samples,
  quantity: Quantity,
): void {
  const countsFailures = isStatus(quantity);
  for (let index = 0; index < times.length; index++) {
    const bucket = Math.floor(((times[index] ?? 0) - fromMs) / intervalMs);
    if (bucket < 0 || bucket >= sums.length) continue;
    const value = values[index] ?? 0;
    sums[bucket] = (sums[bucket] ?? 0) + (countsFailures ? Number(value !== 0) : value);
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
}

const originRank = (origin: SampleOrigin): number => (origin === 'simulated' ? 0 : origin === 'lab' ? 1 : 2);

function hasSamplesIn(series: Series, { fromMs, toMs }: TimeRange): boolean {
  const { times } = rateIfCounter(series);
  for (let index = times.length - 1; index >= 0; index--) {
    const time = times[index] ?? 0;
    if (time < fromMs) return false;
    if (time < toMs) return true;
  }
  return false;
}

/** The series of each origin that has samples in the range, the best origin first. Origins never mix in one result. */
function seriesByOrigin<T extends Series>(series: T[], range: TimeRange): T[][] {
  const ranks = [...new Set(series.map(({ origin }) => originRank(origin)))].sort((a, b) => b - a);
  return ranks
    .map((rank) => series.filter(({ origin }) => originRank(origin) === rank))
    .filter((candidates) => candidates.some((one) => hasSamplesIn(one, range)));
}

/** For sums over connectors, which count each connector once. */
export const seriesOfBestOrigin = <T extends Series>(series: T[], range: TimeRange): T[] =>
  seriesByOrigin(series, range)[0] ?? [];

/** The worst of several origins: a sum with one simulated part is simulated. */
export const combinedOrigin = (origins: Iterable<SampleOrigin>): SampleOrigin =>
  [...origins].sort((a, b) => originRank(a) - originRank(b))[0] ?? 'written';

/** One quantity of one subject by the buckets of a range: a result for each origin, the best first. */
export const aggregateSeries = (series: Series[], quantity: Quantity, range: BucketedRange): AggregatedSeries[] =>
  seriesByOrigin(
    series.filter((one) => one.quantity === quantity),
    range,
  ).map((chosen) => {
    const buckets = emptyBucketSums(bucketCount(range));
    for (const one of chosen) addSamples(buckets, range, rateIfCounter(one), quantity);
    return { buckets, origin: combinedOrigin(chosen.map(({ origin }) => origin)) };
  });

export type Row = [timeMs: number, ...values: number[]];

export function meanRows({ sums, counts }: BucketSums, { fromMs, intervalMs }: BucketedRange): Row[] {
  const rows: Row[] = [];
  for (let bucket = 0; bucket < sums.length; bucket++) {
    const count = counts[bucket] ?? 0;
    if (count) rows.push([fromMs + bucket * intervalMs, (sums[bucket] ?? 0) / count]);
  }
  return rows;
}

/** How many status samples were up and how many down. */
export function availabilityRows({ sums, counts }: BucketSums, { fromMs, intervalMs }: BucketedRange): Row[] {
  const rows: Row[] = [];
  for (let bucket = 0; bucket < sums.length; bucket++) {
    const count = counts[bucket] ?? 0;
    const downs = sums[bucket] ?? 0;
    if (count) rows.push([fromMs + bucket * intervalMs, count - downs, downs]);
  }
  return rows;
}
