import { Button, Group, Modal, PasswordInput, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { unwrap } from '../../api/client.ts';
import { useApi } from '../../api/scope.ts';
import { CopyIconButton } from '../../components/CopyableText.tsx';
import { ErrorAlert } from '../../components/ErrorAlert.tsx';
import { useApiMutation } from '../../components/useApiMutation.ts';
import { UserFields } from '../../features/users/UserFields.tsx';
import { emptyUserDraft, fullName, toChangeBody } from '../../features/users/user-draft.ts';
import { RoleSelect } from './RoleSelect.tsx';

const passwordAlphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';

/** Nobody has to think of one, and nobody can guess it: 20 of 57 letters are 116 bits. */
function randomPassword(): string {
  const numbers = crypto.getRandomValues(new Uint32Array(20));
  return [...numbers].map((number) => passwordAlphabet[number % passwordAlphabet.length]).join('');
}

export function NewUserDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="New user" size="lg">
      <NewUserForm onDone={onClose} />
    </Modal>
  );
}

function NewUserForm({ onDone }: { onDone: () => void }) {
  const { api } = useApi();
  const [person, setPerson] = useState(emptyUserDraft);
  const [password, setPassword] = useState('');
  const [isShown, setShown] = useState(false);
  const create = useApiMutation(
    () => {
      const { lastName, email, role } = person;
      return unwrap(
        api.POST('/users', { body: { ...toChangeBody(emptyUserDraft, person), lastName, email, role, password } }),
      );
    },
    { hasInlineError: true, successMessage: (user) => `${fullName(user)} can sign in now`, onSuccess: onDone },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate(undefined);
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {create.error && <ErrorAlert error={create.error} title="The user was not created" />}
        <UserFields person={person} onChange={(change) => setPerson((now) => ({ ...now, ...change }))} />
        <RoleSelect role={person.role} onChange={(role) => setPerson((now) => ({ ...now, role }))} />
        <PasswordInput
          label="First password"
          description="12 characters or more that are hard to guess. Hand it over safely: they change it on their profile."
          required
          autoComplete="new-password"
          value={password}
          visible={isShown}
          onVisibilityChange={setShown}
          onChange={(event) => setPassword(event.currentTarget.value)}
          visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password' }}
        />
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            onClick={() => {
              setPassword(randomPassword());
              setShown(true);
            }}
          >
            Make one up
          </Button>
          {password && <CopyIconButton text={password} what="the password" />}
        </Group>
        <Group justify="flex-end">
          <Button type="submit" loading={create.isPending}>
            Create the user
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
