import { Group, Paper, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { askList } from '../../api/client.ts';
import { useApi } from '../../api/scope.ts';
import { Asked } from '../../kit/Asked.tsx';
import { RecordLink } from '../../kit/links.tsx';
import { State, Status } from '../../kit/States.tsx';
import { When } from '../../kit/When.tsx';
import classes from './Overview.module.css';

const most = 8;

/** What is down and since when, and what could not be deployed. */
export function Attention() {
  const { api, scope } = useApi();
  const query = useQuery({
    queryKey: [scope, 'connectors', 'attention'],
    refetchInterval: 15_000,
    queryFn: async () => {
      const [down, failed] = await Promise.all([
        askList(api.GET('/connectors', { params: { query: { status: 'KO', limit: 100, sort: ['status'] } } })),
        askList(api.GET('/links', { params: { query: { state: 'error', limit: most } } })),
      ]);
      return {
        connectors: down.items.filter(({ state }) => state !== 'registered').slice(0, most),
        links: failed.items,
      };
    },
  });
  return (
    <Paper>
      <Title order={2} mb="xs">
        Needs attention
      </Title>
      <Asked query={query}>
        {({ connectors, links }) =>
          connectors.length + links.length === 0 ? (
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
            </ul>
          )
        }
      </Asked>
    </Paper>
  );
}
