import { Button, Group, Paper, PasswordInput, Stack, Text, Title } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ask } from '../../api/client.ts';
import { Failure } from '../../kit/Failure.tsx';
import { useAct } from '../../kit/useAct.ts';
import { ownApi } from '../people/own.ts';

const toggle = { 'aria-label': 'Show or hide the password' };

export function Password() {
  const [password, setPassword] = useState('');
  const [repeated, setRepeated] = useState('');
  const save = useAct(() => ask(ownApi.PUT('/me/info', { body: { password } })), {
    isQuiet: true,
    done: 'Your password is changed; every other session of yours has ended',
    onDone: () => {
      setPassword('');
      setRepeated('');
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate(undefined);
  };
  return (
    <Paper>
      <form onSubmit={submit}>
        <Stack>
          <Title order={2}>Password</Title>
          <Text c="dimmed" size="sm">
            A new password ends your sessions in every other browser and program. You stay signed in here, and personal
            tokens keep working.
          </Text>
          {save.error && <Failure error={save.error} title="The password was not changed" />}
          <PasswordInput
            label="New password"
            description="12 characters or more that are hard to guess, for example four random words."
            autoComplete="new-password"
            required
            value={password}
            onChange={(event) => setPassword(event.currentTarget.value)}
            visibilityToggleButtonProps={toggle}
          />
          <PasswordInput
            label="Once more"
            autoComplete="new-password"
            required
            value={repeated}
            onChange={(event) => setRepeated(event.currentTarget.value)}
            error={repeated !== '' && repeated !== password ? 'This is not the same' : undefined}
            visibilityToggleButtonProps={toggle}
          />
          <Group justify="flex-end">
            <Button type="submit" loading={save.isPending} disabled={password === '' || password !== repeated}>
              Change the password
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}
