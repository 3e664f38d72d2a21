import { Badge, Group, MultiSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { unwrap } from '../api/client.ts';
import { tagsQuery, useCan } from '../api/queries.ts';
import { useApi } from '../api/scope.ts';
import { useApiMutation } from './useApiMutation.ts';

/** Only hex colours go into a style. */
const safeColour = (color: string | null | undefined): string =>
  /^#[0-9a-f]{3,8}$/i.test(color ?? '') ? (color as string) : 'var(--quiet)';

export function Tags({ ids }: { ids: string[] | null | undefined }) {
  const { data = [] } = useQuery(tagsQuery(useApi()));
  const shown = data.filter(({ id }) => ids?.includes(id));
  if (shown.length === 0) return <>–</>;
  return (
    <Group gap={4} wrap="nowrap" component="span" w="max-content">
      {shown.map(({ id, name, color }) => (
        <Badge
          key={id}
          variant="default"
          tt="none"
          style={{ flexShrink: 0 }}
          leftSection={
            <span
              style={{
                background: safeColour(color),
                borderRadius: '50%',
                display: 'inline-block',
                height: 8,
                width: 8,
              }}
            />
          }
        >
          {name}
        </Badge>
      ))}
    </Group>
  );
}

const createPrefix = 'create:';

/** Selects tags; a missing one can be created. */
export function TagPicker({ value, onChange }: { value: string[]; onChange: (ids: string[]) => void }) {
  const scoped = useApi();
  const can = useCan();
  const { data = [] } = useQuery(tagsQuery(scoped));
  const [text, setText] = useState('');
  const create = useApiMutation((name: string) => unwrap(scoped.api.POST('/tags', { body: { name } })), {
    successMessage: ({ name }) => `Tag ${name} created`,
    onSuccess: ({ id }) => onChange([...value, id]),
  });
  const isNew = text.trim() !== '' && !data.some(({ name }) => name === text.trim()) && can('POST', '/tags');
  const choices = data.map(({ id, name }) => ({ value: id, label: name }));
  return (
    <MultiSelect
      label="Tags"
      placeholder={value.length ? undefined : 'none'}
      data={isNew ? [...choices, { value: createPrefix + text.trim(), label: `Create tag “${text.trim()}”` }] : choices}
      value={value}
      searchable
      searchValue={text}
      onSearchChange={setText}
      onChange={(ids) => {
        const created = ids.find((id) => id.startsWith(createPrefix));
        if (created) create.mutate(created.slice(createPrefix.length));
        else onChange(ids);
      }}
      nothingFoundMessage="No tag has this name"
      clearable
      clearButtonProps={{ 'aria-label': 'Remove all tags' }}
    />
  );
}
