// What can be looked at: connectors, links and groups, found by name or by IRN.
import type { Api } from '@patchbay/client';
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { unwrapPage } from '../../api/client.ts';
import { useApi } from '../../api/scope.ts';

export type SubjectType = 'connector' | 'link' | 'group';

export interface Subject {
  kind: SubjectType;
  id: string;
  irn: string;
  name: string;
  capacityBps?: number | null;
}

/** The family of an IRN is written in the plural, and understood in both. */
const families: Record<string, SubjectType> = {
  connector: 'connector',
  connectors: 'connector',
  link: 'link',
  links: 'link',
  group: 'group',
};
const subjectType = (irn: string): SubjectType | undefined => families[irn.split(':')[1] ?? ''];

const resultsPerType = 8;

const finders: Record<SubjectType, (api: Api, search: string) => Promise<Subject[]>> = {
  connector: async (api, search) =>
    (await unwrapPage(api.GET('/connectors', { params: { query: { search, limit: resultsPerType } } }))).items.map(
      ({ id, irn, name, bandwidth }) => ({ kind: 'connector', id, irn, name, capacityBps: bandwidth }),
    ),
  link: async (api, search) =>
    (await unwrapPage(api.GET('/links', { params: { query: { search, limit: resultsPerType } } }))).items.map(
      ({ id, irn, name }) => ({ kind: 'link', id, irn, name }),
    ),
  group: async (api, search) =>
    (await unwrapPage(api.GET('/groups', { params: { query: { search, limit: resultsPerType } } }))).items.map(
      ({ id, irn, name }) => ({ kind: 'group', id, irn, name }),
    ),
};

export function useSubjectSearch(kinds: SubjectType[], search: string) {
  const { api, scope } = useApi();
  return useQuery({
    queryKey: [scope, 'metrics', 'found', kinds, search],
    queryFn: async () => (await Promise.all(kinds.map((kind) => finders[kind](api, search)))).flat(),
    placeholderData: keepPreviousData,
  });
}

/** Those that the address names. What is not there, or not to be seen, is null. */
export function useSubjects(irns: string[]) {
  const { api, scope } = useApi();
  return useQueries({
    queries: irns.map((irn) => ({
      queryKey: [scope, 'metrics', 'thing', irn],
      queryFn: async (): Promise<Subject | null> => {
        const kind = subjectType(irn);
        if (!kind) return null;
        const found = await finders[kind](api, irn);
        return found[0] ?? null;
      },
      staleTime: 60_000,
    })),
  });
}

export const splitList = (text: string | undefined): string[] => [
  ...new Set((text ?? '').split(',').filter((irn) => irn.length > 0)),
];
