// Points as they arrive: one batch for each shard of series in a write. Everything is little-endian.

/** Series are spread over so many shards: whoever asks for one reads a small part of what was just written. */
export const shards = 32;
export const shardOf = (seriesId: number): number => seriesId % shards;

/** Points of a batch, each with its series. */
export interface SeriesPoints {
  seriesIds: ArrayLike<number>;
  times: ArrayLike<number>;
  values: ArrayLike<number>;
}

// A batch says first when it begins, and how long its times are; then, for each point, its series, how much later it is, and its value.
const headBytesOfBatch = 9;
const narrow = 4;
const wide = 8;
const pointBytes = (timeBytes: number): number => 4 + timeBytes + 8;

export interface NewBatch {
  shard: number;
  fromMs: number;
  toMs: number;
  points: Buffer;
}

/** The points of each shard in the order in which they came. */
export function packBatches({ seriesIds, times, values }: SeriesPoints): NewBatch[] {
  const counts = new Uint32Array(shards);
  const fromMs = new Float64Array(shards).fill(Number.POSITIVE_INFINITY);
  const toMs = new Float64Array(shards).fill(Number.NEGATIVE_INFINITY);
  for (let index = 0; index < seriesIds.length; index++) {
    const shard = shardOf(seriesIds[index] ?? 0);
    const time = times[index] ?? 0;
    counts[shard] = (counts[shard] ?? 0) + 1;
    if (time < (fromMs[shard] ?? 0)) fromMs[shard] = time;
    if (time > (toMs[shard] ?? 0)) toMs[shard] = time;
  }
  const batches = Array.from(counts, (count, shard) => {
    const [from, to] = [fromMs[shard] ?? 0, toMs[shard] ?? 0];
    const timeBytes = to - from < 2 ** 32 ? narrow : wide;
    const points = Buffer.allocUnsafe(headBytesOfBatch + count * pointBytes(timeBytes));
    points.writeDoubleLE(count ? from : 0, 0);
    points[8] = timeBytes;
    // Written without the checks of a buffer, which took as long as everything else here.
    const view = new DataView(points.buffer, points.byteOffset, points.length);
    return { shard, fromMs: from, toMs: to, timeBytes, points, view, end: headBytesOfBatch };
  });
  for (let index = 0; index < seriesIds.length; index++) {
    const series = seriesIds[index] ?? 0;
    const batch = batches[shardOf(series)];
    if (!batch) continue;
    const { view, timeBytes, end } = batch;
    view.setUint32(end, series, true);
    const later = (times[index] ?? 0) - batch.fromMs;
    if (timeBytes === narrow) view.setUint32(end + 4, later, true);
    else view.setFloat64(end + 4, later, true);
    view.setFloat64(end + 4 + timeBytes, values[index] ?? 0, true);
    batch.end = end + pointBytes(timeBytes);
  }
  return batches
    .filter(({ shard }) => (counts[shard] ?? 0) > 0)
    .map(({ shard, fromMs: from, toMs: to, points }) => ({ shard, fromMs: from, toMs: to, points }));
}

/** The samples of the series in some batches, in the order of time; where a time was written twice, the later word counts. */
export function unpackBatches(
  batches: Buffer[],
  isWanted: (seriesId: number) => boolean,
): Map<number, { times: number[]; values: number[] }> {
  const found = new Map<number, Map<number, number>>();
  for (const points of batches) {
    const fromMs = points.readDoubleLE(0);
    const timeBytes = points[8] ?? narrow;
    for (let at = headBytesOfBatch; at < points.length; at += pointBytes(timeBytes)) {
      const series = points.readUInt32LE(at);
      if (!isWanted(series)) continue;
      let own = found.get(series);
      if (!own) {
        own = new Map();
        found.set(series, own);
      }
      const later = timeBytes === narrow ? points.readUInt32LE(at + 4) : points.readDoubleLE(at + 4);
      own.set(fromMs + later, points.readDoubleLE(at + 4 + timeBytes));
    }
  }
  return new Map(
    [...found].map(([series, own]) => {
      const times = [...own.keys()].sort((a, b) => a - b);
      return [series, { times, values: times.map((time) => own.get(time) ?? 0) }];
    }),
  );
}
