// Changing a record. Its tag goes along: whoever has changed it meanwhile is not overwritten unseen, but shown.
import { Alert, Button, Group, Modal, Stack, Table, Text } from '@mantine/core';
import { useState } from 'react';
import type { Tagged } from '../api/client.ts';
import { ApiProblem } from '../api/problems.ts';
import { Failure } from './Failure.tsx';
import { Fields, type Spec, type Values } from './Fields.tsx';
import { useAct } from './useAct.ts';

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

const shown = (value: Values[string] | undefined): string =>
  Array.isArray(value) ? `${value.length} chosen` : value || '–';
const differs = (a: Values[string] | undefined, b: Values[string] | undefined): boolean =>
  JSON.stringify(a ?? '') !== JSON.stringify(b ?? '');

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
  const [base, setBase] = useState(record);
  const [values, setValues] = useState(record.value);
  const [theirs, setTheirs] = useState<Tagged<Values>>();
  // What was not touched here stays as others have made it.
  const change = Object.fromEntries(Object.entries(values).filter(([name, value]) => differs(value, base.value[name])));
  const send = useAct(
    async (etag: string) => {
      if (Object.keys(change).length === 0) return;
      try {
        await save(change, etag);
      } catch (error) {
        if (!(error instanceof ApiProblem) || error.status !== 412) throw error;
        setTheirs(await reread());
        throw error;
      }
    },
    { done: 'Saved', onDone: onClose, isQuiet: true },
  );
  if (theirs)
    return (
      <Conflict
        specs={specs}
        before={base.value}
        mine={change}
        theirs={theirs.value}
        onTakeTheirs={() => {
          setBase(theirs);
          setValues(theirs.value);
          setTheirs(undefined);
          send.reset();
        }}
        onSendMine={() => {
          setTheirs(undefined);
          send.mutate(theirs.etag);
        }}
      />
    );
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        send.mutate(base.etag);
      }}
    >
      <Stack>
        {note && <Text c="dimmed">{note}</Text>}
        <Fields specs={specs} values={values} problems={problemsByName(send.error)} onChange={setValues} />
        {send.error && <Failure error={send.error} title="Nothing was changed" />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={send.isPending}>
            Save
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function Conflict({
  specs,
  before,
  mine,
  theirs,
  onTakeTheirs,
  onSendMine,
}: {
  specs: Spec[];
  before: Values;
  mine: Values;
  theirs: Values;
  onTakeTheirs: () => void;
  onSendMine: () => void;
}) {
  const rows = specs.filter(({ name }) => name in mine || differs(before[name], theirs[name]));
  return (
    <Stack>
      <Alert color="yellow" role="alert" title="Somebody else changed this record">
        It was changed after you opened it, so nothing of yours was saved yet. This is how it stands now, beside what
        you have typed. Saving yours leaves alone what you have not touched.
      </Alert>
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th scope="col">Field</Table.Th>
            <Table.Th scope="col">As it stands</Table.Th>
            <Table.Th scope="col">Yours</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map(({ name, label }) => (
            <Table.Tr key={name}>
              <Table.Th scope="row">{label}</Table.Th>
              <Table.Td>{shown(theirs[name])}</Table.Td>
              <Table.Td>{name in mine ? shown(mine[name]) : 'not touched'}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <Group justify="flex-end">
        <Button variant="default" onClick={onTakeTheirs}>
          Take theirs and go on editing
        </Button>
        <Button onClick={onSendMine}>Save mine anyway</Button>
      </Group>
    </Stack>
  );
}
