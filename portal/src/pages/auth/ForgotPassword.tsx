import { Alert, Button, Stack, Text, TextInput, Title } from '@mantine/core';
import { createLazyRoute } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { requestPasswordReset } from '../../api/session.ts';
import { ErrorAlert } from '../../components/ErrorAlert.tsx';
import { RouterLink } from '../../components/router-links.tsx';
import { useDocumentTitle } from '../../components/useDocumentTitle.ts';

function ForgotPassword() {
  const [confirmation, setConfirmation] = useState<string>();
  const [error, setError] = useState<unknown>();
  const [isWorking, setWorking] = useState(false);
  useDocumentTitle('Forgot password');
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const username = String(new FormData(event.currentTarget).get('username'));
    setWorking(true);
    setError(undefined);
    await requestPasswordReset(username).then(setConfirmation, setError);
    setWorking(false);
  };
  return (
    <Stack>
      <Title order={1}>Forgot password</Title>
      {confirmation ? (
        <Alert role="status">{confirmation} The link expires after 15 minutes.</Alert>
      ) : (
        <form onSubmit={submit}>
          <Stack>
            <Text>We send you a mail with a link to set a new password.</Text>
            {error !== undefined && <ErrorAlert error={error} />}
            <TextInput name="username" type="email" label="E-mail address" autoComplete="username" required autoFocus />
            <Button type="submit" loading={isWorking}>
              Send mail
            </Button>
          </Stack>
        </form>
      )}
      <RouterLink to="/" size="sm">
        Back to sign in
      </RouterLink>
    </Stack>
  );
}

export const route = createLazyRoute('/auth/forgotten-password')({ component: ForgotPassword });
