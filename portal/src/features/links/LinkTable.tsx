import type { Schemas } from '@patchbay/client';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { fetchAllPages, unwrapPage } from '../../api/client.ts';
import { groupsQuery, useCan } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { irnColumn, stateColumn, tagsColumn } from '../../components/common-columns.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { SelectFilter, TextFilter } from '../../components/filters.tsx';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { RouterButton, RouterLink } from '../../components/router-links.tsx';
import { type Column, type PageQuery, ServerTable } from '../../components/ServerTable.tsx';
import { deploymentStates } from '../../components/status.ts';
import { useSearchParams } from '../../components/useSearchParams.ts';
import { ConnectorNameLink } from './ConnectorNameLink.tsx';

type Link = Schemas['ListedLink'];

const columnsWith = (groupName: (id: string) => string): Column<Link>[] => [
  {
    id: 'name',
    title: 'Name',
    sort: 'name',
    cell: ({ id, name }) => (
      <RouterLink to="/links/$linkId" params={{ linkId: id }} fw={550}>
        {name}
      </RouterLink>
    ),
    csv: ({ name }) => name,
  },
  stateColumn,
  { id: 'from', title: 'From', cell: ({ from }) => <ConnectorNameLink id={from} />, csv: ({ from }) => from },
  { id: 'to', title: 'To', cell: ({ to }) => <ConnectorNameLink id={to} />, csv: ({ to }) => to },
  { id: 'group', title: 'Group', cell: ({ groupId }) => groupName(groupId), csv: ({ groupId }) => groupName(groupId) },
  tagsColumn,
  {
    id: 'created',
    title: 'Created',
    sort: 'createdAt',
    cell: ({ created_at }) => <RelativeTime timestamp={created_at} />,
    csv: ({ created_at }) => created_at,
  },
  irnColumn,
];

export function NewLinkButton({ groupId }: { groupId?: string | undefined }) {
  if (!useCan()('POST', '/flow/link/set-registered')) return null;
  return (
    <RouterButton
      to="/topology"
      search={((before: { for?: string }) => ({ for: before.for, group: groupId, connect: 'yes' })) as never}
      leftSection={<IconPlus size={16} aria-hidden />}
    >
      New link
    </RouterButton>
  );
}

/** All links, or those of a group, or of one connector in it. */
export function LinkTable({ groupId, connectorId }: { groupId?: string; connectorId?: string }) {
  const scoped = useApi();
  const [search, change] = useSearchParams();
  const groups = useQuery(groupsQuery(scoped)).data;
  const columns = useMemo(() => {
    const names = new Map(groups?.map(({ id, name }) => [id, name]));
    return columnsWith((id) => names.get(id) ?? '–').filter(({ id }) => !groupId || id !== 'group');
  }, [groups, groupId]);
  const filters = Object.fromEntries(
    ['search', 'groupId', 'state'].map((name) => [name, search[name]]).filter(([, value]) => value),
  );
  const query = { ...filters, ...(groupId ? { groupId } : {}) };
  const fetchPage = async ({ sort, ...page }: PageQuery) => {
    const sorted = sort ? { sort: [sort] } : {};
    if (!connectorId)
      return unwrapPage(scoped.api.GET('/links', { params: { query: { ...query, ...page, ...sorted } as never } }));
    // The API does not filter by connector. All links of a connector are in its group.
    const { items } = await fetchAllPages((paging) =>
      scoped.api.GET('/links', { params: { query: { ...query, ...paging, ...sorted } as never } }),
    );
    const own = items.filter(({ from, to }) => from === connectorId || to === connectorId);
    return { items: page.page === 1 ? own : [], total: own.length };
  };
  return (
    <ServerTable<Link>
      name="links"
      columns={columns}
      queryKey={[scoped.scope, 'links', query, connectorId ?? '']}
      fetchPage={fetchPage}
      sort={search.sort}
      onSort={(sort) => change({ sort })}
      itemName="link"
      refreshMs={15_000}
      empty={
        Object.keys(filters).length ? (
          <EmptyState title="No matches">No link matches the filters. Remove a filter to see more.</EmptyState>
        ) : (
          <EmptyState title="No links yet" action={<NewLinkButton groupId={groupId} />}>
            A link joins two connectors of a group. Select them on the topology.
          </EmptyState>
        )
      }
      filters={
        <>
          <TextFilter label="Name or IRN" />
          <SelectFilter
            label="State"
            name="state"
            choices={deploymentStates.map((value) => ({ value, label: value }))}
          />
          {!groupId && (
            <SelectFilter
              label="Group"
              name="groupId"
              choices={(groups ?? []).map(({ id, name }) => ({ value: id, label: name }))}
            />
          )}
        </>
      }
    />
  );
}
