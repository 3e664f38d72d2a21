// The time range of charts and its bucket width, as search parameters.
import { useEffect, useMemo, useState } from 'react';
import { useSearchParams } from '../../components/useSearchParams.ts';

const minuteMs = 60_000;
export const bucketMs = 5 * minuteMs;
export const dayMs = 24 * 60 * minuteMs;
const weekMs = 7 * dayMs;
const maxFineMs = 366 * dayMs;
const minRangeMs = 3 * bucketMs;
/** The API's limit per response. */
export const maxPoints = 1500;

export const presets = { day: dayMs, week: weekMs, month: 30 * dayMs, year: 365 * dayMs };
export type Preset = keyof typeof presets;

/** Half-open; both ends are multiples of the interval since the epoch. */
export interface TimeRange {
  fromMs: number;
  toMs: number;
  intervalMs: number;
}

export const floorTo = (ms: number, grid: number): number => Math.floor(ms / grid) * grid;
export const ceilTo = (ms: number, grid: number): number => Math.ceil(ms / grid) * grid;

/** Interval by range length, as the API chooses by default. */
const steps: [upToMs: number, intervalMs: number][] = [
  [dayMs, bucketMs],
  [weekMs, 6 * bucketMs],
  [31 * dayMs, 24 * bucketMs],
  [366 * dayMs, dayMs],
];

export function defaultInterval(lengthMs: number): number {
  const step = steps.find(([upToMs]) => lengthMs <= upToMs);
  return step ? step[1] : weekMs * Math.max(1, Math.ceil(lengthMs / weekMs / (maxPoints - 2)));
}

export const alignedRange = (fromMs: number, toMs: number, intervalMs: number): TimeRange => ({
  fromMs: floorTo(fromMs, intervalMs),
  toMs: ceilTo(toMs, intervalMs),
  intervalMs,
});

/** Splits a range into parts of at most `maxPoints` buckets. */
export function splitRange({ fromMs, toMs, intervalMs }: TimeRange): TimeRange[] {
  const windows: TimeRange[] = [];
  for (let start = fromMs; start < toMs; start += maxPoints * intervalMs)
    windows.push({ fromMs: start, toMs: Math.min(start + maxPoints * intervalMs, toMs), intervalMs });
  return windows;
}

/** The end of the current 5-minute bucket; advances unless `isPaused`. */
function useNow(isPaused: boolean): number {
  const [now, setNow] = useState(() => ceilTo(Date.now(), bucketMs));
  useEffect(() => {
    if (isPaused) return;
    const timer = setInterval(() => setNow(ceilTo(Date.now(), bucketMs)), 15_000);
    return () => clearInterval(timer);
  }, [isPaused]);
  return now;
}

export interface RangeSelection {
  timeRange: TimeRange;
  /** The selected range before alignment. */
  fromMs: number;
  toMs: number;
  preset: Preset;
  isCustom: boolean;
  isFine: boolean;
  canBeFine: boolean;
  selectPreset: (preset: Preset) => void;
  selectCustom: (fromMs: number, toMs: number) => void;
  reset: () => void;
  setFine: (isFine: boolean) => void;
}

const parseTime = (text: string | undefined): number => Date.parse(text ?? '');

export function useRangeSelection(): RangeSelection {
  const [search, change] = useSearchParams();
  const preset: Preset = search.range && search.range in presets ? (search.range as Preset) : 'day';
  const [from, to] = [parseTime(search.from), parseTime(search.to)];
  const isCustom = from < to;
  const wantsFine = search.points === 'fine';
  const now = useNow(isCustom || wantsFine);
  return useMemo(() => {
    const [fromMs, toMs] = isCustom ? [from, to] : [now - presets[preset], now];
    const interval = defaultInterval(toMs - fromMs);
    const canBeFine = interval > bucketMs && toMs - fromMs <= maxFineMs;
    const isFine = wantsFine && canBeFine;
    return {
      timeRange: alignedRange(fromMs, toMs, isFine ? bucketMs : interval),
      fromMs,
      toMs,
      preset,
      isCustom,
      isFine,
      canBeFine,
      selectPreset: (range) => change({ range, from: undefined, to: undefined }),
      selectCustom: (start, end) => {
        const length = Math.max(end - start, minRangeMs);
        change({ from: new Date(start).toISOString(), to: new Date(start + length).toISOString() });
      },
      reset: () => change({ from: undefined, to: undefined }),
      setFine: (fine) => change({ points: fine ? 'fine' : undefined }),
    };
  }, [isCustom, wantsFine, from, to, now, preset, change]);
}
