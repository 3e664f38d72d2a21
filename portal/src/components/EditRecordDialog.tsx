import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { Versioned } from '../api/client.ts';
import { ApiProblem } from '../api/problems.ts';
import { EditConflict } from './EditConflict.tsx';
import { ErrorAlert } from './ErrorAlert.tsx';
import { type FieldSpec, FormFields, type FormValues } from './FormFields.tsx';
import { useEdit } from './useEdit.ts';

interface Props {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  specs: FieldSpec[];
  record: Versioned<FormValues>;
  /** Reads the current record after a conflict. */
  reread: () => Promise<Versioned<FormValues>>;
  /** Gets only the changed fields. */
  save: (change: FormValues, etag: string) => Promise<unknown>;
  note?: string;
}

const formatValue = (value: FormValues[string] | undefined): string =>
  Array.isArray(value) ? (value.length ? `${value.length} selected` : 'none') : value || '(empty)';

function changedValues(before: FormValues, draft: FormValues): FormValues {
  const differs = (name: string): boolean => JSON.stringify(draft[name] ?? '') !== JSON.stringify(before[name] ?? '');
  return Object.fromEntries(Object.entries(draft).filter(([name]) => differs(name)));
}

/** Error messages by field name (the last part of the path). */
export function problemsByField(error: unknown): Record<string, string> {
  if (!(error instanceof ApiProblem)) return {};
  return Object.fromEntries(error.details.map(({ path, message }) => [path.split('.').at(-1) ?? path, message]));
}

export function EditRecordDialog(props: Props) {
  return (
    <Modal opened={props.isOpen} onClose={props.onClose} title={props.title} size="lg">
      {props.isOpen && <Form {...props} />}
    </Modal>
  );
}

function Form({ onClose, specs, record, reread, save, note }: Props) {
  const edit = useEdit<FormValues, FormValues>({
    opened: record,
    read: reread,
    draftOf: (values) => values,
    write: async (before, draft, etag) => {
      const change = changedValues(before, draft);
      if (Object.keys(change).length > 0) await save(change, etag);
    },
    onDone: onClose,
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        edit.save();
      }}
    >
      <Stack>
        {note && <Text c="dimmed">{note}</Text>}
        <EditConflict edit={edit} fields={specs} formatValue={formatValue} />
        <FormFields specs={specs} values={edit.draft} problems={problemsByField(edit.error)} onChange={edit.change} />
        {edit.error && <ErrorAlert error={edit.error} title="The changes were not saved" />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={edit.isSaving}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
