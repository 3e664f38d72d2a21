// Points on a common grid, ready to be drawn: a bucket without measurements is a hole, never bridged.

import type { Series } from './metric-series.ts';
import type { Unit } from './statistics.ts';
import type { TimeRange } from './time-range.ts';

export type Shape = 'line' | 'area' | 'bars';
export type AlignedValues = (number | null)[];

export interface ChartLine {
  label: string;
  /** A CSS colour, also a variable. */
  colour: string;
  shape: Shape;
  dash?: number[];
  /** Drawn below zero; figures and tables keep the value. */
  isMirrored?: boolean;
  series: Series;
  values: AlignedValues;
}

export interface ChartModel {
  span: TimeRange;
  /** Seconds. */
  times: Float64Array;
  lines: ChartLine[];
  unit: Unit;
  /** Half the height of a band around the first line. */
  spread?: AlignedValues;
  /** The axis need not begin at zero. */
  isAfloat?: boolean;
  /** What cannot be exceeded. */
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
    const place = Math.floor((times[index]! - fromMs) / intervalMs);
    if (place >= 0 && place < aligned.length) aligned[place] = values[index]!;
  }
  return aligned;
}

/** Points without a neighbour: no line reaches them, so they are drawn as dots. */
export function isolatedIndices(values: ArrayLike<number | null | undefined>): number[] {
  const found: number[] = [];
  for (let index = 0; index < values.length; index++)
    if (values[index] != null && values[index - 1] == null && values[index + 1] == null) found.push(index);
  return found;
}

/** Indices at which something was measured. */
export function measuredIndices({ times, lines }: ChartModel): number[] {
  const found: number[] = [];
  for (let index = 0; index < times.length; index++)
    if (lines.some(({ values }) => values[index] !== null)) found.push(index);
  return found;
}
