// The provider family of each connector. The record lacks it, so the list is queried once per family.
import { useQuery } from '@tanstack/react-query';
import { familyTitle } from '../../api/brand-names.ts';
import { destinationsQuery, useCan } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { type Connector, fetchConnectors } from '../network/network-queries.ts';

export function useConnectorFamilies(groupId: string, connectors: Connector[]): (connector: Connector) => string {
  const scoped = useApi();
  const can = useCan();
  const destinations = useQuery({ ...destinationsQuery(scoped), enabled: can('GET', '/cloud-gateways-types') }).data;
  const families = [...new Set(destinations?.map(({ family }) => family.shortName))];
  const cloudIds = connectors.filter(({ connectorType }) => connectorType === 'cloudGateway').map(({ id }) => id);
  const { data } = useQuery({
    queryKey: [scoped.scope, 'families of', groupId, families, cloudIds],
    enabled: cloudIds.length > 0 && families.length > 0,
    queryFn: async () => {
      const lists = await Promise.all(families.map((family) => fetchConnectors(scoped.api, { groupId, family })));
      return new Map(lists.flatMap(({ items }, index) => items.map(({ id }) => [id, families[index]!])));
    },
    staleTime: Number.POSITIVE_INFINITY,
  });
  return ({ id, connectorType }) => {
    if (connectorType === 'virtualGateway') return familyTitle('entreprise');
    const family = data?.get(id);
    return family ? familyTitle(family) : 'Cloud';
  };
}
