// Where a connector is, in words. Its record has coordinates: the catalogue knows which city lies there, and the appliances know their sites.
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { citiesQuery, destinationsQuery, useCan } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { appliancesQuery, type Connector } from './network-queries.ts';

export interface Site {
  city: string;
  /** Of an appliance. */
  siteName?: string;
}

interface Located {
  longitude: number;
  latitude: number;
}

export const placeIdOf = ({ longitude, latitude }: Located): string => `${latitude},${longitude}`;

/** For a city that no catalogue names. */
const formatCoordinates = ({ latitude, longitude }: Located): string =>
  `${Math.abs(latitude)}° ${latitude < 0 ? 'S' : 'N'}, ${Math.abs(longitude)}° ${longitude < 0 ? 'W' : 'E'}`;

export type SiteOf = (connector: Connector) => Site;

export function useConnectorSites(): SiteOf {
  const use = useApi();
  const may = useCan();
  const cities = useQuery({ ...citiesQuery(use), enabled: may('GET', '/cities') }).data;
  const destinations = useQuery({ ...destinationsQuery(use), enabled: may('GET', '/cloud-gateways-types') }).data;
  const appliances = useQuery({ ...appliancesQuery(use), enabled: may('GET', '/cloud-appliances') }).data;
  return useMemo(() => {
    const names = new Map(cities?.map(({ slacity, name }) => [slacity, name]));
    const cityAt = new Map(destinations?.map((one) => [placeIdOf(one), names.get(one.slacity)]));
    const applianceOf = new Map(
      appliances?.flatMap((appliance) =>
        appliance.cloudVirtualInterfaces.map(({ GatewayID }) => [GatewayID, appliance] as const),
      ),
    );
    return (connector) => {
      const appliance = applianceOf.get(connector.connectorTypeId);
      const city =
        (appliance && names.get(appliance.slacity)) ?? cityAt.get(placeIdOf(connector)) ?? formatCoordinates(connector);
      return { city, ...(appliance ? { siteName: appliance.siteName } : {}) };
    };
  }, [cities, destinations, appliances]);
}
