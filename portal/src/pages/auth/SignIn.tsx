import { Alert, Button, PasswordInput, Stack, TextInput, Title } from '@mantine/core';
import { useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { type Session, signIn } from '../../api/session.ts';
import { ErrorAlert } from '../../components/ErrorAlert.tsx';
import { RouterLink } from '../../components/router-links.tsx';
import { useDocumentTitle } from '../../components/useDocumentTitle.ts';

const reasons: Record<string, string> = {
  ended: 'Your session has ended. Sign in again to return to this page.',
  unreachable: 'The service could not be reached. Try again in a moment.',
};

/** Shown in place of the requested page, which appears after sign-in. */
export function SignIn({ reason }: { reason?: Extract<Session, { status: 'out' }>['reason'] }) {
  const [error, setError] = useState<unknown>();
  const [isWorking, setWorking] = useState(false);
  const queries = useQueryClient();
  useDocumentTitle('Sign in');
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setWorking(true);
    setError(undefined);
    try {
      // The cache may hold data of the previous user.
      queries.clear();
      await signIn(String(form.get('username')), String(form.get('password')));
    } catch (failure) {
      setError(failure);
    } finally {
      setWorking(false);
    }
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        <Title order={1}>Sign in</Title>
        {reason && <Alert color="yellow">{reasons[reason]}</Alert>}
        {error !== undefined && <ErrorAlert error={error} title="Sign-in failed" />}
        <TextInput name="username" type="email" label="E-mail address" autoComplete="username" required autoFocus />
        <PasswordInput
          name="password"
          label="Password"
          autoComplete="current-password"
          required
          visibilityToggleButtonProps={{ 'aria-label': 'Show or hide the password' }}
        />
        <Button type="submit" loading={isWorking}>
          Sign in
        </Button>
        <RouterLink to="/forgotten-password" size="sm">
          Forgot your password?
        </RouterLink>
      </Stack>
    </form>
  );
}
