import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { IconApi } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useApi } from '../../api/scope.ts';
import { download, toCsv } from '../../components/csv.ts';
import { plural } from '../../components/format.ts';
import { formatUtcDay } from '../../components/format-time.ts';
import { QueryResult } from '../../components/QueryResult.tsx';
import { ApiCallsDialog } from './ApiCallsDialog.tsx';
import { AvailabilityStrip } from './AvailabilityStrip.tsx';
import { type AvailabilityDay, dayUptime, totalUptime } from './availability-days.ts';
import classes from './Chart.module.css';
import { fetchRows } from './metric-series.ts';
import { OriginBadges } from './OriginBadges.tsx';
import { TableAndCsvButtons } from './TableAndCsvButtons.tsx';
import { alignedRange, dayMs, type RangeSelection, type TimeRange } from './time-range.ts';

function useAvailabilityDays(irn: string, timeRange: TimeRange) {
  const { api, scope } = useApi();
  const seriesQuery = useMemo(() => ({ irn, metric: 'connStatusHistory', label: 'Availability' }), [irn]);
  const query = useQuery({
    queryKey: [scope, 'metrics', 'days', irn, timeRange],
    queryFn: async ({ signal }) => {
      // The days of the best origin: samples of two origins cannot be added up.
      const [best] = await fetchRows(api, seriesQuery, timeRange, signal);
      const days = (best?.rows ?? []).map(
        ([time, up, down]): AvailabilityDay => ({ ms: Date.parse(String(time)), up: Number(up), down: Number(down) }),
      );
      return { days, origins: best ? [best.origin] : [] };
    },
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
  return { query, seriesQuery };
}

/** The latest days with downtime, as text. */
function DownDays({ days }: { days: AvailabilityDay[] }) {
  const downDays = days.filter(({ down }) => down > 0);
  const shown = downDays.slice(-5).map((day) => `${formatUtcDay(day.ms)} (${dayUptime(day)} up)`);
  if (downDays.length === 0) return <Text size="sm">Up in every sample.</Text>;
  return (
    <Text size="sm">
      Downtime on {plural(downDays.length, 'day')}
      {downDays.length > shown.length ? ', the latest' : ''}: {shown.join(', ')}.
    </Text>
  );
}

function DayTable({ days }: { days: AvailabilityDay[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs keyboard focus
    <section className={classes.pointsRegion} aria-label="Availability: days" tabIndex={0}>
      <table className={classes.points} aria-label="Availability: days">
        <thead>
          <tr>
            <th scope="col">Day (UTC)</th>
            <th scope="col">Samples up</th>
            <th scope="col">Samples down</th>
            <th scope="col">Up</th>
          </tr>
        </thead>
        <tbody>
          {days.map((day) => (
            <tr key={day.ms}>
              <td>{formatUtcDay(day.ms)}</td>
              <td>{day.up}</td>
              <td>{day.down}</td>
              <td>{dayUptime(day)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const saveCsv = (days: AvailabilityDay[]): void =>
  download(
    'availability.csv',
    toCsv([
      ['time', 'up', 'down'],
      ...days.map(({ ms, up, down }) => [`${new Date(ms).toISOString().slice(0, 19)}Z`, up, down]),
    ]),
  );

/** The share of samples with an established BGP session, by UTC day. */
export function Availability({ irn, range }: { irn: string; range: RangeSelection }) {
  const timeRange = useMemo(() => alignedRange(range.fromMs, range.toMs, dayMs), [range.fromMs, range.toMs]);
  const { query, seriesQuery } = useAvailabilityDays(irn, timeRange);
  const [isTable, setTable] = useState(false);
  const [isShowingCalls, setShowingCalls] = useState(false);
  return (
    <Paper component="section" aria-label="Availability" aria-busy={query.isFetching}>
      <Group justify="space-between" gap="xs" mb="xs">
        <Group gap="xs">
          <Title order={3}>Availability</Title>
          {query.data && <OriginBadges origins={query.data.origins} />}
        </Group>
        <Button
          size="xs"
          variant="subtle"
          leftSection={<IconApi size={16} aria-hidden />}
          onClick={() => setShowingCalls(true)}
        >
          API call
        </Button>
      </Group>
      <QueryResult query={query} lines={2}>
        {({ days }) =>
          days.length === 0 ? (
            <Text c="dimmed">No samples of the BGP session on these days.</Text>
          ) : (
            <Stack gap="xs">
              <Text size="sm">
                <strong>{totalUptime(days)} up</strong> over {plural(days.length, 'day')} (UTC).
              </Text>
              <AvailabilityStrip days={days} timeRange={timeRange} />
              <DownDays days={days} />
              <TableAndCsvButtons isTable={isTable} onTable={setTable} onSave={() => saveCsv(days)} />
              {isTable && <DayTable days={days} />}
            </Stack>
          )
        }
      </QueryResult>
      <ApiCallsDialog
        isOpen={isShowingCalls}
        onClose={() => setShowingCalls(false)}
        seriesQueries={[seriesQuery]}
        timeRange={timeRange}
      />
    </Paper>
  );
}
