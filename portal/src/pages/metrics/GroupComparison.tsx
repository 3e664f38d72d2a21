// The used capacity of some groups in one region, in one chart.
import { Group, Loader, NativeSelect, Paper, Stack } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { ask } from '../../api/client.ts';
import { groupsQuery, regionsQuery, useMay } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { Empty } from '../../components/EmptyState.tsx';
import { Asked } from '../../components/QueryResult.tsx';
import { LinkButton } from '../../components/router-links.tsx';
import { useListSearch } from '../../components/useSearchParams.ts';
import { ChartCard } from '../../features/charts/ChartCard.tsx';
import { paintTraces } from '../../features/charts/GroupCharts.tsx';
import { useMeasured } from '../../features/charts/metric-series.ts';
import { RangeChoice } from '../../features/charts/RangePicker.tsx';
import { type ShownRange, useRange } from '../../features/charts/time-range.ts';
import { listOf, useThings } from './metric-subjects.ts';
import { Choice } from './SubjectSelect.tsx';

const mostGroups = 6;

interface Place {
  slug: string;
  name: string;
}

/** The region with the most traffic of the last day; the first until that is known, or where it may not be asked. */
function useBusiestRegion(regions: Place[], isAsked: boolean) {
  const { api, scope } = useApi();
  const may = useMay();
  const isAllowed = isAsked && may('GET', '/metrics/capacities/{region}');
  const reports = useQueries({
    queries: regions.map(({ slug }) => ({
      queryKey: [scope, 'metrics', 'report', slug],
      queryFn: () => ask(api.GET('/metrics/capacities/{region}', { params: { path: { region: slug } } })),
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

function ComparedChart({ irns, place, range }: { irns: string[]; place: Place; range: ShownRange }) {
  const things = useThings(irns);
  const names = things.map(({ data }, index) => data?.name ?? irns[index]!).join('\n');
  const wanted = useMemo(
    () => names.split('\n').map((label, index) => ({ irn: irns[index]!, metric: place.slug, label })),
    [names, irns, place.slug],
  );
  const measured = useMeasured(wanted, range.span);
  return (
    <ChartCard
      title={`Used capacity in ${place.name}`}
      about="What the connectors of each group carried in this region: the larger of in and out of each, added up."
      range={range}
      measured={measured}
      paint={paintTraces}
    />
  );
}

function Comparison({ irns, regions }: { irns: string[]; regions: Place[] }) {
  const [search, change] = useListSearch();
  const range = useRange();
  const asked = regions.find(({ slug }) => slug === search.region);
  const busiest = useBusiestRegion(regions, !asked);
  const place = asked ?? regions.find(({ slug }) => slug === busiest.region);
  return (
    <Stack>
      <Paper>
        <Group align="flex-start">
          <Choice
            label="Groups"
            description={`Up to ${mostGroups}, side by side`}
            kinds={['group']}
            chosen={irns}
            onChoose={(chosen) => change({ compare: chosen.join(',') })}
            atMost={mostGroups}
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
      <RangeChoice range={range} />
      {place && (asked || busiest.isSettled) ? <ComparedChart irns={irns} place={place} range={range} /> : <Loader />}
    </Stack>
  );
}

/** Groups beside each other: those of the address, or the first few. */
export function Compared() {
  const [search] = useListSearch();
  const use = useApi();
  const regions = useQuery(regionsQuery(use));
  const groups = useQuery(groupsQuery(use));
  const may = useMay();
  const first = useMemo(() => groups.data?.slice(0, mostGroups).map(({ irn }) => irn), [groups.data]);
  const chosen = useMemo(() => listOf(search.compare).slice(0, mostGroups), [search.compare]);
  const irns = chosen.length > 0 ? chosen : first;
  return (
    <Asked query={regions}>
      {(places) => (
        <Asked query={groups}>
          {() =>
            irns && irns.length > 0 ? (
              <Comparison irns={irns} regions={places} />
            ) : (
              <Empty
                title="Nothing is measured yet"
                action={may('POST', '/groups') ? <LinkButton to="/groups">Make a group</LinkButton> : undefined}
              >
                Traffic is measured on connectors, which belong to groups. Make a group first, then a connector in it;
                once it is deployed its graphs are here.
              </Empty>
            )
          }
        </Asked>
      )}
    </Asked>
  );
}
