// Which time is asked for, and in which steps. Pure.
import { invalid } from '../errors/problems.ts';
import { parseRfc3339 } from '../values/timestamps.ts';

/** Both ends lie on the grid of the interval, which begins at the epoch. The end is not part of it. */
export interface Range {
  fromMs: number;
  toMs: number;
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
/** The finest grid: what agents measure more often is averaged. */
export const fiveMinutesMs = 5 * minuteMs;
export const mostPoints = 1500;
const longestMinutes = 527_040;

/** Up to which length a range is shown in which steps. */
const steps: [upToMs: number, intervalMs: number][] = [
  [dayMs, fiveMinutesMs],
  [weekMs, 30 * minuteMs],
  [31 * dayMs, 2 * hourMs],
  [366 * dayMs, dayMs],
];

export const floorTo = (ms: number, grid: number): number => Math.floor(ms / grid) * grid;
export const ceilTo = (ms: number, grid: number): number => Math.ceil(ms / grid) * grid;

function timeOf(path: 'start-d' | 'end-d', text: string): number {
  const date = parseRfc3339(text);
  if (!date)
    throw invalid(path, 'must be an RFC 3339 time such as 2026-11-14T09:30:00Z (a plus sign is escaped as %2B)');
  return date.getTime();
}

/** The span that is asked for, without a grid. */
export function spanOf(asked: RangeInput, nowMs: number): { startMs: number; endMs: number } {
  const end = asked['end-d'] === undefined ? undefined : timeOf('end-d', asked['end-d']);
  const start = asked['start-d'] === undefined ? undefined : timeOf('start-d', asked['start-d']);
  const endMs = end ?? nowMs;
  const startMs = start ?? endMs - dayMs;
  if (startMs >= endMs)
    throw invalid(
      start === undefined ? 'end-d' : 'start-d',
      end === undefined ? 'must lie in the past, since no end-d is given' : 'must be earlier than end-d',
    );
  return { startMs, endMs };
}

/** Minutes between points, as far as they are given. */
export function intervalOf({ interv }: RangeInput): number | undefined {
  if (interv === undefined) return undefined;
  const minutes = /^\d{1,9}$/.test(interv) ? Number(interv) : 0;
  if (minutes < 1 || minutes > longestMinutes)
    throw invalid('interv', `must be a whole number of minutes from 1 to ${longestMinutes}`);
  return Math.max(minutes * minuteMs, fiveMinutesMs);
}

const onGrid = ({ startMs, endMs }: { startMs: number; endMs: number }, intervalMs: number): Range => ({
  fromMs: floorTo(startMs, intervalMs),
  toMs: ceilTo(endMs, intervalMs),
  intervalMs,
});

/** Of an engine elsewhere, so much is asked for. */
export const longestReachMs = 5 * 366 * dayMs;
/** Clocks differ, and some agents round up. */
export const futureMs = dayMs;

/** The part of a span in which there can be anything, on the same grid. What is asked for is paid for by what there is, not by its length. */
export function reachable<T extends { fromMs: number; toMs: number }>(
  range: T,
  grid: number,
  reachMs: number,
  nowMs: number,
): T {
  const fromMs = Math.max(range.fromMs, floorTo(nowMs - reachMs, grid));
  const toMs = Math.min(range.toMs, ceilTo(nowMs + futureMs, grid));
  return { ...range, fromMs: Math.min(fromMs, range.toMs), toMs: Math.max(toMs, Math.min(fromMs, range.toMs)) };
}

export const bucketsIn = ({ fromMs, toMs, intervalMs }: Range): number => (toMs - fromMs) / intervalMs;

function usualInterval(startMs: number, endMs: number): number {
  const known = steps.find(([upToMs]) => endMs - startMs <= upToMs);
  if (known) return known[1];
  // A grid adds up to two points at the ends.
  return weekMs * Math.max(1, Math.ceil((endMs - startMs) / weekMs / (mostPoints - 2)));
}

export function rangeOf(asked: RangeInput, nowMs: number): Range {
  const interval = intervalOf(asked);
  const span = spanOf(asked, nowMs);
  const range = onGrid(span, interval ?? usualInterval(span.startMs, span.endMs));
  if (bucketsIn(range) > mostPoints)
    throw invalid(
      'interv',
      `must be larger for this range: it asks for ${bucketsIn(range)} points, and ${mostPoints} are the most`,
    );
  return range;
}

/** Whole UTC days, or spans of days where there would be too many. */
export function daysOf(asked: RangeInput, nowMs: number): Range {
  const span = spanOf(asked, nowMs);
  const days = onGrid(span, dayMs);
  const most = mostPoints * dayMs;
  return days.toMs - days.fromMs <= most ? days : { ...days, fromMs: days.toMs - most };
}
