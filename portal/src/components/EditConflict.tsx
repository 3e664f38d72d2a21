import { Alert, Button, Group, ScrollArea, Table, Text } from '@mantine/core';
import type { Edit } from './useEdit.ts';

/** Shown when another user changed the record: the differing fields, and the choice between both versions. */
export function EditConflict<D>({
  edit: { before, draft, conflict, isSaving },
  fields,
  formatValue,
}: {
  edit: Edit<D>;
  fields: { name: keyof D & string; label: string; kind?: string }[];
  formatValue: (value: D[keyof D]) => string;
}) {
  if (!conflict) return null;
  const versions = [before, conflict.theirs, draft];
  const rows = fields
    .filter(({ name }) => new Set(versions.map((version) => JSON.stringify(version[name] ?? ''))).size > 1)
    .map(({ name, label, kind }) => ({
      label,
      cells: versions.map((version) => (kind === 'secret' ? '(not shown)' : formatValue(version[name]))),
    }));
  return (
    <Alert color="yellow" role="alert" title="Another user changed this record while you were editing">
      <Text size="sm" mb="xs">
        Your changes are not saved yet. These fields differ:
      </Text>
      <ScrollArea viewportProps={{ tabIndex: 0, role: 'region', 'aria-label': 'Differences' }}>
        <Table>
          <Table.Thead>
            <Table.Tr>
              {['Field', 'When you opened it', 'Current', 'Yours'].map((title) => (
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
                  // biome-ignore lint/suspicious/noArrayIndexKey: three fixed columns
                  <Table.Td key={index}>{cell}</Table.Td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </ScrollArea>
      <Text size="sm" my="xs">
        Saving yours overwrites only the fields that you changed.
      </Text>
      <Group>
        <Button variant="default" onClick={conflict.useTheirs}>
          Discard mine
        </Button>
        <Button onClick={conflict.overwrite} loading={isSaving}>
          Save mine
        </Button>
      </Group>
    </Alert>
  );
}
