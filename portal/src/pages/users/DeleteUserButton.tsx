import { Button, List, Text } from '@mantine/core';
import { useState } from 'react';
import { unwrap } from '../../api/client.ts';
import { useApi } from '../../api/scope.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { useApiMutation } from '../../components/useApiMutation.ts';
import { fullName, type User } from '../../features/users/user-draft.ts';

/** Deletes a user, once it is clear what goes along. */
export function DeleteUserButton({ user, onDone }: { user: User; onDone: () => void }) {
  const { api } = useApi();
  const [asks, setAsks] = useState(false);
  const remove = useApiMutation(
    () => unwrap(api.DELETE('/users/{userId}', { params: { path: { userId: user.id } } })),
    {
      hasInlineError: true,
      successMessage: `${fullName(user)} is deleted`,
      onSuccess: onDone,
    },
  );
  const close = () => {
    remove.reset();
    setAsks(false);
  };
  return (
    <div>
      <Button color="red" variant="outline" onClick={() => setAsks(true)}>
        Delete this user
      </Button>
      <ConfirmDialog
        isOpen={asks}
        onClose={close}
        onConfirm={() => remove.mutate(undefined)}
        isWorking={remove.isPending}
        error={remove.error}
        title={`Delete ${fullName(user)}?`}
        verb="Delete the user"
      >
        <Text>This cannot be undone. Lost at once are:</Text>
        <List>
          <List.Item>every session of {user.email}, in browsers and programs,</List.Item>
          <List.Item>every personal token, and with it whatever runs on one.</List.Item>
        </List>
        <Text mt="xs">
          What the user did stays in the audit. To keep somebody out for a while, disable them instead.
        </Text>
      </ConfirmDialog>
    </div>
  );
}
