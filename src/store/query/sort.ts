// Lists in an order that was asked for. The words of a request never reach a statement: they choose from a map of columns that the code wrote.
import { type Expression, type SelectQueryBuilder, sql } from 'kysely';

export interface Sort<Word extends string = string> {
  column: Word;
  descending: boolean;
}

/** What a list can be sorted by: the words, and what stands in the statement for each. */
export type SortColumns<Word extends string> = Readonly<Record<Word, Expression<unknown>>>;

interface Step {
  by: Expression<unknown>;
  descending: boolean;
}

/**
 * The steps asked for, then the creation and the id in `table`, so that every record has one place and pages fit together. What is equal follows the
 * direction of the last step, so that one direction is the other backwards, and an index can be walked either way.
 */
export function sortSteps<Word extends string>(table: string, columns: SortColumns<Word>, sorts: Sort<Word>[]): Step[] {
  const descending = sorts.at(-1)?.descending ?? false;
  return [
    ...sorts.map((sort) => ({ by: columns[sort.column], descending: sort.descending })),
    ...['created_at', 'id'].map((name) => ({ by: sql.ref(`${table}.${name}`), descending })),
  ];
}

export const orderedBy = <DB, Table extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, Table, Row>,
  steps: Step[],
): SelectQueryBuilder<DB, Table, Row> =>
  steps.reduce((so, { by, descending }) => (descending ? so.orderBy(by, 'desc') : so.orderBy(by)), query);
