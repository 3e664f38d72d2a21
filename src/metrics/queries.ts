// Queries over any metric engine.
import { TimeSlices } from '../concurrency/time-slices.ts';
import type { Backend } from './backend.ts';
import {
  type AggregatedSeries,
  aggregateSeries,
  availabilityRows,
  combinedOrigin,
  meanRows,
  type Row,
} from './buckets.ts';
import type { Quantity } from './quantities.ts';
import type { SampleOrigin, Subject } from './samples.ts';
import {
  type BucketedRange,
  ceilTo,
  clipToRetention,
  dayMs,
  fiveMinutesMs,
  floorTo,
  hourMs,
  type TimeRange,
} from './time-range.ts';
import {
  alignToFiveMinutes,
  directions,
  FiveMinuteTotals,
  fiveMinuteUsage,
  sumHourlyUsage,
  type UsageSum,
  usageRows,
} from './usage.ts';

/** The rows of one origin. Queries return one for each origin, the best first: written points hide no simulated ones. */
export interface QueryResult {
  rows: Row[];
  origin: SampleOrigin;
}

async function queryBuckets(
  backend: Backend,
  subject: Subject,
  quantity: Quantity,
  range: BucketedRange,
): Promise<AggregatedSeries[]> {
  const aggregation = await backend.bucketSums?.(subject, quantity, range);
  if (aggregation?.isSupported) return aggregation.results;
  const clipped = clipToRetention(range, range.intervalMs, backend.retentionMs, backend.nowMs());
  if (clipped.fromMs >= clipped.toMs) return [];
  return aggregateSeries(await backend.samples([subject], [quantity], clipped), quantity, range);
}

export async function queryMeans(
  backend: Backend,
  subject: Subject,
  quantity: Quantity,
  range: BucketedRange,
): Promise<QueryResult[]> {
  const found = await queryBuckets(backend, subject, quantity, range);
  return found.map(({ buckets, origin }) => ({ rows: meanRows(buckets, range), origin }));
}

export async function queryDailyAvailability(
  backend: Backend,
  subject: Subject,
  quantity: Quantity,
  range: BucketedRange,
): Promise<QueryResult[]> {
  const found = await queryBuckets(backend, subject, quantity, range);
  return found.map(({ buckets, origin }) => ({ rows: availabilityRows(buckets, range), origin }));
}

/** Up to this length, reading samples is as fast as reading hourly sums. */
const maxSampledMs = 2 * dayMs;
const subjectsAtOnce = 500;

/** Passes the five-minute values of each connector to `take`, one connector at a time to bound the memory. */
async function forEachUsage(
  backend: Backend,
  subjects: Subject[],
  range: TimeRange,
  take: (id: string, values: Float64Array, origin: SampleOrigin) => void,
): Promise<void> {
  if (range.fromMs >= range.toMs) return;
  // An external engine has one deadline for the whole query and must get all subjects in one call.
  const atOnce = backend.isExternal ? subjects.length : subjectsAtOnce;
  const slices = new TimeSlices();
  for (let start = 0; start < subjects.length; start += atOnce) {
    const series = await backend.samples(subjects.slice(start, start + atOnce), directions, range);
    for (const [id, own] of Map.groupBy(series, ({ subjectId }) => subjectId)) {
      if (slices.isOver) await slices.next();
      const usage = await fiveMinuteUsage(own, range.fromMs, range.toMs, slices);
      if (usage) take(id, usage.values, usage.origin);
    }
  }
}

/** The total usage of some connectors by the buckets of a range; each connector counts with its best origin. */
export async function queryUsage(
  backend: Backend,
  subjects: Subject[],
  requested: BucketedRange,
): Promise<QueryResult[]> {
  if (subjects.length === 0) return [];
  const range = clipToRetention(requested, requested.intervalMs, backend.retentionMs, backend.nowMs());
  const isHourly = range.fromMs % hourMs === 0 && range.intervalMs % hourMs === 0;
  if (backend.hourlyUsage && isHourly && range.toMs - range.fromMs > maxSampledMs) {
    const found = [...(await backend.hourlyUsage(subjects, range)).values()];
    const usages = found.map(({ usage }) => usage);
    const hourAt = (ms: number): number => (ms - range.fromMs) / hourMs;
    const rows = usageRows(range, (fromMs, toMs) => sumHourlyUsage(usages, hourAt(fromMs), hourAt(toMs)));
    return [{ rows, origin: combinedOrigin(found.map(({ origin }) => origin)) }];
  }
  const aligned = alignToFiveMinutes(range);
  const totals = new FiveMinuteTotals((aligned.toMs - aligned.fromMs) / fiveMinutesMs);
  const origins = new Set<SampleOrigin>();
  await forEachUsage(backend, subjects, aligned, (_, values, origin) => {
    totals.add(values);
    origins.add(origin);
  });
  const bucketAt = (ms: number): number => Math.ceil((ms - aligned.fromMs) / fiveMinutesMs);
  const rows = usageRows(range, (fromMs, toMs) => totals.sumBetween(bucketAt(fromMs), bucketAt(toMs)));
  return [{ rows, origin: combinedOrigin(origins) }];
}

/** Connectors whose usage is added up, such as those of a group in a region. */
export interface ConnectorSet {
  id: string;
  subjects: Subject[];
}

type SumOfSet = (set: ConnectorSet) => UsageSum;

async function sumFiveMinutes(backend: Backend, sets: ConnectorSet[], range: TimeRange): Promise<SumOfSet> {
  const setIds = new Map(sets.flatMap((set) => set.subjects.map(({ id }) => [id, set.id])));
  const count = (range.toMs - range.fromMs) / fiveMinutesMs;
  const totals = new Map<string, FiveMinuteTotals>();
  const subjects = sets.flatMap((set) => set.subjects);
  await forEachUsage(backend, subjects, range, (id, values) => {
    const setId = setIds.get(id) ?? '';
    const own = totals.get(setId) ?? new FiveMinuteTotals(count);
    own.add(values);
    totals.set(setId, own);
  });
  return ({ id }) => totals.get(id)?.sumBetween(0, count) ?? { sum: 0, count: 0 };
}

async function sumHours(backend: Backend, sets: ConnectorSet[], range: TimeRange): Promise<SumOfSet> {
  const hours = (range.toMs - range.fromMs) / hourMs;
  const subjects = sets.flatMap((set) => set.subjects);
  const found = await backend.hourlyUsage?.(subjects, range);
  return (set) => {
    const usages = set.subjects.flatMap(({ id }) => found?.get(id)?.usage ?? []);
    return sumHourlyUsage(usages, 0, hours);
  };
}

/** The mean of the five-minute totals of each set in a range; 0 where nothing was measured. */
export async function queryMeanUsage(
  backend: Backend,
  sets: ConnectorSet[],
  { fromMs, toMs }: TimeRange,
): Promise<Map<string, number>> {
  const requested = { fromMs: floorTo(fromMs, fiveMinutesMs), toMs: ceilTo(toMs, fiveMinutesMs) };
  const range = clipToRetention(requested, hourMs, backend.retentionMs, backend.nowMs());
  const wholeHours = { fromMs: ceilTo(range.fromMs, hourMs), toMs: floorTo(range.toMs, hourMs) };
  const parts: SumOfSet[] = [];
  if (backend.hourlyUsage && wholeHours.toMs - wholeHours.fromMs > maxSampledMs) {
    parts.push(
      await sumFiveMinutes(backend, sets, { fromMs: range.fromMs, toMs: wholeHours.fromMs }),
      await sumFiveMinutes(backend, sets, { fromMs: wholeHours.toMs, toMs: range.toMs }),
      await sumHours(backend, sets, wholeHours),
    );
  } else parts.push(await sumFiveMinutes(backend, sets, range));
  return new Map(
    sets.map((set) => {
      const sums = parts.map((part) => part(set));
      const count = sums.reduce((total, one) => total + one.count, 0);
      const sum = sums.reduce((total, one) => total + one.sum, 0);
      return [set.id, count ? sum / count : 0];
    }),
  );
}
