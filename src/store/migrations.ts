// Migrates a database to this version: creates the service's role, then applies each migration file once, in order.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { explainConnectionError } from '../errors/connection-errors.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { appRole } from './database.ts';

const folder = join(import.meta.dirname, 'migrations');

export interface Migration {
  version: number;
  name: string;
  text: string;
  checksum: string;
}

export async function readMigrations(): Promise<Migration[]> {
  const files = (await readdir(folder)).filter((file) => /^\d{6}_.*\.sql$/.test(file)).sort();
  return Promise.all(
    files.map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8');
      return {
        version: Number(name.slice(0, 6)),
        name,
        text,
        checksum: createHash('sha256').update(text).digest('hex'),
      };
    }),
  );
}

export async function ensureAppRole(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `select to_regrole($1) is not null as known,
       case when to_regrole($1) is not null then pg_has_role($1, 'member') end as member`,
    [appRole],
  );
  if (rows[0].known && rows[0].member) return;
  try {
    // Another service that starts on the same server may have created the role meanwhile.
    if (!rows[0].known)
      await client
        .query(`create role ${appRole} nologin`)
        .catch((error) => (error.code === '42710' || error.code === '23505' ? undefined : Promise.reject(error)));
    await client.query(`grant ${appRole} to current_user`);
  } catch (error) {
    throw new OperatorError(
      `The database account cannot create the role ${appRole} that the service uses (${(error as Error).message}). ` +
        `An administrator of the database must run: create role ${appRole} nologin; grant ${appRole} to <account>;`,
    );
  }
}

/** The constructor reads the certificates that the URL names, and fails without them. */
async function connectAsOwner(url: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'patchbay-owner',
    connectionTimeoutMillis: 10_000,
  });
  await client.connect();
  return client;
}

/** Runs `work` on a connection of the database's owner that holds the migration lock. */
export async function asOwner<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await connectAsOwner(url).catch((error) => {
    throw explainConnectionError(error, url);
  });
  try {
    await client.query(`select pg_advisory_lock(hashtextextended('patchbay migrations', 0))`);
    return await work(client);
  } finally {
    await client.end();
  }
}

const createMigrationTable = (client: pg.Client): Promise<unknown> =>
  client.query(
    `create table if not exists schema_migrations (version integer primary key, name text not null,
       checksum text not null, applied_at timestamptz not null default now())`,
  );

async function applyMigration(client: pg.Client, { version, name, text, checksum }: Migration): Promise<void> {
  await client.query(text);
  await client.query('insert into schema_migrations (version, name, checksum) values ($1, $2, $3)', [
    version,
    name,
    checksum,
  ]);
}

/** Applies these migrations to an empty database, within the caller's transaction. */
export async function applyMigrations(client: pg.Client, migrations: Migration[]): Promise<void> {
  await createMigrationTable(client);
  for (const migration of migrations) await applyMigration(client, migration);
}

/** `onStep` runs before each migration; a migration is not applied when it throws. */
export async function migrate(client: pg.Client, onStep: (name: string) => void): Promise<void> {
  const { rows: server } = await client.query(`select current_setting('server_version_num')::int as number`);
  if (server[0].number < 150000) throw new OperatorError('The database is older than PostgreSQL 15. Use 15 or newer.');
  await ensureAppRole(client);
  await createMigrationTable(client);
  const { rows } = await client.query('select version, name, checksum from schema_migrations');
  const applied = new Map<number, { name: string; checksum: string }>(rows.map((row) => [row.version, row]));
  const migrations = await readMigrations();
  const newest = migrations.at(-1)?.version ?? 0;
  for (const version of applied.keys())
    if (version > newest)
      throw new OperatorError(
        `The database was migrated by a newer Patchbay (${applied.get(version)?.name}). Run that one.`,
      );
  for (const migration of migrations) {
    const before = applied.get(migration.version);
    if (before && before.checksum !== migration.checksum)
      throw new OperatorError(`Migration ${migration.name} differs from the one this database was made with.`);
    if (before) continue;
    onStep(migration.name);
    try {
      await client.query('begin');
      await applyMigration(client, migration);
      await client.query('commit');
    } catch (error) {
      await client.query('rollback');
      throw error;
    }
  }
}
