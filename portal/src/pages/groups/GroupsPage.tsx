import type { Schemas } from '@patchbay/client';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { unwrap, unwrapPage } from '../../api/client.ts';
import { useCan } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { CreateRecordButton } from '../../components/CreateRecordButton.tsx';
import { irnColumn, tagsColumn } from '../../components/common-columns.tsx';
import { problemsByField } from '../../components/EditRecordDialog.tsx';
import { EmptyState } from '../../components/EmptyState.tsx';
import { commonFieldSpecs, FormFields, type FormValues, toRequestBody } from '../../components/FormFields.tsx';
import { TextFilter } from '../../components/filters.tsx';
import { formatBits } from '../../components/format.ts';
import { Page } from '../../components/Page.tsx';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { RouterLink } from '../../components/router-links.tsx';
import { type Column, type PageQuery, ServerTable } from '../../components/ServerTable.tsx';
import { useApiMutation } from '../../components/useApiMutation.ts';
import { useSearchParams } from '../../components/useSearchParams.ts';

type Group = Schemas['Group'];

const columns: Column<Group>[] = [
  {
    id: 'name',
    title: 'Name',
    sort: 'name',
    cell: ({ id, name }) => (
      <RouterLink to="/groups/$groupId" params={{ groupId: id }} fw={550}>
        {name}
      </RouterLink>
    ),
    csv: ({ name }) => name,
  },
  {
    id: 'description',
    title: 'Description',
    cell: ({ description }) => description ?? '–',
    csv: ({ description }) => description,
  },
  {
    id: 'connectors',
    title: 'Connectors',
    isNumber: true,
    cell: ({ countConnectors }) => countConnectors,
    csv: ({ countConnectors }) => countConnectors,
  },
  {
    id: 'links',
    title: 'Links',
    isNumber: true,
    cell: ({ countLinks }) => countLinks,
    csv: ({ countLinks }) => countLinks,
  },
  {
    id: 'capacity',
    title: 'Allocated capacity',
    isNumber: true,
    cell: ({ allocatedCapacity }) => formatBits(allocatedCapacity),
    csv: ({ allocatedCapacity }) => allocatedCapacity,
  },
  tagsColumn,
  {
    id: 'created',
    title: 'Created',
    sort: 'createdAt',
    cell: ({ createdAt }) => <RelativeTime timestamp={createdAt} />,
    csv: ({ createdAt }) => createdAt,
  },
  irnColumn,
];

function NewGroupButton() {
  const { api } = useApi();
  const navigate = useNavigate();
  const [values, setValues] = useState<FormValues>({});
  const creation = useApiMutation(
    () => unwrap(api.POST('/groups', { body: toRequestBody(commonFieldSpecs, values) as never })),
    {
      successMessage: ({ name }) => `Group ${name} created`,
      onSuccess: ({ id }) => void navigate({ to: '/groups/$groupId', params: { groupId: id } }),
      hasInlineError: true,
    },
  );
  if (!useCan()('POST', '/groups')) return null;
  return (
    <CreateRecordButton
      what="group"
      onSubmit={() => creation.mutate(undefined)}
      isWorking={creation.isPending}
      error={creation.error}
    >
      <FormFields
        specs={commonFieldSpecs}
        values={values}
        problems={problemsByField(creation.error)}
        onChange={setValues}
      />
    </CreateRecordButton>
  );
}

export default function GroupsPage() {
  const { api, scope } = useApi();
  const [search, change] = useSearchParams();
  const query = search.search ? { search: search.search } : {};
  const fetchPage = ({ sort, ...page }: PageQuery) =>
    unwrapPage(api.GET('/groups', { params: { query: { ...query, ...page, ...(sort ? { sort: [sort] } : {}) } } }));
  return (
    <Page
      title="Groups"
      about="A group contains connectors, the links between them, and their shared capacity"
      actions={<NewGroupButton />}
    >
      <ServerTable<Group>
        name="groups"
        columns={columns}
        queryKey={[scope, 'groups', query]}
        fetchPage={fetchPage}
        sort={search.sort}
        onSort={(sort) => change({ sort })}
        itemName="group"
        filters={<TextFilter label="Name or IRN" />}
        empty={
          search.search ? (
            <EmptyState title="No matches">No group matches the search.</EmptyState>
          ) : (
            <EmptyState title="No groups yet" action={<NewGroupButton />}>
              A group contains connectors that can be linked, and has allocated capacity. Create a group first.
            </EmptyState>
          )
        }
      />
    </Page>
  );
}
