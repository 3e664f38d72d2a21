// Reads of the used capacity from the embedded engine.
import { TimeSlices } from '../../concurrency/time-slices.ts';
import type { AllTenants, Database, Scope } from '../../store/database.ts';
import { maxGapMs } from '../buckets.ts';
import type { Series } from '../samples.ts';
import { dayMs, dayOf, hourMs, type TimeRange } from '../time-range.ts';
import {
  directions,
  emptyHourlyUsage,
  fiveMinuteUsage,
  type HourlyUsage,
  type SubjectUsage,
  toHourlyUsage,
} from '../usage.ts';
import { decodeUsage, hoursPerDay, noSamples, within } from './block-codec.ts';
import {
  endDay,
  groupByOrigin,
  outdatedDays,
  type RecentSamples,
  readRecent,
  toSeries,
  withDayBefore,
} from './query.ts';
import { fieldCodesOf, originOfCode } from './series-codes.ts';
import { type BlockRow, listBlocks, listSeries, listUsage, type SeriesRow, type UsageRow } from './store.ts';

/** By series id. */
interface StoredUsage {
  blocks: Map<string, BlockRow[]>;
  recent: RecentSamples;
  outdated: Map<string, Set<number>>;
}

/** The days whose usage is outdated, by series id. */
async function outdatedDaysOf(
  series: SeriesRow[],
  recent: RecentSamples,
  slices: TimeSlices,
): Promise<Map<string, Set<number>>> {
  const days = new Map<string, Set<number>>();
  for (const one of series) {
    if (slices.isOver) await slices.next();
    days.set(one.id, outdatedDays(one, recent.get(one.id) ?? noSamples));
  }
  return days;
}

/** The usage of each connector by hour, from stored usage, and from samples on outdated days. */
export async function readUsage(
  database: Database,
  scope: Scope | AllTenants,
  subjectIds: string[],
  range: TimeRange,
): Promise<Map<string, SubjectUsage>> {
  const series = await listSeries(database, scope, subjectIds, fieldCodesOf(directions));
  if (series.length === 0) return new Map();
  const ids = series.map(({ id }) => id);
  const recent = await readRecent(database, scope, series, { ...range, fromMs: range.fromMs - maxGapMs });
  const usage = await listUsage(database, scope, subjectIds, dayOf(range.fromMs), endDay(range.toMs));
  const slices = new TimeSlices();
  const outdated = await outdatedDaysOf(series, recent, slices);
  const days = withDayBefore(new Set([...outdated.values()].flatMap((own) => [...own])));
  const blocks = days.length
    ? await listBlocks(database, scope, ids, Math.min(...days), Math.max(...days) + 1, 'all')
    : [];
  const stored: StoredUsage = { blocks: Map.groupBy(blocks, ({ series_id }) => series_id), recent, outdated };
  const usageBySubject = Map.groupBy(usage, ({ subject_id }) => subject_id);
  const found = new Map<string, SubjectUsage>();
  for (const [subjectId, own] of Map.groupBy(series, ({ subject_id }) => subject_id)) {
    for (const [origin, candidates] of groupByOrigin(own)) {
      const rows = (usageBySubject.get(subjectId) ?? []).filter((row) => row.origin === origin);
      const hours = await mergeUsage(candidates, rows, stored, range, slices);
      if (!hours.measured.some((bits) => bits > 0)) continue;
      found.set(subjectId, { usage: hours, origin: originOfCode(origin) });
      break;
    }
  }
  return found;
}

/** The usage of one connector from one origin. */
async function mergeUsage(
  series: SeriesRow[],
  rows: UsageRow[],
  stored: StoredUsage,
  range: TimeRange,
  slices: TimeSlices,
): Promise<HourlyUsage> {
  const usage = emptyHourlyUsage((range.toMs - range.fromMs) / hourMs);
  const outdated = new Set(series.flatMap(({ id }) => [...(stored.outdated.get(id) ?? [])]));
  if (slices.isOver) await slices.next();
  for (const { day, hours } of rows) if (!outdated.has(day)) copyDay(decodeUsage(hours), usage, day, range.fromMs);
  for (const day of outdated) {
    if (slices.isOver) await slices.next();
    if (day < dayOf(range.fromMs) || day >= endDay(range.toMs)) continue;
    const samples = await samplesOfDay(series, stored, day, range.toMs, slices);
    const computed = await fiveMinuteUsage(samples, day * dayMs, (day + 1) * dayMs, slices);
    if (computed) copyDay(toHourlyUsage(computed.values), usage, day, range.fromMs);
  }
  return usage;
}

/** The samples of a day, and the earlier ones that the first rates need. */
async function samplesOfDay(
  series: SeriesRow[],
  { blocks, recent }: StoredUsage,
  day: number,
  toMs: number,
  slices: TimeSlices,
): Promise<Series[]> {
  const range = { fromMs: day * dayMs - maxGapMs, toMs: Math.min(toMs, (day + 1) * dayMs) };
  const found: Series[] = [];
  for (const one of series) {
    const own = (blocks.get(one.id) ?? []).filter((block) => block.day === day || block.day === day - 1);
    const samples = within(recent.get(one.id) ?? noSamples, range);
    found.push(await toSeries(one, samples, own, range, slices));
  }
  return found;
}

/** Copies the 24 hours of a day into a range that begins at `rangeFromMs`. */
function copyDay(from: HourlyUsage, into: HourlyUsage, day: number, rangeFromMs: number): void {
  for (let hour = 0; hour < hoursPerDay; hour++) {
    const at = (day * dayMs - rangeFromMs) / hourMs + hour;
    if (at < 0 || at >= into.sums.length) continue;
    into.sums[at] = from.sums[hour] ?? 0;
    into.measured[at] = from.measured[hour] ?? 0;
  }
}
