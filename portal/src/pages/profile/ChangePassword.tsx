import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ownApi, unwrap } from '../../api/client.ts';
import { ErrorAlert } from '../../components/ErrorAlert.tsx';
import { useNewPassword } from '../../components/NewPasswordFields.tsx';
import { useApiMutation } from '../../components/useApiMutation.ts';
import { CurrentPasswordInput } from '../../features/users/CurrentPasswordInput.tsx';

export function ChangePassword() {
  const password = useNewPassword();
  const [currentPassword, setCurrentPassword] = useState('');
  const save = useApiMutation(
    () => unwrap(ownApi.PUT('/me/info', { body: { password: password.chosen, currentPassword } })),
    {
      hasInlineError: true,
      successMessage: 'Password changed. Your other sessions have ended.',
      onSuccess: () => {
        password.clear();
        setCurrentPassword('');
      },
    },
  );
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
            A new password ends your other sessions. You stay signed in here, and personal tokens stay valid.
          </Text>
          {save.error && <ErrorAlert error={save.error} title="The password was not changed" />}
          <CurrentPasswordInput value={currentPassword} onChange={setCurrentPassword} />
          {password.fields}
          <Group justify="flex-end">
            <Button type="submit" loading={save.isPending} disabled={password.chosen === '' || currentPassword === ''}>
              Change password
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}
