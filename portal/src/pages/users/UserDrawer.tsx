// One user beside the list: to read, and for those who may, to change.
import { Button, Drawer, Group, PasswordInput, Stack, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { unwrap, unwrapVersioned, type Versioned } from '../../api/client.ts';
import { useCan } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { DescriptionList } from '../../components/DescriptionList.tsx';
import { EditConflict } from '../../components/EditConflict.tsx';
import { ErrorAlert } from '../../components/ErrorAlert.tsx';
import { QueryResult } from '../../components/QueryResult.tsx';
import { RelativeTime } from '../../components/RelativeTime.tsx';
import { useEdit } from '../../components/useEdit.ts';
import { UserFields } from '../../features/users/UserFields.tsx';
import {
  formatValue,
  fullName,
  toChangeBody,
  toUserDraft,
  type User,
  userFields,
} from '../../features/users/user-draft.ts';
import { DeleteUserButton } from './DeleteUserButton.tsx';
import { RoleSelect } from './RoleSelect.tsx';

export function UserDrawer({ id, onClose }: { id: string | undefined; onClose: () => void }) {
  return (
    <Drawer
      opened={id !== undefined}
      onClose={onClose}
      position="right"
      size="lg"
      title="User"
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {id && <LoadedUser key={id} id={id} onClose={onClose} />}
    </Drawer>
  );
}

function LoadedUser({ id, onClose }: { id: string; onClose: () => void }) {
  const { api, scope } = useApi();
  const can = useCan();
  const path = { userId: id };
  const read = () => unwrapVersioned(api.GET('/users/{userId}', { params: { path } }));
  // Read once and afresh: the form holds what was there when it was opened.
  const user = useQuery({
    queryKey: [scope, 'users', id, 'opened'],
    queryFn: read,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const canWrite = can('PUT', '/users/{userId}');
  return (
    <QueryResult query={user} lines={8}>
      {(tagged) => (
        <Stack>
          {canWrite ? (
            <EditUserForm opened={tagged} read={read} onDone={onClose} />
          ) : (
            <UserDetails user={tagged.value} />
          )}
          <SignInHistory user={tagged.value} />
          {can('DELETE', '/users/{userId}') && <DeleteUserButton user={tagged.value} onDone={onClose} />}
        </Stack>
      )}
    </QueryResult>
  );
}

function EditUserForm(props: { opened: Versioned<User>; read: () => Promise<Versioned<User>>; onDone: () => void }) {
  const { api } = useApi();
  const [password, setPassword] = useState('');
  const path = { userId: props.opened.value.id };
  const edit = useEdit({
    ...props,
    draftOf: toUserDraft,
    write: (before, draft, etag) =>
      unwrap(
        api.PUT('/users/{userId}', {
          params: { path, header: { 'If-Match': etag } },
          body: { ...toChangeBody(before, draft), ...(password ? { password } : {}) },
        }),
      ),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    edit.save();
  };
  return (
    <form onSubmit={submit} aria-label={fullName(props.opened.value)}>
      <Stack>
        <EditConflict edit={edit} fields={userFields} formatValue={formatValue} />
        {edit.error && <ErrorAlert error={edit.error} title="Nothing was changed" />}
        <UserFields person={edit.draft} onChange={edit.change} />
        <RoleSelect role={edit.draft.role} onChange={(role) => edit.change({ role })} />
        <Switch
          label="May sign in"
          description="Without it every session and personal token of the user ends at once, and enabling again revives none of them."
          checked={edit.draft.enabled}
          onChange={(event) => edit.change({ enabled: event.currentTarget.checked })}
        />
        <PasswordInput
          label="New password"
          description="Leave it empty to keep the one there is. A new one ends the user's sessions."
          autoComplete="new-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password' }}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={edit.isSaving}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const UserDetails = ({ user }: { user: User }) => (
  <DescriptionList
    items={[
      ['Name', fullName(user)],
      ['E-mail address', user.email],
      ['Role', user.role],
      ['May sign in', user.enabled ? 'yes' : 'no'],
      ['Phone', user.contact?.phone],
      ['Site', user.contact?.site],
      ['Language', user.preference?.language],
    ]}
  />
);

export const SignInHistory = ({ user }: { user: User }) => (
  <DescriptionList
    title="Sign-ins"
    items={[
      ['Last', <RelativeTime key="last" timestamp={user.login.lastLoginAt} />],
      ['First', <RelativeTime key="first" timestamp={user.login.firstLoginAt} />],
      ['First from', user.login.ipFirstLogin],
      ['First with', user.login.userAgentFirstLogin],
      ['How many', user.login.numberLogin.toLocaleString('en')],
      ['Failed', user.login.numberFaileLogin.toLocaleString('en')],
      ['Last failed', <RelativeTime key="failed" timestamp={user.login.lastFailedLoginAt} />],
    ]}
  />
);
