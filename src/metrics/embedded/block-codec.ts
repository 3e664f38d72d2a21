// A day of samples in few bytes. Times are milliseconds since midnight; where they are evenly spaced, as agents measure, only the first and
// the step are kept. Everything is little-endian.

import { type BucketSums, emptyBucketSums } from '../buckets.ts';
import type { Samples } from '../samples.ts';
import { dayMs, hourMs } from '../time-range.ts';
import { type HourlyUsage, hourly } from '../usage.ts';

const headBytes = 8;
const uneven = 0;

export const hoursPerDay = dayMs / hourMs;

function stepOf(times: ArrayLike<number>): number {
  const step = times.length > 1 ? (times[1] ?? 0) - (times[0] ?? 0) : dayMs;
  for (let index = 2; index < times.length; index++)
    if ((times[index] ?? 0) - (times[index - 1] ?? 0) !== step) return uneven;
  return step;
}

/** Samples of one day in the order of time. */
export function pack(dayStartMs: number, { times, values }: Samples): Buffer {
  const count = times.length;
  const step = stepOf(times);
  const timeBytes = step === uneven ? 4 * count : 4;
  const bytes = Buffer.alloc(headBytes + timeBytes + 8 * count);
  bytes.writeUInt32LE(count, 0);
  bytes.writeUInt32LE(step, 4);
  for (let index = 0; index < (step === uneven ? count : Math.min(1, count)); index++)
    bytes.writeUInt32LE((times[index] ?? 0) - dayStartMs, headBytes + 4 * index);
  for (let index = 0; index < count; index++)
    bytes.writeDoubleLE(values[index] ?? 0, headBytes + timeBytes + 8 * index);
  return bytes;
}

export function unpack(dayStartMs: number, bytes: Buffer): { times: Float64Array; values: Float64Array } {
  const count = bytes.readUInt32LE(0);
  const step = bytes.readUInt32LE(4);
  const timeBytes = step === uneven ? 4 * count : 4;
  const times = new Float64Array(count);
  const values = new Float64Array(count);
  const first = count ? dayStartMs + bytes.readUInt32LE(headBytes) : 0;
  for (let index = 0; index < count; index++) {
    times[index] = step === uneven ? dayStartMs + bytes.readUInt32LE(headBytes + 4 * index) : first + index * step;
    values[index] = bytes.readDoubleLE(headBytes + timeBytes + 8 * index);
  }
  return { times, values };
}

/** Two lists in the order of time as one; what stands in both is taken from the newer. */
export function merge(older: Samples, newer: Samples): { times: number[]; values: number[] } {
  const merged = { times: [] as number[], values: [] as number[] };
  const take = (from: Samples, index: number): void => {
    merged.times.push(from.times[index] ?? 0);
    merged.values.push(from.values[index] ?? 0);
  };
  let old = 0;
  for (let index = 0; index < newer.times.length; index++) {
    const time = newer.times[index] ?? 0;
    while (old < older.times.length && (older.times[old] ?? 0) < time) take(older, old++);
    if (older.times[old] === time) old++;
    take(newer, index);
  }
  while (old < older.times.length) take(older, old++);
  return merged;
}

/** A tally by the hours of a day. */
export function packHours({ sums, counts }: BucketSums): Buffer {
  const bytes = Buffer.alloc(12 * hoursPerDay);
  for (let hour = 0; hour < hoursPerDay; hour++) {
    bytes.writeDoubleLE(sums[hour] ?? 0, 12 * hour);
    bytes.writeUInt32LE(counts[hour] ?? 0, 12 * hour + 8);
  }
  return bytes;
}

export function unpackHours(bytes: Buffer): BucketSums {
  const hours = emptyBucketSums(hoursPerDay);
  for (let hour = 0; hour < hoursPerDay; hour++) {
    hours.sums[hour] = bytes.readDoubleLE(12 * hour);
    hours.counts[hour] = bytes.readUInt32LE(12 * hour + 8);
  }
  return hours;
}

export function packUsage(slots: Float64Array): Buffer {
  const usage = hourly(slots);
  const bytes = Buffer.alloc(10 * hoursPerDay);
  for (let hour = 0; hour < hoursPerDay; hour++) {
    bytes.writeDoubleLE(usage.sums[hour] ?? 0, 10 * hour);
    bytes.writeUInt16LE(usage.slots[hour] ?? 0, 10 * hour + 8);
  }
  return bytes;
}

export function unpackUsage(bytes: Buffer): HourlyUsage {
  const usage = { sums: new Float64Array(hoursPerDay), slots: new Uint16Array(hoursPerDay) };
  for (let hour = 0; hour < hoursPerDay; hour++) {
    usage.sums[hour] = bytes.readDoubleLE(10 * hour);
    usage.slots[hour] = bytes.readUInt16LE(10 * hour + 8);
  }
  return usage;
}
