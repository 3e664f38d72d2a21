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

interface Region {
  slug: string;
  name: string;
}

/** A line for each that has points; each keeps its colour whichever others there are. */
export function lineChartModel({ span, series }: ChartData): ChartModel {
  const lines = series.map((one, index) => ({
    label: one.label,
    ...seriesStyle(index),
    shape: 'line' as const,
    series: one,
    values: alignToBuckets(span, one),
  }));
  const shown = lines.filter(({ series: own }) => own.times.length > 0);
  return { span, times: bucketTimes(span), unit: bitsPerSecond, lines: shown.length > 0 ? shown : lines };
}

function UsedCapacityChart({ irn, regions, range }: { irn: string; regions: Region[]; range: RangeSelection }) {
  const wanted = useMemo(() => regions.map(({ slug, name }) => ({ irn, metric: slug, label: name })), [irn, regions]);
  const measured = useChartData(wanted, range.span);
  return (
    <ChartCard
      title="Used capacity"
      about="For each region, what the group's connectors there carried: the larger of in and out of each, added up."
      range={range}
      measured={measured}
      paint={lineChartModel}
    />
  );
}

export function GroupCharts({ irn, range }: { irn: string; range: RangeSelection }) {
  const regions = useQuery(regionsQuery(useApi()));
  return (
    <QueryResult query={regions}>
      {(places) => <UsedCapacityChart irn={irn} regions={places} range={range} />}
    </QueryResult>
  );
}
