import { Box, Button, Group, Paper, Progress, Stack, Text, Title } from '@mantine/core';
import { IconApi } from '@tabler/icons-react';
import { type ReactNode, useMemo, useState } from 'react';
import { download, toCsv } from '../../components/csv.ts';
import { ErrorAlert } from '../../components/ErrorAlert.tsx';
import { formatPointTime } from '../../components/format-time.ts';
import { ApiCallsDialog } from './ApiCallsDialog.tsx';
import classes from './Chart.module.css';
import { Chart } from './Chart.tsx';
import { type ChartModel, measuredIndices } from './chart-model.ts';
import type { ChartData, useChartData } from './metric-series.ts';
import { OriginBadges } from './OriginBadges.tsx';
import { PointTable } from './PointTable.tsx';
import { StatisticsTable } from './StatisticsTable.tsx';
import { TableAndCsvButtons } from './TableAndCsvButtons.tsx';
import type { RangeSelection } from './time-range.ts';

function saveCsv(title: string, model: ChartModel): void {
  const { lines, times } = model;
  const rows = measuredIndices(model).map((index) => [
    `${new Date(times[index]! * 1000).toISOString().slice(0, 19)}Z`,
    ...lines.map(({ values }) => values[index]),
  ]);
  download(
    `${title.toLowerCase().replace(/[^\w-]+/g, '-')}.csv`,
    toCsv([['time', ...lines.map(({ label }) => label)], ...rows]),
  );
}

/** The accessible description of a chart. */
function describeChart(title: string, { lines, unit, timeRange }: ChartModel): string {
  const summaries = lines.map(({ label, series }) => {
    const { statistics } = series;
    return statistics
      ? `${label}: last ${unit.format(statistics.last)}, average ${unit.format(statistics.average)}, maximum ${unit.format(statistics.maximum)}`
      : `${label}: no points`;
  });
  return `${title} from ${formatPointTime(timeRange.fromMs)} to ${formatPointTime(timeRange.toMs)}. ${summaries.join('; ')}`;
}

function Readout({ model, index }: { model: ChartModel; index: number | undefined }) {
  const seconds = index === undefined ? undefined : model.times[index];
  const values = model.lines.map(({ label, values: points }) => {
    const value = index === undefined ? null : points[index];
    return `${label} ${value == null ? 'no point' : model.unit.format(value)}`;
  });
  return (
    <div className={classes.readout}>
      {seconds === undefined
        ? 'Hover over the chart to read values.'
        : `${formatPointTime(seconds * 1000)} · ${values.join(' · ')}`}
    </div>
  );
}

function ChartWithTables({ title, model, range }: { title: string; model: ChartModel; range: RangeSelection }) {
  const [index, setIndex] = useState<number>();
  const [isTable, setTable] = useState(false);
  const label = useMemo(() => describeChart(title, model), [title, model]);
  return (
    <Stack gap="xs">
      <Chart model={model} label={label} onPoint={setIndex} onZoom={range.selectCustom} />
      <Readout model={model} index={index} />
      <StatisticsTable model={model} title={title} />
      <TableAndCsvButtons isTable={isTable} onTable={setTable} onSave={() => saveCsv(title, model)} />
      {isTable && <PointTable model={model} title={title} />}
    </Stack>
  );
}

function LoadingProgress({ progress }: { progress: ReturnType<typeof useChartData>['progress'] }) {
  if (!progress)
    return (
      <Text size="sm" role="status">
        Loading …
      </Text>
    );
  return (
    <Box role="status">
      <Text size="sm">
        Loading 5-minute points: {progress.done} of {progress.total} requests
      </Text>
      <Progress value={(progress.done / progress.total) * 100} aria-label="Points loaded" />
    </Box>
  );
}

/** A chart with statistics, origin, table, CSV download and API calls. */
export function ChartCard({
  title,
  about,
  range,
  chartData: { query, progress },
  toModel,
  extra,
}: {
  title: string;
  about?: ReactNode;
  range: RangeSelection;
  chartData: ReturnType<typeof useChartData>;
  /** Must be referentially stable. */
  toModel: (data: ChartData) => ChartModel;
  extra?: ReactNode;
}) {
  const [isShowingCalls, setShowingCalls] = useState(false);
  const { data } = query;
  const model = useMemo(() => data && toModel(data), [data, toModel]);
  const isEmpty = model?.lines.every(({ series }) => series.times.length === 0) ?? true;
  return (
    <Paper component="section" aria-label={title} className={classes.traces} aria-busy={query.isFetching}>
      <Group justify="space-between" gap="xs" mb="xs">
        <Group gap="xs">
          <Title order={3}>{title}</Title>
          {model && <OriginBadges origins={model.lines.flatMap(({ series }) => series.origins)} />}
        </Group>
        <Group gap="md">
          {extra}
          {model && (
            <Button
              size="xs"
              variant="subtle"
              leftSection={<IconApi size={16} aria-hidden />}
              onClick={() => setShowingCalls(true)}
            >
              API call
            </Button>
          )}
        </Group>
      </Group>
      {about && (
        <Text size="sm" c="dimmed" mb="xs">
          {about}
        </Text>
      )}
      {query.error && <ErrorAlert error={query.error} onRetry={() => void query.refetch()} />}
      {(query.isPending || query.isPlaceholderData) && !query.error && <LoadingProgress progress={progress} />}
      {model && (
        <div className={query.isPlaceholderData ? classes.stale : ''}>
          {isEmpty ? (
            <Text c="dimmed">
              No data in this range. Select another range; agents write samples with POST /metrics/write.
            </Text>
          ) : (
            <ChartWithTables title={title} model={model} range={range} />
          )}
        </div>
      )}
      {model && (
        <ApiCallsDialog
          isOpen={isShowingCalls}
          onClose={() => setShowingCalls(false)}
          seriesQueries={model.lines.map(({ series }) => series)}
          timeRange={model.timeRange}
        />
      )}
    </Paper>
  );
}
