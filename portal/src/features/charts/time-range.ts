// Which time is shown, and in which steps. Both stand in the address.
import { useEffect, useMemo, useState } from 'react';
import { useSearchParams } from '../../components/useSearchParams.ts';

const minuteMs = 60_000;
export const bucketMs = 5 * minuteMs;
export const dayMs = 24 * 60 * minuteMs;
const weekMs = 7 * dayMs;
const maxFineMs = 366 * dayMs;
const minRangeMs = 3 * bucketMs;
/** The service answers with no more of them at once. */
export const maxPoints = 1500;

export const presets = { day: dayMs, week: weekMs, month: 30 * dayMs, year: 365 * dayMs };
export type Preset = keyof typeof presets;

/** From, and before: both lie on the grid of the interval, which begins at the epoch. */
export interface TimeRange {
  fromMs: number;
  toMs: number;
  intervalMs: number;
}

export const floorTo = (ms: number, grid: number): number => Math.floor(ms / grid) * grid;
export const ceilTo = (ms: number, grid: number): number => Math.ceil(ms / grid) * grid;

/** Up to which length a range is shown in which steps: those that the service itself would choose. */
const steps: [upToMs: number, intervalMs: number][] = [
  [dayMs, bucketMs],
  [weekMs, 6 * bucketMs],
  [31 * dayMs, 24 * bucketMs],
  [366 * dayMs, dayMs],
];

export function defaultInterval(lengthMs: number): number {
  const known = steps.find(([upToMs]) => lengthMs <= upToMs);
  return known ? known[1] : weekMs * Math.max(1, Math.ceil(lengthMs / weekMs / (maxPoints - 2)));
}

export const alignedRange = (fromMs: number, toMs: number, intervalMs: number): TimeRange => ({
  fromMs: floorTo(fromMs, intervalMs),
  toMs: ceilTo(toMs, intervalMs),
  intervalMs,
});

/** The same time in pieces that the service answers one by one. */
export function splitRange({ fromMs, toMs, intervalMs }: TimeRange): TimeRange[] {
  const windows: TimeRange[] = [];
  for (let start = fromMs; start < toMs; start += maxPoints * intervalMs)
    windows.push({ fromMs: start, toMs: Math.min(start + maxPoints * intervalMs, toMs), intervalMs });
  return windows;
}

/** Now, as the end of the 5 minutes that are under way; it moves on by itself unless somebody studies the past. */
function useNow(isStill: boolean): number {
  const [now, setNow] = useState(() => ceilTo(Date.now(), bucketMs));
  useEffect(() => {
    if (isStill) return;
    const timer = setInterval(() => setNow(ceilTo(Date.now(), bucketMs)), 15_000);
    return () => clearInterval(timer);
  }, [isStill]);
  return now;
}

export interface RangeSelection {
  span: TimeRange;
  /** What the person asked for, before the grid. */
  fromMs: number;
  toMs: number;
  preset: Preset;
  isFree: boolean;
  isFine: boolean;
  mayBeFine: boolean;
  choose: (preset: Preset) => void;
  free: (fromMs: number, toMs: number) => void;
  reset: () => void;
  setFine: (isFine: boolean) => void;
}

const parseTime = (text: string | undefined): number => Date.parse(text ?? '');

export function useRangeSelection(): RangeSelection {
  const [search, change] = useSearchParams();
  const preset: Preset = search.range && search.range in presets ? (search.range as Preset) : 'day';
  const [from, to] = [parseTime(search.from), parseTime(search.to)];
  const isFree = from < to;
  const wantsFine = search.points === 'fine';
  const now = useNow(isFree || wantsFine);
  return useMemo(() => {
    const [fromMs, toMs] = isFree ? [from, to] : [now - presets[preset], now];
    const usual = defaultInterval(toMs - fromMs);
    const mayBeFine = usual > bucketMs && toMs - fromMs <= maxFineMs;
    const isFine = wantsFine && mayBeFine;
    return {
      span: alignedRange(fromMs, toMs, isFine ? bucketMs : usual),
      fromMs,
      toMs,
      preset,
      isFree,
      isFine,
      mayBeFine,
      choose: (range) => change({ range, from: undefined, to: undefined }),
      free: (start, end) => {
        const length = Math.max(end - start, minRangeMs);
        change({ from: new Date(start).toISOString(), to: new Date(start + length).toISOString() });
      },
      reset: () => change({ from: undefined, to: undefined }),
      setFine: (fine) => change({ points: fine ? 'fine' : undefined }),
    };
  }, [isFree, wantsFine, from, to, now, preset, change]);
}
