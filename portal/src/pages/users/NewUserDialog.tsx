import { Button, Group, Modal, PasswordInput, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ask } from '../../api/client.ts';
import { useApi } from '../../api/scope.ts';
import { Copy } from '../../components/CopyableText.tsx';
import { Failure } from '../../components/ErrorAlert.tsx';
import { useAct } from '../../components/useApiMutation.ts';
import { PersonFields } from '../../features/users/UserFields.tsx';
import { changesOf, nameOf, nobody } from '../../features/users/user-draft.ts';
import { RoleChoice } from './RoleSelect.tsx';

const letters = 'ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789';

/** Nobody has to think of one, and nobody can guess it: 20 of 57 letters are 116 bits. */
function madeUp(): string {
  const numbers = crypto.getRandomValues(new Uint32Array(20));
  return [...numbers].map((number) => letters[number % letters.length]).join('');
}

export function NewUser({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="New user" size="lg">
      <Wish onDone={onClose} />
    </Modal>
  );
}

function Wish({ onDone }: { onDone: () => void }) {
  const { api } = useApi();
  const [person, setPerson] = useState(nobody);
  const [password, setPassword] = useState('');
  const [isShown, setShown] = useState(false);
  const create = useAct(
    () => {
      const { lastName, email, role } = person;
      return ask(api.POST('/users', { body: { ...changesOf(nobody, person), lastName, email, role, password } }));
    },
    { isQuiet: true, done: (user) => `${nameOf(user)} can sign in now`, onDone },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate(undefined);
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {create.error && <Failure error={create.error} title="The user was not created" />}
        <PersonFields person={person} onChange={(change) => setPerson((now) => ({ ...now, ...change }))} />
        <RoleChoice role={person.role} onChange={(role) => setPerson((now) => ({ ...now, role }))} />
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
              setPassword(madeUp());
              setShown(true);
            }}
          >
            Make one up
          </Button>
          {password && <Copy text={password} what="the password" />}
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
