// Dumps the database from one snapshot, while the service runs.
import { readFile } from 'node:fs/promises';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { OperatorError } from '../errors/operator-error.ts';
import { openKeyFile } from '../host/key-file.ts';
import { type ArchiveHeader, formatVersion, type Totals, writeArchive } from './archive.ts';
import { listTables, portableSettings, readSequences } from './tables.ts';

async function tableExists(client: pg.Client, table: string): Promise<boolean> {
  const { rows } = await client.query('select to_regclass($1) is not null as exists', [table]);
  return rows[0].exists;
}

/** Begins the snapshot and locks all tables against changes of their definition. */
async function beginSnapshot(client: pg.Client): Promise<void> {
  await client.query(`begin isolation level repeatable read read only; ${portableSettings}`);
  if (!(await tableExists(client, 'schema_migrations')) || !(await tableExists(client, 'service_facts')))
    throw new OperatorError('This is not a Patchbay database. Check DATABASE_URL and PATCHBAY_DATA.');
  await client.query(`set local lock_timeout = '30s'`);
  const tables = await listTables(client);
  await client.query(`lock table ${tables.map(({ table }) => table).join(', ')} in access share mode`);
}

async function readHeader(client: pg.Client, version: string): Promise<ArchiveHeader> {
  const readValue = async (text: string): Promise<unknown> =>
    (await client.query({ text, rowMode: 'array' })).rows[0]?.[0];
  const { rows: migrations } = await client.query(
    'select version, name, checksum from schema_migrations order by version',
  );
  const hasSecrets = await tableExists(client, 'connector_secrets');
  const { rows: sealing } = await client.query(
    `select value as id from service_facts where name = 'sealing key'
     ${hasSecrets ? 'union select key_id from connector_secrets' : ''} order by 1`,
  );
  const fingerprint = await readValue(`select value from service_facts where name = 'keys'`);
  return {
    patchbayBackup: formatVersion,
    version,
    takenAt: new Date().toISOString(),
    postgres: (await readValue(`select current_setting('server_version_num')::int`)) as number,
    migrations,
    jobs: null,
    keys: { fingerprint: (fingerprint as string | undefined) ?? null, sealing: sealing.map(({ id }) => id) },
  };
}

/** Reads the key file after the snapshot began. A rotation removes a key last, so the file has the snapshot's keys. */
async function readMatchingKeyFile({ keys: needed }: ArchiveHeader, file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error) => {
    throw new OperatorError(
      `The key file ${file} cannot be read: ${error.message}. Set PATCHBAY_KEYS to the key file of the service.`,
    );
  });
  const keys = await openKeyFile(file);
  if (needed.fingerprint !== null && needed.fingerprint !== keys.fingerprint)
    throw new OperatorError(
      `This database belongs to another key file than ${file}. Set PATCHBAY_KEYS to the key file of the service.`,
    );
  if (!needed.sealing.every((id) => keys.hasSealingKey(id)))
    throw new OperatorError(`The keys were rotated during the backup; ${file} is newer. Run the backup again.`);
  return text;
}

async function* readEntries(client: pg.Client) {
  for (const { table, columns } of await listTables(client)) {
    const rows: AsyncIterable<Buffer> = client.query(copyTo(`copy ${table} (${columns.join(', ')}) to stdout`));
    yield { table, columns, rows };
  }
  yield* readSequences(client);
}

export interface DumpOptions {
  /** This Patchbay's version. */
  version: string;
  /** The key file, when the backup shall contain it. */
  keyFile: string | undefined;
  onTable: (table: string, rows: number) => void;
}

/**
 * Starts a dump on an owner's connection that holds the migration lock, and releases the lock once the snapshot's table
 * locks keep migrations out. The returned `content` yields the uncompressed file.
 */
export async function dumpDatabase(client: pg.Client, { version, keyFile, onTable }: DumpOptions) {
  await beginSnapshot(client);
  await client.query(`select pg_advisory_unlock(hashtextextended('patchbay migrations', 0))`);
  const header = await readHeader(client, version);
  if (keyFile !== undefined) header.keyFile = await readMatchingKeyFile(header, keyFile);
  const totals: Totals = { tables: 0, rows: 0 };
  const count = (table: string, rows: number): void => {
    totals.tables++;
    totals.rows += rows;
    onTable(table, rows);
  };
  return { header, totals, content: writeArchive(header, readEntries(client), count) };
}
