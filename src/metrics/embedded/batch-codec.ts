// Binary format of a batch: the points of one write that belong to one shard, in order of arrival. Little-endian. The
// header holds the first time and the width of time offsets; each point is a series id, a time offset and a value. Times
// are whole seconds, in milliseconds.
import { sortInSlices } from '../../concurrency/sort-in-slices.ts';
import { TimeSlices } from '../../concurrency/time-slices.ts';
import { dayOf, floorTo } from '../time-range.ts';
import type { DaySamples } from './block-codec.ts';

/**
 * Series are spread over shards, so that a query for one series reads few of the batches that are not compacted yet.
 */
export const shardCount = 32;
export const shardOf = (seriesId: number): number => seriesId % shardCount;

export interface EncodedBatch {
  shard: number;
  fromMs: number;
  toMs: number;
  points: Buffer;
}

/** Parallel columns of a write. */
export interface SeriesPoints {
  seriesIds: ArrayLike<number>;
  times: ArrayLike<number>;
  values: ArrayLike<number>;
}

/** The resolution of stored times. It bounds the samples of a series and day, and so the work on a block. */
const secondMs = 1000;

const headerBytes = 9;
const narrowOffset = 4;
const wideOffset = 8;
const pointBytes = (offsetBytes: number): number => 4 + offsetBytes + 8;

interface BatchWriter {
  batch: EncodedBatch;
  offsetBytes: number;
  view: DataView;
  end: number;
}

function openBatch(shard: number, count: number, fromMs: number, toMs: number): BatchWriter {
  const offsetBytes = toMs - fromMs < 2 ** 32 ? narrowOffset : wideOffset;
  const points = Buffer.allocUnsafe(headerBytes + count * pointBytes(offsetBytes));
  points.writeDoubleLE(count ? fromMs : 0, 0);
  points[8] = offsetBytes;
  // The checks of Buffer's write methods took as long as the rest of the encoding; a DataView has none of them.
  const view = new DataView(points.buffer, points.byteOffset, points.length);
  return { batch: { shard, fromMs, toMs, points }, offsetBytes, view, end: headerBytes };
}

export function encodeBatches({ seriesIds, times, values }: SeriesPoints): EncodedBatch[] {
  const counts = new Uint32Array(shardCount);
  const fromMs = new Float64Array(shardCount).fill(Number.POSITIVE_INFINITY);
  const toMs = new Float64Array(shardCount).fill(Number.NEGATIVE_INFINITY);
  for (let index = 0; index < seriesIds.length; index++) {
    const shard = shardOf(seriesIds[index] ?? 0);
    const time = floorTo(times[index] ?? 0, secondMs);
    counts[shard] = (counts[shard] ?? 0) + 1;
    if (time < (fromMs[shard] ?? 0)) fromMs[shard] = time;
    if (time > (toMs[shard] ?? 0)) toMs[shard] = time;
  }
  const writers = Array.from(counts, (count, shard) => openBatch(shard, count, fromMs[shard] ?? 0, toMs[shard] ?? 0));
  for (let index = 0; index < seriesIds.length; index++) {
    const series = seriesIds[index] ?? 0;
    const writer = writers[shardOf(series)];
    if (!writer) continue;
    const { view, offsetBytes, end } = writer;
    view.setUint32(end, series, true);
    const offset = floorTo(times[index] ?? 0, secondMs) - writer.batch.fromMs;
    if (offsetBytes === narrowOffset) view.setUint32(end + 4, offset, true);
    else view.setFloat64(end + 4, offset, true);
    view.setFloat64(end + 4 + offsetBytes, values[index] ?? 0, true);
    writer.end = end + pointBytes(offsetBytes);
  }
  return writers.map(({ batch }) => batch).filter(({ shard }) => (counts[shard] ?? 0) > 0);
}

const pointsPerLook = 4096;

/** By series and day: the value of each second. Bounded maps: one that grows beyond a day would be copied at once. */
type SeriesValues = Map<number, Map<number, Map<number, number>>>;

/** The samples of the wanted series. Where a second was written twice, the later batch wins. */
export async function decodeBatches(
  batches: Buffer[],
  isWanted: (seriesId: number) => boolean,
): Promise<Map<number, DaySamples>> {
  const slices = new TimeSlices();
  const found: SeriesValues = new Map();
  for (const points of batches)
    for (let at = headerBytes; at < points.length; ) {
      at = decodeSome(points, at, isWanted, found);
      if (slices.isOver) await slices.next();
    }
  const decoded = new Map<number, DaySamples>();
  for (const [series, valuesByDay] of found) {
    const days: DaySamples = new Map();
    for (const [day, own] of valuesByDay) {
      const times = await sortInSlices(await collect(own.keys(), own.size, (time) => time, slices), slices);
      days.set(day, { times, values: await collect(times, times.length, (time) => own.get(time) ?? 0, slices) });
    }
    decoded.set(series, days);
  }
  return decoded;
}

/** A result for each number. */
async function collect(
  numbers: Iterable<number>,
  length: number,
  resultOf: (number: number) => number,
  slices: TimeSlices,
): Promise<Float64Array<ArrayBuffer>> {
  const results = new Float64Array(length);
  let index = 0;
  for (const number of numbers) {
    results[index++] = resultOf(number);
    if (index % pointsPerLook === 0 && slices.isOver) await slices.next();
  }
  return results;
}

function valuesOf(found: SeriesValues, series: number, day: number): Map<number, number> {
  let days = found.get(series);
  if (!days) {
    days = new Map();
    found.set(series, days);
  }
  let values = days.get(day);
  if (!values) {
    values = new Map();
    days.set(day, values);
  }
  return values;
}

/** Decodes some points from this position on. Returns the position after them. */
function decodeSome(
  points: Buffer,
  from: number,
  isWanted: (seriesId: number) => boolean,
  found: SeriesValues,
): number {
  const fromMs = points.readDoubleLE(0);
  const offsetBytes = points[8] ?? narrowOffset;
  const step = pointBytes(offsetBytes);
  const end = Math.min(points.length, from + pointsPerLook * step);
  for (let at = from; at < end; at += step) {
    const series = points.readUInt32LE(at);
    if (!isWanted(series)) continue;
    const offset = offsetBytes === narrowOffset ? points.readUInt32LE(at + 4) : points.readDoubleLE(at + 4);
    // Earlier versions wrote milliseconds.
    const time = floorTo(fromMs + offset, secondMs);
    valuesOf(found, series, dayOf(time)).set(time, points.readDoubleLE(at + 4 + offsetBytes));
  }
  return end;
}
