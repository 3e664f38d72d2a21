// Reading the embedded engine: what was just written and what is packed, as one. Where the sums of hours will do, samples stay where they are.
import type { AllTenants, Database, Scope } from '../../store/database.ts';
import { addSamples, type BucketSums, countedIn, emptyBucketSums, maxGapMs } from '../buckets.ts';
import type { Quantity } from '../quantities.ts';
import type { Latest, SampleOrigin, Samples, Series, Span } from '../samples.ts';
import { bucketsIn, dayMs, hourMs, type Range } from '../time-range.ts';
import { fiveMinuteSums, type HourlyUsage, hourly } from '../usage.ts';
import { shardOf, unpackBatches } from './batch-codec.ts';
import { hoursPerDay, merge, unpack, unpackHours, unpackUsage } from './block-codec.ts';
import { codesOf, fieldOf, originOf } from './series-codes.ts';
import {
  type BlockRow,
  findSeries,
  listBatches,
  listBlocks,
  listLastBlocks,
  listSeriesBlocks,
  listUsage,
  type SeriesRow,
  type UsageRow,
} from './store.ts';

const dayOf = (ms: number): number => Math.floor(ms / dayMs);
/** The day after the last that a span touches. */
const endDay = (toMs: number): number => dayOf(toMs - 1) + 1;

/** What was written of these series and is not packed yet, by their ids. */
async function readRecent(
  database: Database,
  scope: Scope | AllTenants,
  series: SeriesRow[],
  span: Span,
): Promise<Map<string, Samples>> {
  const organisations = [...new Set(series.map(({ organisation_id }) => organisation_id))];
  const shards = [...new Set(series.map(({ id }) => shardOf(Number(id))))];
  return recentOf(await listBatches(database, scope, organisations, shards, span.fromMs, span.toMs), series, span);
}

function recentOf(batches: Buffer[], series: SeriesRow[], span: Span): Map<string, Samples> {
  const ids = new Set(series.map(({ id }) => Number(id)));
  const found = unpackBatches(batches, (id) => ids.has(id));
  return new Map([...found].map(([id, samples]) => [String(id), within(samples, span)]));
}

function within({ times, values }: Samples, { fromMs, toMs }: Span): Samples {
  const kept = { times: [] as number[], values: [] as number[] };
  for (let index = 0; index < times.length; index++) {
    const time = times[index] ?? 0;
    if (time < fromMs || time >= toMs) continue;
    kept.times.push(time);
    kept.values.push(values[index] ?? 0);
  }
  return kept;
}

/** The samples of some blocks of one series, in the order of time. */
function unpackAll(blocks: BlockRow[], { fromMs, toMs }: Span): Samples {
  const parts = blocks.flatMap(({ day, samples }) => (samples ? [unpack(day * dayMs, samples)] : []));
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

function traceOf(series: SeriesRow, recent: Samples | undefined, blocks: BlockRow[], span: Span): Series {
  const packed = unpackAll(blocks, span);
  const { times, values } = recent ? merge(packed, recent) : packed;
  return { subjectId: series.subject_id, ...fieldOf(series.field), origin: originOf(series.origin), times, values };
}

/** Rates need the sample before them. */
const withLead = (series: SeriesRow[], span: Span): Span =>
  series.some(({ field }) => fieldOf(field).form === 'counter') ? { ...span, fromMs: span.fromMs - maxGapMs } : span;

interface Read {
  series: SeriesRow[];
  blocks: Map<string, BlockRow[]>;
  /** What is not packed yet. */
  recent: Map<string, Samples>;
}

/** The series of some subjects, and what they have in a span. */
async function readSeries(
  database: Database,
  scope: Scope | AllTenants,
  subjectIds: string[],
  quantities: Quantity[],
  span: Span,
  wanted: 'samples' | 'hours',
): Promise<Read> {
  const { fromMs, toMs } = span;
  const days = { from: dayOf(fromMs), to: endDay(toMs), counterFrom: dayOf(fromMs - maxGapMs) };
  const rows = await listSeriesBlocks(database, scope, subjectIds, codesOf(quantities), days, wanted);
  const series = new Map<string, SeriesRow>();
  const blocks = new Map<string, BlockRow[]>();
  const batches: Buffer[] = [];
  for (const row of rows) {
    if (!series.has(row.id)) series.set(row.id, row);
    if (row.points) batches.push(row.points);
    if (row.day === null) continue;
    const own = blocks.get(row.id) ?? [];
    own.push({ series_id: row.id, day: row.day, samples: row.samples, hours: row.hours });
    blocks.set(row.id, own);
  }
  for (const own of blocks.values()) own.sort((a, b) => a.day - b.day);
  const all = [...series.values()];
  const led = withLead(all, span);
  // Of one subject, everything came in one answer.
  const recent =
    subjectIds.length > 1 && all.length ? await readRecent(database, scope, all, led) : recentOf(batches, all, led);
  return { series: all, blocks, recent };
}

export async function readSamples(
  database: Database,
  scope: Scope | AllTenants,
  subjectIds: string[],
  quantities: Quantity[],
  asked: Span,
): Promise<Series[]> {
  const { series, blocks, recent } = await readSeries(database, scope, subjectIds, quantities, asked, 'samples');
  return series
    .map((one) => traceOf(one, recent.get(one.id), blocks.get(one.id) ?? [], withLead([one], asked)))
    .filter(({ times }) => times.length > 0);
}

/** The last word of the best origin about each quantity. */
export async function readLatest(
  database: Database,
  scope: Scope | AllTenants,
  subjectId: string,
  quantities: Quantity[],
): Promise<Map<Quantity, Latest>> {
  const series = await findSeries(database, scope, [subjectId], codesOf(quantities));
  const latest = new Map<Quantity, Latest>();
  if (series.length === 0) return latest;
  const recent = await readRecent(database, scope, series, { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER });
  const packed = await listLastBlocks(
    database,
    scope,
    series.map(({ id }) => id),
  );
  const blocks = new Map(packed.map(({ series_id, day, samples }) => [series_id, unpack(day * dayMs, samples)]));
  for (const [, own] of bestFirst(series).reverse())
    for (const { id, field } of own) {
      const { times, values } = merge(blocks.get(id) ?? nothing, recent.get(id) ?? nothing);
      const last = times.length - 1;
      if (last >= 0) latest.set(fieldOf(field).quantity, { atMs: times[last] ?? 0, value: values[last] ?? 0 });
    }
  return latest;
}

const nothing: Samples = { times: [], values: [] };

/** Days of which something is not in a block yet. The first rate of a day comes of the day before. */
function freshDays(series: SeriesRow, recent: Samples | undefined): Set<number> {
  const isCounter = fieldOf(series.field).form === 'counter';
  const days = new Set<number>();
  for (let index = 0; index < (recent?.times.length ?? 0); index++) {
    const day = dayOf(recent?.times[index] ?? 0);
    days.add(day);
    if (isCounter) days.add(day + 1);
  }
  return days;
}

/** The days whose samples make up what counts on these. */
const sampledDays = (fresh: Iterable<number>): number[] => [...new Set([...fresh].flatMap((day) => [day - 1, day]))];

/** One subject by buckets of whole hours: from the sums of hours, and from samples for the days that are not packed. */
export async function readBucketSums(
  database: Database,
  scope: Scope | AllTenants,
  subjectId: string,
  quantity: Quantity,
  range: Range,
): Promise<{ tally: BucketSums; origin: SampleOrigin } | undefined> {
  const { series, blocks, recent } = await readSeries(database, scope, [subjectId], [quantity], range, 'hours');
  // The best origin first: the others are looked at only if it says nothing.
  for (const [origin, own] of bestFirst(series)) {
    const tally = emptyBucketSums(bucketsIn(range));
    for (const one of own)
      await addSeries(database, scope, one, blocks.get(one.id) ?? [], recent.get(one.id), range, tally);
    if (tally.counts.some((count) => count > 0)) return { tally, origin: originOf(origin) };
  }
  return undefined;
}

const bestFirst = (series: SeriesRow[]): [number, SeriesRow[]][] =>
  [...Map.groupBy(series, ({ origin }) => origin)].sort(([a], [b]) => b - a);

async function addSeries(
  database: Database,
  scope: Scope | AllTenants,
  series: SeriesRow,
  days: BlockRow[],
  recent: Samples | undefined,
  range: Range,
  tally: BucketSums,
): Promise<void> {
  const fresh = freshDays(series, recent);
  for (const { day, hours } of days) if (hours && !fresh.has(day)) addHours(tally, range, day, unpackHours(hours));
  if (fresh.size === 0) return;
  const sampled = sampledDays(fresh);
  const ends = [Math.min(...sampled), Math.max(...sampled) + 1] as const;
  const blocks = await listBlocks(database, scope, [series.id], ...ends, sampled);
  const trace = traceOf(series, recent, blocks, { fromMs: 0, toMs: range.toMs });
  addSamples(tally, range, onDays(countedIn(trace), fresh), fieldOf(series.field).quantity);
}

function onDays({ times, values }: Samples, days: Set<number>): Samples {
  const kept = { times: [] as number[], values: [] as number[] };
  for (let index = 0; index < times.length; index++) {
    const time = times[index] ?? 0;
    if (!days.has(dayOf(time))) continue;
    kept.times.push(time);
    kept.values.push(values[index] ?? 0);
  }
  return kept;
}

function addHours(tally: BucketSums, { fromMs, intervalMs }: Range, day: number, hours: BucketSums): void {
  for (let hour = 0; hour < hours.sums.length; hour++) {
    const bucket = Math.floor((day * dayMs + hour * hourMs - fromMs) / intervalMs);
    if (bucket < 0 || bucket >= tally.sums.length) continue;
    tally.sums[bucket] = (tally.sums[bucket] ?? 0) + (hours.sums[hour] ?? 0);
    tally.counts[bucket] = (tally.counts[bucket] ?? 0) + (hours.counts[hour] ?? 0);
  }
}

const directions: Quantity[] = ['bits_send', 'bits_received'];

/** What each of these connectors used, hour by hour: of packed days what was added up then, of the others from samples. */
export async function readUsage(
  database: Database,
  scope: Scope | AllTenants,
  subjectIds: string[],
  span: Span,
): Promise<Map<string, { usage: HourlyUsage; origin: SampleOrigin }>> {
  const series = await findSeries(database, scope, subjectIds, codesOf(directions));
  if (series.length === 0) return new Map();
  const ids = series.map(({ id }) => id);
  const recent = await readRecent(database, scope, series, { ...span, fromMs: span.fromMs - maxGapMs });
  const usage = await listUsage(database, scope, subjectIds, dayOf(span.fromMs), endDay(span.toMs));
  const sampled = sampledDays(series.flatMap((one) => [...freshDays(one, recent.get(one.id))]));
  const blocks = sampled.length
    ? await listBlocks(database, scope, ids, Math.min(...sampled), Math.max(...sampled) + 1, 'all')
    : [];
  const blocksOf = Map.groupBy(blocks, ({ series_id }) => series_id);
  const usageOf = Map.groupBy(usage, ({ subject_id }) => subject_id);
  const found = new Map<string, { usage: HourlyUsage; origin: SampleOrigin }>();
  for (const [subjectId, own] of Map.groupBy(series, ({ subject_id }) => subject_id)) {
    for (const [origin, those] of bestFirst(own)) {
      const packed = (usageOf.get(subjectId) ?? []).filter((row) => row.origin === origin);
      const hours = hoursUsed(those, packed, recent, blocksOf, span);
      if (!hours.slots.some((word) => word > 0)) continue;
      found.set(subjectId, { usage: hours, origin: originOf(origin) });
      break;
    }
  }
  return found;
}

/** One connector and origin. */
function hoursUsed(
  series: SeriesRow[],
  packed: UsageRow[],
  recent: Map<string, Samples>,
  blocks: Map<string, BlockRow[]>,
  span: Span,
): HourlyUsage {
  const count = (span.toMs - span.fromMs) / hourMs;
  const usage: HourlyUsage = { sums: new Float64Array(count), slots: new Uint16Array(count) };
  const fresh = new Set(series.flatMap((one) => [...freshDays(one, recent.get(one.id))]));
  for (const { day, hours } of packed) if (!fresh.has(day)) copyDay(unpackUsage(hours), 0, usage, day, span.fromMs);
  const traces = fresh.size
    ? series.map((one) => traceOf(one, recent.get(one.id), blocks.get(one.id) ?? [], { fromMs: 0, toMs: span.toMs }))
    : [];
  if (fresh.size === 0) return usage;
  // All fresh days in one go, whatever lies between them.
  const first = Math.max(Math.min(...fresh), dayOf(span.fromMs));
  const last = Math.min(Math.max(...fresh), endDay(span.toMs) - 1);
  const slots = first <= last ? fiveMinuteSums(traces, first * dayMs, (last + 1) * dayMs) : undefined;
  const hours = slots && hourly(slots.slots);
  for (const day of hours ? fresh : [])
    copyDay(hours as HourlyUsage, (day - first) * hoursPerDay, usage, day, span.fromMs);
  return usage;
}

/** The hours of a day, which begin at one place of some, into those of a span. */
function copyDay(from: HourlyUsage, firstHour: number, into: HourlyUsage, day: number, spanFromMs: number): void {
  for (let hour = 0; hour < hoursPerDay; hour++) {
    const at = (day * dayMs - spanFromMs) / hourMs + hour;
    if (at < 0 || at >= into.sums.length || firstHour + hour < 0) continue;
    into.sums[at] = from.sums[firstHour + hour] ?? 0;
    into.slots[at] = from.slots[firstHour + hour] ?? 0;
  }
}
