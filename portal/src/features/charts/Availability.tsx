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

function useAvailabilityDays(irn: string, span: TimeRange) {
  const { api, scope } = useApi();
  const wanted = useMemo(() => ({ irn, metric: 'connStatusHistory', label: 'Availability' }), [irn]);
  const query = useQuery({
    queryKey: [scope, 'metrics', 'days', irn, span],
    queryFn: async ({ signal }) => {
      const { rows, origin } = await fetchRows(api, wanted, span, signal);
      const days = rows.map(
        ([time, up, down]): AvailabilityDay => ({ ms: Date.parse(String(time)), up: Number(up), down: Number(down) }),
      );
      return { days, origins: origin ? [origin] : [] };
    },
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
  return { query, wanted };
}

/** Down, in words: the days on which it was, at most a handful. */
function DownDays({ days }: { days: AvailabilityDay[] }) {
  const troubled = days.filter(({ down }) => down > 0);
  const told = troubled.slice(-5).map((day) => `${formatUtcDay(day.ms)} (${dayUptime(day)} up)`);
  if (troubled.length === 0) return <Text size="sm">Up in every measurement.</Text>;
  return (
    <Text size="sm">
      Down at times on {plural(troubled.length, 'day')}
      {troubled.length > told.length ? ', the latest' : ''}: {told.join(', ')}.
    </Text>
  );
}

function DayTable({ days }: { days: AvailabilityDay[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className={classes.pointsRegion} aria-label="Availability: days" tabIndex={0}>
      <table className={classes.points} aria-label="Availability: days">
        <thead>
          <tr>
            <th scope="col">Day (UTC)</th>
            <th scope="col">Measured up</th>
            <th scope="col">Measured down</th>
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

/** Of each UTC day, how often the BGP session was measured up. */
export function Availability({ irn, range }: { irn: string; range: RangeSelection }) {
  const span = useMemo(() => alignedRange(range.fromMs, range.toMs, dayMs), [range.fromMs, range.toMs]);
  const { query, wanted } = useAvailabilityDays(irn, span);
  const [isTable, setTable] = useState(false);
  const [asksCalls, setAsksCalls] = useState(false);
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
          onClick={() => setAsksCalls(true)}
        >
          API call
        </Button>
      </Group>
      <QueryResult query={query} lines={2}>
        {({ days }) =>
          days.length === 0 ? (
            <Text c="dimmed">The BGP session was not measured on these days.</Text>
          ) : (
            <Stack gap="xs">
              <Text size="sm">
                <strong>{totalUptime(days)} up</strong> over {plural(days.length, 'measured day')} (UTC days).
              </Text>
              <AvailabilityStrip days={days} span={span} />
              <DownDays days={days} />
              <TableAndCsvButtons isTable={isTable} onTable={setTable} onSave={() => saveCsv(days)} />
              {isTable && <DayTable days={days} />}
            </Stack>
          )
        }
      </QueryResult>
      <ApiCallsDialog isOpen={asksCalls} onClose={() => setAsksCalls(false)} wanted={[wanted]} span={span} />
    </Paper>
  );
}
