// Compaction of the embedded engine: batches become day blocks with hourly sums and usage; expired and orphaned data
// is deleted. Each step is one transaction, so that after a crash every point is in a batch or in a block.
import { TimeSlices } from '../../concurrency/time-slices.ts';
import { allTenants, type Database, type Store, tryAdvisoryLock } from '../../store/database.ts';
import { addSamples, emptyBucketSums, rateIfCounter } from '../buckets.ts';
import type { Samples, Series } from '../samples.ts';
import { dayMs, dayOf, hourMs, minuteMs } from '../time-range.ts';
import { directions, fiveMinuteUsage } from '../usage.ts';
import { type DecodedSamples, decodeBatches } from './batch-codec.ts';
import {
  decodeSamples,
  encodeHourlySums,
  encodeSamples,
  encodeUsage,
  hoursPerDay,
  mergeSamples,
} from './block-codec.ts';
import { fieldCodesOf, fieldOfCode, originOfCode } from './series-codes.ts';
import {
  deleteBefore,
  deleteOrphans,
  listBlocks,
  listSeries,
  listSeriesByIds,
  type NewBlock,
  type NewUsage,
  type SeriesRow,
  takeBatches,
  upsertBlocks,
  upsertUsage,
} from './store.ts';

/** The batches of one or two large requests. */
const batchesAtOnce = 64;
const seriesAtOnce = 500;
const blocksAtOnce = 100;
/** Earlier versions take the same lock; do not rename it. */
const compactionLock = 'patchbay metric keeping';

/** Samples of one series by day. */
type DaySamples = Map<number, Samples>;
const noSamples: Samples = { times: [], values: [] };

async function groupByDay({ times, values }: DecodedSamples, slices: TimeSlices): Promise<DaySamples> {
  const days: DaySamples = new Map();
  for (let from = 0, to = 0; from < times.length; from = to) {
    const day = dayOf(times[from] ?? 0);
    const endMs = (day + 1) * dayMs;
    while (to < times.length && (times[to] ?? 0) < endMs) to++;
    days.set(day, { times: times.subarray(from, to), values: values.subarray(from, to) });
    if (slices.isOver) await slices.next();
  }
  return days;
}

/** The first rate of a counter on a day needs the last sample of the day before. */
function hourlySumsOf(fieldCode: number, day: number, dayBefore: Samples, samples: Samples): Buffer {
  const { quantity, type } = fieldOfCode(fieldCode);
  const buckets = emptyBucketSums(hoursPerDay);
  const range = { fromMs: day * dayMs, toMs: (day + 1) * dayMs, intervalMs: hourMs };
  const series = { type, ...(type === 'counter' ? mergeSamples(dayBefore, samples) : samples) };
  addSamples(buckets, range, rateIfCounter(series), quantity);
  return encodeHourlySums(buckets);
}

/** The blocks of one series that change when new samples are merged into the stored ones. */
function* buildBlocks(series: SeriesRow, added: DaySamples, stored: DaySamples): Generator<NewBlock> {
  const merged: DaySamples = new Map();
  const samplesOn = (day: number): Samples | undefined => {
    const own = added.get(day);
    if (!own) return stored.get(day);
    const known = merged.get(day) ?? mergeSamples(stored.get(day) ?? noSamples, own);
    merged.set(day, known);
    return known;
  };
  const isCounter = fieldOfCode(series.field).type === 'counter';
  for (const day of new Set([...added.keys()].flatMap((changed) => (isCounter ? [changed, changed + 1] : [changed])))) {
    const own = samplesOn(day);
    if (!own) continue;
    yield {
      organisationId: series.organisation_id,
      seriesId: series.id,
      day,
      samples: encodeSamples(day * dayMs, own),
      hours: hourlySumsOf(series.field, day, samplesOn(day - 1) ?? noSamples, own),
    };
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
  for (const { series_id, day, samples } of rows) {
    if (!samples) continue;
    const own: DaySamples = stored.get(series_id) ?? new Map();
    own.set(day, decodeSamples(day * dayMs, samples));
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
  const allDays = withAdjacentDays([...added.values()].flatMap((own) => [...own.keys()]));
  const stored = await readStoredSamples(database, series, allDays);
  const blocks: NewBlock[] = [];
  const changedDays = new Map<string, number[]>();
  const slices = new TimeSlices();
  for (const one of series) {
    const days: number[] = [];
    for (const block of buildBlocks(one, added.get(one.id) ?? new Map(), stored.get(one.id) ?? new Map())) {
      days.push(block.day);
      blocks.push(block);
      if (slices.isOver) await slices.next();
    }
    changedDays.set(one.id, days);
  }
  for (let start = 0; start < blocks.length; start += blocksAtOnce)
    await upsertBlocks(database, allTenants, blocks.slice(start, start + blocksAtOnce));
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
      const daily = own.map((one) => seriesOnDay(one, stored.get(one.id), day));
      const found = fiveMinuteUsage(daily, day * dayMs, (day + 1) * dayMs);
      if (found) usage.push({ organisationId, subjectId, origin, day, hours: encodeUsage(found.values) });
    }
  }
  if (usage.length) await upsertUsage(database, allTenants, usage);
}

/** The samples of a day and of the day before, which the first rate of a counter needs. */
const seriesOnDay = (series: SeriesRow, stored: DaySamples | undefined, day: number): Series => ({
  subjectId: series.subject_id,
  ...fieldOfCode(series.field),
  origin: originOfCode(series.origin),
  ...mergeSamples(stored?.get(day - 1) ?? noSamples, stored?.get(day) ?? noSamples),
});

/** Compacts some batches; returns whether there may be more. */
async function compactSome(store: Store): Promise<boolean> {
  return store.write(allTenants, async (database) => {
    if (!(await tryAdvisoryLock(database, compactionLock))) return false;
    const batches = await takeBatches(database, allTenants, batchesAtOnce);
    const samples = [...(await decodeBatches(batches, () => true))];
    const slices = new TimeSlices();
    for (let start = 0; start < samples.length; start += seriesAtOnce) {
      const added = new Map<string, DaySamples>();
      for (const [id, own] of samples.slice(start, start + seriesAtOnce))
        added.set(String(id), await groupByDay(own, slices));
      // Samples of a series that was deleted meanwhile are dropped.
      const series = await listSeriesByIds(database, allTenants, [...added.keys()]);
      await storeSamples(database, series, added);
    }
    return batches.length === batchesAtOnce;
  });
}

export async function compactAll(store: Store): Promise<void> {
  while (await compactSome(store));
}

export async function deleteExpired(store: Store, nowMs: number, retentionDays: number): Promise<void> {
  const firstDay = dayOf(nowMs) - retentionDays;
  while (await store.write(allTenants, (database) => deleteBefore(database, allTenants, firstDay)));
  while (await store.write(allTenants, (database) => deleteOrphans(database, allTenants)));
}

const compactionIntervalMs = minuteMs;
/** Expired data is deleted in every 60th run. */
const runsPerDeletion = 60;

/** Compacts once a minute until it is stopped. */
export class CompactionWorker {
  private readonly store: Store;
  private readonly retentionDays: number;
  private readonly nowMs: () => number;
  private readonly onError: (error: Error, activity: string) => void;
  private readonly timer: NodeJS.Timeout;
  private running: Promise<void> = Promise.resolve();
  private runs = 0;

  constructor(
    store: Store,
    retentionDays: number,
    nowMs: () => number,
    onError: (error: Error, activity: string) => void,
  ) {
    this.store = store;
    this.retentionDays = retentionDays;
    this.nowMs = nowMs;
    this.onError = onError;
    this.timer = setInterval(() => this.schedule(), compactionIntervalMs);
    this.timer.unref();
    this.schedule();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  private schedule(): void {
    const isDeleting = this.runs++ % runsPerDeletion === 0;
    this.running = this.running
      .then(() => this.run(isDeleting))
      .catch((error) => this.onError(error, 'compacting metric samples'));
  }

  private async run(isDeleting: boolean): Promise<void> {
    await compactAll(this.store);
    // Data must be expired by both clocks: one that runs ahead would delete everything.
    if (isDeleting) await deleteExpired(this.store, Math.min(this.nowMs(), Date.now()), this.retentionDays);
  }
}
