import { SimpleGrid, Stack } from '@mantine/core';
import { useMemo } from 'react';
import { ChartCard } from './ChartCard.tsx';
import { alignToBuckets, bucketTimes, type ChartModel, linesOf, type Shape } from './chart-model.ts';
import { type ChartData, useChartData } from './metric-series.ts';
import { milliseconds, percent, type Unit } from './statistics.ts';
import type { RangeSelection } from './time-range.ts';

const seriesIndex = { latency: 0, jitter: 1, loss: 2 };

const singleLineModel =
  (index: number, colour: string, shape: Shape, unit: Unit, spreadIndex?: number) =>
  ({ timeRange, series }: ChartData): ChartModel => {
    const line = series[index]!;
    const spread = spreadIndex === undefined ? undefined : series[spreadIndex];
    return {
      timeRange,
      times: bucketTimes(timeRange),
      unit,
      lines: linesOf(timeRange, { colour, shape, series: line }),
      ...(spread ? { spread: alignToBuckets(timeRange, spread), isAxisFloating: true } : {}),
    };
  };

const latencyModel = singleLineModel(seriesIndex.latency, 'var(--series-in)', 'line', milliseconds, seriesIndex.jitter);
const jitterModel = singleLineModel(seriesIndex.jitter, 'var(--series-out)', 'line', milliseconds);
const lossModel = singleLineModel(seriesIndex.loss, 'var(--series-limit)', 'bars', percent);

export function LinkCharts({ irn, range }: { irn: string; range: RangeSelection }) {
  const seriesQueries = useMemo(
    () => [
      { irn, metric: 'latency', label: 'Latency' },
      { irn, metric: 'jitter', label: 'Jitter' },
      { irn, metric: 'packet_loss', label: 'Packet loss' },
    ],
    [irn],
  );
  const chartData = useChartData(seriesQueries, range.timeRange);
  return (
    <Stack>
      <ChartCard
        title="Latency"
        about="Round-trip time. The band around the line is the jitter."
        range={range}
        chartData={chartData}
        toModel={latencyModel}
      />
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <ChartCard title="Jitter" range={range} chartData={chartData} toModel={jitterModel} />
        <ChartCard title="Packet loss" range={range} chartData={chartData} toModel={lossModel} />
      </SimpleGrid>
    </Stack>
  );
}
