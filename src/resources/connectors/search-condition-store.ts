// The condition of a free-text search for connectors.
import { type Expression, type SqlBool, sql } from 'kysely';
import type { Database, Scope } from '../../store/database.ts';
import { anyOf, contains, irnStartsWith } from '../../store/query/search.ts';
import { citiesMatching, destinationsMatching } from '../places/store.ts';
import { asNumberFields, familiesPeeringAs, parseAsNumber } from './rules.ts';

/** Searches the AS numbers in the details, and those that are fixed for a provider. */
function matchesAsNumber(search: string): Expression<SqlBool>[] {
  const number = parseAsNumber(search);
  if (number === undefined) return [];
  return [
    sql<SqlBool>`exists (select from unnest(${asNumberFields}::text[]) field
      where connectors.details ->> field = ${String(number)})`,
    sql<SqlBool>`connectors.family_id in
      (select id from families where short_name = any(${familiesPeeringAs(number)}::text[]))`,
  ];
}

/** Matches connectors by name, description, city, resource name or AS number. */
export const matchesConnector = (database: Database, scope: Scope, search: string): Expression<SqlBool> =>
  anyOf([
    contains(search, ['connectors.name', 'connectors.description']),
    sql<SqlBool>`connectors.locode in ${citiesMatching(database, scope, search)}`,
    sql<SqlBool>`connectors.destination_id in ${destinationsMatching(database, scope, search)}`,
    ...irnStartsWith(search, 'connector', scope, 'connectors.id'),
    ...matchesAsNumber(search),
  ]);
