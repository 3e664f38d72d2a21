import { Button, List, Text } from '@mantine/core';
import { useState } from 'react';
import { unwrap } from '../../api/client.ts';
import { useApi } from '../../api/scope.ts';
import { ConfirmDialog } from '../../components/ConfirmDialog.tsx';
import { useApiMutation } from '../../components/useApiMutation.ts';
import { fullName, type User } from '../../features/users/user-draft.ts';

export function DeleteUserButton({ user, onDone }: { user: User; onDone: () => void }) {
  const { api } = useApi();
  const [isConfirming, setConfirming] = useState(false);
  const remove = useApiMutation(
    () => unwrap(api.DELETE('/users/{userId}', { params: { path: { userId: user.id } } })),
    {
      hasInlineError: true,
      successMessage: `User ${fullName(user)} deleted`,
      onSuccess: onDone,
    },
  );
  const close = () => {
    remove.reset();
    setConfirming(false);
  };
  return (
    <div>
      <Button color="red" variant="outline" onClick={() => setConfirming(true)}>
        Delete user
      </Button>
      <ConfirmDialog
        isOpen={isConfirming}
        onClose={close}
        onConfirm={() => remove.mutate(undefined)}
        isWorking={remove.isPending}
        error={remove.error}
        title={`Delete ${fullName(user)}?`}
        verb="Delete user"
      >
        <Text>This cannot be undone. It ends at once:</Text>
        <List>
          <List.Item>all sessions of {user.email},</List.Item>
          <List.Item>all personal tokens, and the programs that use them.</List.Item>
        </List>
        <Text mt="xs">
          The audit keeps the entries of the user. To block a user temporarily, disable the user instead.
        </Text>
      </ConfirmDialog>
    </div>
  );
}
