// Whom one acts for stands in the address of every page (`?for=`), so that a link shows others the same.
import { useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { apiFor } from './client.ts';

export const useActingFor = (): string | undefined =>
  useSearch({ strict: false, select: (search) => (search as { for?: string }).for });

/** The API in the scope of this page, and the word by which queries of this scope are kept. */
export function useApi() {
  const actingFor = useActingFor();
  return useMemo(() => ({ api: apiFor(actingFor), scope: actingFor ?? 'own' }), [actingFor]);
}
