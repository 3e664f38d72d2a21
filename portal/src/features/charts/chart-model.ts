// The data of a chart on a common grid of buckets. Buckets without samples are null and drawn as gaps.

import type { Series } from './metric-series.ts';
import type { Unit } from './statistics.ts';
import type { TimeRange } from './time-range.ts';

export type Shape = 'line' | 'area' | 'bars';
export type AlignedValues = (number | null)[];

export interface ChartLine {
  label: string;
  /** A CSS colour or variable. */
  colour: string;
  shape: Shape;
  dash?: number[];
  /** Drawn below zero; statistics and tables show the value itself. */
  isMirrored?: boolean;
  series: Series;
  values: AlignedValues;
}

export interface ChartModel {
  timeRange: TimeRange;
  /** Seconds. */
  times: Float64Array;
  lines: ChartLine[];
  unit: Unit;
  /** Half the height of the band around the first line. */
  spread?: AlignedValues;
  /** The axis need not start at zero. */
  isAxisFloating?: boolean;
  /** For example the capacity. */
  limit?: { value: number; isInView: boolean };
}

export function bucketTimes({ fromMs, toMs, intervalMs }: TimeRange): Float64Array {
  const times = new Float64Array(Math.round((toMs - fromMs) / intervalMs));
  for (let index = 0; index < times.length; index++) times[index] = (fromMs + index * intervalMs) / 1000;
  return times;
}

export function alignToBuckets({ fromMs, toMs, intervalMs }: TimeRange, { times, values }: Series): AlignedValues {
  const aligned: AlignedValues = new Array(Math.round((toMs - fromMs) / intervalMs)).fill(null);
  for (let index = 0; index < times.length; index++) {
    const bucket = Math.floor((times[index]! - fromMs) / intervalMs);
    if (bucket >= 0 && bucket < aligned.length) aligned[bucket] = values[index]!;
  }
  return aligned;
}

/** A line and, dashed, those of the other origins of its series, so that no origin hides another. */
export const linesOf = (timeRange: TimeRange, line: Omit<ChartLine, 'label' | 'values'>): ChartLine[] =>
  [line.series, ...line.series.otherOrigins].map((series, index) => ({
    ...line,
    ...(index > 0 ? { dash: [3, 3] } : {}),
    label: series.label,
    series,
    values: alignToBuckets(timeRange, series),
  }));

/** Points without a neighbour, which are drawn as dots. */
export function isolatedIndices(values: ArrayLike<number | null | undefined>): number[] {
  const found: number[] = [];
  for (let index = 0; index < values.length; index++)
    if (values[index] != null && values[index - 1] == null && values[index + 1] == null) found.push(index);
  return found;
}

/** Indices of buckets with samples. */
export function measuredIndices({ times, lines }: ChartModel): number[] {
  const found: number[] = [];
  for (let index = 0; index < times.length; index++)
    if (lines.some(({ values }) => values[index] !== null)) found.push(index);
  return found;
}
