// Restores a backup in one transaction: creates the tables, fills them and then checks the foreign keys. A killed
// restore leaves the database unchanged.
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { OperatorError } from '../errors/operator-error.ts';
import { applyMigrations, type Migration, readMigrations } from '../store/migrations.ts';
import type { Archive, ArchiveHeader, Entry, SequenceEntry, Totals } from './archive.ts';
import { backupSchema, listTables, portableSettings, queueSchema } from './tables.ts';

/** Finds the migrations that created the tables of the backup. */
export async function resolveMigrations({ migrations, version }: ArchiveHeader): Promise<Migration[]> {
  const known = new Map((await readMigrations()).map((migration) => [migration.version, migration]));
  return migrations.map(({ version: number, name, checksum }) => {
    const migration = known.get(number);
    if (migration?.checksum !== checksum)
      throw new OperatorError(
        migration
          ? `Migration ${name} differs from the one that the backup was made with. Restore it with Patchbay ${version}.`
          : `The backup was made by a newer Patchbay (${version}, ${name}). Restore it with that version.`,
      );
    return migration;
  });
}

/** Recognises services by the application names of their connections. */
export async function rejectRunningServices(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `select count(*)::int as connections from pg_stat_activity
     where datname = current_database() and application_name in ('patchbay', 'patchbay-jobs')`,
  );
  if (rows[0].connections)
    throw new OperatorError(
      `A service is using this database (${rows[0].connections} connections). Stop all services that use it first.`,
    );
}

/** Lists all tables in the schemas that Patchbay uses, whether Patchbay created them or not. */
export async function listExistingTables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname = $1 order by 1`,
    [queueSchema],
  );
  return [...(await listTables(client)).map(({ table }) => table), ...rows.map(({ name }) => name)];
}

/** Drops everything in Patchbay's schemas except the objects of extensions. */
async function dropAll(client: pg.Client): Promise<void> {
  await client.query(`drop schema if exists ${queueSchema} cascade`);
  const { rows } = await client.query(
    `select format('drop %s if exists %I.%I cascade', case c.relkind when 'v' then 'view'
         when 'm' then 'materialized view' when 'S' then 'sequence' else 'table' end, n.nspname, c.relname) as text
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = $1 and c.relkind in ('r', 'p', 'v', 'm', 'S')
         and not exists (select from pg_depend d where d.objid = c.oid and d.deptype in ('e', 'i'))
     union all
     select format('drop routine if exists %s cascade', p.oid::regprocedure)
       from pg_proc p join pg_namespace n on n.oid = p.pronamespace
       where n.nspname = $1 and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`,
    [backupSchema],
  );
  for (const { text } of rows) await client.query(text);
}

interface ForeignKey {
  table: string;
  name: string;
  definition: string;
}

/**
 * Drops the foreign keys and disables the triggers, so that tables can be filled in any order. The returned function
 * restores both and thereby checks every row. The owner of the tables may do all this; no superuser is needed.
 */
async function suspendConstraints(client: pg.Client, tables: string[]): Promise<() => Promise<void>> {
  const { rows: foreignKeys } = await client.query<ForeignKey>(
    `select conrelid::regclass::text as table, quote_ident(conname) as name, pg_get_constraintdef(c.oid) as definition
     from pg_constraint c join pg_namespace n on n.oid = connamespace
     where contype = 'f' and conparentid = 0 and nspname = $1`,
    [backupSchema],
  );
  for (const { table, name } of foreignKeys) await client.query(`alter table ${table} drop constraint ${name}`);
  for (const table of tables) await client.query(`alter table ${table} disable trigger user`);
  return async () => {
    for (const table of tables) await client.query(`alter table ${table} enable trigger user`);
    for (const { table, name, definition } of foreignKeys)
      await client.query(`alter table ${table} add constraint ${name} ${definition}`);
  };
}

/** The fabric may have seen newer fencing tokens than the backup and rejects older ones: the sequence skips ahead. */
const sequenceOffsets: Record<string, number> = { 'public.fabric_tokens': 1_000_000 };

const setSequence = (client: pg.Client, { sequence, value, isCalled }: SequenceEntry): Promise<unknown> =>
  client.query('select setval($1::regclass, $2::bigint, $3)', [
    sequence,
    String(BigInt(value) + BigInt(sequenceOffsets[sequence] ?? 0)),
    isCalled,
  ]);

async function copyRows(
  client: pg.Client,
  table: string,
  columns: string[],
  rows: AsyncIterable<Buffer>,
): Promise<number> {
  const target = client.query(copyFrom(`copy ${table} (${columns.join(', ')}) from stdin`));
  await pipeline(rows, target);
  return target.rowCount;
}

export interface RestoreOptions {
  onTable: (table: string, rows: number) => void;
  onNote: (text: string) => void;
}

async function fillTables(
  client: pg.Client,
  entries: Archive['entries'],
  { onTable, onNote }: RestoreOptions,
): Promise<Totals> {
  const missing = new Map((await listTables(client)).map(({ table, columns }) => [table, columns]));
  const totals: Totals = { tables: 0, rows: 0 };
  const isInQueue = (name: string): boolean => name.startsWith(`${queueSchema}.`);
  const restoreEntry = async (entry: Entry): Promise<void> => {
    if ('sequence' in entry) {
      if (!isInQueue(entry.sequence)) await setSequence(client, entry);
      return;
    }
    const { table, columns, rows } = entry;
    const expected = missing.get(table);
    if (!expected) {
      for await (const _ of rows);
      // Backups of earlier versions contain the job queue.
      if (!isInQueue(table)) onNote(`skipped: ${table}, which is not a table of Patchbay`);
      return;
    }
    if (expected.toSorted().join() !== columns.toSorted().join())
      throw new OperatorError(`The table ${table} has other columns in the backup than in this version of Patchbay.`);
    missing.delete(table);
    const count = await copyRows(client, table, columns, rows);
    totals.tables++;
    totals.rows += count;
    onTable(table, count);
  };
  for (;;) {
    const { value, done } = await entries.next();
    if (done) break;
    await restoreEntry(value);
  }
  if (missing.size) throw new OperatorError(`The backup lacks the tables ${[...missing.keys()].join(', ')}.`);
  return totals;
}

/** Runs on an owner's connection that holds the migration lock. */
export async function restoreBackup(
  client: pg.Client,
  { header, entries }: Archive,
  replace: boolean,
  options: RestoreOptions,
): Promise<Totals> {
  const migrations = await resolveMigrations(header);
  await client.query(`begin; ${portableSettings}`);
  try {
    if (replace) await dropAll(client);
    await applyMigrations(client, migrations);
    const tables = (await listTables(client)).map(({ table }) => table);
    const restoreConstraints = await suspendConstraints(client, tables);
    // The backup contains the rows that migrations insert, in their current state.
    await client.query(`truncate ${tables.join(', ')}`);
    const totals = await fillTables(client, entries, options);
    options.onNote('checking foreign keys');
    await restoreConstraints();
    await client.query('analyze');
    await client.query('commit');
    return totals;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}
