// What many pages need to know, asked once and kept for a while.
import { queryOptions, useQuery } from '@tanstack/react-query';
import { ask, askAll } from './client.ts';
import type { ApiProblem } from './problems.ts';
import { useApi } from './scope.ts';

type Use = ReturnType<typeof useApi>;

/** Places and catalogues change with a release, not with a click. */
const seldom = 10 * 60_000;

export const meQuery = ({ api }: Use) =>
  queryOptions({ queryKey: ['me'], queryFn: () => ask(api.GET('/me/info')), staleTime: 60_000 });

export const permissionsQuery = ({ api }: Use) =>
  queryOptions({ queryKey: ['permissions'], queryFn: () => ask(api.GET('/me/permissions')), staleTime: 60_000 });

export const regionsQuery = ({ api }: Use) =>
  queryOptions({ queryKey: ['regions'], queryFn: () => ask(api.GET('/regions')), staleTime: seldom });

export const citiesQuery = ({ api }: Use) =>
  queryOptions({
    queryKey: ['cities'],
    queryFn: async () => (await askAll((query) => api.GET('/cities', { params: { query } }))).items,
    staleTime: seldom,
  });

export const destinationsQuery = ({ api }: Use) =>
  queryOptions({
    queryKey: ['destinations'],
    queryFn: async () => (await ask(api.GET('/cloud-gateways-types'))).cloudGatewayTypes,
    staleTime: seldom,
  });

export const groupsQuery = ({ api, scope }: Use) =>
  queryOptions({
    queryKey: [scope, 'groups', 'all'],
    queryFn: async () => (await askAll((query) => api.GET('/groups', { params: { query } }))).items,
  });

export const tagsQuery = ({ api, scope }: Use) =>
  queryOptions({
    queryKey: [scope, 'tags', 'all'],
    queryFn: async () => (await askAll((query) => api.GET('/tags', { params: { query } }))).items,
  });

/** The children that a reseller may act for. */
export const childrenQuery = ({ api }: Use) =>
  queryOptions({
    queryKey: ['children'],
    queryFn: async () => {
      const items = [];
      for (let offset = 0; offset < 1000; offset += 100) {
        const page = await ask(api.GET('/organisations', { params: { query: { offset, limit: 100 } } }));
        items.push(...page);
        if (page.length < 100) break;
      }
      return items;
    },
    staleTime: 60_000,
  });

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
export type May = (method: Method, path: string) => boolean;

/** What the role allows, as the service itself decides. Until that is known, nothing is offered. */
export function useMay(): May {
  const { data } = useQuery(permissionsQuery(useApi()));
  const allowed = new Set(data?.operations.map(({ method, path }) => `${method} ${path}`));
  return (method, path) => allowed.has(`${method} ${path}`);
}

/** Repeating helps when the service was busy or away, not when it has refused. */
export const isWorthRepeating = (count: number, error: Error): boolean =>
  count < 2 && (!('status' in error) || (error as ApiProblem).status >= 500);
