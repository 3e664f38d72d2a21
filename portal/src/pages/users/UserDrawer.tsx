// One user beside the list: to read, and for those who may, to change.
import { Button, Drawer, Group, PasswordInput, Stack, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ask, askTagged, type Tagged } from '../../api/client.ts';
import { useMay } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { Facts } from '../../components/DescriptionList.tsx';
import { Clash } from '../../components/EditConflict.tsx';
import { Failure } from '../../components/ErrorAlert.tsx';
import { Asked } from '../../components/QueryResult.tsx';
import { When } from '../../components/RelativeTime.tsx';
import { useEdit } from '../../components/useEdit.ts';
import { PersonFields } from '../../features/users/UserFields.tsx';
import { changesOf, nameOf, personFields, personOf, spoken, type User } from '../../features/users/user-draft.ts';
import { Farewell } from './DeleteUserButton.tsx';
import { RoleChoice } from './RoleSelect.tsx';

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
      {id && <Opened key={id} id={id} onClose={onClose} />}
    </Drawer>
  );
}

function Opened({ id, onClose }: { id: string; onClose: () => void }) {
  const { api, scope } = useApi();
  const may = useMay();
  const path = { userId: id };
  const read = () => askTagged(api.GET('/users/{userId}', { params: { path } }));
  // Read once and afresh: the form holds what was there when it was opened.
  const user = useQuery({
    queryKey: [scope, 'users', id, 'opened'],
    queryFn: read,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const mayWrite = may('PUT', '/users/{userId}');
  return (
    <Asked query={user} lines={8}>
      {(tagged) => (
        <Stack>
          {mayWrite ? <Edit opened={tagged} read={read} onDone={onClose} /> : <Shown user={tagged.value} />}
          <SignIns user={tagged.value} />
          {may('DELETE', '/users/{userId}') && <Farewell user={tagged.value} onDone={onClose} />}
        </Stack>
      )}
    </Asked>
  );
}

function Edit(props: { opened: Tagged<User>; read: () => Promise<Tagged<User>>; onDone: () => void }) {
  const { api } = useApi();
  const [password, setPassword] = useState('');
  const path = { userId: props.opened.value.id };
  const edit = useEdit({
    ...props,
    draftOf: personOf,
    write: (before, draft, etag) =>
      ask(
        api.PUT('/users/{userId}', {
          params: { path, header: { 'If-Match': etag } },
          body: { ...changesOf(before, draft), ...(password ? { password } : {}) },
        }),
      ),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    edit.save();
  };
  return (
    <form onSubmit={submit} aria-label={nameOf(props.opened.value)}>
      <Stack>
        <Clash edit={edit} fields={personFields} spoken={spoken} />
        {edit.error && <Failure error={edit.error} title="Nothing was changed" />}
        <PersonFields person={edit.draft} onChange={edit.change} />
        <RoleChoice role={edit.draft.role} onChange={(role) => edit.change({ role })} />
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

const Shown = ({ user }: { user: User }) => (
  <Facts
    facts={[
      ['Name', nameOf(user)],
      ['E-mail address', user.email],
      ['Role', user.role],
      ['May sign in', user.enabled ? 'yes' : 'no'],
      ['Phone', user.contact?.phone],
      ['Site', user.contact?.site],
      ['Language', user.preference?.language],
    ]}
  />
);

export const SignIns = ({ user }: { user: User }) => (
  <Facts
    title="Sign-ins"
    facts={[
      ['Last', <When key="last" moment={user.login.lastLoginAt} />],
      ['First', <When key="first" moment={user.login.firstLoginAt} />],
      ['First from', user.login.ipFirstLogin],
      ['First with', user.login.userAgentFirstLogin],
      ['How many', user.login.numberLogin.toLocaleString('en')],
      ['Failed', user.login.numberFaileLogin.toLocaleString('en')],
      ['Last failed', <When key="failed" moment={user.login.lastFailedLoginAt} />],
    ]}
  />
);
