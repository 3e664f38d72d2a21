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

/** 20 characters from an alphabet of 57: 116 bits of entropy. */
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
  const [draft, setDraft] = useState(emptyUserDraft);
  const [password, setPassword] = useState('');
  const [isShown, setShown] = useState(false);
  const create = useApiMutation(
    () => {
      const { lastName, email, role } = draft;
      return unwrap(
        api.POST('/users', { body: { ...toChangeBody(emptyUserDraft, draft), lastName, email, role, password } }),
      );
    },
    { hasInlineError: true, successMessage: (user) => `User ${fullName(user)} created`, onSuccess: onDone },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate(undefined);
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {create.error && <ErrorAlert error={create.error} title="The user was not created" />}
        <UserFields draft={draft} onChange={(changes) => setDraft((previous) => ({ ...previous, ...changes }))} />
        <RoleSelect role={draft.role} onChange={(role) => setDraft((previous) => ({ ...previous, role }))} />
        <PasswordInput
          label="Initial password"
          description="At least 12 characters, hard to guess. The user can change it on the profile page."
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
            Generate
          </Button>
          {password && <CopyIconButton text={password} what="the password" />}
        </Group>
        <Group justify="flex-end">
          <Button type="submit" loading={create.isPending}>
            Create user
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
