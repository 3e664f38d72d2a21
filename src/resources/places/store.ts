// Queries on regions, cities, families and destinations. They are the same for all tenants, so the scope is unused.
import type { SelectQueryBuilder } from 'kysely';
import type { AllTenants, Database, Scope } from '../../store/database.ts';
import { contains } from '../../store/query/search.ts';
import { countRows, withTotal } from '../../store/query/total-count.ts';

export const listRegions = (database: Database, _scope: Scope) =>
  database.selectFrom('regions').selectAll().orderBy('created_at').orderBy('slug').execute();

export async function listCities(database: Database, _scope: Scope, page: { limit: number; offset: number }) {
  const rows = database
    .selectFrom('cities')
    .select(['country', 'locode', 'name', 'slacity', 'state', 'zipcode'])
    .orderBy('name')
    .orderBy('locode')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  return withTotal(rows, countRows(database.selectFrom('cities')));
}

/** Subquery for searches: cities by name or slug. */
export const citiesMatching = (database: Database, _scope: Scope, search: string) =>
  database
    .selectFrom('cities')
    .select('locode')
    .where(contains(search, ['cities.name', 'cities.slacity']));

/** Subquery for searches: destinations by the provider's name of the city. */
export const destinationsMatching = (database: Database, _scope: Scope, search: string) =>
  database
    .selectFrom('destinations')
    .select('id')
    .where(contains(search, ['destinations.csp_city']));

const destinations = (database: Database) =>
  database
    .selectFrom('destinations')
    .innerJoin('families', 'families.id', 'destinations.family_id')
    .innerJoin('cities', 'cities.locode', 'destinations.locode')
    .innerJoin('regions', 'regions.id', 'cities.region_id')
    .select([
      'destinations.id',
      'destinations.csp_city',
      'destinations.edge_code',
      'destinations.locode',
      'families.id as family_id',
      'families.short_name as family',
      'regions.id as region_id',
      'regions.slug as region',
      'cities.slacity',
      'cities.longitude',
      'cities.latitude',
    ]);

export type DestinationRow =
  ReturnType<typeof destinations> extends SelectQueryBuilder<infer _D, infer _T, infer Row> ? Row : never;

export const listDestinations = (database: Database, _scope: Scope | AllTenants): Promise<DestinationRow[]> =>
  destinations(database).orderBy('families.short_name').orderBy('destinations.csp_city').execute();

export const findDestination = (database: Database, _scope: Scope, id: string): Promise<DestinationRow | undefined> =>
  destinations(database).where('destinations.id', '=', id).executeTakeFirst();

export const listFamilies = (database: Database, _scope: Scope) =>
  database.selectFrom('families').select(['id', 'short_name']).orderBy('short_name').execute();

export const findFamily = (database: Database, _scope: Scope | AllTenants, shortName: string) =>
  database.selectFrom('families').select(['id']).where('short_name', '=', shortName).executeTakeFirst();

export const findRegion = (database: Database, _scope: Scope | AllTenants, slug: string) =>
  database.selectFrom('regions').select(['id', 'name', 'slug']).where('slug', '=', slug).executeTakeFirst();

export const findRegions = (database: Database, _scope: Scope | AllTenants, ids: string[]) =>
  database.selectFrom('regions').select(['id', 'slug']).where('id', 'in', ids).execute();

export const findCity = (database: Database, _scope: Scope, slacity: string) =>
  database
    .selectFrom('cities')
    .select(['locode', 'name', 'edge_code', 'region_id'])
    .where('slacity', '=', slacity)
    .executeTakeFirst();
