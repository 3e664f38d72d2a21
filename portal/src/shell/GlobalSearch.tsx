// Search across connectors, links, groups and appliances by name, IRN, AS number or city. The key `/` focuses it.
import { Combobox, Kbd, Loader, Text, TextInput, useCombobox } from '@mantine/core';
import { useDebouncedValue, useHotkeys } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { unwrapPage } from '../api/client.ts';
import { useCan } from '../api/queries.ts';
import { useApi } from '../api/scope.ts';

interface SearchResult {
  to: string;
  name: string;
  detail: string;
}

const resultsPerType = 6;

function useSearchResults(text: string) {
  const { api, scope } = useApi();
  const can = useCan();
  const query = { search: text, limit: resultsPerType };
  const sources: { title: string; path: string; find: () => Promise<SearchResult[]> }[] = [
    {
      title: 'Connectors',
      path: '/connectors',
      find: async () =>
        (await unwrapPage(api.GET('/connectors', { params: { query } }))).items.map(({ id, name, region, state }) => ({
          to: `/connectors/${id}`,
          name,
          detail: `${region} · ${state}`,
        })),
    },
    {
      title: 'Links',
      path: '/links',
      find: async () =>
        (await unwrapPage(api.GET('/links', { params: { query } }))).items.map(({ id, name, state }) => ({
          to: `/links/${id}`,
          name,
          detail: state,
        })),
    },
    {
      title: 'Groups',
      path: '/groups',
      find: async () =>
        (await unwrapPage(api.GET('/groups', { params: { query } }))).items.map(({ id, name, description }) => ({
          to: `/groups/${id}`,
          name,
          detail: description ?? '',
        })),
    },
    {
      title: 'Appliances',
      path: '/cloud-appliances',
      find: async () =>
        (await unwrapPage(api.GET('/cloud-appliances', { params: { query } }))).items.map(({ id, name, siteName }) => ({
          to: `/appliances/${id}`,
          name,
          detail: siteName,
        })),
    },
  ];
  return useQuery({
    queryKey: [scope, 'search', text],
    enabled: text.length > 0,
    queryFn: async () => {
      const allowed = sources.filter(({ path }) => can('GET', path));
      const found = await Promise.all(allowed.map(async ({ title, find }) => ({ title, results: await find() })));
      return found.filter(({ results }) => results.length > 0);
    },
  });
}

export function GlobalSearch() {
  const combobox = useCombobox();
  const input = useRef<HTMLInputElement>(null);
  const [text, setText] = useState('');
  const [settled] = useDebouncedValue(text.trim(), 200);
  const found = useSearchResults(settled);
  const navigate = useNavigate();
  useHotkeys([['/', () => input.current?.focus()]]);
  const go = (to: string) => {
    setText('');
    combobox.closeDropdown();
    input.current?.blur();
    void navigate({ to });
  };
  const isOpen = settled.length > 0 && text.trim().length > 0;
  return (
    <Combobox store={combobox} onOptionSubmit={go} withinPortal>
      <Combobox.Target>
        <TextInput
          ref={input}
          aria-label="Search by name, IRN, AS number or city"
          placeholder="Search"
          value={text}
          w={{ base: '100%', sm: 280 }}
          miw={90}
          leftSection={found.isFetching ? <Loader size="xs" /> : <IconSearch size={16} aria-hidden />}
          rightSection={text ? null : <Kbd visibleFrom="sm">/</Kbd>}
          onChange={(event) => {
            setText(event.currentTarget.value);
            combobox.openDropdown();
            combobox.resetSelectedOption();
          }}
          onFocus={() => combobox.openDropdown()}
          onBlur={() => combobox.closeDropdown()}
          onKeyDown={(event) => event.key === 'Escape' && setText('')}
        />
      </Combobox.Target>
      <Combobox.Dropdown hidden={!isOpen}>
        <Combobox.Options mah={420} style={{ overflowY: 'auto' }} aria-label="Search results">
          {found.data?.length === 0 && <Combobox.Empty>No matches.</Combobox.Empty>}
          {found.error && <Combobox.Empty>{found.error.message}</Combobox.Empty>}
          {found.data?.map(({ title, results }) => (
            <Combobox.Group key={title} label={title}>
              {results.map(({ to, name, detail }) => (
                <Combobox.Option key={to} value={to}>
                  <Text size="sm" className="clip">
                    {name}
                  </Text>
                  <Text size="xs" c="dimmed" className="clip">
                    {detail}
                  </Text>
                </Combobox.Option>
              ))}
            </Combobox.Group>
          ))}
        </Combobox.Options>
      </Combobox.Dropdown>
    </Combobox>
  );
}
