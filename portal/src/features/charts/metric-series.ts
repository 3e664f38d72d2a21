// Metric series from the API. A long range with a small interval takes several requests.
import type { Api } from '@patchbay/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { unwrap } from '../../api/client.ts';
import { useApi } from '../../api/scope.ts';
import { type Statistics, statisticsOf } from './statistics.ts';
import { alignedRange, defaultInterval, splitRange, type TimeRange } from './time-range.ts';

export interface SeriesQuery {
  irn: string;
  metric: string;
  label: string;
}

export interface Series extends SeriesQuery {
  /** Milliseconds; buckets without samples are absent. */
  times: number[];
  values: number[];
  /** simulated, lab, written, or the name of a metrics backend. */
  origins: string[];
  /** The points of the other origins in the same range. */
  otherOrigins: Series[];
  /** Computed once per load, not per render. */
  statistics?: Statistics | undefined;
}

export interface ChartData {
  timeRange: TimeRange;
  series: Series[];
}

const wireTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
const isGroup = (irn: string): boolean => irn.startsWith('irn:group:');

const queryParams = ({ irn, metric }: SeriesQuery, { fromMs, toMs, intervalMs }: TimeRange) => ({
  'start-d': wireTime(fromMs),
  'end-d': wireTime(toMs),
  interv: String(intervalMs / 60_000),
  ...(isGroup(irn) ? { region: metric } : {}),
});

/** The request path of a series, for display. */
export const queryPath = (seriesQuery: SeriesQuery, timeRange: TimeRange): string =>
  `/metrics/query/irn/${encodeURIComponent(seriesQuery.irn)}/${seriesQuery.metric}/run?${new URLSearchParams(queryParams(seriesQuery, timeRange))}`;

export async function fetchRows(api: Api, seriesQuery: SeriesQuery, timeRange: TimeRange, signal: AbortSignal) {
  const body = await unwrap(
    api.GET('/metrics/query/irn/{irn}/{metricType}/run', {
      params: {
        path: { irn: seriesQuery.irn, metricType: seriesQuery.metric },
        query: queryParams(seriesQuery, timeRange),
      },
      signal,
    }),
  );
  const found = typeof body === 'object' && 'Results' in body ? (body.Results[0]?.Series ?? []) : [];
  return found.map(({ values, origin }) => ({ rows: values, origin }));
}

const emptySeries = (seriesQuery: SeriesQuery): Series => ({
  ...seriesQuery,
  times: [],
  values: [],
  origins: [],
  otherOrigins: [],
});

/** Measured points before simulated ones. */
const isSimulated = ({ origins }: Series): number => Number(origins.includes('simulated'));

async function fetchSeries(
  api: Api,
  seriesQuery: SeriesQuery,
  timeRange: TimeRange,
  signal: AbortSignal,
  onWindow: () => void,
): Promise<Series> {
  const byOrigin = new Map<string, Series>();
  for (const window of splitRange(timeRange)) {
    for (const { rows, origin } of await fetchRows(api, seriesQuery, window, signal)) {
      const series = byOrigin.get(origin) ?? { ...emptySeries(seriesQuery), origins: [origin] };
      byOrigin.set(origin, series);
      for (const [time, value] of rows) {
        series.times.push(Date.parse(String(time)));
        series.values.push(Number(value));
      }
    }
    onWindow();
  }
  const [main = emptySeries(seriesQuery), ...others] = [...byOrigin.values()]
    .map((series) => ({ ...series, statistics: statisticsOf(series.values) }))
    .sort((a, b) => isSimulated(a) - isSimulated(b));
  return { ...main, otherOrigins: others.map((one) => ({ ...one, label: `${one.label}, ${one.origins.join()}` })) };
}

/** A cheap check with the default interval, before a year is loaded in 70 requests. */
async function hasPoints(
  api: Api,
  seriesQuery: SeriesQuery,
  { fromMs, toMs }: TimeRange,
  signal: AbortSignal,
): Promise<boolean> {
  const range = alignedRange(fromMs, toMs, defaultInterval(toMs - fromMs));
  return (await fetchRows(api, seriesQuery, range, signal)).length > 0;
}

async function fetchAllSeries(
  api: Api,
  seriesQueries: SeriesQuery[],
  timeRange: TimeRange,
  signal: AbortSignal,
  onProgress: (progress: Progress) => void,
): Promise<Series[]> {
  const count = splitRange(timeRange).length;
  if (count === 1)
    return Promise.all(
      seriesQueries.map((seriesQuery) => fetchSeries(api, seriesQuery, timeRange, signal, () => undefined)),
    );
  const measured = await Promise.all(
    seriesQueries.map((seriesQuery) => hasPoints(api, seriesQuery, timeRange, signal)),
  );
  const progress = { done: 0, total: count * measured.filter(Boolean).length };
  const onWindow = () => onProgress({ ...progress, done: ++progress.done });
  const series: Series[] = [];
  for (const [index, seriesQuery] of seriesQueries.entries())
    series.push(
      measured[index] ? await fetchSeries(api, seriesQuery, timeRange, signal, onWindow) : emptySeries(seriesQuery),
    );
  return series;
}

/** Completed and total requests. */
export interface Progress {
  done: number;
  total: number;
}

/** The series of a chart, all of the same range. */
export function useChartData(seriesQueries: SeriesQuery[], timeRange: TimeRange) {
  const { api, scope } = useApi();
  const [progress, setProgress] = useState<Progress>();
  const query = useQuery({
    queryKey: [scope, 'metrics', 'series', seriesQueries, timeRange],
    queryFn: async ({ signal }): Promise<ChartData> => {
      setProgress(undefined);
      const series = await fetchAllSeries(api, seriesQueries, timeRange, signal, setProgress);
      return { timeRange, series };
    },
    placeholderData: keepPreviousData,
    // Comparing 100,000 points with the previous ones takes longer than drawing them.
    structuralSharing: false,
    // A slow load is not repeated when the window gets the focus.
    staleTime: splitRange(timeRange).length > 1 ? Number.POSITIVE_INFINITY : 60_000,
  });
  return { query, progress: query.isFetching ? progress : undefined };
}
