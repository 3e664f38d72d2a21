// Sort orders of lists. A request names a sort column; the SQL comes from a map in the code.
import { type Expression, type SelectQueryBuilder, sql } from 'kysely';

export interface Sort<Name extends string = string> {
  column: Name;
  descending: boolean;
}

/** The expression for each name that a list can be sorted by. */
export type SortColumns<Name extends string> = Readonly<Record<Name, Expression<unknown>>>;

interface SortTerm {
  by: Expression<unknown>;
  descending: boolean;
}

/**
 * The requested terms, then creation time and id of `table`, so that the order is total and pages do not overlap. The
 * last two follow the direction of the last requested term, so that one index serves both directions.
 */
export function sortTerms<Name extends string>(
  table: string,
  columns: SortColumns<Name>,
  sorts: Sort<Name>[],
): SortTerm[] {
  const descending = sorts.at(-1)?.descending ?? false;
  return [
    ...sorts.map((sort) => ({ by: columns[sort.column], descending: sort.descending })),
    ...['created_at', 'id'].map((name) => ({ by: sql.ref(`${table}.${name}`), descending })),
  ];
}

export const applySort = <DB, Table extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, Table, Row>,
  terms: SortTerm[],
): SelectQueryBuilder<DB, Table, Row> =>
  terms.reduce((sorted, { by, descending }) => (descending ? sorted.orderBy(by, 'desc') : sorted.orderBy(by)), query);
