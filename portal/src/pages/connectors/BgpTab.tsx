import { Paper, Stack, Table, Text, Title } from '@mantine/core';
import type { Schemas } from '@patchbay/client';
import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../../api/client.ts';
import { useApi } from '../../api/scope.ts';
import { DescriptionList } from '../../components/DescriptionList.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { plural } from '../../components/format.ts';
import { formatDateTime } from '../../components/format-time.ts';
import { QueryResult } from '../../components/QueryResult.tsx';
import { RouterLink } from '../../components/router-links.tsx';
import { StatusBadge } from '../../components/StatusBadges.tsx';
import { LookingGlass } from './LookingGlass.tsx';

type Prefix = Schemas['ConnectorPrefixes']['prefixes'][number];

/** The BGP session, its prefixes and those of its links, and the looking glass. */
export function BgpTab({ connector }: { connector: Schemas['Connector'] }) {
  const { api, scope } = useApi();
  const query = useQuery({
    queryKey: [scope, 'connectors', connector.id, 'prefixes'],
    queryFn: () => unwrap(api.GET('/connectors/{connid}/prefixes', { params: { path: { connid: connector.id } } })),
    refetchInterval: 15_000,
  });
  return (
    <Stack>
      <DescriptionList
        title="BGP session"
        items={[
          ['Session', connector.bgpDescriptions?.join(', ') || 'none yet'],
          ['Status', <StatusBadge key="status" status={connector.status} since={connector.statusSince} />],
          [
            'On router',
            <span key="router" className="mono">
              {connector.routerIrn ?? '–'}
            </span>,
          ],
          ['Port', connector.routerInterface?.join(', ') || '–'],
        ]}
      />
      <QueryResult query={query}>
        {({ prefixes, requestDate }) =>
          prefixes.length ? (
            <PrefixTable prefixes={prefixes} asOf={requestDate} own={connector.id} />
          ) : (
            <EmptyState title="No prefixes">
              Prefixes appear here once the BGP session is established. Deploy the connector first.
            </EmptyState>
          )
        }
      </QueryResult>
      <LookingGlass connectorId={connector.id} />
    </Stack>
  );
}

function PrefixTable({ prefixes, asOf, own }: { prefixes: Prefix[]; asOf: string; own: string }) {
  return (
    <Paper>
      <Title order={2}>{plural(prefixes.length, 'prefix', 'prefixes')}</Title>
      <Text c="dimmed" size="sm" mb="sm">
        As of {formatDateTime(asOf)}
      </Text>
      <Table.ScrollContainer
        minWidth={640}
        scrollAreaProps={{ viewportProps: { tabIndex: 0, role: 'region', 'aria-label': 'Prefixes' } }}
      >
        <Table highlightOnHover>
          <Table.Thead>
            <Table.Tr>
              {['Prefix', 'Next hop', 'AS path', 'Local preference', 'Interface', 'Learned from', 'Active'].map(
                (title) => (
                  <Table.Th key={title} scope="col">
                    {title}
                  </Table.Th>
                ),
              )}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {prefixes.map((route) => (
              <Table.Tr key={`${route.prefix} ${route.nextHop} ${route.interface}`}>
                <Table.Td className="mono">{route.prefix}</Table.Td>
                <Table.Td className="mono">{route.nextHop}</Table.Td>
                <Table.Td className="mono">{route.path}</Table.Td>
                <Table.Td>{route.localPreference}</Table.Td>
                <Table.Td className="mono">{route.interface}</Table.Td>
                <Table.Td>
                  {route.connectorId && route.connectorId !== own ? (
                    <RouterLink to="/connectors/$connectorId" params={{ connectorId: route.connectorId }}>
                      {route.connectorName}
                    </RouterLink>
                  ) : (
                    'own session'
                  )}
                </Table.Td>
                <Table.Td>{route.isActive ? 'yes' : 'no'}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Paper>
  );
}
