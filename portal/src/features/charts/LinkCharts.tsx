import { SimpleGrid, Stack } from '@mantine/core';
import { useMemo } from 'react';
import { ChartCard } from './ChartCard.tsx';
import { align, gridOf, type Picture, type Shape } from './chart-model.ts';
import { type Measured, useMeasured } from './metric-series.ts';
import { milliseconds, percent, type Unit } from './statistics.ts';
import type { ShownRange } from './time-range.ts';

const places = { latency: 0, jitter: 1, loss: 2 };

const paintOne =
  (place: number, colour: string, shape: Shape, unit: Unit, spreadPlace?: number) =>
  ({ span, series }: Measured): Picture => {
    const own = series[place]!;
    const spread = spreadPlace === undefined ? undefined : series[spreadPlace];
    return {
      span,
      times: gridOf(span),
      unit,
      lines: [{ label: own.label, colour, shape, series: own, values: align(span, own) }],
      ...(spread ? { spread: align(span, spread), isAfloat: true } : {}),
    };
  };

const paintLatency = paintOne(places.latency, 'var(--series-in)', 'line', milliseconds, places.jitter);
const paintJitter = paintOne(places.jitter, 'var(--series-out)', 'line', milliseconds);
const paintLoss = paintOne(places.loss, 'var(--series-limit)', 'bars', percent);

export function LinkCharts({ irn, range }: { irn: string; range: ShownRange }) {
  const wanted = useMemo(
    () => [
      { irn, metric: 'latency', label: 'Latency' },
      { irn, metric: 'jitter', label: 'Jitter' },
      { irn, metric: 'packet_loss', label: 'Packet loss' },
    ],
    [irn],
  );
  const measured = useMeasured(wanted, range.span);
  return (
    <Stack>
      <ChartCard
        title="Latency"
        about="The time to the other end and back. The band around the line is the jitter, above and below."
        range={range}
        measured={measured}
        paint={paintLatency}
      />
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <ChartCard title="Jitter" range={range} measured={measured} paint={paintJitter} />
        <ChartCard title="Packet loss" range={range} measured={measured} paint={paintLoss} />
      </SimpleGrid>
    </Stack>
  );
}
