// Reads of the embedded engine. Every result merges the blocks with the batches that are not compacted yet. Where
// hourly sums suffice, samples are not read.
import { TimeSlices } from '../../concurrency/time-slices.ts';
import type { AllTenants, Database, Scope } from '../../store/database.ts';
import { type AggregatedSeries, addSeries, type BucketSums, emptyBucketSums, maxGapMs } from '../buckets.ts';
import type { Quantity } from '../quantities.ts';
import type { LatestSample, Series } from '../samples.ts';
import { type BucketedRange, bucketCount, dayMs, dayOf, hourMs, type TimeRange } from '../time-range.ts';
import { decodeBatches, shardOf } from './batch-codec.ts';
import {
  decodeHourlySums,
  decodeSamples,
  joinSamples,
  lastOf,
  mergeSamples,
  noSamples,
  positionOf,
  type SampleColumns,
  within,
} from './block-codec.ts';
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

type EmbeddedSeries = Series & SampleColumns;
/** The day after the last day of a range. */
export const endDay = (toMs: number): number => dayOf(toMs - 1) + 1;
const isCounter = ({ field }: SeriesRow): boolean => fieldOfCode(field).type === 'counter';

/** Samples that are not compacted yet, by series id. */
export type RecentSamples = Map<string, SampleColumns>;

async function decodeRecent(batches: Buffer[], series: SeriesRow[], range: TimeRange): Promise<RecentSamples> {
  const ids = new Set(series.map(({ id }) => Number(id)));
  const slices = new TimeSlices();
  const recent: RecentSamples = new Map();
  for (const [id, days] of await decodeBatches(batches, (one) => ids.has(one))) {
    const ordered = [...days].sort(([a], [b]) => a - b);
    const parts = ordered.map(([, samples]) => within(samples, range));
    recent.set(String(id), await joinSamples(parts, slices));
  }
  return recent;
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

/** The blocks of the series are in order of time. */
export async function toSeries(
  row: SeriesRow,
  recent: SampleColumns,
  blocks: BlockRow[],
  range: TimeRange,
  slices: TimeSlices,
): Promise<EmbeddedSeries> {
  const parts: SampleColumns[] = [];
  for (const { day, samples } of blocks)
    if (samples) parts.push(within(await decodeSamples(day * dayMs, samples, slices), range));
  const samples = await mergeSamples(await joinSamples(parts, slices), recent, slices);
  return { subjectId: row.subject_id, ...fieldOfCode(row.field), origin: originOfCode(row.origin), ...samples };
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
    const [own, ownRecent] = [blocks.get(one.id) ?? [], recent.get(one.id) ?? noSamples];
    const samples = await toSeries(one, ownRecent, own, withLeadIn([one], range), slices);
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
  const slices = new TimeSlices();
  const compacted = new Map<string, SampleColumns>();
  for (const { series_id, day, samples } of lastBlocks)
    compacted.set(series_id, lastOf(await decodeSamples(day * dayMs, samples, slices)));
  // A better origin comes later and overwrites.
  for (const [, own] of groupByOrigin(series).reverse())
    for (const { id, field } of own) {
      const newest = lastOf(recent.get(id) ?? noSamples);
      const { times, values } = await mergeSamples(compacted.get(id) ?? noSamples, newest, slices);
      const last = times.length - 1;
      if (last >= 0) latest.set(fieldOfCode(field).quantity, { atMs: times[last] ?? 0, value: values[last] ?? 0 });
    }
  return latest;
}

/**
 * The days whose sums are outdated by recent samples. A counter's last sample of a day changes the first rate of the
 * next day.
 */
export function outdatedDays(series: SeriesRow, { times }: SampleColumns): Set<number> {
  const days = new Set<number>();
  const changesNextDay = isCounter(series);
  for (let index = 0; index < times.length; ) {
    const day = dayOf(times[index] ?? 0);
    days.add(day);
    if (changesNextDay) days.add(day + 1);
    index = positionOf(times, (day + 1) * dayMs);
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
      await addStored(database, scope, one, blocks.get(one.id) ?? [], recent.get(one.id) ?? noSamples, range, buckets);
    if (buckets.counts.some((count) => count > 0)) results.push({ buckets, origin: originOfCode(origin) });
  }
  return results;
}

async function addStored(
  database: Database,
  scope: Scope | AllTenants,
  series: SeriesRow,
  hourlyBlocks: BlockRow[],
  recent: SampleColumns,
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
  const slices = new TimeSlices();
  const { quantity, type, ...samples } = await toSeries(
    series,
    recent,
    blocks,
    { fromMs: 0, toMs: range.toMs },
    slices,
  );
  for (const day of outdated) {
    const own = within(samples, { fromMs: day * dayMs, toMs: (day + 1) * dayMs });
    const before = type === 'counter' ? lastOf(within(samples, { fromMs: 0, toMs: day * dayMs })) : noSamples;
    await addSeries(buckets, range, { type, ...(await joinSamples([before, own], slices)) }, quantity, slices);
  }
}

function addHours(buckets: BucketSums, { fromMs, intervalMs }: BucketedRange, day: number, hours: BucketSums): void {
  for (let hour = 0; hour < hours.sums.length; hour++) {
    const bucket = Math.floor((day * dayMs + hour * hourMs - fromMs) / intervalMs);
    if (bucket < 0 || bucket >= buckets.sums.length) continue;
    buckets.sums[bucket] = (buckets.sums[bucket] ?? 0) + (hours.sums[hour] ?? 0);
    buckets.counts[bucket] = (buckets.counts[bucket] ?? 0) + (hours.counts[hour] ?? 0);
  }
}
