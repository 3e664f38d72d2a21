// Display names of regions and cities, which the API identifies by slugs and codes.
import { useQuery } from '@tanstack/react-query';
import { citiesQuery, regionsQuery } from '../api/queries.ts';
import { useApi } from '../api/scope.ts';

export function useRegionNames() {
  const regions = useQuery(regionsQuery(useApi())).data ?? [];
  return {
    regions,
    regionName: (slug: string): string => regions.find((region) => region.slug === slug)?.name ?? slug,
    regionNameById: (id: string): string => regions.find((region) => region.id === id)?.name ?? '…',
  };
}

export function RegionName({ slug }: { slug: string }) {
  return <>{useRegionNames().regionName(slug)}</>;
}

export function CityName({ slacity }: { slacity: string }) {
  const { data = [] } = useQuery(citiesQuery(useApi()));
  return <>{data.find((city) => city.slacity === slacity)?.name ?? slacity}</>;
}
