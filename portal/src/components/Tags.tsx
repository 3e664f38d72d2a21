import { Badge, Group, MultiSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { unwrap } from '../api/client.ts';
import { tagsQuery, useCan } from '../api/queries.ts';
import { useApi } from '../api/scope.ts';
import { useApiMutation } from './useApiMutation.ts';

/** Only colours: what else stands there is not taken into a style. */
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

const createPrefix = 'make:';

/** Chooses tags; one that is missing is made on the way. */
export function TagPicker({ value, onChange }: { value: string[]; onChange: (ids: string[]) => void }) {
  const use = useApi();
  const may = useCan();
  const { data = [] } = useQuery(tagsQuery(use));
  const [text, setText] = useState('');
  const make = useApiMutation((name: string) => unwrap(use.api.POST('/tags', { body: { name } })), {
    done: ({ name }) => `Tag ${name} created`,
    onDone: ({ id }) => onChange([...value, id]),
  });
  const isNew = text.trim() !== '' && !data.some(({ name }) => name === text.trim()) && may('POST', '/tags');
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
        const made = ids.find((id) => id.startsWith(createPrefix));
        if (made) make.mutate(made.slice(createPrefix.length));
        else onChange(ids);
      }}
      nothingFoundMessage="No tag has this name"
      clearable
      clearButtonProps={{ 'aria-label': 'Remove all tags' }}
    />
  );
}
