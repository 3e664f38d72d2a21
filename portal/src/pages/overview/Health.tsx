import { Paper, SimpleGrid, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { askList } from '../../api/client.ts';
import { useApi } from '../../api/scope.ts';
import { Asked } from '../../kit/Asked.tsx';
import { Empty } from '../../kit/Empty.tsx';
import { RecordLink } from '../../kit/links.tsx';
import { NewConnectorButton, states } from '../connectors/Connectors.tsx';
import classes from './Overview.module.css';

interface Figure {
  name: string;
  count: number;
  tone: string;
  to: '/connectors' | '/links';
  search: Record<string, string>;
}

const refreshMs = 15_000;

/** Each figure is the total of a list, which leads there. */
function useFigures() {
  const { api, scope } = useApi();
  const limit = { limit: 1 };
  return useQuery({
    queryKey: [scope, 'connectors', 'health'],
    refetchInterval: refreshMs,
    queryFn: async () => {
      const connectors = async (query: object) =>
        (await askList(api.GET('/connectors', { params: { query: { ...limit, ...query } } }))).total;
      const links = async (query: object) =>
        (await askList(api.GET('/links', { params: { query: { ...limit, ...query } } }))).total;
      const [all, up, registered, failed, allLinks, ...linkStates] = await Promise.all([
        connectors({}),
        connectors({ status: 'OK' }),
        connectors({ state: 'registered' }),
        connectors({ state: 'error' }),
        links({}),
        ...states.map((state) => links({ state })),
      ]);
      const linked = Object.fromEntries(states.map((state, index) => [state, linkStates[index] ?? 0]));
      return { all, up, registered, failed, allLinks, linked };
    },
  });
}

export function Health() {
  const query = useFigures();
  return (
    <Asked query={query}>
      {({ all, up, registered, failed, allLinks, linked }) => {
        if (all === 0 && allLinks === 0)
          return (
            <Empty title="Nothing is connected yet" action={<NewConnectorButton />}>
              First make a group, then connectors in it, and then a link between two of them.
            </Empty>
          );
        const figures: Figure[] = [
          { name: 'connectors up', count: up, tone: 'good', to: '/connectors', search: { status: 'OK' } },
          {
            name: 'connectors not up',
            count: Math.max(0, all - up - registered),
            tone: all - up - registered > 0 ? 'bad' : 'quiet',
            to: '/connectors',
            search: { status: 'KO' },
          },
          {
            name: 'connectors only registered',
            count: registered,
            tone: 'quiet',
            to: '/connectors',
            search: { state: 'registered' },
          },
          {
            name: 'connectors failed to deploy',
            count: failed,
            tone: failed ? 'bad' : 'quiet',
            to: '/connectors',
            search: { state: 'error' },
          },
          {
            name: 'links delivered',
            count: linked.delivered ?? 0,
            tone: 'good',
            to: '/links',
            search: { state: 'delivered' },
          },
          {
            name: 'links not delivered',
            count: allLinks - (linked.delivered ?? 0),
            tone: linked.error ? 'bad' : 'quiet',
            to: '/links',
            search: {},
          },
        ];
        return (
          <SimpleGrid cols={{ base: 2, sm: 3, xl: 6 }} spacing="sm">
            {figures.map((figure) => (
              <Paper key={figure.name} p="sm">
                <RecordLink
                  to={figure.to}
                  search={
                    ((before: { for?: string }) => ({
                      ...(before.for ? { for: before.for } : {}),
                      ...figure.search,
                    })) as never
                  }
                  underline="never"
                  className={classes.figure}
                >
                  <Text span className={classes.count} data-tone={figure.tone}>
                    {figure.count.toLocaleString('en')}
                  </Text>{' '}
                  <Text span size="sm" c="dimmed">
                    {figure.name}
                  </Text>
                </RecordLink>
              </Paper>
            ))}
          </SimpleGrid>
        );
      }}
    </Asked>
  );
}
