// Search parameters of the URL as page state, so that views can be shared, reloaded and navigated.
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

export type SearchParams = Record<string, string | undefined>;

export function useSearchParams(): [SearchParams, (change: SearchParams) => void] {
  const search = useSearch({ strict: false }) as SearchParams;
  const navigate = useNavigate();
  const change = useCallback(
    (changed: SearchParams) =>
      void navigate({
        to: '.',
        replace: true,
        search: ((before: SearchParams) =>
          Object.fromEntries(Object.entries({ ...before, ...changed }).filter(([, value]) => value))) as never,
      }),
    [navigate],
  );
  return [search, change];
}
