import { Group, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { groupsQuery } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import type { SearchParams } from '../../components/useSearchParams.ts';
import { SegmentedField } from './SegmentedField.tsx';

export const useGroups = () => useQuery(groupsQuery(useApi()));

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
        choices={{ '': 'All', OK: 'Up', KO: 'Not up' }}
        onChange={(status) => change({ status, place: undefined, link: undefined })}
      />
      <SegmentedField
        label="Links by"
        value={search.colour === 'load' ? 'load' : ''}
        choices={{ '': 'State', load: 'Load' }}
        onChange={(colour) => change({ colour })}
      />
      <SegmentedField
        label="Shown as"
        value={isTable ? 'table' : ''}
        choices={{ '': 'Map', table: 'The same as a table' }}
        onChange={(view) => change({ view })}
      />
    </Group>
  );
}
