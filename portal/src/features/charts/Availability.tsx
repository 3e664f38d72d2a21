import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { IconApi } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { useApi } from '../../api/scope.ts';
import { csvOf, download } from '../../components/csv.ts';
import { plural } from '../../components/format.ts';
import { Asked } from '../../components/QueryResult.tsx';
import { CallsDialog } from './ApiCallsDialog.tsx';
import { DayStrip } from './AvailabilityStrip.tsx';
import { type Day, shareOf, upShare } from './availability-days.ts';
import classes from './Chart.module.css';
import { writeUtcDay } from './chart-times.ts';
import { askRows } from './metric-series.ts';
import { Origins } from './OriginBadges.tsx';
import { TableAndFile } from './TableAndCsvButtons.tsx';
import { dayMs, type ShownRange, type Span, spanOf } from './time-range.ts';

function useDays(irn: string, span: Span) {
  const { api, scope } = useApi();
  const wanted = useMemo(() => ({ irn, metric: 'connStatusHistory', label: 'Availability' }), [irn]);
  const query = useQuery({
    queryKey: [scope, 'metrics', 'days', irn, span],
    queryFn: async ({ signal }) => {
      const { rows, origin } = await askRows(api, wanted, span, signal);
      const days = rows.map(
        ([time, up, down]): Day => ({ ms: Date.parse(String(time)), up: Number(up), down: Number(down) }),
      );
      return { days, origins: origin ? [origin] : [] };
    },
    placeholderData: keepPreviousData,
    staleTime: 60_000,
  });
  return { query, wanted };
}

/** Down, in words: the days on which it was, at most a handful. */
function TroubledDays({ days }: { days: Day[] }) {
  const troubled = days.filter(({ down }) => down > 0);
  const told = troubled.slice(-5).map((day) => `${writeUtcDay(day.ms)} (${upShare(day)} up)`);
  if (troubled.length === 0) return <Text size="sm">Up in every measurement.</Text>;
  return (
    <Text size="sm">
      Down at times on {plural(troubled.length, 'day')}
      {troubled.length > told.length ? ', the latest' : ''}: {told.join(', ')}.
    </Text>
  );
}

function DayTable({ days }: { days: Day[] }) {
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
              <td>{writeUtcDay(day.ms)}</td>
              <td>{day.up}</td>
              <td>{day.down}</td>
              <td>{upShare(day)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

const save = (days: Day[]): void =>
  download(
    'availability.csv',
    csvOf([
      ['time', 'up', 'down'],
      ...days.map(({ ms, up, down }) => [`${new Date(ms).toISOString().slice(0, 19)}Z`, up, down]),
    ]),
  );

/** Of each UTC day, how often the BGP session was measured up. */
export function Availability({ irn, range }: { irn: string; range: ShownRange }) {
  const span = useMemo(() => spanOf(range.fromMs, range.toMs, dayMs), [range.fromMs, range.toMs]);
  const { query, wanted } = useDays(irn, span);
  const [isTable, setTable] = useState(false);
  const [asksCalls, setAsksCalls] = useState(false);
  return (
    <Paper component="section" aria-label="Availability" aria-busy={query.isFetching}>
      <Group justify="space-between" gap="xs" mb="xs">
        <Group gap="xs">
          <Title order={3}>Availability</Title>
          {query.data && <Origins origins={query.data.origins} />}
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
      <Asked query={query} lines={2}>
        {({ days }) =>
          days.length === 0 ? (
            <Text c="dimmed">The BGP session was not measured on these days.</Text>
          ) : (
            <Stack gap="xs">
              <Text size="sm">
                <strong>{shareOf(days)} up</strong> over {plural(days.length, 'measured day')} (UTC days).
              </Text>
              <DayStrip days={days} span={span} />
              <TroubledDays days={days} />
              <TableAndFile isTable={isTable} onTable={setTable} onSave={() => save(days)} />
              {isTable && <DayTable days={days} />}
            </Stack>
          )
        }
      </Asked>
      <CallsDialog isOpen={asksCalls} onClose={() => setAsksCalls(false)} wanted={[wanted]} span={span} />
    </Paper>
  );
}
