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

/** Asks for a name and a life; then shows the token, this once. */
export function NewTokenDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  const [made, setMade] = useState<Schemas['NewPersonalToken']>();
  const close = () => {
    setMade(undefined);
    onClose();
  };
  return (
    <Modal
      opened={isOpen}
      onClose={close}
      title={made ? 'Your new token' : 'New personal token'}
      closeOnClickOutside={!made}
      size="lg"
    >
      {made ? <CreatedToken token={made} onClose={close} /> : <NewTokenForm onMade={setMade} />}
    </Modal>
  );
}

function NewTokenForm({ onMade }: { onMade: (token: Schemas['NewPersonalToken']) => void }) {
  const [name, setName] = useState('');
  const [comment, setComment] = useState('');
  const [life, setLife] = useState(String(30 * day));
  const create = useApiMutation(
    () =>
      unwrap(
        ownApi.POST('/personal/tokens', {
          body: { name, comment: comment || null, expiresIn: Number(life) },
        }),
      ),
    { hasInlineError: true, onSuccess: onMade },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    create.mutate(undefined);
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {create.error && <ErrorAlert error={create.error} title="No token was made" />}
        <TextInput
          label="Name"
          description="What will use it, for example the pipeline or the script."
          required
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <TextInput
          label="Comment"
          description="For whoever asks later what it is for."
          value={comment}
          onChange={(event) => setComment(event.currentTarget.value)}
        />
        <Select
          label="Works for"
          description="Then it stops by itself. Choose no longer than it is needed: whoever holds it can do what you can."
          data={lifetimes}
          allowDeselect={false}
          value={life}
          onChange={(value) => value && setLife(value)}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={create.isPending}>
            Create the token
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
        It is not shown again: the service keeps only a fingerprint of it. If it is lost, revoke it and make another.
      </Alert>
      <CopyableText text={token.accessToken} what="the token" />
      <Text size="sm" c="dimmed">
        Keep it where secrets are kept, not in a script or a repository.
      </Text>
      <Group justify="flex-end">
        <Button onClick={onClose}>I have copied it</Button>
      </Group>
    </Stack>
  );
}
