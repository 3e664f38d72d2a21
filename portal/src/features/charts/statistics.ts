// What a person wants to know of many points: the last, the mean, the highest, and what 95 of 100 do not exceed.
export interface Statistics {
  last: number;
  average: number;
  most: number;
  /** Nearest rank: a point that was measured, not one in between. */
  percentile95: number;
}

export function statisticsOf(values: number[]): Statistics | undefined {
  const last = values.at(-1);
  if (last === undefined) return undefined;
  const sorted = Float64Array.from(values).sort();
  return {
    last,
    average: sorted.reduce((sum, value) => sum + value, 0) / sorted.length,
    most: sorted[sorted.length - 1]!,
    percentile95: sorted[Math.ceil(0.95 * sorted.length) - 1]!,
  };
}

export interface Unit {
  format: (value: number) => string;
  /** The least that the axis reaches up to. */
  minAxisMax: number;
}

const rounded = (value: number): string => String(Number(value.toFixed(Math.abs(value) >= 100 ? 0 : 2)));
export const milliseconds: Unit = { format: (value) => `${rounded(value)} ms`, minAxisMax: 1 };
export const percent: Unit = { format: (value) => `${rounded(value)} %`, minAxisMax: 1 };
