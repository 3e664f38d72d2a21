// The places, connectors and links of the map as tables.
import { Stack, Title } from '@mantine/core';
import { EmptyState } from '../../components/EmptyState.tsx';
import { formatBits } from '../../components/format.ts';
import { RouterLink } from '../../components/router-links.tsx';
import { type Column, pageFromArray, ServerTable } from '../../components/ServerTable.tsx';
import { StateBadge, StatusBadge } from '../../components/StatusBadges.tsx';
import { statusDisplay } from '../../components/status.ts';
import type { LinkLoads } from '../../features/network/link-loads.ts';
import { NetworkLinkTable } from '../../features/network/NetworkLinkTable.tsx';
import type { Connector, Link } from '../../features/network/network-queries.ts';
import type { Place } from './places.ts';

const placeColumns: Column<Place>[] = [
  { id: 'city', title: 'Place', cell: ({ city }) => city, csv: ({ city }) => city },
  { id: 'region', title: 'Region', cell: ({ region }) => region, csv: ({ region }) => region },
  {
    id: 'connectors',
    title: 'Connectors',
    cell: ({ connectors }) => connectors.length,
    csv: ({ connectors }) => connectors.length,
    isNumber: true,
  },
  {
    id: 'status',
    title: 'Worst status',
    cell: ({ status }) => <StatusBadge status={status} />,
    csv: ({ status }) => statusDisplay[status]?.word,
  },
];

function connectorColumns(cityOf: (connector: Connector) => string, groupName: (id: string) => string) {
  const columns: Column<Connector>[] = [
    {
      id: 'name',
      title: 'Name',
      cell: ({ id, name }) => (
        <RouterLink to="/connectors/$connectorId" params={{ connectorId: id }}>
          {name}
        </RouterLink>
      ),
      csv: ({ name }) => name,
    },
    { id: 'place', title: 'Place', cell: cityOf, csv: cityOf },
    {
      id: 'group',
      title: 'Group',
      cell: (connector) => groupName(connector.groupId),
      csv: (connector) => groupName(connector.groupId),
    },
    {
      id: 'bandwidth',
      title: 'Bandwidth',
      cell: ({ bandwidth }) => formatBits(bandwidth),
      csv: ({ bandwidth }) => bandwidth,
      isNumber: true,
    },
    { id: 'state', title: 'State', cell: ({ state }) => <StateBadge state={state} />, csv: ({ state }) => state },
    {
      id: 'status',
      title: 'Status',
      cell: ({ status, statusSince }) => <StatusBadge status={status} since={statusSince} />,
      csv: ({ status }) => statusDisplay[status]?.word,
    },
  ];
  return columns;
}

const emptyTable = (what: string) => (
  <EmptyState title={`No ${what}`}>Select another group or status above.</EmptyState>
);

export function MapTables({
  places,
  connectors,
  links,
  groupName,
  loads,
  version,
}: {
  places: Place[];
  connectors: Connector[];
  links: Link[];
  groupName: (id: string) => string;
  loads: LinkLoads | undefined;
  /** Part of the query keys: changes with the data. */
  version: unknown;
}) {
  const cityOf = new Map(places.flatMap(({ city, connectors: local }) => local.map(({ id }) => [id, city])));
  const nameOf = new Map(connectors.map(({ id, name }) => [id, name]));
  return (
    <Stack>
      <Title order={2}>Places</Title>
      <ServerTable
        name="Places"
        columns={placeColumns}
        queryKey={['drawn places', version]}
        fetchPage={pageFromArray(places)}
        itemName="place"
        empty={emptyTable('places')}
      />
      <Title order={2}>Connectors</Title>
      <ServerTable
        name="Connectors"
        columns={connectorColumns(({ id }) => cityOf.get(id) ?? '', groupName)}
        queryKey={['drawn connectors', version]}
        fetchPage={pageFromArray(connectors)}
        itemName="connector"
        empty={emptyTable('connectors')}
      />
      <Title order={2}>Links</Title>
      <NetworkLinkTable links={links} nameOf={(id) => nameOf.get(id) ?? id} loads={loads} version={version} />
    </Stack>
  );
}
