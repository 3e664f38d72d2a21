import { Alert, Button, Stack, Title } from '@mantine/core';
import { createClient } from '@patchbay/client';
import { createLazyRoute } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { unwrap } from '../../api/client.ts';
import { ErrorAlert } from '../../components/ErrorAlert.tsx';
import { useNewPassword } from '../../components/NewPasswordFields.tsx';
import { RouterButton, RouterLink } from '../../components/router-links.tsx';
import { useDocumentTitle } from '../../components/useDocumentTitle.ts';

/** The token from the URL fragment, which browsers do not send to servers. Removes it from the URL. */
function takeToken(): string {
  const token = window.location.hash.slice(1);
  if (token) window.history.replaceState(window.history.state, '', window.location.pathname);
  return token;
}

function NewPassword() {
  const [token] = useState(takeToken);
  const [isDone, setDone] = useState(false);
  const [error, setError] = useState<unknown>();
  const [isWorking, setWorking] = useState(false);
  const password = useNewPassword();
  useDocumentTitle('New password');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setWorking(true);
    setError(undefined);
    const api = createClient({ baseUrl: window.location.origin });
    const headers = { Authorization: `Bearer ${token}` };
    await unwrap(api.PUT('/me/info', { headers, body: { password: password.chosen } })).then(
      () => setDone(true),
      setError,
    );
    setWorking(false);
  };
  return (
    <Stack>
      <Title order={1}>New password</Title>
      {isDone ? (
        <>
          <Alert role="status">Your password is set. All your sessions and personal tokens have ended.</Alert>
          <RouterButton to="/">Sign in</RouterButton>
        </>
      ) : token ? (
        <form onSubmit={submit}>
          <Stack>
            {error !== undefined && <ErrorAlert error={error} title="The password was not changed" />}
            {password.fields}
            <Button type="submit" loading={isWorking} disabled={password.chosen === ''}>
              Set password
            </Button>
          </Stack>
        </form>
      ) : (
        <Alert color="yellow">
          Open this page with the link from the mail. <RouterLink to="/forgotten-password">Request a mail</RouterLink>
        </Alert>
      )}
    </Stack>
  );
}

export const route = createLazyRoute('/auth/new-password')({ component: NewPassword });
