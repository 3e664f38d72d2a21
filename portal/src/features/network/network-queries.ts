// What the map and the topology draw: connectors and the links between them.
import type { Api, Schemas } from '@patchbay/client';
import { queryOptions } from '@tanstack/react-query';
import { askAll } from '../../api/client.ts';
import type { useApi } from '../../api/scope.ts';

export type Connector = Schemas['Connector'];
export type Link = Schemas['ListedLink'];
type Use = ReturnType<typeof useApi>;

export interface Choice {
  groupId?: string | undefined;
  status?: 'OK' | 'KO' | undefined;
}

const given = <T extends object>(choice: T) =>
  Object.fromEntries(Object.entries(choice).filter(([, value]) => value)) as {
    [K in keyof T]?: Exclude<T[K], undefined>;
  };

export const askConnectors = (api: Api, choice: Choice & { family?: string }) =>
  askAll((page) => api.GET('/connectors', { params: { query: { ...page, ...given(choice) } } }));

export const askLinks = (api: Api, groupId: string | undefined) =>
  askAll((page) => api.GET('/links', { params: { query: { ...page, ...given({ groupId }) } } }));

export const connectorsQuery = ({ api, scope }: Use, choice: Choice) =>
  queryOptions({
    queryKey: [scope, 'connectors', 'drawn', choice],
    queryFn: () => askConnectors(api, choice),
  });

export const linksQuery = ({ api, scope }: Use, groupId: string | undefined) =>
  queryOptions({
    queryKey: [scope, 'links', 'drawn', groupId],
    queryFn: () => askLinks(api, groupId),
  });

export const appliancesQuery = ({ api, scope }: Use) =>
  queryOptions({
    queryKey: [scope, 'appliances', 'all'],
    queryFn: async () => (await askAll((query) => api.GET('/cloud-appliances', { params: { query } }))).items,
    staleTime: 60_000,
  });
