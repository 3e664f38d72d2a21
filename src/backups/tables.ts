// The tables and sequences of a backup, read from PostgreSQL's catalogue: new tables need no change here.
//
// The job queue (schema pgboss) is left out; the service creates it at its start. Its deploy and reconcile jobs only
// wake workers: the reconciler finds open deployments and reconcile requests in their own tables. Jobs for
// password-reset mails are lost, and users may request them again.
import type pg from 'pg';
import type { SequenceEntry, TableEntry } from './archive.ts';

export const backupSchema = 'public';
export const queueSchema = 'pgboss';

/** Objects of extensions come back with the extension. */
const isBackedUp = `n.nspname = '${backupSchema}'
  and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')`;

/** Lists every table with its insertable columns. */
export async function listTables(client: pg.Client): Promise<TableEntry[]> {
  const { rows } = await client.query(
    `select format('%I.%I', n.nspname, c.relname) as table,
       array(select format('%I', a.attname) from pg_attribute a
         where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
         order by a.attnum) as columns
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and c.relpersistence <> 't' and ${isBackedUp} order by 1`,
  );
  return rows;
}

async function listSequences(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query(
    `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'S' and ${isBackedUp} order by 1`,
  );
  return rows.map(({ name }) => name);
}

/** Sequences are not part of a snapshot: read after it was taken, none is behind its rows. */
export async function* readSequences(client: pg.Client): AsyncGenerator<SequenceEntry, void> {
  for (const sequence of await listSequences(client)) {
    const { rows } = await client.query(`select last_value::text as value, is_called from ${sequence}`);
    yield { sequence, value: rows[0].value, isCalled: rows[0].is_called };
  }
}

/** Settings of a transaction whose text format does not depend on the server's, and that filters no rows silently. */
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
