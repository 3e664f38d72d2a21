// Who may sign in for the organisation.
import { Button, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { askList } from '../../api/client.ts';
import { useMay } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { Empty } from '../../components/EmptyState.tsx';
import { Page } from '../../components/Page.tsx';
import { When } from '../../components/RelativeTime.tsx';
import { RecordLink } from '../../components/router-links.tsx';
import { type Column, ServerTable } from '../../components/ServerTable.tsx';
import { useListSearch } from '../../components/useSearchParams.ts';
import { nameOf, type User } from '../../features/users/user-draft.ts';
import { NewUser } from './NewUserDialog.tsx';
import { UserDrawer } from './UserDrawer.tsx';

const columns = (isLinked: boolean): Column<User>[] => [
  {
    id: 'name',
    title: 'Name',
    cell: (user) =>
      isLinked ? (
        <RecordLink to="/users" search={{ user: user.id } as never}>
          {nameOf(user)}
        </RecordLink>
      ) : (
        nameOf(user)
      ),
    csv: nameOf,
  },
  { id: 'email', title: 'E-mail address', cell: (user) => user.email, csv: (user) => user.email },
  { id: 'role', title: 'Role', cell: (user) => user.role, csv: (user) => user.role },
  {
    id: 'enabled',
    title: 'May sign in',
    cell: (user) =>
      user.enabled ? (
        'yes'
      ) : (
        <Text span fw={600} c="var(--tone-poor)">
          disabled
        </Text>
      ),
    csv: (user) => (user.enabled ? 'yes' : 'no'),
  },
  {
    id: 'last',
    title: 'Last sign-in',
    cell: (user) => (user.login.lastLoginAt ? <When moment={user.login.lastLoginAt} /> : 'never'),
    csv: (user) => user.login.lastLoginAt,
  },
  {
    id: 'phone',
    title: 'Phone',
    isExtra: true,
    cell: (user) => user.contact?.phone ?? '–',
    csv: (user) => user.contact?.phone,
  },
  {
    id: 'created',
    title: 'Created',
    isExtra: true,
    cell: (user) => <When moment={user.createdAt} />,
    csv: (user) => user.createdAt,
  },
];

export default function Users() {
  const { api, scope } = useApi();
  const may = useMay();
  const [search, change] = useListSearch();
  const [isMaking, setMaking] = useState(false);
  const isLinked = may('GET', '/users/{userId}');
  const shown = useMemo(() => columns(isLinked), [isLinked]);
  const create = may('POST', '/users') && <Button onClick={() => setMaking(true)}>New user</Button>;
  return (
    <Page title="Users" about="Who may sign in for the organisation, and in which role." actions={create}>
      <ServerTable
        name="Users"
        columns={shown}
        queryKey={[scope, 'users', 'list']}
        fetchPage={({ page, limit }) => askList(api.GET('/users', { params: { query: { page, limit } } }))}
        sort={undefined}
        onSort={() => undefined}
        one="user"
        empty={
          <Empty title="Nobody is here yet" action={create}>
            Users sign in with their e-mail address. Create one for each person: the audit then says who did what.
          </Empty>
        }
      />
      <NewUser isOpen={isMaking} onClose={() => setMaking(false)} />
      <UserDrawer id={search.user} onClose={() => change({ user: undefined })} />
    </Page>
  );
}
