// The map in words: the same places, connectors and links.
import { Stack, Title } from '@mantine/core';
import { EmptyState } from '../../components/EmptyState.tsx';
import { formatBits } from '../../components/format.ts';
import { RouterLink } from '../../components/router-links.tsx';
import { type Column, type PageQuery, ServerTable } from '../../components/ServerTable.tsx';
import { StateBadge, StatusBadge, statusDisplay } from '../../components/StatusBadges.tsx';
import { formatLoad, type LinkLoads } from '../../features/network/link-loads.ts';
import type { Connector, Link } from '../../features/network/network-queries.ts';
import type { Place } from './places.ts';

/** Records that are already here, as a list of the server would answer them. */
const pageFromArray =
  <T,>(items: T[]) =>
  async ({ page, limit }: PageQuery) => ({ items: items.slice((page - 1) * limit, page * limit), total: items.length });

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
    { id: 'group', title: 'Group', cell: (one) => groupName(one.groupId), csv: (one) => groupName(one.groupId) },
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

export function linkColumns(nameOf: (connectorId: string) => string, loads: LinkLoads | undefined) {
  const columns: Column<Link>[] = [
    {
      id: 'name',
      title: 'Name',
      cell: ({ id, name }) => (
        <RouterLink to="/links/$linkId" params={{ linkId: id }}>
          {name}
        </RouterLink>
      ),
      csv: ({ name }) => name,
    },
    { id: 'from', title: 'From', cell: ({ from }) => nameOf(from), csv: ({ from }) => nameOf(from) },
    { id: 'to', title: 'To', cell: ({ to }) => nameOf(to), csv: ({ to }) => nameOf(to) },
    { id: 'state', title: 'State', cell: ({ state }) => <StateBadge state={state} />, csv: ({ state }) => state },
  ];
  if (loads)
    columns.push({
      id: 'load',
      title: 'Load',
      cell: (link) => formatLoad(loads.loadOf(link)),
      csv: (link) => formatLoad(loads.loadOf(link)),
    });
  return columns;
}

const emptyTable = (what: string) => (
  <EmptyState title={`No ${what} here`}>Choose another group or status above.</EmptyState>
);
const unsorted = { sort: undefined, onSort: () => undefined };

export function LoadedLinkTable({
  links,
  nameOf,
  loads,
  version,
}: {
  links: Link[];
  nameOf: (connectorId: string) => string;
  loads: LinkLoads | undefined;
  version: unknown;
}) {
  return (
    <ServerTable
      name="Links"
      columns={linkColumns(nameOf, loads)}
      queryKey={['drawn links', version]}
      fetchPage={pageFromArray(links)}
      one="link"
      empty={
        <EmptyState title="No links here">
          A link joins two connectors of one group: the topology of the group offers to create one.
        </EmptyState>
      }
      {...unsorted}
    />
  );
}

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
  /** Of what is shown: another one is another list. */
  version: unknown;
}) {
  const cityOf = new Map(places.flatMap(({ city, connectors: there }) => there.map(({ id }) => [id, city])));
  const nameOf = new Map(connectors.map(({ id, name }) => [id, name]));
  return (
    <Stack>
      <Title order={2}>Places</Title>
      <ServerTable
        name="Places"
        columns={placeColumns}
        queryKey={['drawn places', version]}
        fetchPage={pageFromArray(places)}
        one="place"
        empty={emptyTable('places')}
        {...unsorted}
      />
      <Title order={2}>Connectors</Title>
      <ServerTable
        name="Connectors"
        columns={connectorColumns(({ id }) => cityOf.get(id) ?? '', groupName)}
        queryKey={['drawn connectors', version]}
        fetchPage={pageFromArray(connectors)}
        one="connector"
        empty={emptyTable('connectors')}
        {...unsorted}
      />
      <Title order={2}>Links</Title>
      <LoadedLinkTable links={links} nameOf={(id) => nameOf.get(id) ?? id} loads={loads} version={version} />
    </Stack>
  );
}
