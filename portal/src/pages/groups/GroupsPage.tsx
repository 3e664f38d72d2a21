import type { Schemas } from '@patchbay/client';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { ask, askList } from '../../api/client.ts';
import { useMay } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { CreateRecord } from '../../components/CreateRecordButton.tsx';
import { irnColumn, tagsColumn } from '../../components/common-columns.tsx';
import { problemsByName } from '../../components/EditRecordDialog.tsx';
import { Empty } from '../../components/EmptyState.tsx';
import { bodyOf, Fields, recordSpecs, type Values } from '../../components/FormFields.tsx';
import { TextFilter } from '../../components/filters.tsx';
import { bits } from '../../components/format.ts';
import { Page } from '../../components/Page.tsx';
import { When } from '../../components/RelativeTime.tsx';
import { RecordLink } from '../../components/router-links.tsx';
import { type Asked, type Column, ServerTable } from '../../components/ServerTable.tsx';
import { useAct } from '../../components/useApiMutation.ts';
import { useListSearch } from '../../components/useSearchParams.ts';

type Grouped = Schemas['Group'];

const columns: Column<Grouped>[] = [
  {
    id: 'name',
    title: 'Name',
    sort: 'name',
    cell: ({ id, name }) => (
      <RecordLink to="/groups/$groupId" params={{ groupId: id }} fw={550}>
        {name}
      </RecordLink>
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
    cell: ({ allocatedCapacity }) => bits(allocatedCapacity),
    csv: ({ allocatedCapacity }) => allocatedCapacity,
  },
  tagsColumn,
  {
    id: 'created',
    title: 'Created',
    sort: 'createdAt',
    cell: ({ createdAt }) => <When moment={createdAt} />,
    csv: ({ createdAt }) => createdAt,
  },
  irnColumn,
];

function NewGroup() {
  const { api } = useApi();
  const navigate = useNavigate();
  const [values, setValues] = useState<Values>({});
  const make = useAct(() => ask(api.POST('/groups', { body: bodyOf(recordSpecs, values) as never })), {
    done: ({ name }) => `Group ${name} created`,
    onDone: ({ id }) => void navigate({ to: '/groups/$groupId', params: { groupId: id } }),
    isQuiet: true,
  });
  if (!useMay()('POST', '/groups')) return null;
  return (
    <CreateRecord what="group" onSubmit={() => make.mutate(undefined)} isWorking={make.isPending} error={make.error}>
      <Fields specs={recordSpecs} values={values} problems={problemsByName(make.error)} onChange={setValues} />
    </CreateRecord>
  );
}

export default function Groups() {
  const { api, scope } = useApi();
  const [search, change] = useListSearch();
  const query = search.search ? { search: search.search } : {};
  const fetchPage = ({ sort, ...page }: Asked) =>
    askList(api.GET('/groups', { params: { query: { ...query, ...page, ...(sort ? { sort: [sort] } : {}) } } }));
  return (
    <Page
      title="Groups"
      about="Connectors that belong together, the links between them, and the capacity they share"
      actions={<NewGroup />}
    >
      <ServerTable<Grouped>
        name="groups"
        columns={columns}
        queryKey={[scope, 'groups', query]}
        fetchPage={fetchPage}
        sort={search.sort}
        onSort={(sort) => change({ sort })}
        one="group"
        filters={<TextFilter label="Name or IRN" />}
        empty={
          search.search ? (
            <Empty title="Nothing fits">No group has this name, description or IRN.</Empty>
          ) : (
            <Empty title="No groups yet" action={<NewGroup />}>
              Everything begins with a group: it holds connectors that may be linked with each other, and capacity is
              allocated to it.
            </Empty>
          )
        }
      />
    </Page>
  );
}
