// Keeping house in the embedded engine: what was written is packed, what is too old goes, and so does what was measured of records that are
// gone. Each step is a transaction: whenever this dies, every point is in a batch or in a block.
import { allTenants, type Database, type Store, tryAdvisoryLock } from '../../store/database.ts';
import { addSamples, countedIn, emptyBucketSums } from '../buckets.ts';
import type { Samples } from '../samples.ts';
import { dayMs, hourMs, minuteMs } from '../time-range.ts';
import { fiveMinuteSums } from '../usage.ts';
import { unpackBatches } from './batch-codec.ts';
import { hoursPerDay, merge, pack, packHours, packUsage, unpack } from './block-codec.ts';
import { codesOf, fieldOf, originOf } from './series-codes.ts';
import {
  deleteBefore,
  deleteOrphans,
  findSeries,
  findSeriesById,
  listBlocks,
  type NewBlock,
  type NewUsage,
  type SeriesRow,
  takeBatches,
  upsertBlocks,
  upsertUsage,
} from './store.ts';

/** Rows that are packed together: as many as one or two large requests make. */
const batchesAtOnce = 64;
const seriesAtOnce = 500;

const dayOf = (ms: number): number => Math.floor(ms / dayMs);

/** Samples by day; they are in the order of time. */
function byDay({ times, values }: Samples): Map<number, { times: number[]; values: number[] }> {
  const days = new Map<number, { times: number[]; values: number[] }>();
  for (let index = 0; index < times.length; index++) {
    const time = times[index] ?? 0;
    const own = days.get(dayOf(time)) ?? { times: [], values: [] };
    own.times.push(time);
    own.values.push(values[index] ?? 0);
    days.set(dayOf(time), own);
  }
  return days;
}

/** The sums of the hours of a day. The first rate of a counter comes of the day before. */
function hoursOf(series: Pick<SeriesRow, 'field'>, day: number, before: Samples, samples: Samples): Buffer {
  const { quantity, form } = fieldOf(series.field);
  const tally = emptyBucketSums(hoursPerDay);
  const range = { fromMs: day * dayMs, toMs: (day + 1) * dayMs, intervalMs: hourMs };
  addSamples(tally, range, countedIn({ form, ...(form === 'counter' ? merge(before, samples) : samples) }), quantity);
  return packHours(tally);
}

const nothing: Samples = { times: [], values: [] };

/** The days of one series as they are after its new samples were put in. */
function packSeries(
  series: SeriesRow,
  fresh: Map<number, Samples>,
  held: Map<number, Samples>,
): { blocks: NewBlock[]; samples: Map<number, Samples> } {
  const samples = new Map(held);
  for (const [day, own] of fresh) samples.set(day, merge(held.get(day) ?? nothing, own));
  const isCounter = fieldOf(series.field).form === 'counter';
  const changed = new Set([...fresh.keys()].flatMap((day) => (isCounter ? [day, day + 1] : [day])));
  const blocks = [...changed].flatMap((day): NewBlock[] => {
    const own = samples.get(day);
    if (!own) return [];
    return [
      {
        organisationId: series.organisation_id,
        seriesId: series.id,
        day,
        samples: pack(day * dayMs, own),
        hours: hoursOf(series, day, samples.get(day - 1) ?? nothing, own),
      },
    ];
  });
  return { blocks, samples };
}

const heldDays = (fresh: Iterable<number>): number[] => [
  ...new Set([...fresh].flatMap((day) => [day - 1, day, day + 1])),
];

async function samplesHeld(
  database: Database,
  ids: string[],
  days: number[],
): Promise<Map<string, Map<number, Samples>>> {
  const held = new Map<string, Map<number, Samples>>();
  if (days.length === 0) return held;
  const rows = await listBlocks(database, allTenants, ids, Math.min(...days), Math.max(...days) + 1, days);
  for (const { series_id, day, samples } of rows) {
    if (!samples) continue;
    const own = held.get(series_id) ?? new Map();
    own.set(day, unpack(day * dayMs, samples));
    held.set(series_id, own);
  }
  return held;
}

/** Within a transaction: puts what was measured into blocks. Days are those of the samples, and the one after a counter's. */
export async function storeSamples(
  database: Database,
  series: SeriesRow[],
  fresh: Map<string, Map<number, Samples>>,
): Promise<void> {
  const days = heldDays([...fresh.values()].flatMap((own) => [...own.keys()]));
  const held = await samplesHeld(
    database,
    series.map(({ id }) => id),
    days,
  );
  const blocks: NewBlock[] = [];
  const changed = new Map<string, Set<number>>();
  for (const one of series) {
    const made = packSeries(one, fresh.get(one.id) ?? new Map(), held.get(one.id) ?? new Map());
    blocks.push(...made.blocks);
    changed.set(one.id, new Set(made.blocks.map(({ day }) => day)));
  }
  if (blocks.length) await upsertBlocks(database, allTenants, blocks);
  await storeUsage(database, series, changed);
}

/** What connectors used on days of which a direction was packed anew. */
async function storeUsage(database: Database, packed: SeriesRow[], changed: Map<string, Set<number>>): Promise<void> {
  const directions = codesOf(['bits_send', 'bits_received']);
  const subjects = [...new Set(packed.filter(({ field }) => directions.includes(field)).map((one) => one.subject_id))];
  if (subjects.length === 0) return;
  const series = await findSeries(database, allTenants, subjects, directions);
  const days = heldDays(series.flatMap(({ id }) => [...(changed.get(id) ?? [])]));
  const held = await samplesHeld(
    database,
    series.map(({ id }) => id),
    days,
  );
  const usage: NewUsage[] = [];
  for (const own of Map.groupBy(series, ({ subject_id, origin }) => `${subject_id} ${origin}`).values()) {
    const [first] = own;
    if (!first) continue;
    for (const day of new Set(own.flatMap(({ id }) => [...(changed.get(id) ?? [])]))) {
      const traces = own.map((one) => ({
        subjectId: one.subject_id,
        ...fieldOf(one.field),
        origin: originOf(one.origin),
        ...merge(held.get(one.id)?.get(day - 1) ?? nothing, held.get(one.id)?.get(day) ?? nothing),
      }));
      const slots = fiveMinuteSums(traces, day * dayMs, (day + 1) * dayMs);
      if (!slots) continue;
      const { organisation_id, subject_id, origin } = first;
      const hours = packUsage(slots.slots);
      usage.push({ organisationId: organisation_id, subjectId: subject_id, origin, day, hours });
    }
  }
  if (usage.length) await upsertUsage(database, allTenants, usage);
}

/** Packs some of what was written; says whether there may be more. */
async function packSome(store: Store): Promise<boolean> {
  return store.write(allTenants, async (database) => {
    if (!(await tryAdvisoryLock(database, 'patchbay metric keeping'))) return false;
    const batches = await takeBatches(database, allTenants, batchesAtOnce);
    const samples = [...unpackBatches(batches, () => true)];
    for (let start = 0; start < samples.length; start += seriesAtOnce) {
      const some = samples.slice(start, start + seriesAtOnce);
      // A series that is gone leaves nothing to keep.
      const series = await findSeriesById(
        database,
        allTenants,
        some.map(([id]) => String(id)),
      );
      await storeSamples(database, series, new Map(some.map(([id, own]) => [String(id), byDay(own)])));
    }
    return batches.length === batchesAtOnce;
  });
}

/** Packs everything that was written until now. */
export async function compactAll(store: Store): Promise<void> {
  while (await packSome(store));
}

export async function deleteExpired(store: Store, nowMs: number, keepDays: number): Promise<void> {
  const day = dayOf(nowMs) - keepDays;
  while (await store.write(allTenants, (database) => deleteBefore(database, allTenants, day)));
  while (await store.write(allTenants, (database) => deleteOrphans(database, allTenants)));
}

const everyMs = minuteMs;
/** What is too old, or of nobody, is in no hurry. */
const turnsPerClearing = 60;

/** Keeps house now and then, until it is told to stop. */
export function startCompaction(
  store: Store,
  keepDays: number,
  nowMs: () => number,
  onTrouble: (error: Error, what: string) => void,
): { stop(): Promise<void> } {
  let keeping: Promise<void> = Promise.resolve();
  let turns = 0;
  const keep = (): void => {
    const isRare = turns++ % turnsPerClearing === 0;
    keeping = keeping
      .then(() => compactAll(store))
      // What is thrown away is old by both clocks: one that runs ahead would throw away everything.
      .then(() => (isRare ? deleteExpired(store, Math.min(nowMs(), Date.now()), keepDays) : undefined))
      .catch((error) => onTrouble(error, 'keeping the metrics'));
  };
  keep();
  const timer = setInterval(keep, everyMs);
  timer.unref();
  return {
    async stop() {
      clearInterval(timer);
      await keeping;
    },
  };
}
