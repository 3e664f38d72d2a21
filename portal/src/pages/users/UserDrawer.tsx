// One user in a drawer: a form, or read-only details without write permission.
import { Button, Drawer, Group, PasswordInput, Stack, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { unwrap, unwrapVersioned, type Versioned } from '../../api/client.ts';
import { useCan } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { useSession } from '../../api/session.ts';
import { DescriptionList } from '../../components/DescriptionList.tsx';
import { EditConflict } from '../../components/EditConflict.tsx';
import { ErrorAlert } from '../../components/ErrorAlert.tsx';
import { QueryResult } from '../../components/QueryResult.tsx';
import { useEdit } from '../../components/useEdit.ts';
import { CurrentPasswordInput } from '../../features/users/CurrentPasswordInput.tsx';
import { SignInHistory } from '../../features/users/SignInHistory.tsx';
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
import { UserTokens } from './UserTokens.tsx';

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
  // Not refetched while the form is open.
  const user = useQuery({
    queryKey: [scope, 'users', id, 'opened'],
    queryFn: read,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const canWrite = can('PUT', '/users/{userId}');
  return (
    <QueryResult query={user} lines={8}>
      {(versioned) => (
        <Stack>
          {canWrite ? (
            <EditUserForm opened={versioned} read={read} onDone={onClose} />
          ) : (
            <UserDetails user={versioned.value} />
          )}
          <SignInHistory user={versioned.value} />
          {can('GET', '/users/{userId}/tokens') && <UserTokens userId={id} />}
          {can('DELETE', '/users/{userId}') && <DeleteUserButton user={versioned.value} onDone={onClose} />}
        </Stack>
      )}
    </QueryResult>
  );
}

function EditUserForm(props: { opened: Versioned<User>; read: () => Promise<Versioned<User>>; onDone: () => void }) {
  const { api } = useApi();
  const session = useSession();
  const [password, setPassword] = useState('');
  const [currentPassword, setCurrentPassword] = useState('');
  const { id, email } = props.opened.value;
  const path = { userId: id };
  const edit = useEdit({
    ...props,
    draftOf: toUserDraft,
    write: (before, draft, etag) =>
      unwrap(
        api.PUT('/users/{userId}', {
          params: { path, header: { 'If-Match': etag } },
          body: {
            ...toChangeBody(before, draft),
            ...(password ? { password } : {}),
            ...(currentPassword ? { currentPassword } : {}),
          },
        }),
      ),
  });
  const isOwn = session.status === 'in' && session.userId === id;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    edit.save();
  };
  return (
    <form onSubmit={submit} aria-label={fullName(props.opened.value)}>
      <Stack>
        <EditConflict edit={edit} fields={userFields} formatValue={formatValue} />
        {edit.error && <ErrorAlert error={edit.error} title="The changes were not saved" />}
        <UserFields draft={edit.draft} onChange={edit.change} />
        <RoleSelect role={edit.draft.role} onChange={(role) => edit.change({ role })} />
        <Switch
          label="Enabled"
          description="Disabling ends all sessions and personal tokens of the user at once; enabling does not restore them."
          checked={edit.draft.enabled}
          onChange={(event) => edit.change({ enabled: event.currentTarget.checked })}
        />
        <PasswordInput
          label="New password"
          description={`Leave empty to keep the current password. A new password ends ${
            isOwn ? 'your other sessions; personal tokens stay valid' : "the user's sessions and personal tokens"
          }.`}
          autoComplete="new-password"
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password' }}
        />
        {isOwn && (password !== '' || edit.draft.email !== email) && (
          <CurrentPasswordInput
            value={currentPassword}
            onChange={setCurrentPassword}
            description="This is your own account: a new password or e-mail address needs your current password."
          />
        )}
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
      ['Enabled', user.enabled ? 'yes' : 'no'],
      ['Phone', user.contact?.phone],
      ['Site', user.contact?.site],
      ['Language', user.preference?.language],
    ]}
  />
);
