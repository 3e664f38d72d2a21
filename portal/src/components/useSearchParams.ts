// What a list shows stands in the address: the page can be shared, reloaded and gone back to.
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

export type ListSearch = Record<string, string | undefined>;

export function useListSearch(): [ListSearch, (change: ListSearch) => void] {
  const search = useSearch({ strict: false }) as ListSearch;
  const navigate = useNavigate();
  const change = useCallback(
    (changed: ListSearch) =>
      void navigate({
        to: '.',
        replace: true,
        search: ((before: ListSearch) =>
          Object.fromEntries(Object.entries({ ...before, ...changed }).filter(([, value]) => value))) as never,
      }),
    [navigate],
  );
  return [search, change];
}
