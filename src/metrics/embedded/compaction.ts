// Compaction of the embedded engine: batches become day blocks with hourly sums and usage; expired and orphaned data
// is deleted. Each step is one transaction, so that after a crash every point is in a batch or in a block. Its size is
// bounded, so that its statements end in time.
import { TimeSlices } from '../../concurrency/time-slices.ts';
import { allTenants, type Database, type Store, tryAdvisoryLock } from '../../store/database.ts';
import { addSeries, emptyBucketSums } from '../buckets.ts';
import type { Series } from '../samples.ts';
import { dayMs, dayOf, hourMs, minuteMs } from '../time-range.ts';
import { directions, fiveMinuteUsage } from '../usage.ts';
import { decodeBatches } from './batch-codec.ts';
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
  deleteBefore,
  deleteOrphans,
  listBlocks,
  listOrganisationsWithBatches,
  listSeries,
  listSeriesByIds,
  type NewBlock,
  type NewUsage,
  type SeriesRow,
  takeBatches,
  upsertBlocks,
  upsertUsage,
} from './store.ts';

/** The work of one transaction: 260,000 points, or the batch of one large request. */
const stepLimit = { batches: 64, bytes: 4 * 1024 * 1024 };
const seriesAtOnce = 500;
/** A full day of one series has a megabyte. */
const daysAtOnce = 16;
/** The size of one statement. */
const blockLimit = { blocks: 100, bytes: 1024 * 1024 };
/** Organisations whose compaction may fail in one run before it ends: then the database is at fault, not their data. */
const maxFailures = 5;
/** Earlier versions take the same lock; do not rename it. */
const compactionLock = 'patchbay metric keeping';

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

/** Compacts some batches of an organisation. */
async function compactSome(store: Store, organisationId: string): Promise<'is done' | 'has more' | 'is locked'> {
  return store.write(allTenants, async (database) => {
    if (!(await tryAdvisoryLock(database, compactionLock))) return 'is locked';
    const { batches, hasMore } = await takeBatches(database, allTenants, organisationId, stepLimit);
    const samples = [...(await decodeBatches(batches, () => true))];
    for (let start = 0; start < samples.length; start += seriesAtOnce) {
      const added = new Map(samples.slice(start, start + seriesAtOnce).map(([id, own]) => [String(id), own]));
      // Samples of a series that was deleted meanwhile are dropped.
      const series = await listSeriesByIds(database, allTenants, [...added.keys()]);
      await storeSamples(database, series, added);
    }
    return hasMore ? 'has more' : 'is done';
  });
}

/**
 * Compacts a step of each organisation in turn, so that none waits for the backlog of another. An organisation whose
 * step fails is left out until the next run.
 */
export async function compactAll(store: Store): Promise<void> {
  const failures = new Map<string, unknown>();
  for (let hasMore = true; hasMore; ) {
    hasMore = false;
    const organisations = await store.read(allTenants, (database) =>
      listOrganisationsWithBatches(database, allTenants),
    );
    for (const organisationId of organisations.filter((id) => !failures.has(id))) {
      const result = await compactSome(store, organisationId).catch((error: unknown) => {
        failures.set(organisationId, error);
        if (failures.size >= maxFailures) throw error;
      });
      hasMore ||= result === 'has more';
      // Another replica compacts.
      if (result === 'is locked') {
        hasMore = false;
        break;
      }
    }
  }
  for (const error of failures.values()) throw error;
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
