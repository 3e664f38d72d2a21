// Opens what the service and every command need: data folder, key file, migrated database and store.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { providers } from '../connector-kinds/providers.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { findLockHolder, lockDataFolder, rejectUnfinishedRestore } from '../host/data-folder-lock.ts';
import { createNewKeyFile, type Keys, openKeyFile } from '../host/key-file.ts';
import { builtInRoles } from '../resources/roles/built-in-roles.ts';
import type { Settings } from '../settings.ts';
import type { Store } from '../store/database.ts';
import { describeDatabase } from '../store/database-name.ts';
import { findRunningUrl, startEmbeddedPostgres } from '../store/embedded-postgres.ts';
import { asOwner, hasMigrations, migrate, rejectUnsuitableDatabase } from '../store/migrations.ts';
import { PostgresStore } from '../store/postgres-store.ts';
import { getOrCreateFact } from '../store/service-facts-store.ts';

export interface Foundation {
  keys: Keys;
  databaseUrl: string;
  store: Store;
  asOwner: <T>(work: (client: pg.Client) => Promise<T>) => Promise<T>;
}

/** Receives the steps of the start, for the operator, and warnings, with the error that caused them, for the log. */
export interface StartupReporter {
  step: (text: string) => void;
  warning: (text: string, error?: Error) => void;
}

async function upsertBuiltInRoles(client: pg.Client): Promise<void> {
  for (const { id, name, policies } of builtInRoles)
    await client.query(
      `insert into roles (id, name, policies) values ($1, $2, $3)
       on conflict (id) do update set policies = excluded.policies, revision = roles.revision + 1, updated_at = now()
       where roles.policies <> excluded.policies`,
      [id, name, JSON.stringify(policies)],
    );
}

/** Each provider is a family, whether the catalogue has destinations of it or not. */
async function insertFamilies(client: pg.Client): Promise<void> {
  for (const { name } of providers)
    await client.query('insert into families (short_name) values ($1) on conflict (short_name) do nothing', [name]);
}

/** Connectors whose provider's file was removed could not be read. */
async function rejectUnknownFamilies(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `select short_name, count(*)::int as connectors from connectors join families on families.id = family_id
     where short_name <> all($1) group by short_name`,
    [providers.map(({ name }) => name)],
  );
  for (const { short_name, connectors } of rows)
    throw new OperatorError(
      `There are ${connectors} connectors of the family ${short_name}, but src/connector-kinds has no such provider. ` +
        'Restore its file.',
    );
}

/** With another key file, no token would be found and no secret decrypted. */
async function rejectOtherKeyFile(client: pg.Client, keys: Keys): Promise<void> {
  const isSame = (await getOrCreateFact(client, 'keys', keys.fingerprint)) === keys.fingerprint;
  if (!isSame || !keys.hasSealingKey(await getOrCreateFact(client, 'sealing key', keys.newestSealingKey)))
    throw new OperatorError(
      'This database belongs to another key file. Set PATCHBAY_KEYS to that file, or restore it from a backup.',
    );
}

export const keyFilePath = (settings: Settings): string => settings.keys ?? join(settings.data, 'keys.json');

/** Names the database of the settings in messages. */
export const titleOfDatabase = ({ databaseUrl, data }: Settings): string =>
  databaseUrl ? describeDatabase(databaseUrl) : `the embedded database of ${data}`;

/**
 * Opens the key file, or creates it for an empty database: a new key file reads nothing of an existing one. Another
 * replica may create the same file meanwhile.
 */
async function openOrCreateKeyFile(client: pg.Client, settings: Settings): Promise<Keys> {
  const file = keyFilePath(settings);
  const isMissing = !existsSync(file);
  if (isMissing && (await hasMigrations(client)))
    throw new OperatorError(
      `The key file ${file} is missing, and ${titleOfDatabase(settings)} is not empty: its tokens and secrets need ` +
        'the key file that it was created with. Set PATCHBAY_KEYS to that file, or move it there. Nothing was written.',
    );
  if (isMissing) await createNewKeyFile(file);
  return openKeyFile(file);
}

const hasEmbeddedDatabase = (settings: Settings): boolean => existsSync(join(settings.data, 'postgres'));

/**
 * Opens the key file before an embedded database is started or created for it. Undefined if only the database tells
 * whether the file may be created.
 */
async function openKeyFileEarly(settings: Settings): Promise<Keys | undefined> {
  const file = keyFilePath(settings);
  const isNewService = !settings.databaseUrl && !hasEmbeddedDatabase(settings);
  if (isNewService && !existsSync(file)) await createNewKeyFile(file);
  return existsSync(file) ? openKeyFile(file) : undefined;
}

function openStoreOf(
  databaseUrl: string,
  { databasePatience }: Settings,
  keys: Keys,
  reporter: StartupReporter,
  opened: AsyncDisposableStack,
): Foundation {
  const onConnectionLost = (error: Error) =>
    reporter.warning(`A database connection was lost: ${error.message}`, error);
  const store = new PostgresStore(databaseUrl, onConnectionLost, databasePatience * 1000);
  opened.defer(() => store.close());
  return { keys, databaseUrl, store, asOwner: (work) => asOwner(databaseUrl, work) };
}

/** Returns the URL of the database, without migrating it; starts the embedded one. The data folder must be locked. */
export async function openDatabase(
  settings: Settings,
  reporter: StartupReporter,
  opened: AsyncDisposableStack,
): Promise<string> {
  if (settings.databaseUrl) return settings.databaseUrl;
  const embedded = await startEmbeddedPostgres({
    folder: settings.data,
    account: settings.postgresAccount,
    onStep: reporter.step,
    onWarning: reporter.warning,
  });
  opened.defer(() => embedded.stop());
  return embedded.url;
}

/**
 * Opens everything and migrates the database. The stack closes it in reverse order. `inspect` reads the database before
 * anything is written to it, and may refuse it.
 */
export async function openFoundation(
  settings: Settings,
  reporter: StartupReporter,
  opened: AsyncDisposableStack,
  inspect: (client: pg.Client) => Promise<void> = async () => undefined,
): Promise<Foundation> {
  opened.defer(await lockDataFolder(settings.data));
  await rejectUnfinishedRestore(settings.data);
  const earlyKeys = await openKeyFileEarly(settings);
  const databaseUrl = await openDatabase(settings, reporter, opened);
  const keys = await asOwner(databaseUrl, async (client) => {
    await rejectUnsuitableDatabase(client, titleOfDatabase(settings));
    await inspect(client);
    const keyFile = earlyKeys ?? (await openOrCreateKeyFile(client, settings));
    await migrate(client, (name) => reporter.step(`migrating: ${name}`));
    await upsertBuiltInRoles(client);
    await insertFamilies(client);
    await rejectUnknownFamilies(client);
    await rejectOtherKeyFile(client, keyFile);
    return keyFile;
  });
  return openStoreOf(databaseUrl, settings, keys, reporter, opened);
}

/** Accepts only a database of this version: a command must not migrate the database of a running service. */
async function rejectOtherVersion(client: pg.Client): Promise<void> {
  const { rows } = await client.query(`select to_regclass('service_facts') is not null as exists`);
  if (!rows[0].exists) throw new OperatorError('This is not a Patchbay database. Check DATABASE_URL.');
  await migrate(client, (name) => {
    throw new OperatorError(
      `The database is of an older version (${name} is missing). Start the service of this version once.`,
    );
  });
}

/** The URL of the database of an existing service, or undefined when its embedded database is not running. */
async function findDatabaseUrl(settings: Settings): Promise<string | undefined> {
  if (settings.databaseUrl) return settings.databaseUrl;
  const holder = await findLockHolder(settings.data);
  const url = holder && findRunningUrl(settings.data);
  if (holder && !url)
    throw new OperatorError(
      `Process ${holder.pid} uses the data folder ${settings.data}, but no embedded database is ready there. ` +
        'Try again in a moment, or set DATABASE_URL to the database of that service.',
    );
  if (!holder && !hasEmbeddedDatabase(settings))
    throw new OperatorError(
      `There is no Patchbay in the data folder ${settings.data}. ` +
        'Set PATCHBAY_DATA to the folder of your service, or create one with npm run setup.',
    );
  return url;
}

/** Opens the database of an existing service of any version, running or not, for reading. */
export async function openExistingDatabase(
  settings: Settings,
  reporter: StartupReporter,
  opened: AsyncDisposableStack,
): Promise<string> {
  const databaseUrl = await findDatabaseUrl(settings);
  if (databaseUrl) return databaseUrl;
  opened.defer(await lockDataFolder(settings.data));
  await rejectUnfinishedRestore(settings.data);
  return openDatabase(settings, reporter, opened);
}

/**
 * Opens the database of an existing service for a command. A running service's database is used as it is: nothing is
 * locked, migrated, started or created. An embedded database that is not running is opened as by the service.
 */
export async function openBesideService(
  settings: Settings,
  reporter: StartupReporter,
  opened: AsyncDisposableStack,
): Promise<Foundation> {
  const databaseUrl = await findDatabaseUrl(settings);
  if (!databaseUrl) return openFoundation(settings, reporter, opened);
  const file = keyFilePath(settings);
  // The running service has a key file, so the command's settings name another one.
  if (!existsSync(file))
    throw new OperatorError(
      `The key file ${file} does not exist. Set PATCHBAY_KEYS to the key file of the running service.`,
    );
  const keys = await openKeyFile(file);
  await asOwner(databaseUrl, async (client) => {
    await rejectUnsuitableDatabase(client, titleOfDatabase(settings));
    await rejectOtherVersion(client);
    await rejectOtherKeyFile(client, keys);
  });
  return openStoreOf(databaseUrl, settings, keys, reporter, opened);
}
