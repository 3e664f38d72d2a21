import { Alert, Button, Stack, Text, TextInput, Title } from '@mantine/core';
import { createLazyRoute } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { requestPasswordReset } from '../../api/session.ts';
import { ErrorAlert } from '../../components/ErrorAlert.tsx';
import { RouterLink } from '../../components/router-links.tsx';

function ForgotPassword() {
  const [answer, setAnswer] = useState<string>();
  const [error, setError] = useState<unknown>();
  const [isWorking, setWorking] = useState(false);
  useEffect(() => {
    document.title = 'Forgotten password · Patchbay';
  }, []);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const username = String(new FormData(event.currentTarget).get('username'));
    setWorking(true);
    setError(undefined);
    await requestPasswordReset(username).then(setAnswer, setError);
    setWorking(false);
  };
  return (
    <Stack>
      <Title order={1}>Forgotten password</Title>
      {answer ? (
        <Alert role="status">{answer} Its link is good for 15 minutes.</Alert>
      ) : (
        <form onSubmit={submit}>
          <Stack>
            <Text>We send you a mail with a link. There you choose a new password.</Text>
            {error !== undefined && <ErrorAlert error={error} />}
            <TextInput name="username" type="email" label="E-mail address" autoComplete="username" required autoFocus />
            <Button type="submit" loading={isWorking}>
              Send the mail
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
