// Search conditions of lists. The search text is always a parameter and never a pattern: %, _ and \ match literally.
import { type Expression, type SqlBool, sql } from 'kysely';
import { idRangesForPrefix } from '../../values/irn.ts';
import type { Scope } from '../database.ts';

export const anyOf = (conditions: Expression<SqlBool>[]): Expression<SqlBool> =>
  sql<SqlBool>`(${sql.join(conditions, sql` or `)})`;

/** Whether one of the columns contains the text, ignoring case. */
export const contains = (search: string, columns: string[]): Expression<SqlBool> =>
  anyOf(columns.map((column) => sql<SqlBool>`strpos(lower(${sql.ref(column)}), lower(${search}::text)) > 0`));

/** Whether the resource name starts with the text. Names are derived from ids, so a prefix is a set of id ranges. */
export function irnStartsWith(search: string, family: string, scope: Scope, column: string): Expression<SqlBool>[] {
  const ranges = idRangesForPrefix(search, family, scope.organisationCode);
  if (ranges.length === 0) return [];
  const [lowest, highest] = [ranges.map(([low]) => low), ranges.map(([, high]) => high)];
  return [
    sql<SqlBool>`exists (select from unnest(${lowest}::uuid[], ${highest}::uuid[]) span (low, high)
      where ${sql.ref(column)} between low and high)`,
  ];
}
