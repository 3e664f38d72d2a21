// Aggregation of samples into the buckets of a range, in slices: a series may have a sample for each second.
import { TimeSlices } from '../concurrency/time-slices.ts';
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

const rateIfCounter = (series: Pick<Series, 'type' | 'times' | 'values'>): Samples =>
  series.type === 'counter' ? counterRates(series) : series;

function addSamples(
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

const samplesPerLook = 8192;

const cut = (column: ArrayLike<number>, from: number, to: number): ArrayLike<number> =>
  column instanceof Float64Array ? column.subarray(from, to) : Array.prototype.slice.call(column, from, to);

/** Adds the samples of a gauge, or the rates of a counter. */
export async function addSeries(
  buckets: BucketSums,
  range: BucketedRange,
  { type, times, values }: Pick<Series, 'type' | 'times' | 'values'>,
  quantity: Quantity,
  slices: TimeSlices,
): Promise<void> {
  // The first rate of a part needs the sample before it.
  const overlap = type === 'counter' ? 1 : 0;
  for (let at = 0; at < times.length; at += samplesPerLook) {
    const [from, to] = [Math.max(0, at - overlap), at + samplesPerLook];
    const part = { type, times: cut(times, from, to), values: cut(values, from, to) };
    addSamples(buckets, range, rateIfCounter(part), quantity);
    if (slices.isOver) await slices.next();
  }
}

const originRank = (origin: SampleOrigin): number => (origin === 'simulated' ? 0 : origin === 'lab' ? 1 : 2);

/** From the end on, in parts: the last samples of a series decide in most cases. */
function hasSamplesIn({ type, times, values }: Series, { fromMs, toMs }: TimeRange): boolean {
  const overlap = type === 'counter' ? 1 : 0;
  for (let to = times.length; to > overlap; to -= samplesPerLook) {
    const from = Math.max(0, to - samplesPerLook - overlap);
    const part = rateIfCounter({ type, times: cut(times, from, to), values: cut(values, from, to) });
    for (let index = part.times.length - 1; index >= 0; index--) {
      const time = part.times[index] ?? 0;
      if (time < fromMs) return false;
      if (time < toMs) return true;
    }
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
export async function aggregateSeries(
  series: Series[],
  quantity: Quantity,
  range: BucketedRange,
): Promise<AggregatedSeries[]> {
  const slices = new TimeSlices();
  const results: AggregatedSeries[] = [];
  const wanted = series.filter((one) => one.quantity === quantity);
  for (const chosen of seriesByOrigin(wanted, range)) {
    const buckets = emptyBucketSums(bucketCount(range));
    for (const one of chosen) await addSeries(buckets, range, one, quantity, slices);
    results.push({ buckets, origin: combinedOrigin(chosen.map(({ origin }) => origin)) });
  }
  return results;
}

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
