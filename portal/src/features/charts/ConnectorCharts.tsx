import { Stack, Switch } from '@mantine/core';
import { useCallback, useMemo } from 'react';
import { formatBits } from '../../components/format.ts';
import { useSearchParams } from '../../components/useSearchParams.ts';
import { Availability } from './Availability.tsx';
import { ChartCard } from './ChartCard.tsx';
import { bucketTimes, type ChartModel, linesOf } from './chart-model.ts';
import { type ChartData, useChartData } from './metric-series.ts';
import type { Unit } from './statistics.ts';
import type { RangeSelection } from './time-range.ts';

export const bitsPerSecond: Unit = { format: formatBits, minAxisMax: 1000 };

const trafficChartModel =
  (capacityBps: number | undefined, isInView: boolean) =>
  ({ timeRange, series }: ChartData): ChartModel => ({
    timeRange,
    times: bucketTimes(timeRange),
    unit: bitsPerSecond,
    lines: series.flatMap((line, index) =>
      linesOf(timeRange, {
        colour: index === 0 ? 'var(--series-in)' : 'var(--series-out)',
        shape: 'area',
        isMirrored: index === 1,
        series: line,
      }),
    ),
    ...(capacityBps ? { limit: { value: capacityBps, isInView } } : {}),
  });

/** Inbound above zero, outbound below, with the capacity as limit. */
function TrafficChart({
  irn,
  capacityBps,
  range,
}: {
  irn: string;
  capacityBps: number | undefined;
  range: RangeSelection;
}) {
  const [search, change] = useSearchParams();
  const isInView = search.scale !== 'traffic';
  const seriesQueries = useMemo(
    () => [
      { irn, metric: 'bits_send', label: 'In' },
      { irn, metric: 'bits_received', label: 'Out' },
    ],
    [irn],
  );
  const chartData = useChartData(seriesQueries, range.timeRange);
  const toModel = useCallback(
    (data: ChartData) => trafficChartModel(capacityBps, isInView)(data),
    [capacityBps, isInView],
  );
  const about = capacityBps
    ? `In above zero, out below. The dashed lines are the capacity: ${formatBits(capacityBps)} each way.`
    : 'In above zero, out below.';
  return (
    <ChartCard
      title="Traffic"
      about={about}
      range={range}
      chartData={chartData}
      toModel={toModel}
      extra={
        capacityBps ? (
          <Switch
            size="sm"
            label="Scale to capacity"
            checked={isInView}
            onChange={(event) => change({ scale: event.currentTarget.checked ? undefined : 'traffic' })}
          />
        ) : null
      }
    />
  );
}

export function ConnectorCharts({
  irn,
  capacityBps,
  range,
}: {
  irn: string;
  capacityBps?: number | null | undefined;
  range: RangeSelection;
}) {
  return (
    <Stack>
      <TrafficChart irn={irn} capacityBps={capacityBps ?? undefined} range={range} />
      <Availability irn={irn} range={range} />
    </Stack>
  );
}
