// Connectors, links and appliances for map and topology.
import type { Api, Schemas } from '@patchbay/client';
import { queryOptions } from '@tanstack/react-query';
import { fetchAllPages } from '../../api/client.ts';
import type { ScopedApi } from '../../api/scope.ts';

export type Connector = Schemas['Connector'];
export type Link = Schemas['ListedLink'];

export interface ConnectorFilter {
  groupId?: string | undefined;
  status?: 'OK' | 'KO' | undefined;
}

const withoutEmpty = <T extends object>(choice: T) =>
  Object.fromEntries(Object.entries(choice).filter(([, value]) => value)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };

export const fetchConnectors = (api: Api, choice: ConnectorFilter & { family?: string }) =>
  fetchAllPages((page) => api.GET('/connectors', { params: { query: { ...page, ...withoutEmpty(choice) } } }));

export const fetchLinks = (api: Api, groupId: string | undefined) =>
  fetchAllPages((page) => api.GET('/links', { params: { query: { ...page, ...withoutEmpty({ groupId }) } } }));

export const connectorsQuery = ({ api, scope }: ScopedApi, choice: ConnectorFilter) =>
  queryOptions({
    queryKey: [scope, 'connectors', 'drawn', choice],
    queryFn: () => fetchConnectors(api, choice),
  });

export const linksQuery = ({ api, scope }: ScopedApi, groupId: string | undefined) =>
  queryOptions({
    queryKey: [scope, 'links', 'drawn', groupId],
    queryFn: () => fetchLinks(api, groupId),
  });

export const appliancesQuery = ({ api, scope }: ScopedApi) =>
  queryOptions({
    queryKey: [scope, 'appliances', 'all'],
    queryFn: async () => (await fetchAllPages((query) => api.GET('/cloud-appliances', { params: { query } }))).items,
    staleTime: 60_000,
  });
