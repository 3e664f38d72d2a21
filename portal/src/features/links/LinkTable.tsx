import type { Schemas } from '@patchbay/client';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { askAll, askList } from '../../api/client.ts';
import { groupsQuery, useMay } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { irnColumn, stateColumn, tagsColumn } from '../../components/common-columns.tsx';
import { Empty } from '../../components/EmptyState.tsx';
import { ChoiceFilter, TextFilter } from '../../components/filters.tsx';
import { Page } from '../../components/Page.tsx';
import { When } from '../../components/RelativeTime.tsx';
import { LinkButton, RecordLink } from '../../components/router-links.tsx';
import { type Asked, type Column, ServerTable } from '../../components/ServerTable.tsx';
import { useListSearch } from '../../components/useSearchParams.ts';
import { states } from '../connectors/ConnectorTable.tsx';
import { ConnectorName } from './ConnectorNameLink.tsx';

type Link = Schemas['ListedLink'];

const columnsWith = (groupName: (id: string) => string): Column<Link>[] => [
  {
    id: 'name',
    title: 'Name',
    sort: 'name',
    cell: ({ id, name }) => (
      <RecordLink to="/links/$linkId" params={{ linkId: id }} fw={550}>
        {name}
      </RecordLink>
    ),
    csv: ({ name }) => name,
  },
  stateColumn,
  { id: 'from', title: 'From', cell: ({ from }) => <ConnectorName id={from} />, csv: ({ from }) => from },
  { id: 'to', title: 'To', cell: ({ to }) => <ConnectorName id={to} />, csv: ({ to }) => to },
  { id: 'group', title: 'Group', cell: ({ groupId }) => groupName(groupId), csv: ({ groupId }) => groupName(groupId) },
  tagsColumn,
  {
    id: 'created',
    title: 'Created',
    sort: 'createdAt',
    cell: ({ created_at }) => <When moment={created_at} />,
    csv: ({ created_at }) => created_at,
  },
  irnColumn,
];

export function NewLinkButton({ groupId }: { groupId?: string }) {
  if (!useMay()('POST', '/flow/link/set-registered')) return null;
  return (
    <LinkButton
      to="/topology"
      search={
        ((before: { for?: string }) => ({
          ...(before.for ? { for: before.for } : {}),
          ...(groupId ? { group: groupId } : {}),
          connect: 'yes',
        })) as never
      }
      leftSection={<IconPlus size={16} aria-hidden />}
    >
      New link
    </LinkButton>
  );
}

/** The links; of a group, or of one connector in it. */
export function LinkTable({ groupId, connectorId }: { groupId?: string; connectorId?: string }) {
  const use = useApi();
  const [search, change] = useListSearch();
  const groups = useQuery(groupsQuery(use)).data;
  const columns = useMemo(() => {
    const names = new Map(groups?.map(({ id, name }) => [id, name]));
    return columnsWith((id) => names.get(id) ?? '–').filter(({ id }) => !groupId || id !== 'group');
  }, [groups, groupId]);
  const filters = Object.fromEntries(
    ['search', 'groupId', 'state'].map((name) => [name, search[name]]).filter(([, value]) => value),
  );
  const query = { ...filters, ...(groupId ? { groupId } : {}) };
  const fetchPage = async ({ sort, ...page }: Asked) => {
    const sorted = sort ? { sort: [sort] } : {};
    if (!connectorId)
      return askList(use.api.GET('/links', { params: { query: { ...query, ...page, ...sorted } as never } }));
    // A connector has few links, and all of them are in its group.
    const { items } = await askAll((one) =>
      use.api.GET('/links', { params: { query: { ...query, ...one, ...sorted } as never } }),
    );
    const own = items.filter(({ from, to }) => from === connectorId || to === connectorId);
    return { items: page.page === 1 ? own : [], total: own.length };
  };
  return (
    <ServerTable<Link>
      name="links"
      columns={columns}
      queryKey={[use.scope, 'links', query, connectorId ?? '']}
      fetchPage={fetchPage}
      sort={search.sort}
      onSort={(sort) => change({ sort })}
      one="link"
      refreshMs={15_000}
      empty={
        Object.keys(filters).length ? (
          <Empty title="Nothing fits">No link fits all of these filters. Take one away.</Empty>
        ) : (
          <Empty title="No links yet" action={<NewLinkButton {...(groupId ? { groupId } : {})} />}>
            A link is the cord between two connectors of a group. Choose them on the topology.
          </Empty>
        )
      }
      filters={
        <>
          <TextFilter label="Name or IRN" />
          <ChoiceFilter label="State" name="state" choices={states.map((value) => ({ value, label: value }))} />
          {!groupId && (
            <ChoiceFilter
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

export default function Links() {
  return (
    <Page title="Links" about="The cords: each joins two connectors of a group" actions={<NewLinkButton />}>
      <LinkTable />
    </Page>
  );
}
