import { Paper, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { ask } from '../../api/client.ts';
import { regionsQuery, useMay } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { bits, share } from '../../components/format.ts';
import { Asked } from '../../components/QueryResult.tsx';
import { RecordLink } from '../../components/router-links.tsx';
import classes from './OverviewPage.module.css';

interface Region {
  name: string;
  used: number;
  allocated: number;
  subscribed: number;
}

interface Busy {
  id: string;
  name: string;
  region: string;
  used: number;
  allocated: number;
}

function useRegions() {
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
          report: await ask(api.GET('/metrics/capacities/{region}', { params: { path: { region: slug } } })),
        })),
      );
      const shown = reports
        .map(
          ({ name, report }): Region => ({ name, used: 0, allocated: 0, subscribed: 0, ...report.regionalMetrics[0] }),
        )
        .filter(({ used, allocated, subscribed }) => used + allocated + subscribed > 0);
      const busy = reports.flatMap(({ name, report }) =>
        (report.groups ?? []).map(
          (group): Busy => ({
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

const width = (part: number, whole: number): string => `${Math.min(100, whole > 0 ? (part / whole) * 100 : 0)}%`;

function Bar({ region: { name, used, allocated, subscribed } }: { region: Region }) {
  const whole = Math.max(subscribed, allocated, used);
  return (
    <div>
      <Text size="sm">
        <strong>{name}</strong>: {bits(used)} used of {bits(allocated)} allocated, {bits(subscribed)} subscribed
      </Text>
      <div className={classes.track} aria-hidden>
        <div className={classes.allocated} style={{ width: width(allocated, whole) }} />
        <div className={classes.used} style={{ width: width(used, whole) }} />
      </div>
    </div>
  );
}

/** Used (the mean of the last day), allocated and subscribed by region, and the groups that use most of theirs. */
export function CapacityPanel() {
  const query = useRegions();
  const may = useMay();
  return (
    <Paper>
      <Title order={2} mb="xs">
        Capacity
      </Title>
      <Asked query={query}>
        {({ regions, top }) => (
          <Stack>
            {regions.length === 0 && (
              <Text c="dimmed">No capacity is subscribed yet. Whoever provides you with it can add some.</Text>
            )}
            {regions.map((region) => (
              <Bar key={region.name} region={region} />
            ))}
            {top.length > 0 && (
              <div>
                <Title order={3}>Top utilisation</Title>
                <ul className={classes.rows}>
                  {top.map(({ id, name, region, used, allocated }) => (
                    <li key={id + region}>
                      {may('GET', '/groups/{groupId}') ? (
                        <RecordLink to="/groups/$groupId" params={{ groupId: id }}>
                          {name}
                        </RecordLink>
                      ) : (
                        <span>{name}</span>
                      )}
                      <Text span size="sm" c="dimmed">
                        {region} · {bits(used)} of {bits(allocated)} · <strong>{share(used, allocated)}</strong>
                      </Text>
                    </li>
                  ))}
                </ul>
              </div>
            )}
          </Stack>
        )}
      </Asked>
    </Paper>
  );
}
