import type { SelectQueryBuilder } from 'kysely';
import type { Tables } from '../tables.ts';

/** How many rows a query finds, whatever it selects of them. */
export async function countRows<Table extends keyof Tables>(
  query: SelectQueryBuilder<Tables, Table, unknown>,
): Promise<number> {
  const { total } = await query
    .clearSelect()
    .select((found) => found.fn.countAll<string>().as('total'))
    .executeTakeFirstOrThrow();
  return Number(total);
}

/** A page, and how many there are in all: both are asked for before either is waited for. */
export async function withTotal<Row>(
  page: Promise<Row[]>,
  all: Promise<number>,
): Promise<{ rows: Row[]; total: number }> {
  const [rows, total] = await Promise.all([page, all]);
  return { rows, total };
}
