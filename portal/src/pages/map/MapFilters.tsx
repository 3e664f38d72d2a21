import { Group, Select } from '@mantine/core';
import { useGroups } from '../../api/queries.ts';
import type { SearchParams } from '../../components/useSearchParams.ts';
import { SegmentedField } from './SegmentedField.tsx';

export function MapFilters({ search, change }: { search: SearchParams; change: (changed: SearchParams) => void }) {
  const groups = useGroups().data ?? [];
  const isTable = search.view === 'table';
  return (
    <Group align="flex-end" gap="md">
      <Select
        label="Group"
        placeholder="All groups"
        data={groups.map(({ id, name }) => ({ value: id, label: name }))}
        value={search.group ?? null}
        onChange={(group) => change({ group: group ?? undefined, place: undefined, link: undefined })}
        clearable
        searchable
        clearButtonProps={{ 'aria-label': 'All groups' }}
        nothingFoundMessage="No group has this name"
      />
      <SegmentedField
        label="Status"
        value={search.status ?? ''}
        options={{ '': 'All', OK: 'Up', KO: 'Not up' }}
        onChange={(status) => change({ status, place: undefined, link: undefined })}
      />
      <SegmentedField
        label="Line style"
        value={search.colour === 'load' ? 'load' : ''}
        options={{ '': 'State', load: 'Load' }}
        onChange={(colour) => change({ colour })}
      />
      <SegmentedField
        label="View"
        value={isTable ? 'table' : ''}
        options={{ '': 'Map', table: 'Table' }}
        onChange={(view) => change({ view })}
      />
    </Group>
  );
}
