import type { Schemas } from '@patchbay/client';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { regionsQuery } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { QueryResult } from '../../components/QueryResult.tsx';
import { ChartCard } from './ChartCard.tsx';
import { bitsPerSecond } from './ConnectorCharts.tsx';
import { alignToBuckets, bucketTimes, type ChartModel } from './chart-model.ts';
import { type ChartData, useChartData } from './metric-series.ts';
import { seriesStyle } from './series-styles.ts';
import type { RangeSelection } from './time-range.ts';

/** One line for each series with points. A series keeps its colour whichever others are shown. */
export function lineChartModel({ timeRange, series }: ChartData): ChartModel {
  const lines = series.map((line, index) => ({
    label: line.label,
    ...seriesStyle(index),
    shape: 'line' as const,
    series: line,
    values: alignToBuckets(timeRange, line),
  }));
  const shown = lines.filter(({ series: line }) => line.times.length > 0);
  return { timeRange, times: bucketTimes(timeRange), unit: bitsPerSecond, lines: shown.length > 0 ? shown : lines };
}

function UsedCapacityChart({
  irn,
  regions,
  range,
}: {
  irn: string;
  regions: Schemas['Region'][];
  range: RangeSelection;
}) {
  const seriesQueries = useMemo(
    () => regions.map(({ slug, name }) => ({ irn, metric: slug, label: name })),
    [irn, regions],
  );
  const chartData = useChartData(seriesQueries, range.timeRange);
  return (
    <ChartCard
      title="Used capacity"
      about="Per region: the sum over the group's connectors of the larger of inbound and outbound traffic."
      range={range}
      chartData={chartData}
      toModel={lineChartModel}
    />
  );
}

export function GroupCharts({ irn, range }: { irn: string; range: RangeSelection }) {
  const regions = useQuery(regionsQuery(useApi()));
  return (
    <QueryResult query={regions}>{(list) => <UsedCapacityChart irn={irn} regions={list} range={range} />}</QueryResult>
  );
}
