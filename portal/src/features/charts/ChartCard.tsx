import { Box, Button, Group, Paper, Progress, Stack, Text, Title } from '@mantine/core';
import { IconApi } from '@tabler/icons-react';
import { type ReactNode, useMemo, useState } from 'react';
import { csvOf, download } from '../../components/csv.ts';
import { Failure } from '../../components/ErrorAlert.tsx';
import { CallsDialog } from './ApiCallsDialog.tsx';
import classes from './Chart.module.css';
import { Chart } from './Chart.tsx';
import { measuredIn, type Picture } from './chart-model.ts';
import { writeMoment } from './chart-times.ts';
import type { Measured, useMeasured } from './metric-series.ts';
import { Origins } from './OriginBadges.tsx';
import { PointTable } from './PointTable.tsx';
import { FigureTable } from './StatisticsTable.tsx';
import { TableAndFile } from './TableAndCsvButtons.tsx';
import type { ShownRange } from './time-range.ts';

function save(title: string, picture: Picture): void {
  const { lines, times } = picture;
  const rows = measuredIn(picture).map((index) => [
    `${new Date(times[index]! * 1000).toISOString().slice(0, 19)}Z`,
    ...lines.map(({ values }) => values[index]),
  ]);
  download(
    `${title.toLowerCase().replace(/[^\w-]+/g, '-')}.csv`,
    csvOf([['time', ...lines.map(({ label }) => label)], ...rows]),
  );
}

/** What the drawing shows, in a sentence. */
function tell(title: string, { lines, unit, span }: Picture): string {
  const told = lines.map(({ label, series }) => {
    const { figures } = series;
    return figures
      ? `${label}: last ${unit.write(figures.last)}, average ${unit.write(figures.average)}, maximum ${unit.write(figures.most)}`
      : `${label}: no points`;
  });
  return `${title} from ${writeMoment(span.fromMs)} to ${writeMoment(span.toMs)}. ${told.join('; ')}`;
}

function Readout({ picture, index }: { picture: Picture; index: number | undefined }) {
  const moment = index === undefined ? undefined : picture.times[index];
  const values = picture.lines.map(({ label, values: own }) => {
    const value = index === undefined ? null : own[index];
    return `${label} ${value == null ? 'no point' : picture.unit.write(value)}`;
  });
  return (
    <div className={classes.readout}>
      {moment === undefined
        ? 'Point at the chart to read it.'
        : `${writeMoment(moment * 1000)} · ${values.join(' · ')}`}
    </div>
  );
}

function Drawn({ title, picture, range }: { title: string; picture: Picture; range: ShownRange }) {
  const [index, setIndex] = useState<number>();
  const [isTable, setTable] = useState(false);
  const label = useMemo(() => tell(title, picture), [title, picture]);
  return (
    <Stack gap="xs">
      <Chart picture={picture} label={label} onPoint={setIndex} onZoom={range.free} />
      <Readout picture={picture} index={index} />
      <FigureTable picture={picture} title={title} />
      <TableAndFile isTable={isTable} onTable={setTable} onSave={() => save(title, picture)} />
      {isTable && <PointTable picture={picture} title={title} />}
    </Stack>
  );
}

function Reading({ progress }: { progress: ReturnType<typeof useMeasured>['progress'] }) {
  if (!progress)
    return (
      <Text size="sm" role="status">
        Loading …
      </Text>
    );
  return (
    <Box role="status">
      <Text size="sm">
        Reading 5-minute points: {progress.done} of {progress.of} parts
      </Text>
      <Progress value={(progress.done / progress.of) * 100} aria-label="Points read" />
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
  range: ShownRange;
  measured: ReturnType<typeof useMeasured>;
  /** Must be the same function as long as it paints the same. */
  paint: (measured: Measured) => Picture;
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
          {picture && <Origins origins={picture.lines.flatMap(({ series }) => series.origins)} />}
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
      {query.error && <Failure error={query.error} onRetry={() => void query.refetch()} />}
      {(query.isPending || query.isPlaceholderData) && !query.error && <Reading progress={progress} />}
      {picture && (
        <div className={query.isPlaceholderData ? classes.stale : ''}>
          {isEmpty ? (
            <Text c="dimmed">
              Nothing was measured in this time. Choose another range; agents write points by POST /metrics/write.
            </Text>
          ) : (
            <Drawn title={title} picture={picture} range={range} />
          )}
        </div>
      )}
      {picture && (
        <CallsDialog
          isOpen={asksCalls}
          onClose={() => setAsksCalls(false)}
          wanted={picture.lines.map(({ series }) => series)}
          span={picture.span}
        />
      )}
    </Paper>
  );
}
