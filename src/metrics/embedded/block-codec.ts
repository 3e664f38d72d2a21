// Binary format of the blocks of the embedded engine: the samples of one series and day, its hourly sums, and hourly
// usage. Little-endian. Times are milliseconds since midnight; evenly spaced ones, as agents measure, are stored as
// the first time and the step.
import { type BucketSums, emptyBucketSums } from '../buckets.ts';
import type { Samples } from '../samples.ts';
import { dayMs, hourMs } from '../time-range.ts';
import { emptyHourlyUsage, type HourlyUsage, toHourlyUsage } from '../usage.ts';

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

export function encodeSamples(dayStartMs: number, { times, values }: Samples): Buffer {
  const count = times.length;
  const step = stepOf(times);
  const timeBytes = step === unevenStep ? 4 * count : 4;
  const bytes = Buffer.alloc(headerBytes + timeBytes + 8 * count);
  bytes.writeUInt32LE(count, 0);
  bytes.writeUInt32LE(step, 4);
  for (let index = 0; index < (step === unevenStep ? count : Math.min(1, count)); index++)
    bytes.writeUInt32LE((times[index] ?? 0) - dayStartMs, headerBytes + 4 * index);
  for (let index = 0; index < count; index++)
    bytes.writeDoubleLE(values[index] ?? 0, headerBytes + timeBytes + 8 * index);
  return bytes;
}

export function decodeSamples(dayStartMs: number, bytes: Buffer): { times: Float64Array; values: Float64Array } {
  const count = bytes.readUInt32LE(0);
  const step = bytes.readUInt32LE(4);
  const isUneven = step === unevenStep;
  const timeBytes = isUneven ? 4 * count : 4;
  const times = new Float64Array(count);
  const values = new Float64Array(count);
  const first = count ? dayStartMs + bytes.readUInt32LE(headerBytes) : 0;
  for (let index = 0; index < count; index++) {
    times[index] = isUneven ? dayStartMs + bytes.readUInt32LE(headerBytes + 4 * index) : first + index * step;
    values[index] = bytes.readDoubleLE(headerBytes + timeBytes + 8 * index);
  }
  return { times, values };
}

/** Merges two ordered lists; at equal times the newer sample wins. */
export function mergeSamples(older: Samples, newer: Samples): { times: number[]; values: number[] } {
  const merged = { times: [] as number[], values: [] as number[] };
  const append = (from: Samples, index: number): void => {
    merged.times.push(from.times[index] ?? 0);
    merged.values.push(from.values[index] ?? 0);
  };
  let old = 0;
  for (let index = 0; index < newer.times.length; index++) {
    const time = newer.times[index] ?? 0;
    while (old < older.times.length && (older.times[old] ?? 0) < time) append(older, old++);
    if (older.times[old] === time) old++;
    append(newer, index);
  }
  while (old < older.times.length) append(older, old++);
  return merged;
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
