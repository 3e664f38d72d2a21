// The scope of a page: the organisation in `?for=`, or the user's own. A shared URL keeps it.

import type { Api } from '@patchbay/client';
import { useSearch } from '@tanstack/react-router';
import { useMemo } from 'react';
import { apiFor } from './client.ts';

export const useActingFor = (): string | undefined =>
  useSearch({ strict: false, select: (search) => (search as { for?: string }).for });

export interface ScopedApi {
  api: Api;
  /** The first part of every query key. */
  scope: string;
}

export function useApi(): ScopedApi {
  const actingFor = useActingFor();
  return useMemo(() => ({ api: apiFor(actingFor), scope: actingFor ?? 'own' }), [actingFor]);
}
