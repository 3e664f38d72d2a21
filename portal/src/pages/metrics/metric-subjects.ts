// The subjects of metrics (connectors, links, groups), found by name or IRN.
import type { Api } from '@patchbay/client';
import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query';
import { unwrapPage } from '../../api/client.ts';
import { useApi } from '../../api/scope.ts';

export type SubjectType = 'connector' | 'link' | 'group';

export interface Subject {
  type: SubjectType;
  id: string;
  irn: string;
  name: string;
  capacityBps?: number | null;
}

/** The second part of an IRN, singular or plural. */
const typesByIrn: Record<string, SubjectType> = {
  connector: 'connector',
  connectors: 'connector',
  link: 'link',
  links: 'link',
  group: 'group',
};
const subjectType = (irn: string): SubjectType | undefined => typesByIrn[irn.split(':')[1] ?? ''];

const resultsPerType = 8;

const finders: Record<SubjectType, (api: Api, search: string) => Promise<Subject[]>> = {
  connector: async (api, search) =>
    (await unwrapPage(api.GET('/connectors', { params: { query: { search, limit: resultsPerType } } }))).items.map(
      ({ id, irn, name, bandwidth }) => ({ type: 'connector', id, irn, name, capacityBps: bandwidth }),
    ),
  link: async (api, search) =>
    (await unwrapPage(api.GET('/links', { params: { query: { search, limit: resultsPerType } } }))).items.map(
      ({ id, irn, name }) => ({ type: 'link', id, irn, name }),
    ),
  group: async (api, search) =>
    (await unwrapPage(api.GET('/groups', { params: { query: { search, limit: resultsPerType } } }))).items.map(
      ({ id, irn, name }) => ({ type: 'group', id, irn, name }),
    ),
};

export function useSubjectSearch(types: SubjectType[], search: string) {
  const { api, scope } = useApi();
  return useQuery({
    queryKey: [scope, 'metrics', 'found', types, search],
    queryFn: async () => (await Promise.all(types.map((type) => finders[type](api, search)))).flat(),
    placeholderData: keepPreviousData,
  });
}

/** The subjects with these IRNs; null if missing or not visible. */
export function useSubjects(irns: string[]) {
  const { api, scope } = useApi();
  return useQueries({
    queries: irns.map((irn) => ({
      queryKey: [scope, 'metrics', 'subject', irn],
      queryFn: async (): Promise<Subject | null> => {
        const type = subjectType(irn);
        if (!type) return null;
        const found = await finders[type](api, irn);
        return found[0] ?? null;
      },
      staleTime: 60_000,
    })),
  });
}

export const splitList = (text: string | undefined): string[] => [
  ...new Set((text ?? '').split(',').filter((irn) => irn.length > 0)),
];
