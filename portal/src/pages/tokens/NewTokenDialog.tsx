import { Alert, Button, Group, Modal, Select, Stack, Text, TextInput } from '@mantine/core';
import type { Schemas } from '@patchbay/client';
import { type FormEvent, useState } from 'react';
import { ownApi, unwrap } from '../../api/client.ts';
import { CopyableText } from '../../components/CopyableText.tsx';
import { ErrorAlert } from '../../components/ErrorAlert.tsx';
import { useApiMutation } from '../../components/useApiMutation.ts';

const day = 86_400;
const lifetimes = [
  { value: String(day), label: '1 day' },
  { value: String(30 * day), label: '30 days' },
  { value: String(90 * day), label: '90 days' },
  { value: String(365 * day), label: '1 year' },
];

/** Creates a token and shows it once. */
export function NewTokenDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const [created, setCreated] = useState<Schemas['NewPersonalToken']>();
  const close = () => {
    setCreated(undefined);
    onClose();
  };
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={created ? 'Your new token' : 'New personal token'}
      closeOnClickOutside={!created}
      size="lg"
    >
      {created ? <CreatedToken token={created} onClose={close} /> : <NewTokenForm onCreated={setCreated} />}
    </Modal>
  );
}

function NewTokenForm({ onCreated }: { onCreated: (token: Schemas['NewPersonalToken']) => void }) {
  const [name, setName] = useState('');
  const [comment, setComment] = useState('');
  const [lifetime, setLifetime] = useState(String(30 * day));
  const create = useApiMutation(
    () =>
      unwrap(
        ownApi.POST('/personal/tokens', {
          body: { name, comment: comment || null, expiresIn: Number(lifetime) },
        }),
      ),
    { hasInlineError: true, onSuccess: onCreated },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate(undefined);
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {create.error && <ErrorAlert error={create.error} title="The token was not created" />}
        <TextInput
          label="Name"
          description="The program that uses it, for example a pipeline"
          required
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <TextInput
          label="Comment"
          description="What the token is for"
          value={comment}
          onChange={(event) => setComment(event.currentTarget.value)}
        />
        <Select
          label="Lifetime"
          description="The token expires after this time. It has all your permissions: keep the lifetime short."
          data={lifetimes}
          allowDeselect={false}
          value={lifetime}
          onChange={(value) => value && setLifetime(value)}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={create.isPending}>
            Create token
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function CreatedToken({ token, onClose }: { token: Schemas['NewPersonalToken']; onClose: () => void }) {
  return (
    <Stack>
      <Alert color="yellow" title="Copy it now">
        It is shown only once: the service stores only its digest. If you lose it, revoke it and create another one.
      </Alert>
      <CopyableText text={token.accessToken} what="the token" />
      <Text size="sm" c="dimmed">
        Store it in a secret store, not in a script or repository.
      </Text>
      <Group justify="flex-end">
        <Button onClick={onClose}>Done</Button>
      </Group>
    </Stack>
  );
}
