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

function saveCsv(title: string, picture: ChartModel): void {
  const { lines, times } = picture;
  const rows = measuredIndices(picture).map((index) => [
    `${new Date(times[index]! * 1000).toISOString().slice(0, 19)}Z`,
    ...lines.map(({ values }) => values[index]),
  ]);
  download(
    `${title.toLowerCase().replace(/[^\w-]+/g, '-')}.csv`,
    toCsv([['time', ...lines.map(({ label }) => label)], ...rows]),
  );
}

/** What the drawing shows, in a sentence. */
function describeChart(title: string, { lines, unit, span }: ChartModel): string {
  const told = lines.map(({ label, series }) => {
    const { figures } = series;
    return figures
      ? `${label}: last ${unit.format(figures.last)}, average ${unit.format(figures.average)}, maximum ${unit.format(figures.most)}`
      : `${label}: no points`;
  });
  return `${title} from ${formatPointTime(span.fromMs)} to ${formatPointTime(span.toMs)}. ${told.join('; ')}`;
}

function Readout({ picture, index }: { picture: ChartModel; index: number | undefined }) {
  const moment = index === undefined ? undefined : picture.times[index];
  const values = picture.lines.map(({ label, values: own }) => {
    const value = index === undefined ? null : own[index];
    return `${label} ${value == null ? 'no point' : picture.unit.format(value)}`;
  });
  return (
    <div className={classes.readout}>
      {moment === undefined
        ? 'Point at the chart to read it.'
        : `${formatPointTime(moment * 1000)} · ${values.join(' · ')}`}
    </div>
  );
}

function ChartWithTables({ title, picture, range }: { title: string; picture: ChartModel; range: RangeSelection }) {
  const [index, setIndex] = useState<number>();
  const [isTable, setTable] = useState(false);
  const label = useMemo(() => describeChart(title, picture), [title, picture]);
  return (
    <Stack gap="xs">
      <Chart picture={picture} label={label} onPoint={setIndex} onZoom={range.free} />
      <Readout picture={picture} index={index} />
      <StatisticsTable picture={picture} title={title} />
      <TableAndCsvButtons isTable={isTable} onTable={setTable} onSave={() => saveCsv(title, picture)} />
      {isTable && <PointTable picture={picture} title={title} />}
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
        Reading 5-minute points: {progress.done} of {progress.total} parts
      </Text>
      <Progress value={(progress.done / progress.total) * 100} aria-label="Points read" />
    </Box>
  );
}

/** A chart with everything that belongs to it: figures, origin, table, file and API call. */
export function ChartCard({
  title,
  about,
  range,
  measured: { query, progress },
  paint,
  extra,
}: {
  title: string;
  about?: ReactNode;
  range: RangeSelection;
  measured: ReturnType<typeof useChartData>;
  /** Must be the same function as long as it paints the same. */
  paint: (measured: ChartData) => ChartModel;
  extra?: ReactNode;
}) {
  const [asksCalls, setAsksCalls] = useState(false);
  const { data } = query;
  const picture = useMemo(() => data && paint(data), [data, paint]);
  const isEmpty = picture?.lines.every(({ series }) => series.times.length === 0) ?? true;
  return (
    <Paper component="section" aria-label={title} className={classes.traces} aria-busy={query.isFetching}>
      <Group justify="space-between" gap="xs" mb="xs">
        <Group gap="xs">
          <Title order={3}>{title}</Title>
          {picture && <OriginBadges origins={picture.lines.flatMap(({ series }) => series.origins)} />}
        </Group>
        <Group gap="md">
          {extra}
          {picture && (
            <Button
              size="xs"
              variant="subtle"
              leftSection={<IconApi size={16} aria-hidden />}
              onClick={() => setAsksCalls(true)}
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
      {picture && (
        <div className={query.isPlaceholderData ? classes.stale : ''}>
          {isEmpty ? (
            <Text c="dimmed">
              Nothing was measured in this time. Choose another range; agents write points by POST /metrics/write.
            </Text>
          ) : (
            <ChartWithTables title={title} picture={picture} range={range} />
          )}
        </div>
      )}
      {picture && (
        <ApiCallsDialog
          isOpen={asksCalls}
          onClose={() => setAsksCalls(false)}
          wanted={picture.lines.map(({ series }) => series)}
          span={picture.span}
        />
      )}
    </Paper>
  );
}
