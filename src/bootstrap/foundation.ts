// What every command stands on: the data folder, the keys, a migrated database and the store.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { providers } from '../connector-kinds/providers.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { holderOf, lockDataFolder, rejectUnfinishedRestore } from '../host/data-folder-lock.ts';
import { type Keys, openKeys } from '../host/key-file.ts';
import { builtInRoles } from '../resources/roles/built-in-roles.ts';
import type { Settings } from '../settings.ts';
import { openStore, type Store } from '../store/database.ts';
import { runningUrl, startEmbedded } from '../store/embedded-postgres.ts';
import { asOwner, migrate } from '../store/migrations.ts';

export interface Foundation {
  keys: Keys;
  databaseUrl: string;
  store: Store;
  asOwner: <T>(work: (client: pg.Client) => Promise<T>) => Promise<T>;
}

/** Tells a person what is going on, and the log what went wrong. */
export interface StartupReporter {
  step: (text: string) => void;
  trouble: (text: string) => void;
}

async function shipRoles(client: pg.Client): Promise<void> {
  for (const { id, name, policies } of builtInRoles)
    await client.query(
      `insert into roles (id, name, policies) values ($1, $2, $3)
       on conflict (id) do update set policies = excluded.policies, revision = roles.revision + 1, updated_at = now()
       where roles.policies <> excluded.policies`,
      [id, name, JSON.stringify(policies)],
    );
}

/** Each provider is a family of destinations, whether the catalogue has any of them or not. */
async function shipFamilies(client: pg.Client): Promise<void> {
  for (const { name } of providers)
    await client.query('insert into families (short_name) values ($1) on conflict (short_name) do nothing', [name]);
}

/** A provider that went away would leave connectors that nobody can read. */
async function checkFamilies(client: pg.Client): Promise<void> {
  const { rows } = await client.query(
    `select short_name, count(*)::int as connectors from connectors join families on families.id = family_id
     where short_name <> all($1) group by short_name`,
    [providers.map(({ name }) => name)],
  );
  for (const { short_name, connectors } of rows)
    throw new OperatorError(
      `There are ${connectors} connectors of the family ${short_name}, but src/connector-kinds has no such provider. Bring its file back.`,
    );
}

/** What the database was told first about a thing, which is this when it was told nothing yet. */
export async function factOf(client: pg.Client, name: string, value: string): Promise<string> {
  const { rows } = await client.query(
    `with made as (insert into service_facts (name, value) values ($1, $2) on conflict do nothing returning value)
     select value from made union all select value from service_facts where name = $1`,
    [name, value],
  );
  return rows[0]?.value;
}

/** Tokens are hashed and secrets sealed with the key file: with another one nothing would open, so better say it now. */
async function checkKeys(client: pg.Client, keys: Keys): Promise<void> {
  const isSame = (await factOf(client, 'keys', keys.fingerprint)) === keys.fingerprint;
  if (!isSame || !keys.hasSealingKey(await factOf(client, 'sealing key', keys.newestSealingKey)))
    throw new OperatorError(
      'This database was made with another key file. Set PATCHBAY_KEYS to that one, or restore it from a backup.',
    );
}

export const keyFileOf = (settings: Settings): string => settings.keys ?? join(settings.data, 'keys.json');

function standOn(
  databaseUrl: string,
  { databasePatience }: Settings,
  keys: Keys,
  voice: StartupReporter,
  opened: AsyncDisposableStack,
): Foundation {
  const onLost = (error: Error) => voice.trouble(`A database connection was lost: ${error.message}`);
  const store = openStore(databaseUrl, onLost, databasePatience * 1000);
  opened.defer(() => store.close());
  return { keys, databaseUrl, store, asOwner: (work) => asOwner(databaseUrl, work) };
}

/** The database as it is, of a data folder that is locked: the embedded one is started. */
export async function openDatabase(
  settings: Settings,
  voice: StartupReporter,
  opened: AsyncDisposableStack,
): Promise<string> {
  if (settings.databaseUrl) return settings.databaseUrl;
  const embedded = await startEmbedded({
    folder: settings.data,
    account: settings.postgresAccount,
    onStep: voice.step,
    onTrouble: voice.trouble,
  });
  opened.defer(() => embedded.stop());
  return embedded.url;
}

/** Everything opened is put on the stack, which closes it in reverse. */
export async function openFoundation(
  settings: Settings,
  voice: StartupReporter,
  opened: AsyncDisposableStack,
): Promise<Foundation> {
  opened.defer(await lockDataFolder(settings.data));
  await rejectUnfinishedRestore(settings.data);
  const keys = await openKeys(keyFileOf(settings));
  const databaseUrl = await openDatabase(settings, voice, opened);
  await asOwner(databaseUrl, async (client) => {
    await migrate(client, (name) => voice.step(`migrating: ${name}`));
    await shipRoles(client);
    await shipFamilies(client);
    await checkFamilies(client);
    await checkKeys(client, keys);
  });
  return standOn(databaseUrl, settings, keys, voice, opened);
}

/** A database that the running service has brought to this very version; nothing is migrated behind its back. */
async function checkVersion(client: pg.Client): Promise<void> {
  const { rows } = await client.query(`select to_regclass('service_facts') is not null as known`);
  if (!rows[0].known) throw new OperatorError('This database is none that Patchbay has made. Check DATABASE_URL.');
  await migrate(client, (name) => {
    throw new OperatorError(
      `The database is of an older version (${name} is missing). Start the service of this version once.`,
    );
  });
}

/** Where the database is that a command shall work on, or undefined when it has to be started for that. */
async function urlFor(settings: Settings): Promise<string | undefined> {
  if (settings.databaseUrl) return settings.databaseUrl;
  const holder = await holderOf(settings.data);
  const url = holder && runningUrl(settings.data);
  if (holder && !url)
    throw new OperatorError(
      `Process ${holder.pid} runs on the data folder ${settings.data}, but no embedded database of it is ready. ` +
        'Try again in a moment, or set DATABASE_URL to the one that it uses.',
    );
  if (!holder && !existsSync(join(settings.data, 'postgres')))
    throw new OperatorError(
      `There is no Patchbay in the data folder ${settings.data}. Name the one of your service with PATCHBAY_DATA, or make it with npm run setup.`,
    );
  return url;
}

/** For who only reads: the database of a service at work, or of one that rests, and of whatever version it is. */
export async function openExistingDatabase(
  settings: Settings,
  voice: StartupReporter,
  opened: AsyncDisposableStack,
): Promise<string> {
  const databaseUrl = await urlFor(settings);
  if (databaseUrl) return databaseUrl;
  opened.defer(await lockDataFolder(settings.data));
  await rejectUnfinishedRestore(settings.data);
  return openDatabase(settings, voice, opened);
}

/**
 * For commands that work beside a running service. Its database is used as it is: nothing is locked, migrated or started, and nothing new is
 * made where there is none. Only an embedded database that nobody runs is opened as the service would.
 */
export async function openBesideService(
  settings: Settings,
  voice: StartupReporter,
  opened: AsyncDisposableStack,
): Promise<Foundation> {
  const databaseUrl = await urlFor(settings);
  if (!databaseUrl) return openFoundation(settings, voice, opened);
  const file = keyFileOf(settings);
  // A running service has a key file: where none is, this command was told of another one than the service.
  if (!existsSync(file))
    throw new OperatorError(`There is no key file ${file}. Set PATCHBAY_KEYS to the one of the running service.`);
  const keys = await openKeys(file);
  await asOwner(databaseUrl, async (client) => {
    await checkVersion(client);
    await checkKeys(client, keys);
  });
  return standOn(databaseUrl, settings, keys, voice, opened);
}
