import { Loader, MultiSelect } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useState } from 'react';
import { type Subject, type SubjectType, useSubjectSearch, useSubjects } from './metric-subjects.ts';

const titles: Record<SubjectType, string> = { connector: 'Connectors', link: 'Links', group: 'Groups' };

function optionsOf(kinds: SubjectType[], things: Subject[]) {
  const byIrn = new Map(things.map((thing) => [thing.irn, thing]));
  return kinds
    .map((kind) => ({
      group: titles[kind],
      items: [...byIrn.values()]
        .filter((thing) => thing.kind === kind)
        .map(({ irn, name }) => ({ value: irn, label: name })),
    }))
    .filter(({ items }) => items.length > 0);
}

/** Chosen from what the server finds by name, IRN, AS number or city. */
export function SubjectSelect({
  label,
  description,
  kinds,
  chosen,
  onChoose,
  atMost,
}: {
  label: string;
  description: string;
  kinds: SubjectType[];
  chosen: string[];
  onChoose: (irns: string[]) => void;
  atMost: number;
}) {
  const [text, setText] = useState('');
  const [settled] = useDebouncedValue(text.trim(), 200);
  const found = useSubjectSearch(kinds, settled);
  const named = useSubjects(chosen);
  // Whatever an address names has a label, also when it is not there.
  const own = named.map(({ data }, index): Subject => {
    const irn = chosen[index]!;
    return data ? { ...data, irn } : { kind: kinds[0]!, id: irn, irn, name: irn };
  });
  return (
    <MultiSelect
      label={label}
      description={description}
      placeholder={chosen.length === 0 ? 'Search by name' : ''}
      data={optionsOf(kinds, [...own, ...(found.data ?? [])])}
      value={chosen}
      onChange={onChoose}
      searchable
      searchValue={text}
      onSearchChange={setText}
      // What the server has found is right, whatever it was found by.
      filter={({ options }) => options}
      maxValues={atMost}
      hidePickedOptions
      nothingFoundMessage={found.isFetching ? 'Searching …' : 'Nothing is found by this'}
      rightSection={found.isFetching ? <Loader size="xs" /> : null}
      error={found.error?.message}
      flex="1 1 20rem"
    />
  );
}
