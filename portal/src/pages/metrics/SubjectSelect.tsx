import { Loader, MultiSelect } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { type Subject, type SubjectType, useSubjectSearch, useSubjects } from './metric-subjects.ts';

const titles: Record<SubjectType, string> = { connector: 'Connectors', link: 'Links', group: 'Groups' };

function optionsOf(types: SubjectType[], subjects: Subject[]) {
  const byIrn = new Map(subjects.map((subject) => [subject.irn, subject]));
  return types
    .map((type) => ({
      group: titles[type],
      items: [...byIrn.values()]
        .filter((subject) => subject.type === type)
        .map(({ irn, name }) => ({ value: irn, label: name })),
    }))
    .filter(({ items }) => items.length > 0);
}

/** Selects subjects from a server-side search by name, IRN, AS number or city. */
export function SubjectSelect({
  label,
  description,
  types,
  selected,
  onSelect,
  maxSelected,
}: {
  label: string;
  description: string;
  types: SubjectType[];
  selected: string[];
  onSelect: (irns: string[]) => void;
  maxSelected: number;
}) {
  const [text, setText] = useState('');
  const [settled] = useDebouncedValue(text.trim(), 200);
  const found = useSubjectSearch(types, settled);
  // An IRN from the URL that does not exist is its own label.
  const selectedSubjects = useSubjects(selected).map(({ data }, index): Subject => {
    const irn = selected[index]!;
    return data ? { ...data, irn } : { type: types[0]!, id: irn, irn, name: irn };
  });
  return (
    <MultiSelect
      label={label}
      description={description}
      placeholder={selected.length === 0 ? 'Search by name' : ''}
      data={optionsOf(types, [...selectedSubjects, ...(found.data ?? [])])}
      value={selected}
      onChange={onSelect}
      searchable
      searchValue={text}
      onSearchChange={setText}
      // The server has filtered already.
      filter={({ options }) => options}
      maxValues={maxSelected}
      hidePickedOptions
      nothingFoundMessage={found.isFetching ? 'Searching …' : 'No matches'}
      rightSection={found.isFetching ? <Loader size="xs" /> : null}
      error={found.error?.message}
      flex="1 1 20rem"
    />
  );
}
