import { Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import type { FormEvent } from 'react';
import { ownApi, unwrap } from '../../api/client.ts';
import { ErrorAlert } from '../../components/ErrorAlert.tsx';
import { useNewPassword } from '../../components/NewPasswordFields.tsx';
import { useApiMutation } from '../../components/useApiMutation.ts';

export function ChangePassword() {
  const password = useNewPassword();
  const save = useApiMutation(() => unwrap(ownApi.PUT('/me/info', { body: { password: password.chosen } })), {
    hasInlineError: true,
    successMessage: 'Your password is changed; every other session of yours has ended',
    onSuccess: password.clear,
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
          {save.error && <ErrorAlert error={save.error} title="The password was not changed" />}
          {password.fields}
          <Group justify="flex-end">
            <Button type="submit" loading={save.isPending} disabled={password.chosen === ''}>
              Change the password
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}
