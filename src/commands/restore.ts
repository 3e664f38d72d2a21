// npm run restore: restores a backup completely or not at all.
import { existsSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import type pg from 'pg';
import { type Archive, type ArchiveHeader, checkArchive, openArchive, type Totals } from '../backups/archive.ts';
import { listExistingTables, rejectRunningServices, resolveMigrations, restoreBackup } from '../backups/restore.ts';
import { keyFilePath, openDatabase, titleOfDatabase } from '../bootstrap/foundation.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { lockDataFolder, markRestoreStarted } from '../host/data-folder-lock.ts';
import { openKeyFile, restoreKeyFile } from '../host/key-file.ts';
import type { Settings } from '../settings.ts';
import { databaseNameOf } from '../store/database-name.ts';
import { asOwner, ensureAppRole, migrate, rejectUnsuitableDatabase } from '../store/migrations.ts';
import {
  consoleReporter,
  createProgressReporter,
  formatTotals,
  interruptible,
  parseCommandLine,
  printToStderr,
  rejectInheritedDatabase,
  runCommand,
} from './cli.ts';

const usage = `npm run restore -- FILE [--replace NAME] [settings]
npm run restore -- FILE --check

Restores a backup into an empty database: the one of DATABASE_URL, or the embedded one of the data folder
(PATCHBAY_DATA), which is created if it does not exist. It needs the key file of the backup, either at PATCHBAY_KEYS or
in the backup itself. No service may be using the database.

  --replace NAME   restores over a database that is not empty; the old content is removed in the same transaction.
                   NAME repeats the name of the database, or that of the data folder of an embedded one
  --check          only reads the file and reports whether it is complete`;

/** Checks for the matching key file before anything is changed: without it, no user could sign in. */
async function ensureKeyFile(settings: Settings, { keys: needed, keyFile: included }: ArchiveHeader): Promise<void> {
  const file = keyFilePath(settings);
  if (!existsSync(file)) {
    if (included === undefined)
      throw new OperatorError(
        `The backup needs the key file of its service, and ${file} does not exist. ` +
          'Copy it there, or set PATCHBAY_KEYS.',
      );
    await restoreKeyFile(file, included);
    consoleReporter.step(`restored the key file from the backup to ${file}`);
  }
  const keys = await openKeyFile(file);
  const isSame = needed.fingerprint === null || needed.fingerprint === keys.fingerprint;
  const state = isSame ? ' in its current state (keys were rotated before or after the backup)' : '';
  if (!isSame || !needed.sealing.every((id) => keys.hasSealingKey(id)))
    throw new OperatorError(
      `The backup belongs to another key file than ${file}${state}. ` +
        'Replace it by the key file that was stored with the backup, or set PATCHBAY_KEYS to that file.',
    );
}

/** --replace repeats the name of the database, or the name or path of the data folder. */
function rejectOtherName(settings: Settings, name: string | undefined): void {
  const { databaseUrl, data } = settings;
  const accepted = databaseUrl ? [databaseNameOf(databaseUrl)] : [basename(data), data];
  if (name !== undefined && !accepted.includes(name))
    throw new OperatorError(
      `--replace names ${JSON.stringify(name)}, but the restore would replace ${titleOfDatabase(settings)}. ` +
        'Correct the name, or the settings that select the database.',
    );
}

async function rejectDatabaseInUse(client: pg.Client, settings: Settings, replace: boolean): Promise<void> {
  await rejectUnsuitableDatabase(client, titleOfDatabase(settings));
  await rejectRunningServices(client);
  const tables = await listExistingTables(client);
  if (tables.length && !replace)
    throw new OperatorError(
      `The database is not empty (${tables.length} tables, ${tables.slice(0, 3).join(', ')} …): ` +
        `${titleOfDatabase(settings)}. Restore into an empty database. Only if this content is to be replaced: ` +
        `repeat the name of the ${settings.databaseUrl ? 'database' : 'data folder'} with --replace NAME.`,
    );
}

async function restore(settings: Settings, archive: Archive, file: string, replace: boolean): Promise<Totals> {
  await using opened = new AsyncDisposableStack();
  opened.defer(await lockDataFolder(settings.data));
  await ensureKeyFile(settings, archive.header);
  const databaseUrl = await openDatabase(settings, consoleReporter, opened);
  return await asOwner(databaseUrl, async (client) => {
    await rejectDatabaseInUse(client, settings, replace);
    await ensureAppRole(client);
    const removeMark = await markRestoreStarted(settings.data, file);
    try {
      const totals = await interruptible(client, () =>
        restoreBackup(client, archive, replace, {
          onTable: createProgressReporter('written'),
          onNote: consoleReporter.step,
        }),
      );
      await removeMark();
      await migrate(client, (name) => consoleReporter.step(`migrating: ${name}`));
      return totals;
    } catch (error) {
      // The content that was to be replaced is unchanged, so a service may use it again.
      if (replace) await removeMark();
      throw error;
    }
  });
}

async function check(archive: Archive): Promise<Totals> {
  await resolveMigrations(archive.header);
  return checkArchive(archive);
}

async function main(): Promise<void> {
  const input = parseCommandLine(usage, ['replace'], ['check']);
  if (!input) return;
  const { settings, positionals, flags, switches } = input;
  const [argument, ...rest] = positionals;
  if (!argument || rest.length) throw new OperatorError(`Give the backup file.\n${usage}`);
  const file = resolve(argument);
  const archive = await openArchive(file);
  const { version, takenAt } = archive.header;
  consoleReporter.step(`${file}: Patchbay ${version}, as of ${takenAt}`);
  if (switches.has('check')) return printToStderr(`The backup is complete: ${formatTotals(await check(archive))}.`);
  rejectInheritedDatabase(settings);
  rejectOtherName(settings, flags.replace);
  consoleReporter.step(`restoring into ${titleOfDatabase(settings)}`);
  const totals = await restore(settings, archive, file, flags.replace !== undefined);
  printToStderr(`Restored ${formatTotals(totals)} into ${titleOfDatabase(settings)}.`);
  printToStderr(
    'Start the service. Sessions that were open at the time of the backup are open again; ' +
      'repeat every revocation made since. Queued password-reset mails are not restored.',
  );
}

runCommand('Nothing was restored.', main);
