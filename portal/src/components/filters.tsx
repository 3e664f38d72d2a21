// List filters. Each is a search parameter.
import { Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useSearchParams } from './useSearchParams.ts';

export function TextFilter({ label }: { label: string }) {
  const [search, change] = useSearchParams();
  const [text, setText] = useState(search.search ?? '');
  const applyLater = useDebouncedCallback((value: string) => change({ search: value.trim() || undefined }), 250);
  // The parameter changes by navigation too.
  useEffect(() => {
    const applied = search.search ?? '';
    // The parameter is trimmed: keep a trailing space while typing.
    setText((current) => (current.trim() === applied ? current : applied));
  }, [search.search]);
  return (
    <TextInput
      label={label}
      value={text}
      maxLength={100}
      w={225}
      leftSection={<IconSearch size={16} aria-hidden />}
      onChange={(event) => {
        setText(event.currentTarget.value);
        applyLater(event.currentTarget.value);
      }}
    />
  );
}

export function SelectFilter({
  label,
  name,
  choices,
}: {
  label: string;
  name: string;
  choices: { value: string; label: string }[];
}) {
  const [search, change] = useSearchParams();
  return (
    <Select
      label={label}
      placeholder="all"
      data={choices}
      value={search[name] ?? null}
      onChange={(value) => change({ [name]: value ?? undefined })}
      clearable
      searchable={choices.length > 8}
      clearButtonProps={{ 'aria-label': `${label}: all` }}
      size="sm"
      w={142}
    />
  );
}
