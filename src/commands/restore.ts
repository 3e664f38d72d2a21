// npm run restore: a backup into a fresh place, whole or not at all.
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type pg from 'pg';
import { type Archive, type Heading, openArchive, type Totals } from '../backups/archive.ts';
import { listUnknownObjects, migrationsOf, rejectRunningServices, restoreBackup } from '../backups/restore.ts';
import { keyFileOf, openDatabase } from '../bootstrap/foundation.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { lockDataFolder, markRestore } from '../host/data-folder-lock.ts';
import { openKeys, restoreKeys } from '../host/key-file.ts';
import type { Settings } from '../settings.ts';
import { asOwner, ensureAppRole, migrate } from '../store/migrations.ts';
import { counted, interruptible, progress, readCommand, run, say } from './cli.ts';

const usage = `npm run restore -- FILE [--replace] [settings]
npm run restore -- FILE --check

Puts a backup into an empty database: the one of DATABASE_URL, or the embedded one of a data folder (PATCHBAY_DATA), which is made when it is not there.
It needs the key file of the backup, in its place (PATCHBAY_KEYS) or in the backup itself. No service may be at work on the database.

  --replace   restores over a database that is not empty: what is there is removed, in the same transaction
  --check     only reads the file from its beginning to its end, and says whether it is whole`;

/** Without the key file nobody could sign in and no secret would open: better say it before anything is done. */
async function layKeys(settings: Settings, { keys: needed, keyFile: kept }: Heading): Promise<void> {
  const file = keyFileOf(settings);
  if (!existsSync(file)) {
    if (kept === undefined)
      throw new OperatorError(
        `The backup needs the key file of its service, and there is none at ${file}. Copy it there, or set PATCHBAY_KEYS.`,
      );
    await restoreKeys(file, kept);
    say(`  … the key file is in the backup, and now at ${file}`);
  }
  const keys = await openKeys(file);
  const isSame = needed.fingerprint === null || needed.fingerprint === keys.fingerprint;
  if (!isSame || !needed.sealing.every((id) => keys.hasSealingKey(id)))
    throw new OperatorError(
      `The backup was made with another key file than ${file}${isSame ? ' as it is now (keys were rotated in between)' : ''}. ` +
        'Put the one there that was kept with the backup, or set PATCHBAY_KEYS to it.',
    );
}

async function refuseFull(client: pg.Client, replace: boolean): Promise<void> {
  await rejectRunningServices(client);
  const found = await listUnknownObjects(client);
  if (found.length && !replace)
    throw new OperatorError(
      `The database is not empty (${found.length} tables, ${found.slice(0, 3).join(', ')} …). Restore into an empty one; ` +
        'or, to lose what is there, say --replace.',
    );
}

async function putBack(settings: Settings, archive: Archive, file: string, replace: boolean): Promise<Totals> {
  await using opened = new AsyncDisposableStack();
  opened.defer(await lockDataFolder(settings.data));
  await layKeys(settings, archive.heading);
  const databaseUrl = await openDatabase(settings, { step: (step) => say(`  … ${step}`), trouble: say }, opened);
  return await asOwner(databaseUrl, async (client) => {
    await refuseFull(client, replace);
    await ensureAppRole(client);
    const finish = await markRestore(settings.data, file);
    try {
      const totals = await interruptible(client, () =>
        restoreBackup(client, archive, replace, {
          onTable: progress('written'),
          onNote: (text) => say(`  … ${text}`),
        }),
      );
      await finish();
      await migrate(client, (name) => say(`  … migrating: ${name}`));
      return totals;
    } catch (error) {
      // What was to be replaced is still there, untouched, and may be served again.
      if (replace) await finish();
      throw error;
    }
  });
}

async function check(archive: Archive): Promise<Totals> {
  await migrationsOf(archive.heading);
  for (;;) {
    const { value, done } = await archive.entries.next();
    if (done) return value;
    if ('table' in value) for await (const _ of value.rows);
  }
}

async function main(): Promise<void> {
  const asked = readCommand(usage, [], ['replace', 'check']);
  if (!asked) return;
  const { settings, words, switches } = asked;
  const [wish, ...rest] = words;
  if (!wish || rest.length) throw new OperatorError(`Which backup?\n${usage}`);
  const file = resolve(wish);
  const archive = await openArchive(file);
  const { version, takenAt } = archive.heading;
  say(`  … ${file}: Patchbay ${version}, as of ${takenAt}`);
  if (switches.has('check')) return say(`It is whole: ${counted(await check(archive))}.`);
  const totals = await putBack(settings, archive, file, switches.has('replace'));
  say(`${counted(totals)} are in ${settings.databaseUrl ? 'the database of DATABASE_URL' : settings.data}.`);
  say(
    'Start the service on it. Whoever was signed in at the time of the backup is again; what was revoked since has to be revoked again.',
  );
}

run('Nothing was restored.', main);
