import { Paper, SimpleGrid, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { unwrapPage } from '../../api/client.ts';
import { useCan } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { QueryResult } from '../../components/QueryResult.tsx';
import { RouterLink } from '../../components/router-links.tsx';
import { NewConnectorButton } from '../../features/connectors/ConnectorTable.tsx';
import classes from './OverviewPage.module.css';

interface Figure {
  name: string;
  count: number;
  tone: string;
  /** The list that has this count as total. */
  list?: { to: '/connectors' | '/links'; search: Record<string, string> };
}

const refreshMs = 15_000;

function useCounts() {
  const { api, scope } = useApi();
  const canListLinks = useCan()('GET', '/links');
  const limit = { limit: 1 };
  return useQuery({
    queryKey: [scope, 'connectors', 'health', canListLinks],
    refetchInterval: refreshMs,
    queryFn: async () => {
      const connectors = async (query: object) =>
        (await unwrapPage(api.GET('/connectors', { params: { query: { ...limit, ...query } } }))).total;
      const links = async (query: object) =>
        canListLinks ? (await unwrapPage(api.GET('/links', { params: { query: { ...limit, ...query } } }))).total : 0;
      const [all, up, registered, failed, allLinks, delivered, unlinked] = await Promise.all([
        connectors({}),
        connectors({ status: 'OK' }),
        connectors({ state: 'registered' }),
        connectors({ state: 'error' }),
        links({}),
        links({ state: 'delivered' }),
        links({ state: 'error' }),
      ]);
      return { all, up, registered, failed, allLinks, delivered, unlinked, canListLinks };
    },
  });
}

export function HealthFigures() {
  const query = useCounts();
  return (
    <QueryResult query={query}>
      {({ all, up, registered, failed, allLinks, delivered, unlinked, canListLinks }) => {
        if (all === 0 && allLinks === 0)
          return (
            <EmptyState title="No connectors yet" action={<NewConnectorButton />}>
              Create a group, then connectors in it, then a link between two of them.
            </EmptyState>
          );
        const connectors = (search: Record<string, string>) => ({ to: '/connectors' as const, search });
        const links = (search: Record<string, string>) => ({ to: '/links' as const, search });
        const down = Math.max(0, all - up - registered);
        const figures: Figure[] = [
          { name: 'connectors up', count: up, tone: 'good', list: connectors({ status: 'OK' }) },
          { name: 'connectors down', count: down, tone: down ? 'bad' : 'quiet' },
          {
            name: 'connectors not deployed',
            count: registered,
            tone: 'quiet',
            list: connectors({ state: 'registered' }),
          },
          {
            name: 'connectors failed',
            count: failed,
            tone: failed ? 'bad' : 'quiet',
            list: connectors({ state: 'error' }),
          },
        ];
        if (canListLinks)
          figures.push(
            { name: 'links delivered', count: delivered, tone: 'good', list: links({ state: 'delivered' }) },
            { name: 'links not delivered', count: allLinks - delivered, tone: unlinked ? 'bad' : 'quiet' },
          );
        return (
          <SimpleGrid cols={{ base: 2, sm: 3, xl: 6 }} spacing="sm">
            {figures.map((figure) => (
              <Paper key={figure.name} p="sm">
                <FigureCard figure={figure} />
              </Paper>
            ))}
          </SimpleGrid>
        );
      }}
    </QueryResult>
  );
}

function FigureCard({ figure: { name, count, tone, list } }: { figure: Figure }) {
  const content = (
    <>
      <Text span className={classes.count} data-tone={tone}>
        {count.toLocaleString('en')}
      </Text>{' '}
      <Text span size="sm" c="dimmed">
        {name}
      </Text>
    </>
  );
  if (!list) return <div className={classes.figure}>{content}</div>;
  const search = (before: { for?: string }) => ({ for: before.for, ...list.search });
  return (
    <RouterLink to={list.to} search={search as never} underline="never" className={classes.figure}>
      {content}
    </RouterLink>
  );
}
