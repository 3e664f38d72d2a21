import { Group, Paper, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { askList } from '../../api/client.ts';
import { useMay } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { Asked } from '../../components/QueryResult.tsx';
import { When } from '../../components/RelativeTime.tsx';
import { RecordLink } from '../../components/router-links.tsx';
import { badness, State, Status } from '../../components/StatusBadges.tsx';
import { states } from '../../features/connectors/ConnectorTable.tsx';
import classes from './OverviewPage.module.css';

const most = 8;
const none = { items: [], total: 0 };

/** What is down and since when, and what could not be deployed: the worst first. */
export function Attention() {
  const { api, scope } = useApi();
  const seesLinks = useMay()('GET', '/links');
  const query = useQuery({
    queryKey: [scope, 'connectors', 'attention', seesLinks],
    refetchInterval: 15_000,
    queryFn: async () => {
      const deployed = states.filter((state) => state !== 'registered');
      const [links, ...down] = await Promise.all([
        seesLinks ? askList(api.GET('/links', { params: { query: { state: 'error', limit: most } } })) : none,
        ...deployed.map((state) =>
          askList(api.GET('/connectors', { params: { query: { status: 'KO', state, limit: 100 } } })),
        ),
      ]);
      const connectors = down.flatMap(({ items }) => items).sort((a, b) => badness(b.status) - badness(a.status));
      const total = down.reduce((sum, one) => sum + one.total, links.total);
      return { connectors: connectors.slice(0, most), links: links.items, total };
    },
  });
  return (
    <Paper>
      <Title order={2} mb="xs">
        Needs attention
      </Title>
      <Asked query={query}>
        {({ connectors, links, total }) =>
          total === 0 ? (
            <Text c="dimmed">Nothing is down, and no deployment has failed.</Text>
          ) : (
            <ul className={classes.rows}>
              {connectors.map(({ id, name, status, statusSince, state }) => (
                <li key={id}>
                  <RecordLink to="/connectors/$connectorId" params={{ connectorId: id }}>
                    {name}
                  </RecordLink>
                  <Group gap="sm">
                    <Status status={status} />
                    <State state={state} />
                    <Text span size="sm" c="dimmed">
                      since <When moment={statusSince} />
                    </Text>
                  </Group>
                </li>
              ))}
              {links.map(({ id, name, state }) => (
                <li key={id}>
                  <RecordLink
                    to="/links/$linkId"
                    params={{ linkId: id }}
                    search={((before: object) => ({ ...before, tab: 'deployment' })) as never}
                  >
                    {name}
                  </RecordLink>
                  <State state={state} />
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
      </Asked>
    </Paper>
  );
}
