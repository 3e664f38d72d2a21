// Reads of the embedded engine. Every result merges the blocks with the batches that are not compacted yet. Where
// hourly sums suffice, samples are not read.
import { TimeSlices } from '../../concurrency/time-slices.ts';
import type { AllTenants, Database, Scope } from '../../store/database.ts';
import {
  type AggregatedSeries,
  addSamples,
  type BucketSums,
  emptyBucketSums,
  maxGapMs,
  rateIfCounter,
} from '../buckets.ts';
import type { Quantity } from '../quantities.ts';
import type { LatestSample, Samples, Series } from '../samples.ts';
import { type BucketedRange, bucketCount, dayMs, dayOf, hourMs, type TimeRange } from '../time-range.ts';
import { type DecodedSamples, decodeBatches, shardOf } from './batch-codec.ts';
import { decodeHourlySums, decodeSamples, mergeSamples } from './block-codec.ts';
import { fieldCodesOf, fieldOfCode, originOfCode } from './series-codes.ts';
import {
  type BlockRow,
  listBatches,
  listBlocks,
  listLastBlocks,
  listSeries,
  listSeriesBlocks,
  type SeriesRow,
} from './store.ts';

const noSamples: Samples = { times: [], values: [] };
/** The day after the last day of a range. */
export const endDay = (toMs: number): number => dayOf(toMs - 1) + 1;
const isCounter = ({ field }: SeriesRow): boolean => fieldOfCode(field).type === 'counter';

function filterSamples({ times, values }: Samples, isIncluded: (time: number) => boolean): Samples {
  const filtered = { times: [] as number[], values: [] as number[] };
  for (let index = 0; index < times.length; index++) {
    const time = times[index] ?? 0;
    if (!isIncluded(time)) continue;
    filtered.times.push(time);
    filtered.values.push(values[index] ?? 0);
  }
  return filtered;
}

/** The position of the first time that is not before `ms`. */
function positionOf(times: Float64Array, ms: number): number {
  let from = 0;
  let to = times.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((times[middle] ?? 0) < ms) from = middle + 1;
    else to = middle;
  }
  return from;
}

export function within({ times, values }: DecodedSamples, { fromMs, toMs }: TimeRange): DecodedSamples {
  const [from, to] = [positionOf(times, fromMs), positionOf(times, toMs)];
  return { times: times.subarray(from, to), values: values.subarray(from, to) };
}

/** Samples that are not compacted yet, by series id. */
export type RecentSamples = Map<string, DecodedSamples>;

async function decodeRecent(batches: Buffer[], series: SeriesRow[], range: TimeRange): Promise<RecentSamples> {
  const ids = new Set(series.map(({ id }) => Number(id)));
  const found = await decodeBatches(batches, (id) => ids.has(id));
  return new Map([...found].map(([id, samples]) => [String(id), within(samples, range)]));
}

export async function readRecent(
  database: Database,
  scope: Scope | AllTenants,
  series: SeriesRow[],
  range: TimeRange,
): Promise<RecentSamples> {
  const organisations = [...new Set(series.map(({ organisation_id }) => organisation_id))];
  const shards = [...new Set(series.map(({ id }) => shardOf(Number(id))))];
  const batches = await listBatches(database, scope, organisations, shards, range.fromMs, range.toMs);
  return decodeRecent(batches, series, range);
}

/** The samples of the blocks of one series, which are in order of time. */
function decodeBlocks(blocks: BlockRow[], { fromMs, toMs }: TimeRange): Samples {
  const parts = blocks.flatMap(({ day, samples }) => (samples ? [decodeSamples(day * dayMs, samples)] : []));
  const [only] = parts;
  if (parts.length === 1 && only && (only.times[0] ?? 0) >= fromMs && (only.times.at(-1) ?? 0) < toMs) return only;
  const times: number[] = [];
  const values: number[] = [];
  for (const part of parts)
    for (let index = 0; index < part.times.length; index++) {
      const time = part.times[index] ?? 0;
      if (time < fromMs || time >= toMs) continue;
      times.push(time);
      values.push(part.values[index] ?? 0);
    }
  return { times, values };
}

export function toSeries(row: SeriesRow, recent: Samples | undefined, blocks: BlockRow[], range: TimeRange): Series {
  const compacted = decodeBlocks(blocks, range);
  const isMerged = recent !== undefined && compacted.times.length > 0;
  const { times, values } = isMerged ? mergeSamples(compacted, recent) : (recent ?? compacted);
  return { subjectId: row.subject_id, ...fieldOfCode(row.field), origin: originOfCode(row.origin), times, values };
}

/** Extends the range of counters by the samples that their first rates need. */
const withLeadIn = (series: SeriesRow[], range: TimeRange): TimeRange =>
  series.some(isCounter) ? { ...range, fromMs: range.fromMs - maxGapMs } : range;

interface StoredSeries {
  series: SeriesRow[];
  blocks: Map<string, BlockRow[]>;
  recent: RecentSamples;
}

async function readSeries(
  database: Database,
  scope: Scope | AllTenants,
  subjectIds: string[],
  quantities: Quantity[],
  range: TimeRange,
  content: 'samples' | 'hours',
): Promise<StoredSeries> {
  const { fromMs, toMs } = range;
  const days = { from: dayOf(fromMs), to: endDay(toMs), counterFrom: dayOf(fromMs - maxGapMs) };
  const rows = await listSeriesBlocks(database, scope, subjectIds, fieldCodesOf(quantities), days, content);
  const seriesById = new Map<string, SeriesRow>();
  const blocks = new Map<string, BlockRow[]>();
  const batches: Buffer[] = [];
  for (const row of rows) {
    if (!seriesById.has(row.id)) seriesById.set(row.id, row);
    if (row.points) batches.push(row.points);
    if (row.day === null) continue;
    const own = blocks.get(row.id) ?? [];
    own.push({ series_id: row.id, day: row.day, samples: row.samples, hours: row.hours });
    blocks.set(row.id, own);
  }
  for (const own of blocks.values()) own.sort((a, b) => a.day - b.day);
  const series = [...seriesById.values()];
  const extended = withLeadIn(series, range);
  // For a single subject the rows include its batches.
  const recent =
    subjectIds.length > 1 && series.length
      ? await readRecent(database, scope, series, extended)
      : await decodeRecent(batches, series, extended);
  return { series, blocks, recent };
}

export async function readSamples(
  database: Database,
  scope: Scope | AllTenants,
  subjectIds: string[],
  quantities: Quantity[],
  range: TimeRange,
): Promise<Series[]> {
  const { series, blocks, recent } = await readSeries(database, scope, subjectIds, quantities, range, 'samples');
  const slices = new TimeSlices();
  const found: Series[] = [];
  for (const one of series) {
    const samples = toSeries(one, recent.get(one.id), blocks.get(one.id) ?? [], withLeadIn([one], range));
    if (samples.times.length > 0) found.push(samples);
    if (slices.isOver) await slices.next();
  }
  return found;
}

/** Series by origin code, the best origin first. */
export const groupByOrigin = (series: SeriesRow[]): [number, SeriesRow[]][] =>
  [...Map.groupBy(series, ({ origin }) => origin)].sort(([a], [b]) => b - a);

/** The latest sample of each quantity, from the best origin that has any. */
export async function readLatest(
  database: Database,
  scope: Scope | AllTenants,
  subjectId: string,
  quantities: Quantity[],
): Promise<Map<Quantity, LatestSample>> {
  const series = await listSeries(database, scope, [subjectId], fieldCodesOf(quantities));
  const latest = new Map<Quantity, LatestSample>();
  if (series.length === 0) return latest;
  const recent = await readRecent(database, scope, series, { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER });
  const ids = series.map(({ id }) => id);
  const lastBlocks = await listLastBlocks(database, scope, ids);
  const compacted = new Map(
    lastBlocks.map(({ series_id, day, samples }) => [series_id, decodeSamples(day * dayMs, samples)]),
  );
  // A better origin comes later and overwrites.
  for (const [, own] of groupByOrigin(series).reverse())
    for (const { id, field } of own) {
      const { times, values } = mergeSamples(compacted.get(id) ?? noSamples, recent.get(id) ?? noSamples);
      const last = times.length - 1;
      if (last >= 0) latest.set(fieldOfCode(field).quantity, { atMs: times[last] ?? 0, value: values[last] ?? 0 });
    }
  return latest;
}

/**
 * The days whose sums are outdated by recent samples. A counter's last sample of a day changes the first rate of the
 * next day.
 */
export function outdatedDays(series: SeriesRow, recent: Samples | undefined): Set<number> {
  const days = new Set<number>();
  const changesNextDay = isCounter(series);
  let lastDay = Number.NaN;
  for (let index = 0; index < (recent?.times.length ?? 0); index++) {
    const day = dayOf(recent?.times[index] ?? 0);
    if (day === lastDay) continue;
    lastDay = day;
    days.add(day);
    if (changesNextDay) days.add(day + 1);
  }
  return days;
}

/** The days whose samples are needed to recompute the sums of some days. */
export const withDayBefore = (days: Iterable<number>): number[] => [
  ...new Set([...days].flatMap((day) => [day - 1, day])),
];

/** One quantity of one subject by buckets of whole hours, from hourly sums, and from samples on outdated days. */
export async function readBucketSums(
  database: Database,
  scope: Scope | AllTenants,
  subjectId: string,
  quantity: Quantity,
  range: BucketedRange,
): Promise<AggregatedSeries[]> {
  const { series, blocks, recent } = await readSeries(database, scope, [subjectId], [quantity], range, 'hours');
  const results: AggregatedSeries[] = [];
  for (const [origin, own] of groupByOrigin(series)) {
    const buckets = emptyBucketSums(bucketCount(range));
    for (const one of own)
      await addSeries(database, scope, one, blocks.get(one.id) ?? [], recent.get(one.id), range, buckets);
    if (buckets.counts.some((count) => count > 0)) results.push({ buckets, origin: originOfCode(origin) });
  }
  return results;
}

async function addSeries(
  database: Database,
  scope: Scope | AllTenants,
  series: SeriesRow,
  hourlyBlocks: BlockRow[],
  recent: Samples | undefined,
  range: BucketedRange,
  buckets: BucketSums,
): Promise<void> {
  const outdated = outdatedDays(series, recent);
  for (const { day, hours } of hourlyBlocks)
    if (hours && !outdated.has(day)) addHours(buckets, range, day, decodeHourlySums(hours));
  if (outdated.size === 0) return;
  const days = withDayBefore(outdated);
  const ends = [Math.min(...days), Math.max(...days) + 1] as const;
  const blocks = await listBlocks(database, scope, [series.id], ...ends, days);
  const samples = rateIfCounter(toSeries(series, recent, blocks, { fromMs: 0, toMs: range.toMs }));
  const onOutdatedDays = filterSamples(samples, (time) => outdated.has(dayOf(time)));
  addSamples(buckets, range, onOutdatedDays, fieldOfCode(series.field).quantity);
}

function addHours(buckets: BucketSums, { fromMs, intervalMs }: BucketedRange, day: number, hours: BucketSums): void {
  for (let hour = 0; hour < hours.sums.length; hour++) {
    const bucket = Math.floor((day * dayMs + hour * hourMs - fromMs) / intervalMs);
    if (bucket < 0 || bucket >= buckets.sums.length) continue;
    buckets.sums[bucket] = (buckets.sums[bucket] ?? 0) + (hours.sums[hour] ?? 0);
    buckets.counts[bucket] = (buckets.counts[bucket] ?? 0) + (hours.counts[hour] ?? 0);
  }
}
