// Binary format of the blocks of the embedded engine: the samples of one series and day, its hourly sums, and hourly
// usage. Little-endian. Times are milliseconds since midnight; evenly spaced ones, as agents measure, are stored as
// the first time and the step. A block has at most a sample for each second; earlier versions stored more. Long loops
// run in slices.
import type { TimeSlices } from '../../concurrency/time-slices.ts';
import { type BucketSums, emptyBucketSums } from '../buckets.ts';
import type { Samples } from '../samples.ts';
import { dayMs, hourMs, type TimeRange } from '../time-range.ts';
import { emptyHourlyUsage, type HourlyUsage, toHourlyUsage } from '../usage.ts';

/** In ascending order of time. */
export interface SampleColumns {
  times: Float64Array;
  values: Float64Array;
}

/** Samples of one series by day. */
export type DaySamples = Map<number, SampleColumns>;

export const emptyColumns = (count: number): SampleColumns => ({
  times: new Float64Array(count),
  values: new Float64Array(count),
});
export const noSamples: SampleColumns = emptyColumns(0);

const samplesPerLook = 8192;
const headerBytes = 8;
/** In place of a step: each time is stored. */
const unevenStep = 0;

export const hoursPerDay = dayMs / hourMs;

function stepOf(times: ArrayLike<number>): number {
  const step = times.length > 1 ? (times[1] ?? 0) - (times[0] ?? 0) : dayMs;
  for (let index = 2; index < times.length; index++)
    if ((times[index] ?? 0) - (times[index - 1] ?? 0) !== step) return unevenStep;
  return step;
}

/** Positions that bound the work between two looks at the clock. */
async function forEachPart(count: number, slices: TimeSlices, run: (from: number, to: number) => void): Promise<void> {
  for (let from = 0; from < count; from += samplesPerLook) {
    run(from, Math.min(count, from + samplesPerLook));
    if (slices.isOver) await slices.next();
  }
}

// The checks of Buffer's methods take longer than the rest; a DataView has none of them.
const viewOf = (bytes: Buffer): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.length);

export async function encodeSamples(
  dayStartMs: number,
  { times, values }: Samples,
  slices: TimeSlices,
): Promise<Buffer> {
  const count = times.length;
  const step = stepOf(times);
  const isUneven = step === unevenStep;
  const timeBytes = isUneven ? 4 * count : 4;
  const bytes = Buffer.alloc(headerBytes + timeBytes + 8 * count);
  const view = viewOf(bytes);
  view.setUint32(0, count, true);
  view.setUint32(4, step, true);
  if (count) view.setUint32(headerBytes, (times[0] ?? 0) - dayStartMs, true);
  await forEachPart(count, slices, (from, to) => {
    for (let index = from; index < to; index++) {
      if (isUneven) view.setUint32(headerBytes + 4 * index, (times[index] ?? 0) - dayStartMs, true);
      view.setFloat64(headerBytes + timeBytes + 8 * index, values[index] ?? 0, true);
    }
  });
  return bytes;
}

export async function decodeSamples(dayStartMs: number, bytes: Buffer, slices: TimeSlices): Promise<SampleColumns> {
  const view = viewOf(bytes);
  const count = view.getUint32(0, true);
  const step = view.getUint32(4, true);
  const isUneven = step === unevenStep;
  const timeBytes = isUneven ? 4 * count : 4;
  const samples = emptyColumns(count);
  const first = count ? dayStartMs + view.getUint32(headerBytes, true) : 0;
  await forEachPart(count, slices, (from, to) => {
    for (let index = from; index < to; index++) {
      const time = isUneven ? dayStartMs + view.getUint32(headerBytes + 4 * index, true) : first + index * step;
      samples.times[index] = time;
      samples.values[index] = view.getFloat64(headerBytes + timeBytes + 8 * index, true);
    }
  });
  return samples;
}

/** The position of the first time that is not before `ms`. */
export function positionOf(times: ArrayLike<number>, ms: number): number {
  let from = 0;
  let to = times.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((times[middle] ?? 0) < ms) from = middle + 1;
    else to = middle;
  }
  return from;
}

const cut = ({ times, values }: SampleColumns, from: number, to: number): SampleColumns => ({
  times: times.subarray(from, to),
  values: values.subarray(from, to),
});

export const within = (samples: SampleColumns, { fromMs, toMs }: TimeRange): SampleColumns =>
  cut(samples, positionOf(samples.times, fromMs), positionOf(samples.times, toMs));

/** The last sample, on which the first rate of a counter after it depends. */
export const lastOf = (samples: SampleColumns): SampleColumns =>
  cut(samples, Math.max(0, samples.times.length - 1), samples.times.length);

/** Joins parts that follow each other in time. */
export async function joinSamples(parts: SampleColumns[], slices: TimeSlices): Promise<SampleColumns> {
  const [only] = parts;
  if (only && parts.length === 1) return only;
  const joined = emptyColumns(parts.reduce((count, { times }) => count + times.length, 0));
  let at = 0;
  for (const { times, values } of parts) {
    joined.times.set(times, at);
    joined.values.set(values, at);
    at += times.length;
    if (slices.isOver) await slices.next();
  }
  return joined;
}

/** Merges two ordered lists; at equal times the newer sample wins. */
export async function mergeSamples(
  older: SampleColumns,
  newer: SampleColumns,
  slices: TimeSlices,
): Promise<SampleColumns> {
  if (older.times.length === 0) return newer;
  if (newer.times.length === 0) return older;
  const merged = emptyColumns(older.times.length + newer.times.length);
  let [old, next, at] = [0, 0, 0];
  await forEachPart(merged.times.length, slices, (from, to) => {
    for (let step = from; step < to; step++) {
      const oldTime = older.times[old] ?? Number.POSITIVE_INFINITY;
      const newTime = newer.times[next] ?? Number.POSITIVE_INFINITY;
      const time = Math.min(oldTime, newTime);
      // Equal times take one step instead of two.
      if (time === Number.POSITIVE_INFINITY) return;
      merged.times[at] = time;
      merged.values[at++] = (newTime === time ? newer.values[next] : older.values[old]) ?? 0;
      if (oldTime === time) old++;
      if (newTime === time) next++;
    }
  });
  return cut(merged, 0, at);
}

/** Bucket sums by the hours of a day. */
export function encodeHourlySums({ sums, counts }: BucketSums): Buffer {
  const bytes = Buffer.alloc(12 * hoursPerDay);
  for (let hour = 0; hour < hoursPerDay; hour++) {
    bytes.writeDoubleLE(sums[hour] ?? 0, 12 * hour);
    bytes.writeUInt32LE(counts[hour] ?? 0, 12 * hour + 8);
  }
  return bytes;
}

export function decodeHourlySums(bytes: Buffer): BucketSums {
  const hours = emptyBucketSums(hoursPerDay);
  for (let hour = 0; hour < hoursPerDay; hour++) {
    hours.sums[hour] = bytes.readDoubleLE(12 * hour);
    hours.counts[hour] = bytes.readUInt32LE(12 * hour + 8);
  }
  return hours;
}

/** The usage of one connector and day, from its five-minute values. */
export function encodeUsage(fiveMinuteValues: Float64Array): Buffer {
  const usage = toHourlyUsage(fiveMinuteValues);
  const bytes = Buffer.alloc(10 * hoursPerDay);
  for (let hour = 0; hour < hoursPerDay; hour++) {
    bytes.writeDoubleLE(usage.sums[hour] ?? 0, 10 * hour);
    bytes.writeUInt16LE(usage.measured[hour] ?? 0, 10 * hour + 8);
  }
  return bytes;
}

export function decodeUsage(bytes: Buffer): HourlyUsage {
  const usage = emptyHourlyUsage(hoursPerDay);
  for (let hour = 0; hour < hoursPerDay; hour++) {
    usage.sums[hour] = bytes.readDoubleLE(10 * hour);
    usage.measured[hour] = bytes.readUInt16LE(10 * hour + 8);
  }
  return usage;
}
