// The API calls places by short names that stand in addresses too; people read what the catalogue calls them.
import { useQuery } from '@tanstack/react-query';
import { citiesQuery, regionsQuery } from '../api/queries.ts';
import { useApi } from '../api/scope.ts';

export function RegionName({ slug }: { slug: string }) {
  const { data = [] } = useQuery(regionsQuery(useApi()));
  return <>{data.find((region) => region.slug === slug)?.name ?? slug}</>;
}

export function CityName({ slacity }: { slacity: string }) {
  const { data = [] } = useQuery(citiesQuery(useApi()));
  return <>{data.find((city) => city.slacity === slacity)?.name ?? slacity}</>;
}
