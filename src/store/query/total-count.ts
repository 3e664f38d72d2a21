import type { SelectQueryBuilder } from 'kysely';
import type { Tables } from '../tables.ts';

/** Counts the rows of a query, whatever it selects. */
export async function countRows<Table extends keyof Tables>(
  query: SelectQueryBuilder<Tables, Table, unknown>,
): Promise<number> {
  const { total } = await query
    .clearSelect()
    .select((rows) => rows.fn.countAll<string>().as('total'))
    .executeTakeFirstOrThrow();
  return Number(total);
}

/** Awaits a page and its total together; both queries are already under way. */
export async function withTotal<Row>(
  page: Promise<Row[]>,
  count: Promise<number>,
): Promise<{ rows: Row[]; total: number }> {
  const [rows, total] = await Promise.all([page, count]);
  return { rows, total };
}
