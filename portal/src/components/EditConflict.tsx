import { Alert, Button, Group, ScrollArea, Table, Text } from '@mantine/core';
import type { Edit } from './useEdit.ts';

/** Two people changed one record: what each of them wrote, and the two ways on. */
export function EditConflict<D>({
  edit: { before, draft, clash, isSaving },
  fields,
  spoken,
}: {
  edit: Edit<D>;
  fields: { name: keyof D & string; label: string; kind?: string }[];
  spoken: (value: D[keyof D]) => string;
}) {
  if (!clash) return null;
  const all = [before, clash.theirs, draft];
  const rows = fields
    .filter(({ name }) => new Set(all.map((one) => JSON.stringify(one[name] ?? ''))).size > 1)
    .map(({ name, label, kind }) => ({
      label,
      cells: all.map((one) => (kind === 'secret' ? '(not shown)' : spoken(one[name]))),
    }));
  return (
    <Alert color="yellow" role="alert" title="Somebody else changed this record since you opened it">
      <Text size="sm" mb="xs">
        Nothing of yours was saved, and nothing of it is lost. This is what differs:
      </Text>
      <ScrollArea viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': 'What differs' }}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              {['Field', 'When you opened it', 'Theirs now', 'Yours'].map((title) => (
                <Table.Th key={title} scope="col">
                  {title}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.map(({ label, cells }) => (
              <Table.Tr key={label}>
                <Table.Th scope="row">{label}</Table.Th>
                {cells.map((cell, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: three columns, which never change places
                  <Table.Td key={index}>{cell}</Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea>
      <Text size="sm" my="xs">
        Sending yours changes the fields that you changed, and leaves theirs in the others.
      </Text>
      <Group>
        <Button variant="default" onClick={clash.take}>
          Take theirs
        </Button>
        <Button onClick={clash.insist} loading={isSaving}>
          Send mine anyway
        </Button>
      </Group>
    </Alert>
  );
}
