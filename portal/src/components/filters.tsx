// What narrows a list. Each stands in the address.
import { Select, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useSearchParams } from './useSearchParams.ts';

export function TextFilter({ label }: { label: string }) {
  const [search, change] = useSearchParams();
  const [text, setText] = useState(search.search ?? '');
  const settle = useDebouncedCallback((value: string) => change({ search: value.trim() || undefined }), 250);
  // Somebody went back, or took the filter away.
  useEffect(() => {
    const wanted = search.search ?? '';
    // The blank that one has just typed is not in the address, and stays.
    setText((now) => (now.trim() === wanted ? now : wanted));
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
        settle(event.currentTarget.value);
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
