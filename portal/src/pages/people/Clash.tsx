import { Alert, Button, Group, ScrollArea, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { differing, spoken, titles } from './person.ts';
import type { PersonEdit } from './usePersonEdit.ts';

/** Two people changed one record: what each of them wrote, and the two ways on. */
export function Clash({ edit }: { edit: PersonEdit }): ReactNode {
  const { clash, before, draft } = edit;
  if (!clash) return null;
  const fields = differing(before, draft, clash.theirs);
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
                <Table.Th key={title}>{title}</Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {fields.map((field) => (
              <Table.Tr key={field}>
                <Table.Th scope="row">{titles[field]}</Table.Th>
                <Table.Td>{spoken(before[field])}</Table.Td>
                <Table.Td>{spoken(clash.theirs[field])}</Table.Td>
                <Table.Td>{spoken(draft[field])}</Table.Td>
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
        <Button onClick={clash.insist} loading={edit.isSaving}>
          Send mine anyway
        </Button>
      </Group>
    </Alert>
  );
}
