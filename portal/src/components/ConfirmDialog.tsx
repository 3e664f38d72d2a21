import { Button, Group, Modal, Stack } from '@mantine/core';
import type { ReactNode } from 'react';
import { ErrorAlert } from './ErrorAlert.tsx';

/** Confirmation of a destructive action. */
export function ConfirmDialog({
  isOpen,
  onClose,
  onConfirm,
  isWorking,
  error,
  title,
  verb,
  children,
}: {
  isOpen: boolean;
  onClose: () => void;
  onConfirm: () => void;
  isWorking?: boolean;
  error?: unknown;
  title: string;
  verb: string;
  children: ReactNode;
}) {
  return (
    <Modal opened={isOpen} onClose={onClose} title={title}>
      <Stack>
        <div>{children}</div>
        {error ? <ErrorAlert error={error} /> : null}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button color="red" onClick={onConfirm} loading={isWorking ?? false}>
            {verb}
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}
