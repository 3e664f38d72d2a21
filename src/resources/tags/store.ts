// Queries on tags and on the tags of records.
import { type SelectQueryBuilder, sql, type Updateable } from 'kysely';
import type { Page } from '../../http/route.ts';
import type { Database, Scope } from '../../store/database.ts';
import { countRows, withTotal } from '../../store/query/total-count.ts';
import type { Tables } from '../../store/tables.ts';

const tags = (database: Database, scope: Scope) =>
  database.selectFrom('tags').selectAll().where('organisation_id', '=', scope.organisationId);

export type TagRow = ReturnType<typeof tags> extends SelectQueryBuilder<infer _D, infer _T, infer Row> ? Row : never;

export async function listTags(database: Database, scope: Scope, page: Page) {
  const query = tags(database, scope);
  const rows = query.orderBy('created_at').orderBy('id').limit(page.limit).offset(page.offset).execute();
  return withTotal(rows, countRows(query));
}

export function findTag(database: Database, scope: Scope, id: string, lock = false): Promise<TagRow | undefined> {
  const query = tags(database, scope).where('id', '=', id);
  return (lock ? query.forUpdate() : query).executeTakeFirst();
}

export const insertTag = (
  database: Database,
  scope: Scope,
  tag: { name: string; description: string | null; color: string | null },
): Promise<TagRow> =>
  database
    .insertInto('tags')
    .values({ ...tag, organisation_id: scope.organisationId })
    .returningAll()
    .executeTakeFirstOrThrow();

export const updateTag = (
  database: Database,
  scope: Scope,
  id: string,
  change: Updateable<Tables['tags']>,
): Promise<TagRow> =>
  database
    .updateTable('tags')
    .set({ ...change, updated_at: sql<string>`clock_timestamp()` })
    .where('organisation_id', '=', scope.organisationId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();

export const deleteTag = (database: Database, scope: Scope, id: string) =>
  database.deleteFrom('tags').where('organisation_id', '=', scope.organisationId).where('id', '=', id).execute();

export type Tagged = 'group' | 'appliance' | 'connector' | 'link';

/** Replaces the tags of a record. A constraint rejects tags of other organisations. */
export async function setTags(
  database: Database,
  scope: Scope,
  kind: Tagged,
  recordId: string,
  tagIds: string[],
): Promise<void> {
  const table = sql.table(`${kind}_tags`);
  const column = sql.ref(`${kind}_id`);
  await sql`delete from ${table} where ${column} = ${recordId}
    and organisation_id = ${scope.organisationId} and tag_id <> all(${tagIds}::uuid[])`.execute(database);
  if (tagIds.length)
    await sql`insert into ${table} (organisation_id, ${column}, tag_id)
      select ${scope.organisationId}, ${recordId}, unnest(${tagIds}::uuid[]) on conflict do nothing`.execute(database);
}

/** A column with the tag ids of each record, or null if it has none. */
export const tagColumn = (kind: Tagged) =>
  sql<string[] | null>`(select array_agg(tag_id::text order by tag_id) from ${sql.table(`${kind}_tags`)}
    where ${sql.ref(`${kind}_tags.${kind}_id`)} = ${sql.ref(`${kind}s.id`)})`.as('tag_ids');
