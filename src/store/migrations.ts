// Migrates a database to this version: creates the service's role, then applies each migration file once, in order.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
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

/** Refuses a database that the service cannot use, before anything is written to it. `title` names it. */
export async function rejectUnsuitableDatabase(client: pg.Client, title: string): Promise<void> {
  const { rows } = await client.query(
    `select current_setting('server_version_num')::int as version, current_setting('server_encoding') as encoding,
       current_setting('transaction_read_only') = 'on' as read_only, pg_is_in_recovery() as standby,
       format('%I', current_database()) as name`,
  );
  const { version, encoding, read_only, standby, name } = rows[0];
  if (version < 150000) throw new OperatorError(`PostgreSQL 15 or newer is required, but ${title} is on an older one.`);
  if (encoding !== 'UTF8')
    throw new OperatorError(
      `The encoding UTF8 is required, but ${title} has ${encoding}. ` +
        `Create a database with: create database ${name} encoding 'UTF8' template template0;`,
    );
  if (standby)
    throw new OperatorError(
      `Writes are required, but ${title} is read-only: the server is a standby. Set DATABASE_URL to the primary server.`,
    );
  if (read_only)
    throw new OperatorError(
      `Writes are required, but ${title} is read-only: default_transaction_read_only is on. Set it to off.`,
    );
}

/** Whether a Patchbay has migrated this database before. */
export async function hasMigrations(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query(`select to_regclass('schema_migrations') is not null as exists`);
  return rows[0].exists;
}

/**
 * A migration waits this long for a lock, then it gives way: the requests of running replicas wait behind it. Between two
 * attempts they are served.
 */
const lockTimeoutMs = 500;
const lockPauseMs = 1000;

const isLockFailure = ({ code }: { code?: string }): boolean => code === '55P03' || code === '40P01';

/** Applies a migration in a transaction, as soon as no other session keeps its tables locked. */
async function applyWhenFree(client: pg.Client, migration: Migration, onWait: () => void): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await client.query('begin');
      await client.query(`set local lock_timeout = ${lockTimeoutMs}`);
      await applyMigration(client, migration);
      await client.query('commit');
      return;
    } catch (error) {
      await client.query('rollback');
      if (!isLockFailure(error as { code?: string })) throw error;
      if (attempt === 5) onWait();
      await pause(lockPauseMs);
    }
  }
}

/** `onStep` runs before each migration; a migration is not applied when it throws. */
export async function migrate(client: pg.Client, onStep: (name: string) => void): Promise<void> {
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
    await applyWhenFree(client, migration, () =>
      onStep(`${migration.name} waits for other sessions that use its tables, such as a backup`),
    );
  }
}
