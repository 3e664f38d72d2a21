import type { Schemas } from '@patchbay/client';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { familyTitle } from '../../api/brand-names.ts';
import { unwrapPage } from '../../api/client.ts';
import { citiesQuery, groupsQuery, tagsQuery, useCan } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { irnColumn, stateColumn, tagsColumn } from '../../components/common-columns.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { SelectFilter, TextFilter } from '../../components/filters.tsx';
import { formatBits } from '../../components/format.ts';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { RouterButton, RouterLink } from '../../components/router-links.tsx';
import { type Column, type PageQuery, ServerTable } from '../../components/ServerTable.tsx';
import { StatusBadge } from '../../components/StatusBadges.tsx';
import { deploymentStates, statusDisplay } from '../../components/status.ts';
import { useSearchParams } from '../../components/useSearchParams.ts';

type Connector = Schemas['Connector'];

const families = ['providerA', 'providerAHostedConnection', 'providerB', 'providerC'];
const filterNames = ['search', 'groupId', 'family', 'slacity', 'tags', 'status', 'state'];

const columnsWith = (groupName: (id: string) => string): Column<Connector>[] => [
  {
    id: 'name',
    title: 'Name',
    sort: 'name',
    cell: ({ id, name }) => (
      <RouterLink to="/connectors/$connectorId" params={{ connectorId: id }} fw={550}>
        {name}
      </RouterLink>
    ),
    csv: ({ name }) => name,
  },
  {
    id: 'status',
    title: 'Status',
    sort: 'status',
    cell: ({ status, statusSince }) => <StatusBadge status={status} since={statusSince} />,
    csv: ({ status }) => statusDisplay[status]?.word,
  },
  stateColumn,
  {
    id: 'since',
    title: 'Since',
    cell: ({ statusSince }) => <RelativeTime timestamp={statusSince} />,
    csv: ({ statusSince }) => statusSince,
  },
  { id: 'region', title: 'Region', sort: 'region', cell: ({ region }) => region, csv: ({ region }) => region },
  {
    id: 'description',
    title: 'Description',
    cell: ({ description }) => description ?? '–',
    csv: ({ description }) => description,
  },
  {
    id: 'bandwidth',
    title: 'Bandwidth',
    sort: 'bandwidth',
    isNumber: true,
    cell: ({ bandwidth }) => formatBits(bandwidth),
    csv: ({ bandwidth }) => bandwidth,
  },
  { id: 'group', title: 'Group', cell: ({ groupId }) => groupName(groupId), csv: ({ groupId }) => groupName(groupId) },
  tagsColumn,
  {
    id: 'bgp',
    title: 'BGP',
    isExtra: true,
    cell: ({ bgpDescriptions }) => bgpDescriptions?.join(', ') || '–',
    csv: ({ bgpDescriptions }) => bgpDescriptions?.join(', '),
  },
  {
    id: 'kind',
    title: 'Kind',
    isExtra: true,
    cell: ({ connectorType }) => (connectorType === 'cloudGateway' ? 'cloud' : 'site'),
    csv: ({ connectorType }) => connectorType,
  },
  irnColumn,
  {
    id: 'created',
    title: 'Created',
    sort: 'createdAt',
    isExtra: true,
    cell: ({ createdAt }) => <RelativeTime timestamp={createdAt} />,
    csv: ({ createdAt }) => createdAt,
  },
];

export function NewConnectorButton({ groupId }: { groupId?: string | undefined }) {
  if (!useCan()('POST', '/flow/connector/set-registered')) return null;
  return (
    <RouterButton
      to="/connectors/new"
      search={((before: { for?: string }) => ({ for: before.for, groupId })) as never}
      leftSection={<IconPlus size={16} aria-hidden />}
    >
      New connector
    </RouterButton>
  );
}

/** All connectors, or those of a group. */
export function ConnectorTable({ groupId }: { groupId?: string }) {
  const scoped = useApi();
  const [search, change] = useSearchParams();
  const groups = useQuery(groupsQuery(scoped)).data;
  const cities = useQuery(citiesQuery(scoped)).data ?? [];
  const tags = useQuery(tagsQuery(scoped)).data ?? [];
  const columns = useMemo(() => {
    const names = new Map(groups?.map(({ id, name }) => [id, name]));
    return columnsWith((id) => names.get(id) ?? '–').filter(({ id }) => !groupId || id !== 'group');
  }, [groups, groupId]);
  const filters = Object.fromEntries(filterNames.map((name) => [name, search[name]]).filter(([, value]) => value));
  const isFiltered = Object.keys(filters).length > 0;
  const query = { ...filters, ...(groupId && { groupId }), ...(filters.tags ? { tags: [filters.tags] } : {}) };
  const fetchPage = ({ sort, ...page }: PageQuery) =>
    unwrapPage(
      scoped.api.GET('/connectors', {
        params: { query: { ...query, ...page, ...(sort ? { sort: [sort] } : {}) } as never },
      }),
    );
  return (
    <ServerTable<Connector>
      name="connectors"
      columns={columns}
      queryKey={[scoped.scope, 'connectors', query]}
      fetchPage={fetchPage}
      sort={search.sort}
      onSort={(sort) => change({ sort })}
      itemName="connector"
      refreshMs={15_000}
      empty={
        isFiltered ? (
          <EmptyState title="No matches">No connector matches the filters. Remove a filter to see more.</EmptyState>
        ) : (
          <EmptyState title="No connectors yet" action={<NewConnectorButton groupId={groupId} />}>
            A connector attaches a cloud provider or one of your sites to the network. A link joins two connectors.
          </EmptyState>
        )
      }
      filters={
        <>
          <TextFilter label="Name, IRN, AS number, city" />
          <SelectFilter
            label="Status"
            name="status"
            choices={[
              { value: 'OK', label: 'up' },
              { value: 'KO', label: 'not up' },
            ]}
          />
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
          <SelectFilter
            label="Provider"
            name="family"
            choices={families.map((value) => ({ value, label: familyTitle(value) }))}
          />
          <SelectFilter
            label="City"
            name="slacity"
            choices={cities.map(({ slacity, name }) => ({ value: slacity, label: name }))}
          />
          {tags.length > 0 && (
            <SelectFilter label="Tag" name="tags" choices={tags.map(({ id, name }) => ({ value: id, label: name }))} />
          )}
        </>
      }
    />
  );
}
