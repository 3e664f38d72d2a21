import { Button, Group, Modal, Stack } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { type FormEvent, type ReactNode, useState } from 'react';
import { ErrorAlert } from './ErrorAlert.tsx';

interface Props {
  /** The record type, for example "group". */
  what: string;
  onOpen?: () => void;
  onSubmit: (form: HTMLFormElement) => void;
  isWorking: boolean;
  error: unknown;
  children: ReactNode;
}

/** A button that opens a form in a dialog. A rejected form keeps its input. */
export function CreateRecordButton({ what, onOpen, onSubmit, isWorking, error, children }: Props) {
  const [isOpen, setOpen] = useState(false);
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    onSubmit(event.currentTarget);
  };
  return (
    <>
      <Button
        leftSection={<IconPlus size={16} aria-hidden />}
        onClick={() => {
          onOpen?.();
          setOpen(true);
        }}
      >
        New {what}
      </Button>
      <Modal opened={isOpen} onClose={() => setOpen(false)} title={`New ${what}`}>
        <form onSubmit={submit}>
          <Stack gap="sm">
            {children}
            {error != null && <ErrorAlert error={error} title={`The ${what} was not created`} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={() => setOpen(false)}>
                Cancel
              </Button>
              <Button type="submit" loading={isWorking}>
                Create {what}
              </Button>
            </Group>
          </Stack>
        </form>
      </Modal>
    </>
  );
}
