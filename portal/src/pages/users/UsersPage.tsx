import { Button, Text } from '@mantine/core';
import { useMemo, useState } from 'react';
import { unwrapPage } from '../../api/client.ts';
import { useCan } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { EmptyState } from '../../components/EmptyState.tsx';
import { Page } from '../../components/Page.tsx';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { RouterLink } from '../../components/router-links.tsx';
import { type Column, ServerTable } from '../../components/ServerTable.tsx';
import { useSearchParams } from '../../components/useSearchParams.ts';
import { fullName, type User } from '../../features/users/user-draft.ts';
import { NewUserDialog } from './NewUserDialog.tsx';
import { UserDrawer } from './UserDrawer.tsx';

const columns = (hasLinks: boolean): Column<User>[] => [
  {
    id: 'name',
    title: 'Name',
    cell: (user) =>
      hasLinks ? (
        <RouterLink to="/users" search={{ user: user.id } as never}>
          {fullName(user)}
        </RouterLink>
      ) : (
        fullName(user)
      ),
    csv: fullName,
  },
  { id: 'email', title: 'E-mail address', cell: (user) => user.email, csv: (user) => user.email },
  { id: 'role', title: 'Role', cell: (user) => user.role, csv: (user) => user.role },
  {
    id: 'enabled',
    title: 'Enabled',
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
    cell: (user) => (user.login.lastLoginAt ? <RelativeTime timestamp={user.login.lastLoginAt} /> : 'never'),
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
    cell: (user) => <RelativeTime timestamp={user.createdAt} />,
    csv: (user) => user.createdAt,
  },
];

export default function UsersPage() {
  const { api, scope } = useApi();
  const can = useCan();
  const [search, change] = useSearchParams();
  const [isCreating, setCreating] = useState(false);
  const hasLinks = can('GET', '/users/{userId}');
  const visibleColumns = useMemo(() => columns(hasLinks), [hasLinks]);
  const create = can('POST', '/users') && <Button onClick={() => setCreating(true)}>New user</Button>;
  return (
    <Page title="Users" about="Users of the organisation and their roles" actions={create}>
      <ServerTable
        name="Users"
        columns={visibleColumns}
        queryKey={[scope, 'users', 'list']}
        fetchPage={({ page, limit }) => unwrapPage(api.GET('/users', { params: { query: { page, limit } } }))}
        itemName="user"
        empty={
          <EmptyState title="No users yet" action={create}>
            Users sign in with their e-mail address. Create one for each person, so that the audit names them.
          </EmptyState>
        }
      />
      <NewUserDialog isOpen={isCreating} onClose={() => setCreating(false)} />
      <UserDrawer id={search.user} onClose={() => change({ user: undefined })} />
    </Page>
  );
}
