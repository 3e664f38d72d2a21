import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { Tagged } from '../api/client.ts';
import { ApiProblem } from '../api/problems.ts';
import { Clash } from './EditConflict.tsx';
import { Failure } from './ErrorAlert.tsx';
import { Fields, type Spec, type Values } from './FormFields.tsx';
import { useEdit } from './useEdit.ts';

interface Props {
  isOpen: boolean;
  onClose: () => void;
  title: string;
  specs: Spec[];
  record: Tagged<Values>;
  /** The record as it stands now, after somebody else has changed it. */
  reread: () => Promise<Tagged<Values>>;
  /** Only what differs is sent. */
  save: (change: Values, etag: string) => Promise<unknown>;
  note?: string;
}

const spoken = (value: Values[string] | undefined): string =>
  Array.isArray(value) ? (value.length ? `${value.length} chosen` : 'none') : value || 'nothing';

function changesOf(before: Values, draft: Values): Values {
  const differs = (name: string): boolean => JSON.stringify(draft[name] ?? '') !== JSON.stringify(before[name] ?? '');
  return Object.fromEntries(Object.entries(draft).filter(([name]) => differs(name)));
}

/** What was wrong with which field, by its last name in the path. */
export function problemsByName(error: unknown): Record<string, string> {
  if (!(error instanceof ApiProblem)) return {};
  return Object.fromEntries(error.details.map(({ path, message }) => [path.split('.').at(-1) ?? path, message]));
}

export function EditRecord(props: Props) {
  return (
    <Modal opened={props.isOpen} onClose={props.onClose} title={props.title} size="lg">
      {props.isOpen && <Form {...props} />}
    </Modal>
  );
}

function Form({ onClose, specs, record, reread, save, note }: Props) {
  const edit = useEdit<Values, Values>({
    opened: record,
    read: reread,
    draftOf: (values) => values,
    write: async (before, draft, etag) => {
      const change = changesOf(before, draft);
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
        <Clash edit={edit} fields={specs} spoken={spoken} />
        <Fields specs={specs} values={edit.draft} problems={problemsByName(edit.error)} onChange={edit.change} />
        {edit.error && <Failure error={edit.error} title="Nothing was changed" />}
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
