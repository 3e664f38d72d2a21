// What there is to back up, as the database's own catalogue knows it: a table that a later migration makes is in the next backup by itself.
import type pg from 'pg';
import type { SequenceEntry, TableEntry } from './archive.ts';

/** The schemas that Patchbay makes: its own tables, and those of the jobs. */
export const schemas = ['public', 'pgboss'];

/** What an extension of the database's owner has made comes back with the extension. */
const ours = `n.nspname = any($1) and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')`;

/** Every table that holds rows itself (of a partitioned one the parts), with the columns that can be written. */
export async function listTables(client: pg.Client): Promise<TableEntry[]> {
  const { rows } = await client.query(
    `select format('%I.%I', n.nspname, c.relname) as table,
       array(select format('%I', a.attname) from pg_attribute a
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '' order by a.attnum) as columns,
       (select json_build_object('of', format('%I.%I', pn.nspname, p.relname), 'bound', pg_get_expr(c.relpartbound, c.oid))
         from pg_inherits i join pg_class p on p.oid = i.inhparent join pg_namespace pn on pn.oid = p.relnamespace
         where i.inhrelid = c.oid and c.relispartition) as part
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and c.relpersistence <> 't' and ${ours} order by 1`,
    [schemas],
  );
  return rows;
}

async function listSequences(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'S' and ${ours} order by 1`,
    [schemas],
  );
  return rows.map(({ name }) => name);
}

/** Sequences stand outside of every snapshot: read after it was taken, none is behind the rows that are in it. */
export async function* readSequences(client: pg.Client): AsyncGenerator<SequenceEntry, void> {
  for (const sequence of await listSequences(client)) {
    const { rows } = await client.query(`select last_value::text as value, is_called from ${sequence}`);
    yield { sequence, value: rows[0].value, isCalled: rows[0].is_called };
  }
}

/** Within a transaction: text that means the same to every server, whatever it was told to prefer, and no row that is silently left out. */
export const portableSettings = [
  `client_encoding = 'UTF8'`,
  `datestyle = 'ISO'`,
  `intervalstyle = 'postgres'`,
  `timezone = 'UTC'`,
  `bytea_output = 'hex'`,
  'extra_float_digits = 1',
  'statement_timeout = 0',
  'idle_in_transaction_session_timeout = 0',
  'row_security = off',
]
  .map((setting) => `set local ${setting}`)
  .join('; ');
