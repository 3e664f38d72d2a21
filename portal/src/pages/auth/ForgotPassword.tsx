import { Alert, Button, Stack, Text, TextInput, Title } from '@mantine/core';
import { createLazyRoute } from '@tanstack/react-router';
import { type FormEvent, useEffect, useState } from 'react';
import { askReset } from '../../api/session.ts';
import { Failure } from '../../components/ErrorAlert.tsx';
import { RecordLink } from '../../components/router-links.tsx';

function ForgottenPassword() {
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
    await askReset(username).then(setAnswer, setError);
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
            {error !== undefined && <Failure error={error} />}
            <TextInput name="username" type="email" label="E-mail address" autoComplete="username" required autoFocus />
            <Button type="submit" loading={isWorking}>
              Send the mail
            </Button>
          </Stack>
        </form>
      )}
      <RecordLink to="/" size="sm">
        Back to sign in
      </RecordLink>
    </Stack>
  );
}

export const route = createLazyRoute('/door/forgotten-password')({ component: ForgottenPassword });
