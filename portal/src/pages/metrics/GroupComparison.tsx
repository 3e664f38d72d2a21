// The used capacity of some groups in one region, in one chart.
import { Group, Loader, NativeSelect, Paper, Stack } from '@mantine/core';
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

interface Region {
  slug: string;
  name: string;
}

/** The region with the most traffic of the last day; the first until that is known, or where it may not be asked. */
function useBusiestRegion(regions: Region[], isAsked: boolean) {
  const { api, scope } = useApi();
  const can = useCan();
  const isAllowed = isAsked && can('GET', '/metrics/capacities/{region}');
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
    isSettled: !isAllowed || reports.every((one) => !one.isPending),
  };
}

function ComparisonChart({ irns, place, range }: { irns: string[]; place: Region; range: RangeSelection }) {
  const things = useSubjects(irns);
  const names = things.map(({ data }, index) => data?.name ?? irns[index]!).join('\n');
  const wanted = useMemo(
    () => names.split('\n').map((label, index) => ({ irn: irns[index]!, metric: place.slug, label })),
    [names, irns, place.slug],
  );
  const measured = useChartData(wanted, range.span);
  return (
    <ChartCard
      title={`Used capacity in ${place.name}`}
      about="What the connectors of each group carried in this region: the larger of in and out of each, added up."
      range={range}
      measured={measured}
      paint={lineChartModel}
    />
  );
}

function ComparisonView({ irns, regions }: { irns: string[]; regions: Region[] }) {
  const [search, change] = useSearchParams();
  const range = useRangeSelection();
  const asked = regions.find(({ slug }) => slug === search.region);
  const busiest = useBusiestRegion(regions, !asked);
  const place = asked ?? regions.find(({ slug }) => slug === busiest.region);
  return (
    <Stack>
      <Paper>
        <Group align="flex-start">
          <SubjectSelect
            label="Groups"
            description={`Up to ${maxGroups}, side by side`}
            kinds={['group']}
            chosen={irns}
            onChoose={(chosen) => change({ compare: chosen.join(',') })}
            atMost={maxGroups}
          />
          <NativeSelect
            label="Region"
            description="Where their connectors are"
            value={place?.slug ?? ''}
            onChange={(event) => change({ region: event.currentTarget.value })}
            data={regions.map(({ slug, name }) => ({ value: slug, label: name }))}
          />
        </Group>
      </Paper>
      <RangePicker range={range} />
      {place && (asked || busiest.isSettled) ? <ComparisonChart irns={irns} place={place} range={range} /> : <Loader />}
    </Stack>
  );
}

/** Groups beside each other: those of the address, or the first few. */
export function GroupComparison() {
  const [search] = useSearchParams();
  const scoped = useApi();
  const regions = useQuery(regionsQuery(scoped));
  const groups = useQuery(groupsQuery(scoped));
  const can = useCan();
  const first = useMemo(() => groups.data?.slice(0, maxGroups).map(({ irn }) => irn), [groups.data]);
  const chosen = useMemo(() => splitList(search.compare).slice(0, maxGroups), [search.compare]);
  const irns = chosen.length > 0 ? chosen : first;
  return (
    <QueryResult query={regions}>
      {(places) => (
        <QueryResult query={groups}>
          {() =>
            irns && irns.length > 0 ? (
              <ComparisonView irns={irns} regions={places} />
            ) : (
              <EmptyState
                title="Nothing is measured yet"
                action={can('POST', '/groups') ? <RouterButton to="/groups">Make a group</RouterButton> : undefined}
              >
                Traffic is measured on connectors, which belong to groups. Make a group first, then a connector in it;
                once it is deployed its graphs are here.
              </EmptyState>
            )
          }
        </QueryResult>
      )}
    </QueryResult>
  );
}
