// The map in words: the same places, connectors and links.
import { Stack, Title } from '@mantine/core';
import { Empty } from '../../components/EmptyState.tsx';
import { bits } from '../../components/format.ts';
import { RecordLink } from '../../components/router-links.tsx';
import { type Asked, type Column, ServerTable } from '../../components/ServerTable.tsx';
import { State, Status, statuses } from '../../components/StatusBadges.tsx';
import { type Loads, loadWords } from '../../features/network/link-loads.ts';
import type { Connector, Link } from '../../features/network/network-queries.ts';
import type { Place } from './places.ts';

/** Records that are already here, as a list of the server would answer them. */
const pageOf =
  <T,>(items: T[]) =>
  async ({ page, limit }: Asked) => ({ items: items.slice((page - 1) * limit, page * limit), total: items.length });

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
    cell: ({ status }) => <Status status={status} />,
    csv: ({ status }) => statuses[status]?.word,
  },
];

function connectorColumns(cityOf: (connector: Connector) => string, groupName: (id: string) => string) {
  const columns: Column<Connector>[] = [
    {
      id: 'name',
      title: 'Name',
      cell: ({ id, name }) => (
        <RecordLink to="/connectors/$connectorId" params={{ connectorId: id }}>
          {name}
        </RecordLink>
      ),
      csv: ({ name }) => name,
    },
    { id: 'place', title: 'Place', cell: cityOf, csv: cityOf },
    { id: 'group', title: 'Group', cell: (one) => groupName(one.groupId), csv: (one) => groupName(one.groupId) },
    {
      id: 'bandwidth',
      title: 'Bandwidth',
      cell: ({ bandwidth }) => bits(bandwidth),
      csv: ({ bandwidth }) => bandwidth,
      isNumber: true,
    },
    { id: 'state', title: 'State', cell: ({ state }) => <State state={state} />, csv: ({ state }) => state },
    {
      id: 'status',
      title: 'Status',
      cell: ({ status, statusSince }) => <Status status={status} since={statusSince} />,
      csv: ({ status }) => statuses[status]?.word,
    },
  ];
  return columns;
}

export function linkColumns(nameOf: (connectorId: string) => string, loads: Loads | undefined) {
  const columns: Column<Link>[] = [
    {
      id: 'name',
      title: 'Name',
      cell: ({ id, name }) => (
        <RecordLink to="/links/$linkId" params={{ linkId: id }}>
          {name}
        </RecordLink>
      ),
      csv: ({ name }) => name,
    },
    { id: 'from', title: 'From', cell: ({ from }) => nameOf(from), csv: ({ from }) => nameOf(from) },
    { id: 'to', title: 'To', cell: ({ to }) => nameOf(to), csv: ({ to }) => nameOf(to) },
    { id: 'state', title: 'State', cell: ({ state }) => <State state={state} />, csv: ({ state }) => state },
  ];
  if (loads)
    columns.push({
      id: 'load',
      title: 'Load',
      cell: (link) => loadWords(loads.loadOf(link)),
      csv: (link) => loadWords(loads.loadOf(link)),
    });
  return columns;
}

const nothing = (what: string) => <Empty title={`No ${what} here`}>Choose another group or status above.</Empty>;
const unsorted = { sort: undefined, onSort: () => undefined };

export function LinksTable({
  links,
  nameOf,
  loads,
  version,
}: {
  links: Link[];
  nameOf: (connectorId: string) => string;
  loads: Loads | undefined;
  version: unknown;
}) {
  return (
    <ServerTable
      name="Links"
      columns={linkColumns(nameOf, loads)}
      queryKey={['drawn links', version]}
      fetchPage={pageOf(links)}
      one="link"
      empty={
        <Empty title="No links here">
          A link joins two connectors of one group: the topology of the group offers to create one.
        </Empty>
      }
      {...unsorted}
    />
  );
}

export function Tables({
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
  loads: Loads | undefined;
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
        fetchPage={pageOf(places)}
        one="place"
        empty={nothing('places')}
        {...unsorted}
      />
      <Title order={2}>Connectors</Title>
      <ServerTable
        name="Connectors"
        columns={connectorColumns(({ id }) => cityOf.get(id) ?? '', groupName)}
        queryKey={['drawn connectors', version]}
        fetchPage={pageOf(connectors)}
        one="connector"
        empty={nothing('connectors')}
        {...unsorted}
      />
      <Title order={2}>Links</Title>
      <LinksTable links={links} nameOf={(id) => nameOf.get(id) ?? id} loads={loads} version={version} />
    </Stack>
  );
}
