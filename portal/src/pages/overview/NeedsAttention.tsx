import { Group, Paper, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { unwrapPage } from '../../api/client.ts';
import { useCan } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { QueryResult } from '../../components/QueryResult.tsx';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { RouterLink } from '../../components/router-links.tsx';
import { StateBadge, StatusBadge } from '../../components/StatusBadges.tsx';
import { deploymentStates, statusSeverity } from '../../components/status.ts';
import classes from './OverviewPage.module.css';

const maxRows = 8;
const noLinks = { items: [], total: 0 };

/** Connectors that are down and links whose deployment failed, the worst first. */
export function NeedsAttention() {
  const { api, scope } = useApi();
  const canListLinks = useCan()('GET', '/links');
  const query = useQuery({
    queryKey: [scope, 'connectors', 'attention', canListLinks],
    refetchInterval: 15_000,
    queryFn: async () => {
      const deployedStates = deploymentStates.filter((state) => state !== 'registered');
      const [links, ...down] = await Promise.all([
        canListLinks
          ? unwrapPage(api.GET('/links', { params: { query: { state: 'error', limit: maxRows } } }))
          : noLinks,
        ...deployedStates.map((state) =>
          unwrapPage(api.GET('/connectors', { params: { query: { status: 'KO', state, limit: 100 } } })),
        ),
      ]);
      const connectors = down
        .flatMap(({ items }) => items)
        .sort((a, b) => statusSeverity(b.status) - statusSeverity(a.status));
      const total = down.reduce((sum, page) => sum + page.total, links.total);
      return { connectors: connectors.slice(0, maxRows), links: links.items, total };
    },
  });
  return (
    <Paper>
      <Title order={2} mb="xs">
        Needs attention
      </Title>
      <QueryResult query={query}>
        {({ connectors, links, total }) =>
          total === 0 ? (
            <Text c="dimmed">No connector is down, and no deployment has failed.</Text>
          ) : (
            <ul className={classes.rows}>
              {connectors.map(({ id, name, status, statusSince, state }) => (
                <li key={id}>
                  <RouterLink to="/connectors/$connectorId" params={{ connectorId: id }}>
                    {name}
                  </RouterLink>
                  <Group gap="sm">
                    <StatusBadge status={status} />
                    <StateBadge state={state} />
                    <Text span size="sm" c="dimmed">
                      since <RelativeTime timestamp={statusSince} />
                    </Text>
                  </Group>
                </li>
              ))}
              {links.map(({ id, name, state }) => (
                <li key={id}>
                  <RouterLink
                    to="/links/$linkId"
                    params={{ linkId: id }}
                    search={((before: object) => ({ ...before, tab: 'deployment' })) as never}
                  >
                    {name}
                  </RouterLink>
                  <StateBadge state={state} />
                </li>
              ))}
              {total > connectors.length + links.length && (
                <li>
                  <Text span size="sm" c="dimmed">
                    and {total - connectors.length - links.length} more
                  </Text>
                </li>
              )}
            </ul>
          )
        }
      </QueryResult>
    </Paper>
  );
}
