// Statistics and units of chart values.
export interface Statistics {
  last: number;
  average: number;
  maximum: number;
  /** Nearest rank, without interpolation. */
  percentile95: number;
}

export function statisticsOf(values: number[]): Statistics | undefined {
  const last = values.at(-1);
  if (last === undefined) return undefined;
  const sorted = Float64Array.from(values).sort();
  return {
    last,
    average: sorted.reduce((sum, value) => sum + value, 0) / sorted.length,
    maximum: sorted[sorted.length - 1]!,
    percentile95: sorted[Math.ceil(0.95 * sorted.length) - 1]!,
  };
}

export interface Unit {
  format: (value: number) => string;
  /** The axis reaches at least up to this value. */
  minAxisMax: number;
}

const rounded = (value: number): string => String(Number(value.toFixed(Math.abs(value) >= 100 ? 0 : 2)));
export const milliseconds: Unit = { format: (value) => `${rounded(value)} ms`, minAxisMax: 1 };
export const percent: Unit = { format: (value) => `${rounded(value)} %`, minAxisMax: 1 };
