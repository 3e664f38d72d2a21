// A backup beside a service at work: one snapshot, read by whoever owns the tables.
import { readFile } from 'node:fs/promises';
import type pg from 'pg';
import { OperatorError } from '../errors/operator-error.ts';
import { openKeys } from '../host/key-file.ts';
import { copyOut } from '../store/copy-streams.ts';
import { formatVersion, type Heading, type Totals, writeArchive } from './archive.ts';
import { listTables, portableSettings, readSequences } from './tables.ts';

async function isThere(client: pg.Client, table: string): Promise<boolean> {
  const { rows } = await client.query('select to_regclass($1) is not null as known', [table]);
  return rows[0].known;
}

/** From here on everything is read as it is now, and nobody changes a table under our hands. */
async function beginSnapshot(client: pg.Client): Promise<void> {
  await client.query(`begin isolation level repeatable read read only; ${portableSettings}`);
  if (!(await isThere(client, 'schema_migrations')) || !(await isThere(client, 'service_facts')))
    throw new OperatorError('This database is none that Patchbay has made. Check DATABASE_URL and PATCHBAY_DATA.');
  await client.query(`set local lock_timeout = '30s'`);
  const tables = await listTables(client);
  await client.query(`lock table ${tables.map(({ table }) => table).join(', ')} in access share mode`);
}

async function headingOf(client: pg.Client, version: string): Promise<Heading> {
  const one = async (text: string): Promise<unknown> => (await client.query({ text, rowMode: 'array' })).rows[0]?.[0];
  const { rows: migrations } = await client.query(
    'select version, name, checksum from schema_migrations order by version',
  );
  const hasSecrets = await isThere(client, 'connector_secrets');
  const { rows: sealing } = await client.query(
    `select value as id from service_facts where name = 'sealing key'${hasSecrets ? ' union select key_id from connector_secrets' : ''} order by 1`,
  );
  return {
    patchbayBackup: formatVersion,
    version,
    takenAt: new Date().toISOString(),
    postgres: (await one(`select current_setting('server_version_num')::int`)) as number,
    migrations,
    jobs: (await isThere(client, 'pgboss.version'))
      ? ((await one('select version from pgboss.version')) as number)
      : null,
    keys: {
      fingerprint: ((await one(`select value from service_facts where name = 'keys'`)) as string | undefined) ?? null,
      sealing: sealing.map(({ id }) => id),
    },
  };
}

/** The text of the key file, which must open what is in the snapshot: it is read after that, and rotation forgets a key last. */
async function readKeysFor({ keys: needed }: Heading, file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error) => {
    throw new OperatorError(
      `The key file ${file} cannot be read: ${error.message}. Set PATCHBAY_KEYS to the one of the service.`,
    );
  });
  const keys = await openKeys(file);
  if (needed.fingerprint !== null && needed.fingerprint !== keys.fingerprint)
    throw new OperatorError(
      `This database was made with another key file than ${file}. Set PATCHBAY_KEYS to the one of the service.`,
    );
  if (!needed.sealing.every((id) => keys.hasSealingKey(id)))
    throw new OperatorError(`Keys were rotated in this very moment, and ${file} is newer. Take the backup again.`);
  return text;
}

async function* everything(client: pg.Client) {
  for (const { table, columns, part } of await listTables(client))
    yield { table, columns, part, ...copyOut(client, `copy ${table} (${columns.join(', ')}) to stdout`) };
  yield* readSequences(client);
}

export interface DumpOptions {
  /** The Patchbay that takes it. */
  version: string;
  /** The key file, when it shall be in the backup. */
  keyFile: string | undefined;
  onTable: (table: string, rows: number) => void;
}

/**
 * Begins on a connection of the owner that holds the lock of migrations, and gives that back as soon as no migration could disturb. Answers what goes
 * into the file.
 */
export async function dumpDatabase(client: pg.Client, { version, keyFile, onTable }: DumpOptions) {
  await beginSnapshot(client);
  await client.query(`select pg_advisory_unlock(hashtextextended('patchbay migrations', 0))`);
  const heading = await headingOf(client, version);
  if (keyFile !== undefined) heading.keyFile = await readKeysFor(heading, keyFile);
  const totals: Totals = { tables: 0, rows: 0 };
  const count = (table: string, rows: number): void => {
    totals.tables++;
    totals.rows += rows;
    onTable(table, rows);
  };
  return { heading, totals, content: writeArchive(heading, everything(client), count) };
}
