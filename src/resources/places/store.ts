import type { Database, Scope } from '../../store/database.ts';

// Places belong to nobody: the scope is taken like everywhere else, and there is nothing to hold to it.

export const listRegions = (database: Database, _scope: Scope) =>
  database.selectFrom('regions').selectAll().orderBy('created_at').orderBy('slug').execute();

export async function listCities(database: Database, _scope: Scope, page: { limit: number; offset: number }) {
  const rows = await database
    .selectFrom('cities')
    .select(['country', 'locode', 'name', 'slacity', 'state', 'zipcode'])
    .orderBy('name')
    .orderBy('locode')
    .limit(page.limit)
    .offset(page.offset)
    .execute();
  const { total } = await database
    .selectFrom('cities')
    .select((q) => q.fn.countAll<string>().as('total'))
    .executeTakeFirstOrThrow();
  return { rows, total: Number(total) };
}
