// What is looked for in lists. The text is always a value and never a pattern: %, _ and \ are what they are.
import { type Expression, type SqlBool, sql } from 'kysely';
import { idsBehind } from '../../values/irn.ts';
import type { Scope } from '../database.ts';

export const anyOf = (conditions: Expression<SqlBool>[]): Expression<SqlBool> =>
  sql<SqlBool>`(${sql.join(conditions, sql` or `)})`;

/** Is it a part of one of these columns, whatever the case? */
export const contains = (search: string, columns: string[]): Expression<SqlBool> =>
  anyOf(columns.map((column) => sql<SqlBool>`strpos(lower(${sql.ref(column)}), lower(${search}::text)) > 0`));

/** Do the resource names of these records begin so? Names have no column; their beginnings are spans of ids. */
export function matchesSearch(search: string, family: string, scope: Scope, column: string): Expression<SqlBool>[] {
  const spans = idsBehind(search, family, scope.organisationCode);
  if (spans.length === 0) return [];
  const [lowest, highest] = [spans.map(([low]) => low), spans.map(([, high]) => high)];
  return [
    sql<SqlBool>`exists (select from unnest(${lowest}::uuid[], ${highest}::uuid[]) span (low, high)
      where ${sql.ref(column)} between low and high)`,
  ];
}
