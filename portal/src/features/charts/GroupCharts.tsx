import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { regionsQuery } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { Asked } from '../../components/QueryResult.tsx';
import { ChartCard } from './ChartCard.tsx';
import { bitsPerSecond } from './ConnectorCharts.tsx';
import { align, gridOf, type Picture } from './chart-model.ts';
import { type Measured, useMeasured } from './metric-series.ts';
import { traceOf } from './series-styles.ts';
import type { ShownRange } from './time-range.ts';

interface Place {
  slug: string;
  name: string;
}

/** A line for each that has points; each keeps its colour whichever others there are. */
export function paintTraces({ span, series }: Measured): Picture {
  const lines = series.map((one, index) => ({
    label: one.label,
    ...traceOf(index),
    shape: 'line' as const,
    series: one,
    values: align(span, one),
  }));
  const shown = lines.filter(({ series: own }) => own.times.length > 0);
  return { span, times: gridOf(span), unit: bitsPerSecond, lines: shown.length > 0 ? shown : lines };
}

function UsedCapacity({ irn, regions, range }: { irn: string; regions: Place[]; range: ShownRange }) {
  const wanted = useMemo(() => regions.map(({ slug, name }) => ({ irn, metric: slug, label: name })), [irn, regions]);
  const measured = useMeasured(wanted, range.span);
  return (
    <ChartCard
      title="Used capacity"
      about="For each region, what the group's connectors there carried: the larger of in and out of each, added up."
      range={range}
      measured={measured}
      paint={paintTraces}
    />
  );
}

export function GroupCharts({ irn, range }: { irn: string; range: ShownRange }) {
  const regions = useQuery(regionsQuery(useApi()));
  return <Asked query={regions}>{(places) => <UsedCapacity irn={irn} regions={places} range={range} />}</Asked>;
}
