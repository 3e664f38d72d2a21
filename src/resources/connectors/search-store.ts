import { type Expression, type SqlBool, sql } from 'kysely';
import type { Database, Scope } from '../../store/database.ts';
import { anyOf, contains, matchesSearch } from '../../store/query/search.ts';
import { citiesNamed, destinationsNamed } from '../places/store.ts';
import { asNumberFields, asNumberIn, familiesPeeringAs } from './rules.ts';

/** Its own AS numbers stand in its details; that of a provider who has one only stands in the kind. */
function hasAsNumber(search: string): Expression<SqlBool>[] {
  const number = asNumberIn(search);
  if (number === undefined) return [];
  return [
    sql<SqlBool>`exists (select from unnest(${asNumberFields}::text[]) field
      where connectors.details ->> field = ${String(number)})`,
    sql<SqlBool>`connectors.family_id in
      (select id from families where short_name = any(${familiesPeeringAs(number)}::text[]))`,
  ];
}

/** The connectors that somebody may mean with this text. */
export const matchesConnector = (database: Database, scope: Scope, search: string): Expression<SqlBool> =>
  anyOf([
    contains(search, ['connectors.name', 'connectors.description']),
    sql<SqlBool>`connectors.locode in ${citiesNamed(database, scope, search)}`,
    sql<SqlBool>`connectors.destination_id in ${destinationsNamed(database, scope, search)}`,
    ...matchesSearch(search, 'connector', scope, 'connectors.id'),
    ...hasAsNumber(search),
  ]);
