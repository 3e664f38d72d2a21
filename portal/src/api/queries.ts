// Queries and permissions that several pages share.
import { queryOptions, useQuery } from '@tanstack/react-query';
import { fetchAllPages, unwrap } from './client.ts';
import type { ApiProblem } from './problems.ts';
import { type ScopedApi, useApi } from './scope.ts';

/** Regions, cities and destinations change with the catalogue only. */
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

export const useGroups = () => useQuery(groupsQuery(useApi()));

export const rolesQuery = ({ api, scope }: ScopedApi) =>
  queryOptions({ queryKey: [scope, 'roles'], queryFn: () => unwrap(api.GET('/acl/roles')) });

export const tagsQuery = ({ api, scope }: ScopedApi) =>
  queryOptions({
    queryKey: [scope, 'tags', 'all'],
    queryFn: async () => (await fetchAllPages((query) => api.GET('/tags', { params: { query } }))).items,
  });

/** The child organisations that a reseller may act for. */
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

/** Whether the user's role allows an operation. False until the permissions are loaded. */
export function useCan(): Can {
  const { data } = useQuery(permissionsQuery(useApi()));
  const allowed = new Set(data?.operations.map(({ method, path }) => `${method} ${path}`));
  return (method, path) => allowed.has(`${method} ${path}`);
}

/** Retries network errors and 5xx responses, not 4xx. */
export const shouldRetry = (count: number, error: Error): boolean =>
  count < 2 && (!('status' in error) || (error as ApiProblem).status >= 500);
