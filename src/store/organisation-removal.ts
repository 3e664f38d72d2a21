// Removes organisations with everything that belongs to them. The application role cannot do this; the owner of the
// tables can. Tables and their order are read from PostgreSQL's catalogue: new tables need no change here.
import type pg from 'pg';

/** The tables with the column organisation_id, and organisations itself: each before the tables that it refers to. */
async function listTablesInOrder(client: pg.Client): Promise<string[]> {
  const { rows: columns } = await client.query<{ name: string }>(
    `select attrelid::regclass::text as name from pg_attribute join pg_class on pg_class.oid = attrelid
     where attname = 'organisation_id' and not attisdropped and relkind = 'r' and relnamespace = 'public'::regnamespace
     order by 1`,
  );
  const { rows: references } = await client.query<{ from: string; to: string }>(
    `select distinct conrelid::regclass::text as from, confrelid::regclass::text as to from pg_constraint
     where contype = 'f' and conrelid <> confrelid`,
  );
  const remaining = new Set([...columns.map(({ name }) => name), 'organisations']);
  const ordered: string[] = [];
  while (remaining.size) {
    const isReferred = (table: string) => references.some(({ from, to }) => to === table && remaining.has(from));
    const free = [...remaining].filter((table) => !isReferred(table));
    if (!free.length) throw new Error(`The tables ${[...remaining].join(', ')} refer to each other`);
    for (const table of free) remaining.delete(table);
    ordered.push(...free);
  }
  return ordered;
}

const keyOf = (table: string): string => (table === 'organisations' ? 'id' : 'organisation_id');

/** The number of rows of each table that belong to the organisations; tables without such rows are left out. */
export async function countRowsOfOrganisations(client: pg.Client, ids: string[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const table of await listTablesInOrder(client)) {
    const { rows } = await client.query(
      `select count(*)::int as count from ${table} where ${keyOf(table)} = any($1::uuid[])`,
      [ids],
    );
    if (rows[0].count) counts.set(table, rows[0].count);
  }
  return counts;
}

/**
 * Removes the organisations within the caller's transaction. Their children must be among them. Reconcile requests make
 * the service remove their groups from the fabric; the ids of these groups are returned.
 */
export async function deleteOrganisations(client: pg.Client, ids: string[]): Promise<string[]> {
  // Requests that add records to these organisations wait for this lock, and then fail.
  await client.query('select from organisations where id = any($1::uuid[]) order by id for update', [ids]);
  const { rows: groups } = await client.query<{ id: string }>(
    'select id from groups where organisation_id = any($1::uuid[])',
    [ids],
  );
  const groupIds = groups.map(({ id }) => id);
  await client.query(
    'insert into errands (group_id, asked_at) select group_id, moment from unnest($1::uuid[]) as group_id, present',
    [groupIds],
  );
  for (const table of await listTablesInOrder(client))
    await client.query(`delete from ${table} where ${keyOf(table)} = any($1::uuid[])`, [ids]);
  return groupIds;
}
