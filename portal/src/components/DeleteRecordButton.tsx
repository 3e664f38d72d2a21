import { Button } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { ConfirmDialog } from './ConfirmDialog.tsx';
import { useApiMutation } from './useApiMutation.ts';

/** A button that asks first, naming what will be lost. */
export function DeleteRecordButton({
  what,
  name,
  remove,
  onGone,
  children,
}: {
  what: string;
  name: string;
  remove: () => Promise<unknown>;
  onGone: () => void;
  children: ReactNode;
}) {
  const [asks, setAsks] = useState(false);
  const act = useApiMutation(remove, { done: `${name} was deleted`, onDone: onGone, isQuiet: true });
  return (
    <>
      <Button
        variant="outline"
        color="red"
        leftSection={<IconTrash size={16} aria-hidden />}
        onClick={() => setAsks(true)}
      >
        Delete
      </Button>
      <ConfirmDialog
        isOpen={asks}
        onClose={() => setAsks(false)}
        onConfirm={() => act.mutate(undefined)}
        isWorking={act.isPending}
        error={act.error}
        title={`Delete the ${what} ${name}?`}
        verb={`Delete the ${what}`}
      >
        {children}
      </ConfirmDialog>
    </>
  );
}
