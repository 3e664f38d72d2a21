// Merges samples into the day blocks of the embedded engine, with their hourly sums and the usage of connectors. Each
// statement has a bounded size, so that it ends in time.
import { TimeSlices } from '../../concurrency/time-slices.ts';
import { allTenants, type Database } from '../../store/database.ts';
import { addSeries, emptyBucketSums } from '../buckets.ts';
import type { Series } from '../samples.ts';
import { dayMs, hourMs } from '../time-range.ts';
import { directions, fiveMinuteUsage } from '../usage.ts';
import {
  type DaySamples,
  decodeSamples,
  encodeHourlySums,
  encodeSamples,
  encodeUsage,
  hoursPerDay,
  joinSamples,
  lastOf,
  mergeSamples,
  noSamples,
  type SampleColumns,
} from './block-codec.ts';
import { fieldCodesOf, fieldOfCode, originOfCode } from './series-codes.ts';
import {
  listBlocks,
  listSeries,
  type NewBlock,
  type NewUsage,
  type SeriesRow,
  upsertBlocks,
  upsertUsage,
} from './store.ts';

/** A full day of one series has a megabyte. */
const daysAtOnce = 16;
/** The size of one statement. */
const blockLimit = { blocks: 100, bytes: 1024 * 1024 };

/** The first rate of a counter on a day needs the last sample of the day before. */
async function hourlySumsOf(
  fieldCode: number,
  day: number,
  dayBefore: SampleColumns,
  samples: SampleColumns,
  slices: TimeSlices,
): Promise<Buffer> {
  const { quantity, type } = fieldOfCode(fieldCode);
  const buckets = emptyBucketSums(hoursPerDay);
  const range = { fromMs: day * dayMs, toMs: (day + 1) * dayMs, intervalMs: hourMs };
  const own = await joinSamples(type === 'counter' ? [lastOf(dayBefore), samples] : [samples], slices);
  await addSeries(buckets, range, { type, ...own }, quantity, slices);
  return encodeHourlySums(buckets);
}

/** The blocks of one series that change when new samples are merged into the stored ones. */
async function* buildBlocks(
  series: SeriesRow,
  added: DaySamples,
  stored: DaySamples,
  slices: TimeSlices,
): AsyncGenerator<NewBlock> {
  const merged: DaySamples = new Map();
  const samplesOn = async (day: number): Promise<SampleColumns | undefined> => {
    const own = added.get(day);
    if (!own) return stored.get(day);
    const known = merged.get(day) ?? (await mergeSamples(stored.get(day) ?? noSamples, own, slices));
    merged.set(day, known);
    return known;
  };
  const isCounter = fieldOfCode(series.field).type === 'counter';
  for (const day of new Set([...added.keys()].flatMap((changed) => (isCounter ? [changed, changed + 1] : [changed])))) {
    const own = await samplesOn(day);
    if (!own) continue;
    yield {
      organisationId: series.organisation_id,
      seriesId: series.id,
      day,
      samples: await encodeSamples(day * dayMs, own, slices),
      hours: await hourlySumsOf(series.field, day, (await samplesOn(day - 1)) ?? noSamples, own, slices),
    };
  }
}

/** Stores blocks in statements of a bounded size. */
class BlockWriter {
  private readonly database: Database;
  private blocks: NewBlock[] = [];
  private bytes = 0;

  constructor(database: Database) {
    this.database = database;
  }

  async add(block: NewBlock): Promise<void> {
    this.blocks.push(block);
    this.bytes += block.samples.length;
    if (this.blocks.length >= blockLimit.blocks || this.bytes >= blockLimit.bytes) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.blocks.length) await upsertBlocks(this.database, allTenants, this.blocks);
    this.blocks = [];
    this.bytes = 0;
  }
}

/** These days and their neighbours. */
const withAdjacentDays = (days: Iterable<number>): number[] => [
  ...new Set([...days].flatMap((day) => [day - 1, day, day + 1])),
];

async function readStoredSamples(
  database: Database,
  series: SeriesRow[],
  days: number[],
): Promise<Map<string, DaySamples>> {
  const stored = new Map<string, DaySamples>();
  if (days.length === 0) return stored;
  const ids = series.map(({ id }) => id);
  const rows = await listBlocks(database, allTenants, ids, Math.min(...days), Math.max(...days) + 1, days);
  const slices = new TimeSlices();
  for (const { series_id, day, samples } of rows) {
    if (!samples) continue;
    const own: DaySamples = stored.get(series_id) ?? new Map();
    own.set(day, await decodeSamples(day * dayMs, samples, slices));
    stored.set(series_id, own);
  }
  return stored;
}

/** Merges samples, by series id and day, into blocks. Runs in the caller's transaction. */
export async function storeSamples(
  database: Database,
  series: SeriesRow[],
  added: Map<string, DaySamples>,
): Promise<void> {
  const days = [...new Set([...added.values()].flatMap((own) => [...own.keys()]))].sort((a, b) => a - b);
  for (let start = 0; start < days.length; start += daysAtOnce)
    await storeDays(database, series, added, days.slice(start, start + daysAtOnce));
}

function chooseDays(samples: DaySamples | undefined, days: number[]): DaySamples {
  const chosen: DaySamples = new Map();
  for (const day of days) {
    const own = samples?.get(day);
    if (own) chosen.set(day, own);
  }
  return chosen;
}

/** Stores some days. Earlier days are stored already, since rates depend on the day before. */
async function storeDays(
  database: Database,
  series: SeriesRow[],
  added: Map<string, DaySamples>,
  days: number[],
): Promise<void> {
  const stored = await readStoredSamples(database, series, withAdjacentDays(days));
  const changedDays = new Map<string, number[]>();
  const writer = new BlockWriter(database);
  const slices = new TimeSlices();
  for (const one of series) {
    const changed: number[] = [];
    const own = chooseDays(added.get(one.id), days);
    for await (const block of buildBlocks(one, own, stored.get(one.id) ?? new Map(), slices)) {
      changed.push(block.day);
      await writer.add(block);
    }
    changedDays.set(one.id, changed);
    if (slices.isOver) await slices.next();
  }
  await writer.flush();
  await storeUsage(database, series, changedDays);
}

/** Recomputes the usage of connectors on the days on which a direction changed. */
async function storeUsage(
  database: Database,
  changedSeries: SeriesRow[],
  changedDays: Map<string, number[]>,
): Promise<void> {
  const codes = fieldCodesOf(directions);
  const subjectIds = changedSeries.filter(({ field }) => codes.includes(field)).map((one) => one.subject_id);
  if (subjectIds.length === 0) return;
  const series = await listSeries(database, allTenants, [...new Set(subjectIds)], codes);
  const daysOf = (own: SeriesRow[]): number[] => own.flatMap(({ id }) => changedDays.get(id) ?? []);
  const stored = await readStoredSamples(database, series, withAdjacentDays(daysOf(series)));
  const usage: NewUsage[] = [];
  const slices = new TimeSlices();
  for (const own of Map.groupBy(series, ({ subject_id, origin }) => `${subject_id} ${origin}`).values()) {
    const [first] = own;
    if (!first) continue;
    const { organisation_id: organisationId, subject_id: subjectId, origin } = first;
    for (const day of new Set(daysOf(own))) {
      if (slices.isOver) await slices.next();
      const daily: Series[] = [];
      for (const one of own) daily.push(await seriesOnDay(one, stored.get(one.id), day, slices));
      const found = await fiveMinuteUsage(daily, day * dayMs, (day + 1) * dayMs, slices);
      if (found) usage.push({ organisationId, subjectId, origin, day, hours: encodeUsage(found.values) });
    }
  }
  if (usage.length) await upsertUsage(database, allTenants, usage);
}

/** The samples of a day and the last one of the day before, which the first rate of a counter needs. */
async function seriesOnDay(
  series: SeriesRow,
  stored: DaySamples | undefined,
  day: number,
  slices: TimeSlices,
): Promise<Series> {
  const parts = [lastOf(stored?.get(day - 1) ?? noSamples), stored?.get(day) ?? noSamples];
  const samples = await joinSamples(parts, slices);
  const origin = originOfCode(series.origin);
  return { subjectId: series.subject_id, ...fieldOfCode(series.field), origin, ...samples };
}
