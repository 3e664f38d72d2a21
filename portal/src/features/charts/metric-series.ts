// Points as the service tells them. A long range in fine steps is asked for piece by piece.
import type { Api } from '@patchbay/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ask } from '../../api/client.ts';
import { useApi } from '../../api/scope.ts';
import { type Figures, figuresOf } from './statistics.ts';
import { type Span, spanOf, usualInterval, windowsOf } from './time-range.ts';

export interface Wanted {
  irn: string;
  metric: string;
  label: string;
}

export interface Series extends Wanted {
  /** Milliseconds; a bucket without measurements is absent. */
  times: number[];
  values: number[];
  /** Where the points come from: simulated, lab, written, or the name of an engine. */
  origins: string[];
  /** Computed while reading, not while drawing. */
  figures?: Figures | undefined;
}

export interface Measured {
  span: Span;
  series: Series[];
}

const wireTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;
const isGroup = (irn: string): boolean => irn.startsWith('irn:group:');

const questionOf = ({ irn, metric }: Wanted, { fromMs, toMs, intervalMs }: Span) => ({
  'start-d': wireTime(fromMs),
  'end-d': wireTime(toMs),
  interv: String(intervalMs / 60_000),
  ...(isGroup(irn) ? { region: metric } : {}),
});

/** The address of the same question, for programs. */
export const pathOf = (wanted: Wanted, span: Span): string =>
  `/metrics/query/irn/${encodeURIComponent(wanted.irn)}/${wanted.metric}/run?${new URLSearchParams(questionOf(wanted, span))}`;

export async function askRows(api: Api, wanted: Wanted, span: Span, signal: AbortSignal) {
  const answer = await ask(
    api.GET('/metrics/query/irn/{irn}/{metricType}/run', {
      params: { path: { irn: wanted.irn, metricType: wanted.metric }, query: questionOf(wanted, span) },
      signal,
    }),
  );
  const [found] = typeof answer === 'object' && 'Results' in answer ? (answer.Results[0]?.Series ?? []) : [];
  return { rows: found?.values ?? [], origin: found?.origin };
}

const nothingOf = (wanted: Wanted): Series => ({ ...wanted, times: [], values: [], origins: [] });

async function askSeries(
  api: Api,
  wanted: Wanted,
  span: Span,
  signal: AbortSignal,
  onWindow: () => void,
): Promise<Series> {
  const series = nothingOf(wanted);
  for (const window of windowsOf(span)) {
    const { rows, origin } = await askRows(api, wanted, window, signal);
    for (const [time, value] of rows) {
      series.times.push(Date.parse(String(time)));
      series.values.push(Number(value));
    }
    if (origin && !series.origins.includes(origin)) series.origins.push(origin);
    onWindow();
  }
  return { ...series, figures: figuresOf(series.values) };
}

/** Whether anything was measured at all: a year of nothing need not be read in seventy pieces. */
async function hasPoints(api: Api, wanted: Wanted, { fromMs, toMs }: Span, signal: AbortSignal): Promise<boolean> {
  const { rows } = await askRows(api, wanted, spanOf(fromMs, toMs, usualInterval(toMs - fromMs)), signal);
  return rows.length > 0;
}

async function askEach(
  api: Api,
  wanted: Wanted[],
  span: Span,
  signal: AbortSignal,
  tell: (progress: Progress) => void,
): Promise<Series[]> {
  const count = windowsOf(span).length;
  if (count === 1) return Promise.all(wanted.map((one) => askSeries(api, one, span, signal, () => undefined)));
  const measured = await Promise.all(wanted.map((one) => hasPoints(api, one, span, signal)));
  const progress = { done: 0, of: count * measured.filter(Boolean).length };
  const onWindow = () => tell({ ...progress, done: ++progress.done });
  const series: Series[] = [];
  for (const [index, one] of wanted.entries())
    series.push(measured[index] ? await askSeries(api, one, span, signal, onWindow) : nothingOf(one));
  return series;
}

/** So many questions of so many are answered. */
export interface Progress {
  done: number;
  of: number;
}

/** Everything that one picture needs, of one and the same span. */
export function useMeasured(wanted: Wanted[], span: Span) {
  const { api, scope } = useApi();
  const [progress, setProgress] = useState<Progress>();
  const query = useQuery({
    queryKey: [scope, 'metrics', 'series', wanted, span],
    queryFn: async ({ signal }): Promise<Measured> => {
      setProgress(undefined);
      const series = await askEach(api, wanted, span, signal, setProgress);
      return { span, series };
    },
    placeholderData: keepPreviousData,
    // Comparing a hundred thousand points with those before would take longer than drawing them.
    structuralSharing: false,
    // What took long to read is not read again because somebody looked into another window.
    staleTime: windowsOf(span).length > 1 ? Number.POSITIVE_INFINITY : 60_000,
  });
  return { query, progress: query.isFetching ? progress : undefined };
}
