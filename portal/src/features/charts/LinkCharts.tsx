import { SimpleGrid, Stack } from '@mantine/core';
import { useMemo } from 'react';
import { ChartCard } from './ChartCard.tsx';
import { alignToBuckets, bucketTimes, type ChartModel, type Shape } from './chart-model.ts';
import { type ChartData, useChartData } from './metric-series.ts';
import { milliseconds, percent, type Unit } from './statistics.ts';
import type { RangeSelection } from './time-range.ts';

const seriesIndex = { latency: 0, jitter: 1, loss: 2 };

const singleLineModel =
  (place: number, colour: string, shape: Shape, unit: Unit, spreadPlace?: number) =>
  ({ span, series }: ChartData): ChartModel => {
    const own = series[place]!;
    const spread = spreadPlace === undefined ? undefined : series[spreadPlace];
    return {
      span,
      times: bucketTimes(span),
      unit,
      lines: [{ label: own.label, colour, shape, series: own, values: alignToBuckets(span, own) }],
      ...(spread ? { spread: alignToBuckets(span, spread), isAfloat: true } : {}),
    };
  };

const latencyModel = singleLineModel(seriesIndex.latency, 'var(--series-in)', 'line', milliseconds, seriesIndex.jitter);
const jitterModel = singleLineModel(seriesIndex.jitter, 'var(--series-out)', 'line', milliseconds);
const lossModel = singleLineModel(seriesIndex.loss, 'var(--series-limit)', 'bars', percent);

export function LinkCharts({ irn, range }: { irn: string; range: RangeSelection }) {
  const wanted = useMemo(
    () => [
      { irn, metric: 'latency', label: 'Latency' },
      { irn, metric: 'jitter', label: 'Jitter' },
      { irn, metric: 'packet_loss', label: 'Packet loss' },
    ],
    [irn],
  );
  const measured = useChartData(wanted, range.span);
  return (
    <Stack>
      <ChartCard
        title="Latency"
        about="The time to the other end and back. The band around the line is the jitter, above and below."
        range={range}
        measured={measured}
        paint={latencyModel}
      />
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <ChartCard title="Jitter" range={range} measured={measured} paint={jitterModel} />
        <ChartCard title="Packet loss" range={range} measured={measured} paint={lossModel} />
      </SimpleGrid>
    </Stack>
  );
}
