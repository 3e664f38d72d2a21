// Subscriptions of an organisation and their allocations to groups.
import type { Api, Schemas } from '@patchbay/client';
import { useQuery } from '@tanstack/react-query';
import { fetchAllPages, unwrap } from '../../api/client.ts';
import { groupsQuery, useCan } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { useRegionNames } from '../../components/place-names.tsx';

export type Subscription = Schemas['SubscribedCapacity'];
export type SubscriptionWithRemaining = Subscription & { left: number };
export type Allocation = Schemas['GroupCapacityAllocation'];
export type Group = Schemas['Group'];

/** "Europe", or "Europe to Japan". */
export function useSubscriptionTitle() {
  const { regionNameById } = useRegionNames();
  return ({ region1Id, region2Id }: Pick<Subscription, 'region1Id' | 'region2Id'>): string =>
    [region1Id, region2Id]
      .filter((id) => id !== null)
      .map(regionNameById)
      .join(' to ');
}

/** The subscriptions of an organisation with what is left of each; `organisationApi` has its scope. */
export async function fetchSubscriptions(
  api: Api,
  organisationApi: Api,
  organisationId: string,
): Promise<SubscriptionWithRemaining[]> {
  const path = { organisationId };
  const [subscribed, available] = await Promise.all([
    fetchAllPages((query) => api.GET('/organisations/{organisationId}/capacities', { params: { path, query } })),
    fetchAllPages((query) => organisationApi.GET('/capacities/available', { params: { query } })),
  ]);
  const left = new Map(
    available.items.map(({ subscribedCapacityId, availableCapacity }) => [subscribedCapacityId, availableCapacity]),
  );
  return subscribed.items.map((subscription) => ({ ...subscription, left: left.get(subscription.id) ?? 0 }));
}

export function useSubscriptions(organisationId: string | undefined) {
  const { api, scope } = useApi();
  return useQuery({
    queryKey: [scope, 'capacities', organisationId],
    queryFn: () => fetchSubscriptions(api, api, organisationId!),
    enabled: organisationId !== undefined,
  });
}

const concurrentGroups = 8;

/** Allocations of the groups that have any. */
export function useAllocations() {
  const scoped = useApi();
  const { api, scope } = scoped;
  const can = useCan();
  const isAllowed = can('GET', '/groups') && can('GET', '/groups/{groupId}/capacities');
  const groups = useQuery({ ...groupsQuery(scoped), enabled: isAllowed });
  const holders = groups.data?.filter(({ allocatedCapacity }) => allocatedCapacity !== null) ?? [];
  const allocations = useQuery({
    queryKey: [scope, 'allocations', holders.map(({ id, allocatedCapacity }) => [id, allocatedCapacity])],
    queryFn: async () => {
      const found: Allocation[] = [];
      for (let from = 0; from < holders.length; from += concurrentGroups) {
        const requests = holders.slice(from, from + concurrentGroups).map(({ id }) =>
          unwrap(
            api.GET('/groups/{groupId}/capacities', {
              params: { path: { groupId: id }, query: { limit: 100 } },
            }),
          ),
        );
        found.push(...(await Promise.all(requests)).flat());
      }
      return found;
    },
    enabled: groups.data !== undefined,
    placeholderData: (before) => before,
  });
  return { isAllowed, groups: groups.data ?? [], allocations, error: groups.error };
}
