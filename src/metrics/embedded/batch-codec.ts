// Binary format of a batch: the points of one write that belong to one shard, in order of arrival. Little-endian. The
// header holds the first time and the width of time offsets; each point is a series id, a time offset and a value. Times
// are whole seconds, in milliseconds.
import { TimeSlices } from '../../concurrency/time-slices.ts';
import { dayMs, dayOf, floorTo } from '../time-range.ts';
import { type DaySamples, emptyColumns, type SampleColumns } from './block-codec.ts';

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
  /** Of the last point. */
  series: number;
  offset: number;
}

function openBatch(shard: number, count: number, fromMs: number, toMs: number): BatchWriter {
  const offsetBytes = toMs - fromMs < 2 ** 32 ? narrowOffset : wideOffset;
  const points = Buffer.allocUnsafe(headerBytes + count * pointBytes(offsetBytes));
  points.writeDoubleLE(count ? fromMs : 0, 0);
  points[8] = offsetBytes;
  // The checks of Buffer's write methods took as long as the rest of the encoding; a DataView has none of them.
  const view = new DataView(points.buffer, points.byteOffset, points.length);
  return { batch: { shard, fromMs, toMs, points }, offsetBytes, view, end: headerBytes, series: -1, offset: -1 };
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
    const { view, offsetBytes } = writer;
    const offset = floorTo(times[index] ?? 0, secondMs) - writer.batch.fromMs;
    // A further point of the same second replaces the one before it.
    const isReplaced = series === writer.series && offset === writer.offset;
    const end = isReplaced ? writer.end - pointBytes(offsetBytes) : writer.end;
    writer.series = series;
    writer.offset = offset;
    view.setUint32(end, series, true);
    if (offsetBytes === narrowOffset) view.setUint32(end + 4, offset, true);
    else view.setFloat64(end + 4, offset, true);
    view.setFloat64(end + 4 + offsetBytes, values[index] ?? 0, true);
    writer.end = end + pointBytes(offsetBytes);
  }
  return writers
    .filter(({ batch }) => (counts[batch.shard] ?? 0) > 0)
    .map(({ batch, end }) => ({ ...batch, points: batch.points.subarray(0, end) }));
}

const pointsPerLook = 1024;

/** The points of one series and day in order of arrival. */
interface DayPoints {
  /** Seconds since midnight. */
  seconds: number[];
  values: number[];
}

/** By series and day. */
type FoundPoints = Map<number, Map<number, DayPoints>>;

/** The samples of the wanted series. Where a second was written twice, the later batch wins. */
export async function decodeBatches(
  batches: Buffer[],
  isWanted: (seriesId: number) => boolean,
): Promise<Map<number, DaySamples>> {
  const slices = new TimeSlices();
  const found: FoundPoints = new Map();
  for (const points of batches)
    for (let at = headerBytes; at < points.length; ) {
      at = decodeSome(points, at, isWanted, found);
      if (slices.isOver) await slices.next();
    }
  const decoded = new Map<number, DaySamples>();
  if (found.size === 0) return decoded;
  const slots = new Uint32Array(dayMs / secondMs);
  for (const [series, pointsByDay] of found) {
    const days: DaySamples = new Map();
    for (const [day, points] of pointsByDay) days.set(day, await orderPoints(day * dayMs, points, slots, slices));
    decoded.set(series, days);
  }
  return decoded;
}

/** `slots` has a zero for each second of a day, before and after. A table needs no sorting, unlike a map. */
async function orderPoints(
  dayStartMs: number,
  { seconds, values }: DayPoints,
  slots: Uint32Array,
  slices: TimeSlices,
): Promise<SampleColumns> {
  let count = 0;
  let first = slots.length;
  let last = 0;
  for (let index = 0; index < seconds.length; index++) {
    const second = seconds[index] ?? 0;
    if (slots[second] === 0) count++;
    slots[second] = index + 1;
    if (second < first) first = second;
    if (second > last) last = second;
    if (index % pointsPerLook === 0 && slices.isOver) await slices.next();
  }
  const samples = emptyColumns(count);
  for (let second = first, at = 0; second <= last; second++) {
    const slot = slots[second] ?? 0;
    if (slot === 0) continue;
    samples.times[at] = dayStartMs + second * secondMs;
    samples.values[at++] = values[slot - 1] ?? 0;
    slots[second] = 0;
  }
  return samples;
}

function pointsOf(found: FoundPoints, series: number, day: number): DayPoints {
  let days = found.get(series);
  if (!days) {
    days = new Map();
    found.set(series, days);
  }
  let points = days.get(day);
  if (!points) {
    points = { seconds: [], values: [] };
    days.set(day, points);
  }
  return points;
}

/** Decodes some points from this position on. Returns the position after them. */
function decodeSome(points: Buffer, from: number, isWanted: (seriesId: number) => boolean, found: FoundPoints): number {
  const fromMs = points.readDoubleLE(0);
  const offsetBytes = points[8] ?? narrowOffset;
  const step = pointBytes(offsetBytes);
  const end = Math.min(points.length, from + pointsPerLook * step);
  for (let at = from; at < end; at += step) {
    const series = points.readUInt32LE(at);
    if (!isWanted(series)) continue;
    const offset = offsetBytes === narrowOffset ? points.readUInt32LE(at + 4) : points.readDoubleLE(at + 4);
    const time = fromMs + offset;
    const day = dayOf(time);
    const own = pointsOf(found, series, day);
    // Earlier versions wrote milliseconds.
    own.seconds.push(Math.floor((time - day * dayMs) / secondMs));
    own.values.push(points.readDoubleLE(at + 4 + offsetBytes));
  }
  return end;
}
