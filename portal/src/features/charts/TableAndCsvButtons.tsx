import { Button, Group } from '@mantine/core';
import { IconDownload, IconTable } from '@tabler/icons-react';

export function TableAndCsvButtons({
  isTable,
  onTable,
  onSave,
}: {
  isTable: boolean;
  onTable: (isTable: boolean) => void;
  onSave: () => void;
}) {
  return (
    <Group gap="xs">
      <Button
        size="xs"
        variant="default"
        leftSection={<IconTable size={16} aria-hidden />}
        aria-expanded={isTable}
        onClick={() => onTable(!isTable)}
      >
        {isTable ? 'Hide table' : 'Show table'}
      </Button>
      <Button size="xs" variant="default" leftSection={<IconDownload size={16} aria-hidden />} onClick={onSave}>
        CSV
      </Button>
    </Group>
  );
}
