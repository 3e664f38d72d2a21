// Points as the service tells them. A long range in fine steps is asked for piece by piece.
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
  /** Milliseconds; a bucket without measurements is absent. */
  times: number[];
  values: number[];
  /** Where the points come from: simulated, lab, written, or the name of an engine. */
  origins: string[];
  /** Computed while reading, not while drawing. */
  figures?: Statistics | undefined;
}

export interface ChartData {
  span: TimeRange;
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

/** The address of the same question, for programs. */
export const queryPath = (wanted: SeriesQuery, span: TimeRange): string =>
  `/metrics/query/irn/${encodeURIComponent(wanted.irn)}/${wanted.metric}/run?${new URLSearchParams(queryParams(wanted, span))}`;

export async function fetchRows(api: Api, wanted: SeriesQuery, span: TimeRange, signal: AbortSignal) {
  const answer = await unwrap(
    api.GET('/metrics/query/irn/{irn}/{metricType}/run', {
      params: { path: { irn: wanted.irn, metricType: wanted.metric }, query: queryParams(wanted, span) },
      signal,
    }),
  );
  const [found] = typeof answer === 'object' && 'Results' in answer ? (answer.Results[0]?.Series ?? []) : [];
  return { rows: found?.values ?? [], origin: found?.origin };
}

const emptySeries = (wanted: SeriesQuery): Series => ({ ...wanted, times: [], values: [], origins: [] });

async function fetchSeries(
  api: Api,
  wanted: SeriesQuery,
  span: TimeRange,
  signal: AbortSignal,
  onWindow: () => void,
): Promise<Series> {
  const series = emptySeries(wanted);
  for (const window of splitRange(span)) {
    const { rows, origin } = await fetchRows(api, wanted, window, signal);
    for (const [time, value] of rows) {
      series.times.push(Date.parse(String(time)));
      series.values.push(Number(value));
    }
    if (origin && !series.origins.includes(origin)) series.origins.push(origin);
    onWindow();
  }
  return { ...series, figures: statisticsOf(series.values) };
}

/** Whether anything was measured at all: a year of nothing need not be read in seventy pieces. */
async function hasPoints(
  api: Api,
  wanted: SeriesQuery,
  { fromMs, toMs }: TimeRange,
  signal: AbortSignal,
): Promise<boolean> {
  const { rows } = await fetchRows(api, wanted, alignedRange(fromMs, toMs, defaultInterval(toMs - fromMs)), signal);
  return rows.length > 0;
}

async function fetchAllSeries(
  api: Api,
  wanted: SeriesQuery[],
  span: TimeRange,
  signal: AbortSignal,
  tell: (progress: Progress) => void,
): Promise<Series[]> {
  const count = splitRange(span).length;
  if (count === 1) return Promise.all(wanted.map((one) => fetchSeries(api, one, span, signal, () => undefined)));
  const measured = await Promise.all(wanted.map((one) => hasPoints(api, one, span, signal)));
  const progress = { done: 0, total: count * measured.filter(Boolean).length };
  const onWindow = () => tell({ ...progress, done: ++progress.done });
  const series: Series[] = [];
  for (const [index, one] of wanted.entries())
    series.push(measured[index] ? await fetchSeries(api, one, span, signal, onWindow) : emptySeries(one));
  return series;
}

/** So many questions of so many are answered. */
export interface Progress {
  done: number;
  total: number;
}

/** Everything that one picture needs, of one and the same span. */
export function useChartData(wanted: SeriesQuery[], span: TimeRange) {
  const { api, scope } = useApi();
  const [progress, setProgress] = useState<Progress>();
  const query = useQuery({
    queryKey: [scope, 'metrics', 'series', wanted, span],
    queryFn: async ({ signal }): Promise<ChartData> => {
      setProgress(undefined);
      const series = await fetchAllSeries(api, wanted, span, signal, setProgress);
      return { span, series };
    },
    placeholderData: keepPreviousData,
    // Comparing a hundred thousand points with those before would take longer than drawing them.
    structuralSharing: false,
    // What took long to read is not read again because somebody looked into another window.
    staleTime: splitRange(span).length > 1 ? Number.POSITIVE_INFINITY : 60_000,
  });
  return { query, progress: query.isFetching ? progress : undefined };
}
