// The used capacity of several groups in one region, in one chart.
import { Group, Loader, NativeSelect, Paper, Stack } from '@mantine/core';
import type { Schemas } from '@patchbay/client';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { unwrap } from '../../api/client.ts';
import { groupsQuery, regionsQuery, useCan } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { QueryResult } from '../../components/QueryResult.tsx';
import { RouterButton } from '../../components/router-links.tsx';
import { useSearchParams } from '../../components/useSearchParams.ts';
import { ChartCard } from '../../features/charts/ChartCard.tsx';
import { lineChartModel } from '../../features/charts/GroupCharts.tsx';
import { useChartData } from '../../features/charts/metric-series.ts';
import { RangePicker } from '../../features/charts/RangePicker.tsx';
import { type RangeSelection, useRangeSelection } from '../../features/charts/time-range.ts';
import { splitList, useSubjects } from './metric-subjects.ts';
import { SubjectSelect } from './SubjectSelect.tsx';

const maxGroups = 6;

type Region = Schemas['Region'];

/** The region with the most traffic of the last day; the first while loading or without permission. */
function useBusiestRegion(regions: Region[], isEnabled: boolean) {
  const { api, scope } = useApi();
  const can = useCan();
  const isAllowed = isEnabled && can('GET', '/metrics/capacities/{region}');
  const reports = useQueries({
    queries: regions.map(({ slug }) => ({
      queryKey: [scope, 'metrics', 'report', slug],
      queryFn: () => unwrap(api.GET('/metrics/capacities/{region}', { params: { path: { region: slug } } })),
      enabled: isAllowed,
      staleTime: 60_000,
    })),
  });
  const used = reports.map(({ data }) => data?.regionalMetrics[0]?.used ?? 0);
  const busiest = used.indexOf(Math.max(...used));
  return {
    region: regions[Math.max(0, busiest)]?.slug,
    isSettled: !isAllowed || reports.every((report) => !report.isPending),
  };
}

function ComparisonChart({ irns, region, range }: { irns: string[]; region: Region; range: RangeSelection }) {
  const subjects = useSubjects(irns);
  const names = subjects.map(({ data }, index) => data?.name ?? irns[index]!).join('\n');
  const seriesQueries = useMemo(
    () => names.split('\n').map((label, index) => ({ irn: irns[index]!, metric: region.slug, label })),
    [names, irns, region.slug],
  );
  const chartData = useChartData(seriesQueries, range.timeRange);
  return (
    <ChartCard
      title={`Used capacity in ${region.name}`}
      about="Per group: the sum over its connectors in this region of the larger of inbound and outbound traffic."
      range={range}
      chartData={chartData}
      toModel={lineChartModel}
    />
  );
}

function ComparisonView({ irns, regions }: { irns: string[]; regions: Region[] }) {
  const [search, change] = useSearchParams();
  const range = useRangeSelection();
  const requested = regions.find(({ slug }) => slug === search.region);
  const busiest = useBusiestRegion(regions, !requested);
  const region = requested ?? regions.find(({ slug }) => slug === busiest.region);
  return (
    <Stack>
      <Paper>
        <Group align="flex-start">
          <SubjectSelect
            label="Groups"
            description={`Up to ${maxGroups}`}
            types={['group']}
            selected={irns}
            onSelect={(selected) => change({ compare: selected.join(',') })}
            maxSelected={maxGroups}
          />
          <NativeSelect
            label="Region"
            description="Region of the connectors"
            value={region?.slug ?? ''}
            onChange={(event) => change({ region: event.currentTarget.value })}
            data={regions.map(({ slug, name }) => ({ value: slug, label: name }))}
          />
        </Group>
      </Paper>
      <RangePicker range={range} />
      {region && (requested || busiest.isSettled) ? (
        <ComparisonChart irns={irns} region={region} range={range} />
      ) : (
        <Loader />
      )}
    </Stack>
  );
}

/** The groups of the search parameter `compare`, or the first ones. */
export function GroupComparison() {
  const [search] = useSearchParams();
  const scoped = useApi();
  const regions = useQuery(regionsQuery(scoped));
  const groups = useQuery(groupsQuery(scoped));
  const can = useCan();
  const defaults = useMemo(() => groups.data?.slice(0, maxGroups).map(({ irn }) => irn), [groups.data]);
  const requested = useMemo(() => splitList(search.compare).slice(0, maxGroups), [search.compare]);
  const irns = requested.length > 0 ? requested : defaults;
  return (
    <QueryResult query={regions}>
      {(list) => (
        <QueryResult query={groups}>
          {() =>
            irns && irns.length > 0 ? (
              <ComparisonView irns={irns} regions={list} />
            ) : (
              <EmptyState
                title="No metrics yet"
                action={can('POST', '/groups') ? <RouterButton to="/groups">Create a group</RouterButton> : undefined}
              >
                Metrics come from connectors. Create a group and a connector in it; once the connector is deployed, its
                charts appear here.
              </EmptyState>
            )
          }
        </QueryResult>
      )}
    </QueryResult>
  );
}
