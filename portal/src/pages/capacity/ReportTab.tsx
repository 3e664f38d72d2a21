import { Button, Group, Select, Stack, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../../api/client.ts';
import { useApi } from '../../api/scope.ts';
import { download, toCsv } from '../../components/csv.ts';
import { DateTimeFilter } from '../../components/DateTimeFilter.tsx';
import { useRegionNames } from '../../components/place-names.tsx';
import { QueryResult } from '../../components/QueryResult.tsx';
import { useSearchParams } from '../../components/useSearchParams.ts';
import { ReportBars } from './ReportBars.tsx';
import { ReportTable } from './ReportTable.tsx';
import { csvRows, reportRows } from './report-rows.ts';

/** Used, allocated and subscribed capacity of the organisation and its descendants in one region. */
export function ReportTab() {
  const { api, scope } = useApi();
  const [search, change] = useSearchParams();
  const { regions } = useRegionNames();
  const region = regions.find(({ slug }) => slug === search.region) ?? regions[0];
  const { from, to } = search;
  const report = useQuery({
    queryKey: [scope, 'capacity report', region?.slug, from, to],
    queryFn: () =>
      unwrap(
        api.GET('/metrics/capacities/{region}', {
          params: {
            path: { region: region!.slug },
            query: { ...(from ? { 'start-d': from } : {}), ...(to ? { 'end-d': to } : {}) },
          },
        }),
      ),
    enabled: region !== undefined,
  });
  const isRange = from !== undefined || to !== undefined;
  return (
    <Stack>
      <Group align="flex-end">
        <Select
          label="Region"
          w={200}
          data={regions.map(({ slug, name }) => ({ value: slug, label: name }))}
          allowDeselect={false}
          value={region?.slug ?? null}
          onChange={(slug) => change({ region: slug ?? undefined })}
        />
        <DateTimeFilter label="Used from" value={from} onChange={(from) => change({ from })} />
        <DateTimeFilter label="Used until" value={to} onChange={(to) => change({ to })} />
        {isRange && (
          <Button variant="default" onClick={() => change({ from: undefined, to: undefined })}>
            Last 24 hours
          </Button>
        )}
        <Button
          variant="default"
          leftSection={<IconDownload size={16} aria-hidden />}
          disabled={!report.data}
          onClick={() =>
            report.data &&
            download(`capacity-${region!.slug}.csv`, toCsv(csvRows(reportRows(report.data), region!.slug)))
          }
        >
          Download CSV
        </Button>
      </Group>
      <Text size="sm" c="dimmed">
        Used is the mean over {isRange ? 'the selected time' : 'the last 24 hours'}; allocated and subscribed are
        current values. Capacity between two regions counts in both.
      </Text>
      <QueryResult query={report}>
        {(value) => {
          const rows = reportRows(value);
          return (
            <>
              <ReportBars rows={rows.filter(({ kind }) => kind === 'Organisation')} />
              <ReportTable rows={rows} />
            </>
          );
        }}
      </QueryResult>
    </Stack>
  );
}
