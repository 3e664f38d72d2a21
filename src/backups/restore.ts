// A backup put into a database, in one transaction: tables are made as they were, filled, and only then held to what refers to what. Whenever
// this is killed, the database is what it was before.
import type pg from 'pg';
import { getConstructionPlans } from 'pg-boss';
import { OperatorError } from '../errors/operator-error.ts';
import { copyIn } from '../store/copy-streams.ts';
import { applyAll, type Migration, readMigrations } from '../store/migrations.ts';
import type { Archive, Entry, Heading, SequenceEntry, Totals } from './archive.ts';
import { listTables, portableSettings, schemas } from './tables.ts';

/** The migrations that made the tables of the backup, which this Patchbay must know. */
export async function migrationsOf({ migrations, version }: Heading): Promise<Migration[]> {
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

/** Services that are at work on this database; theirs are the names that they give their connections. */
export async function rejectRunningServices(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `select count(*)::int as connections, count(distinct client_addr)::int as machines from pg_stat_activity
     where datname = current_database() and application_name in ('patchbay', 'patchbay-jobs')`,
  );
  if (rows[0].connections)
    throw new OperatorError(
      `A service is at work on this database (${rows[0].connections} connections). Stop every service of it first.`,
    );
}

/** The tables that are there already, of whomever. */
export async function listUnknownObjects(client: pg.Client): Promise<string[]> {
  return (await listTables(client)).map(({ table }) => table);
}

/** Everything in the schemas that Patchbay makes, but what belongs to an extension. */
async function clear(client: pg.Client): Promise<void> {
  await client.query('drop schema if exists pgboss cascade');
  const { rows } = await client.query(
    `select format('drop %s if exists %I.%I cascade', case c.relkind when 'v' then 'view' when 'm' then 'materialized view' when 'S' then 'sequence' else 'table' end,
         n.nspname, c.relname) as text
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname = any($1) and c.relkind in ('r', 'p', 'v', 'm', 'S')
         and not exists (select from pg_depend d where d.objid = c.oid and d.deptype in ('e', 'i'))
     union all
     select format('drop routine if exists %s cascade', p.oid::regprocedure) from pg_proc p join pg_namespace n on n.oid = p.pronamespace
       where n.nspname = any($1) and not exists (select from pg_depend d where d.objid = p.oid and d.deptype = 'e')`,
    [schemas],
  );
  for (const { text } of rows) await client.query(text);
}

/** The tables of the jobs, which their library makes; what it ships is a transaction of its own, and this is one already. */
async function makeJobTables(client: pg.Client, { jobs, version }: Heading): Promise<void> {
  if (jobs === null) return;
  const plan = /^\s*BEGIN;(.*)COMMIT;\s*$/s.exec(getConstructionPlans('pgboss'))?.[1];
  if (!plan || /\bcommit\b/i.test(plan)) throw new Error('The library of the jobs makes its tables in another way now');
  await client.query(plan);
  await client.query('set local lock_timeout = 0; set local idle_in_transaction_session_timeout = 0');
  const { rows } = await client.query('select version from pgboss.version');
  if (rows[0].version !== jobs)
    throw new OperatorError(
      `The jobs in the backup are of version ${jobs}; this Patchbay has ${rows[0].version}. Restore it with Patchbay ${version}, then start this one on it.`,
    );
}

interface Reference {
  table: string;
  name: string;
  definition: string;
}

/**
 * While tables are filled in any order, what refers to what is not looked at, and nothing happens by itself. Foreign keys are made anew
 * afterwards: every row is held to them. The owner of the tables may do all this; nobody has to be a superuser.
 */
async function loosen(client: pg.Client, tables: string[]): Promise<() => Promise<void>> {
  const { rows: references } = await client.query<Reference>(
    `select conrelid::regclass::text as table, quote_ident(conname) as name, pg_get_constraintdef(c.oid) as definition
     from pg_constraint c join pg_namespace n on n.oid = connamespace
     where contype = 'f' and conparentid = 0 and nspname = any($1)`,
    [schemas],
  );
  for (const { table, name } of references) await client.query(`alter table ${table} drop constraint ${name}`);
  for (const table of tables) await client.query(`alter table ${table} disable trigger user`);
  return async () => {
    for (const table of tables) await client.query(`alter table ${table} enable trigger user`);
    for (const { table, name, definition } of references)
      await client.query(`alter table ${table} add constraint ${name} ${definition}`);
  };
}

/** A fabric that lived on has seen tokens since, and refuses older ones: a restored service begins far beyond them. */
const leaps: Record<string, number> = { 'public.fabric_tokens': 1_000_000 };

const setSequence = (client: pg.Client, { sequence, value, isCalled }: SequenceEntry): Promise<unknown> =>
  client.query('select setval($1::regclass, $2::bigint, $3)', [
    sequence,
    String(BigInt(value) + BigInt(leaps[sequence] ?? 0)),
    isCalled,
  ]);

export interface RestoreOptions {
  onTable: (table: string, rows: number) => void;
  onNote: (text: string) => void;
}

async function fill(
  client: pg.Client,
  entries: Archive['entries'],
  { onTable, onNote }: RestoreOptions,
): Promise<Totals> {
  const waiting = new Map((await listTables(client)).map(({ table, columns }) => [table, columns]));
  let filled = 0;
  const take = async (entry: Entry): Promise<void> => {
    if ('sequence' in entry) {
      await setSequence(client, entry);
      return;
    }
    const { table, columns, part, rows } = entry;
    // The jobs keep figures in a part for each day, which they make as the day comes.
    if (part && !waiting.has(table)) {
      await client.query(`create table ${table} partition of ${part.of} ${part.bound}`);
      waiting.set(table, columns);
    }
    if (!waiting.has(table)) {
      // Migrations are known to the letter: what none of them makes was put there by somebody else.
      if (!table.startsWith('public.'))
        throw new OperatorError(`The backup has a table ${table} that this Patchbay does not make.`);
      for await (const _ of rows);
      return onNote(`left out: ${table}, which is none of Patchbay's`);
    }
    if (waiting.get(table)?.toSorted().join() !== columns.toSorted().join())
      throw new OperatorError(`The table ${table} in the backup has other columns than this Patchbay gives it.`);
    waiting.delete(table);
    const count = await copyIn(client, `copy ${table} (${columns.join(', ')}) from stdin`, rows);
    filled += count;
    onTable(table, count);
  };
  for (;;) {
    const { value, done } = await entries.next();
    if (done) {
      if (waiting.size) throw new OperatorError(`The backup lacks the tables ${[...waiting.keys()].join(', ')}.`);
      return { tables: value.tables, rows: filled };
    }
    await take(value);
  }
}

/** On a connection of the owner that nobody else migrates or starts beside. */
export async function restoreBackup(
  client: pg.Client,
  { heading, entries }: Archive,
  replace: boolean,
  restoring: RestoreOptions,
): Promise<Totals> {
  const migrations = await migrationsOf(heading);
  await client.query(`begin; ${portableSettings}`);
  try {
    if (replace) await clear(client);
    await applyAll(client, migrations);
    await makeJobTables(client, heading);
    const tables = (await listTables(client)).map(({ table }) => table);
    const tighten = await loosen(client, tables);
    // What migrations have put there themselves is in the backup, as it became.
    await client.query(`truncate ${tables.join(', ')}`);
    const totals = await fill(client, entries, restoring);
    restoring.onNote('checking what refers to what');
    await tighten();
    await client.query('analyze');
    await client.query('commit');
    return totals;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  }
}
