// What many pages need to know, asked once and kept for a while.
import { queryOptions, useQuery } from '@tanstack/react-query';
import { fetchAllPages, unwrap } from './client.ts';
import type { ApiProblem } from './problems.ts';
import { useApi } from './scope.ts';

type ScopedApi = ReturnType<typeof useApi>;

/** Places and catalogues change with a release, not with a click. */
const catalogueStaleMs = 10 * 60_000;

export const meQuery = ({ api }: ScopedApi) =>
  queryOptions({ queryKey: ['me'], queryFn: () => unwrap(api.GET('/me/info')), staleTime: 60_000 });

export const permissionsQuery = ({ api }: ScopedApi) =>
  queryOptions({ queryKey: ['permissions'], queryFn: () => unwrap(api.GET('/me/permissions')), staleTime: 60_000 });

export const regionsQuery = ({ api }: ScopedApi) =>
  queryOptions({ queryKey: ['regions'], queryFn: () => unwrap(api.GET('/regions')), staleTime: catalogueStaleMs });

export const citiesQuery = ({ api }: ScopedApi) =>
  queryOptions({
    queryKey: ['cities'],
    queryFn: async () => (await fetchAllPages((query) => api.GET('/cities', { params: { query } }))).items,
    staleTime: catalogueStaleMs,
  });

export const destinationsQuery = ({ api }: ScopedApi) =>
  queryOptions({
    queryKey: ['destinations'],
    queryFn: async () => (await unwrap(api.GET('/cloud-gateways-types'))).cloudGatewayTypes,
    staleTime: catalogueStaleMs,
  });

export const groupsQuery = ({ api, scope }: ScopedApi) =>
  queryOptions({
    queryKey: [scope, 'groups', 'all'],
    queryFn: async () => (await fetchAllPages((query) => api.GET('/groups', { params: { query } }))).items,
  });

export const tagsQuery = ({ api, scope }: ScopedApi) =>
  queryOptions({
    queryKey: [scope, 'tags', 'all'],
    queryFn: async () => (await fetchAllPages((query) => api.GET('/tags', { params: { query } }))).items,
  });

/** The children that a reseller may act for. */
export const childrenQuery = ({ api }: ScopedApi) =>
  queryOptions({
    queryKey: ['children'],
    queryFn: async () => {
      const items = [];
      for (let offset = 0; offset < 1000; offset += 100) {
        const page = await unwrap(api.GET('/organisations', { params: { query: { offset, limit: 100 } } }));
        items.push(...page);
        if (page.length < 100) break;
      }
      return items;
    },
    staleTime: 60_000,
  });

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';
export type Can = (method: Method, path: string) => boolean;

/** What the role allows, as the service itself decides. Until that is known, nothing is offered. */
export function useCan(): Can {
  const { data } = useQuery(permissionsQuery(useApi()));
  const allowed = new Set(data?.operations.map(({ method, path }) => `${method} ${path}`));
  return (method, path) => allowed.has(`${method} ${path}`);
}

/** Repeating helps when the service was busy or away, not when it has refused. */
export const shouldRetry = (count: number, error: Error): boolean =>
  count < 2 && (!('status' in error) || (error as ApiProblem).status >= 500);
