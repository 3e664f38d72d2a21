// City and site of connectors. The record has coordinates only: destinations have cities, appliances have sites.
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { citiesQuery, destinationsQuery, useCan } from '../../api/queries.ts';
import { useApi } from '../../api/scope.ts';
import { appliancesQuery, type Connector } from './network-queries.ts';

export interface Site {
  city: string;
  /** Of the appliance. */
  siteName?: string;
}

interface Located {
  longitude: number;
  latitude: number;
}

export const placeIdOf = ({ longitude, latitude }: Located): string => `${latitude},${longitude}`;

/** Fallback for coordinates without a catalogue city. */
const formatCoordinates = ({ latitude, longitude }: Located): string =>
  `${Math.abs(latitude)}° ${latitude < 0 ? 'S' : 'N'}, ${Math.abs(longitude)}° ${longitude < 0 ? 'W' : 'E'}`;

export type SiteOf = (connector: Connector) => Site;

export function useConnectorSites(): SiteOf {
  const scoped = useApi();
  const can = useCan();
  const cities = useQuery({ ...citiesQuery(scoped), enabled: can('GET', '/cities') }).data;
  const destinations = useQuery({ ...destinationsQuery(scoped), enabled: can('GET', '/cloud-gateways-types') }).data;
  const appliances = useQuery({ ...appliancesQuery(scoped), enabled: can('GET', '/cloud-appliances') }).data;
  return useMemo(() => {
    const names = new Map(cities?.map(({ slacity, name }) => [slacity, name]));
    const cityAt = new Map(
      destinations?.map((destination) => [placeIdOf(destination), names.get(destination.slacity)]),
    );
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
