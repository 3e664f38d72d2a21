// Time ranges of queries and their bucket intervals. Pure.
import { invalid } from '../errors/problems.ts';
import { parseRfc3339 } from '../values/timestamps.ts';

/** From `fromMs` on and before `toMs`. */
export interface TimeRange {
  fromMs: number;
  toMs: number;
}

/** Both ends are multiples of the interval, counted from the epoch. */
export interface BucketedRange extends TimeRange {
  intervalMs: number;
}

export interface RangeInput {
  'start-d'?: string;
  'end-d'?: string;
  interv?: string;
}

export const minuteMs = 60_000;
export const hourMs = 60 * minuteMs;
export const dayMs = 24 * hourMs;
const weekMs = 7 * dayMs;
/** The smallest interval; more frequent samples are averaged. */
export const fiveMinutesMs = 5 * minuteMs;
export const maxPoints = 1500;
const maxIntervalMinutes = 527_040;

/** The default interval for ranges up to each length. */
const defaultIntervals: [upToMs: number, intervalMs: number][] = [
  [dayMs, fiveMinutesMs],
  [weekMs, 30 * minuteMs],
  [31 * dayMs, 2 * hourMs],
  [366 * dayMs, dayMs],
];

export const floorTo = (ms: number, step: number): number => Math.floor(ms / step) * step;
export const ceilTo = (ms: number, step: number): number => Math.ceil(ms / step) * step;
export const dayOf = (ms: number): number => Math.floor(ms / dayMs);

function parseTime(path: 'start-d' | 'end-d', text: string): number {
  const date = parseRfc3339(text);
  if (!date)
    throw invalid(path, 'must be an RFC 3339 time such as 2026-11-14T09:30:00Z (a plus sign is escaped as %2B)');
  return date.getTime();
}

/** The requested range as it is, not yet aligned to an interval. */
export function parseTimeRange(input: RangeInput, nowMs: number): TimeRange {
  const end = input['end-d'] === undefined ? undefined : parseTime('end-d', input['end-d']);
  const start = input['start-d'] === undefined ? undefined : parseTime('start-d', input['start-d']);
  const toMs = end ?? nowMs;
  const fromMs = start ?? toMs - dayMs;
  if (fromMs >= toMs)
    throw invalid(
      start === undefined ? 'end-d' : 'start-d',
      end === undefined ? 'must lie in the past, since no end-d is given' : 'must be earlier than end-d',
    );
  return { fromMs, toMs };
}

/** The requested interval in milliseconds, if any. */
export function parseInterval({ interv }: RangeInput): number | undefined {
  if (interv === undefined) return undefined;
  const minutes = /^\d{1,9}$/.test(interv) ? Number(interv) : 0;
  if (minutes < 1 || minutes > maxIntervalMinutes)
    throw invalid('interv', `must be a whole number of minutes from 1 to ${maxIntervalMinutes}`);
  return Math.max(minutes * minuteMs, fiveMinutesMs);
}

const align = ({ fromMs, toMs }: TimeRange, intervalMs: number): BucketedRange => ({
  fromMs: floorTo(fromMs, intervalMs),
  toMs: ceilTo(toMs, intervalMs),
  intervalMs,
});

/** The retention of an external engine is unknown; queries never look further back than this. */
export const externalRetentionMs = 5 * 366 * dayMs;
/** How far ahead of database time samples may lie: the clocks of agents differ, and some agents round up. */
export const maxFutureMs = dayMs;

/**
 * The part of a range that can hold samples, still aligned to `stepMs`, so that a query costs what is stored, not what
 * it spans.
 */
export function clipToRetention<T extends TimeRange>(range: T, stepMs: number, retentionMs: number, nowMs: number): T {
  const oldestMs = Math.max(range.fromMs, floorTo(nowMs - retentionMs, stepMs));
  const newestMs = Math.min(range.toMs, ceilTo(nowMs + maxFutureMs, stepMs));
  const fromMs = Math.min(oldestMs, range.toMs);
  return { ...range, fromMs, toMs: Math.max(newestMs, fromMs) };
}

export const bucketCount = ({ fromMs, toMs, intervalMs }: BucketedRange): number => (toMs - fromMs) / intervalMs;

function defaultInterval({ fromMs, toMs }: TimeRange): number {
  const lengthMs = toMs - fromMs;
  const known = defaultIntervals.find(([upToMs]) => lengthMs <= upToMs);
  if (known) return known[1];
  // Alignment adds up to two buckets at the ends.
  return weekMs * Math.max(1, Math.ceil(lengthMs / weekMs / (maxPoints - 2)));
}

export function parseBucketedRange(input: RangeInput, nowMs: number): BucketedRange {
  const interval = parseInterval(input);
  const requested = parseTimeRange(input, nowMs);
  const range = align(requested, interval ?? defaultInterval(requested));
  if (bucketCount(range) > maxPoints)
    throw invalid(
      'interv',
      `must be larger for this range: it asks for ${bucketCount(range)} points, and ${maxPoints} are the most`,
    );
  return range;
}

/** Whole UTC days, at most the last `maxPoints` of them. */
export function parseDailyRange(input: RangeInput, nowMs: number): BucketedRange {
  const range = align(parseTimeRange(input, nowMs), dayMs);
  return { ...range, fromMs: Math.max(range.fromMs, range.toMs - maxPoints * dayMs) };
}
