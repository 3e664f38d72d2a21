import { Button } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { ConfirmDialog } from './ConfirmDialog.tsx';
import { useApiMutation } from './useApiMutation.ts';

/** A delete button with confirmation. `children` says what is lost. */
export function DeleteRecordButton({
  what,
  name,
  remove,
  onDeleted,
  children,
}: {
  what: string;
  name: string;
  remove: () => Promise<unknown>;
  onDeleted: () => void;
  children: ReactNode;
}) {
  const [isConfirming, setConfirming] = useState(false);
  const deletion = useApiMutation(remove, {
    successMessage: `${name} was deleted`,
    onSuccess: onDeleted,
    hasInlineError: true,
  });
  return (
    <>
      <Button
        variant="outline"
        color="red"
        leftSection={<IconTrash size={16} aria-hidden />}
        onClick={() => setConfirming(true)}
      >
        Delete
      </Button>
      <ConfirmDialog
        isOpen={isConfirming}
        onClose={() => setConfirming(false)}
        onConfirm={() => deletion.mutate(undefined)}
        isWorking={deletion.isPending}
        error={deletion.error}
        title={`Delete ${what} ${name}?`}
        verb={`Delete ${what}`}
      >
        {children}
      </ConfirmDialog>
    </>
  );
}
