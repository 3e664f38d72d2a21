import { Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../../api/client.ts';
import { regionsQuery, useCan } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { formatBits, formatShare } from '../../components/format.ts';
import { QueryResult } from '../../components/QueryResult.tsx';
import { RouterLink } from '../../components/router-links.tsx';
import classes from './OverviewPage.module.css';

interface RegionalCapacity {
  name: string;
  used: number;
  allocated: number;
  subscribed: number;
}

interface GroupUtilisation {
  id: string;
  name: string;
  region: string;
  used: number;
  allocated: number;
}

function useRegionalCapacity() {
  const { api, scope } = useApi();
  const regions = useQuery(regionsQuery({ api, scope })).data;
  return useQuery({
    queryKey: [scope, 'reports', 'overview'],
    enabled: regions !== undefined,
    refetchInterval: 60_000,
    queryFn: async () => {
      const reports = await Promise.all(
        (regions ?? []).map(async ({ slug, name }) => ({
          name,
          report: await unwrap(api.GET('/metrics/capacities/{region}', { params: { path: { region: slug } } })),
        })),
      );
      const shown = reports
        .map(
          ({ name, report }): RegionalCapacity => ({
            name,
            used: 0,
            allocated: 0,
            subscribed: 0,
            ...report.regionalMetrics[0],
          }),
        )
        .filter(({ used, allocated, subscribed }) => used + allocated + subscribed > 0);
      const busy = reports.flatMap(({ name, report }) =>
        (report.groups ?? []).map(
          (group): GroupUtilisation => ({
            id: group.groupID,
            name: group.name,
            region: name,
            used: group.regionalMetrics[0]?.used ?? 0,
            allocated: group.regionalMetrics[0]?.allocated ?? 0,
          }),
        ),
      );
      const top = busy
        .filter(({ used, allocated }) => used > 0 && allocated > 0)
        .sort((a, b) => b.used / b.allocated - a.used / a.allocated);
      return { regions: shown, top: top.slice(0, 5) };
    },
  });
}

const barWidth = (part: number, whole: number): string => `${Math.min(100, whole > 0 ? (part / whole) * 100 : 0)}%`;

function RegionBar({ region: { name, used, allocated, subscribed } }: { region: RegionalCapacity }) {
  const whole = Math.max(subscribed, allocated, used);
  return (
    <div>
      <Text size="sm">
        <strong>{name}</strong>: {formatBits(used)} used of {formatBits(allocated)} allocated, {formatBits(subscribed)}{' '}
        subscribed
      </Text>
      <div className={classes.track} aria-hidden>
        <div className={classes.allocated} style={{ width: barWidth(allocated, whole) }} />
        <div className={classes.used} style={{ width: barWidth(used, whole) }} />
      </div>
    </div>
  );
}

/** Used (mean of the last day), allocated and subscribed capacity by region, and the most utilised groups. */
export function CapacityPanel() {
  const query = useRegionalCapacity();
  const can = useCan();
  return (
    <Paper>
      <Title order={2} mb="xs">
        Capacity
      </Title>
      <QueryResult query={query}>
        {({ regions, top }) => (
          <Stack>
            {regions.length === 0 && (
              <Text c="dimmed">No capacity is subscribed yet. Your provider adds subscriptions.</Text>
            )}
            {regions.map((region) => (
              <RegionBar key={region.name} region={region} />
            ))}
            {top.length > 0 && (
              <div>
                <Title order={3}>Top utilisation</Title>
                <ul className={classes.rows}>
                  {top.map(({ id, name, region, used, allocated }) => (
                    <li key={id + region}>
                      {can('GET', '/groups/{groupId}') ? (
                        <RouterLink to="/groups/$groupId" params={{ groupId: id }}>
                          {name}
                        </RouterLink>
                      ) : (
                        <span>{name}</span>
                      )}
                      <Text span size="sm" c="dimmed">
                        {region} · {formatBits(used)} of {formatBits(allocated)} ·{' '}
                        <strong>{formatShare(used, allocated)}</strong>
                      </Text>
                    </li>
                  ))}
                </ul>
              </div>
            )}
          </Stack>
        )}
      </QueryResult>
    </Paper>
  );
}
