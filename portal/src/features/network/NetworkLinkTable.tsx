// The links of the map or topology as a table.
import { EmptyState } from '../../components/EmptyState.tsx';
import { RouterLink } from '../../components/router-links.tsx';
import { type Column, pageFromArray, ServerTable } from '../../components/ServerTable.tsx';
import { StateBadge } from '../../components/StatusBadges.tsx';
import { formatLoad, type LinkLoads } from './link-loads.ts';
import type { Link } from './network-queries.ts';

function linkColumns(nameOf: (connectorId: string) => string, loads: LinkLoads | undefined) {
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

export function NetworkLinkTable({
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
      itemName="link"
      empty={
        <EmptyState title="No links">
          A link joins two connectors of a group. Create one on the group's topology.
        </EmptyState>
      }
    />
  );
}
