// npm run backup: writes the database into one file, while the service runs.
import { createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import packageJson from '../../package.json' with { type: 'json' };
import { type ArchiveHeader, checkArchive, openArchive } from '../backups/archive.ts';
import { dumpDatabase } from '../backups/dump.ts';
import { recordLastBackup } from '../backups/last-backup.ts';
import { backupName, parseAge, pruneBackups } from '../backups/prune.ts';
import { keyFilePath, openExistingDatabase, titleOfDatabase } from '../bootstrap/foundation.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { explainFileError, rejectExistingFile, writeNewFile } from '../host/new-file.ts';
import { asOwner } from '../store/migrations.ts';
import {
  consoleReporter,
  createProgressReporter,
  formatTotals,
  interruptible,
  parseCommandLine,
  printToStderr,
  runCommand,
} from './cli.ts';

const usage = `npm run backup -- [FILE or FOLDER] [--with-keys] [--check] [settings]
npm run backup -- FOLDER --keep AGE [--with-keys] [settings]

Writes the content of the database into one file, whether the service runs or not. Queued jobs are not part of a backup.
In a folder (default: the current one) the file is named patchbay-DATE.backup.gz; a name that ends in / is a folder,
which must exist. An existing file is never replaced. Only its owner can read the file.

  --with-keys   includes the key file. Such a backup decrypts every secret: protect it like the key file itself.
                Without it, secrets in the backup stay encrypted, and a restore needs the key file: store a copy of it
                in another place.
  --check       reads the new file back and compares it with its digest, before it gets its name
  --keep AGE    checks the new backup and then deletes the backups of the same service in the folder that are older
                than AGE, such as 48h, 14d or 8w. Only files that this command named are deleted, and nothing if the
                backup fails.`;

/** Resolves the file to write; a folder gets a name with the date. */
async function resolveTarget(argument: string | undefined, keep: string | undefined): Promise<string> {
  const path = resolve(argument ?? '.');
  const isFolder = (await stat(path).catch(() => undefined))?.isDirectory();
  if (!isFolder && keep !== undefined)
    throw new OperatorError(
      `--keep needs a folder of backups, and ${path} is not an existing folder. Create it first.`,
    );
  if (!isFolder && /[/\\]$/.test(argument ?? ''))
    throw new OperatorError(`The folder ${path} does not exist. Create it first.`);
  const file = isFolder ? join(path, backupName(new Date())) : path;
  await rejectExistingFile(file);
  return file;
}

const formatSize = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

function explain(error: Error & { code?: string }, file: string): Error {
  const { code, message } = error;
  if (code === '42501')
    return new OperatorError(
      `The database account cannot read every row (${message}), and a backup must be complete. ` +
        'Use the account that owns the tables, as the service does.',
    );
  if (code === '55P03')
    return new OperatorError('A migration is changing the tables. Run the backup again when it has finished.');
  return explainFileError(error, file);
}

async function readBack(draft: string): Promise<void> {
  try {
    await checkArchive(await openArchive(draft));
  } catch (error) {
    throw new OperatorError(
      `The new backup cannot be read back: ${(error as Error).message}\n` +
        'The storage may be failing. Check its kernel messages, or choose another place.',
    );
  }
}

async function writeBackup(draft: string, content: AsyncIterable<Buffer>, check: boolean): Promise<void> {
  const target = createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true });
  // Half of the content are numbers that hardly compress, so a low level saves time and costs little space.
  await pipeline(content, createGzip({ level: 3 }), target);
  if (check) await readBack(draft);
}

interface Options {
  withKeys: boolean;
  check: boolean;
}

interface Backup {
  header: ArchiveHeader;
  bytes: number;
}

async function backUp(databaseUrl: string, file: string, keyFile: string, options: Options): Promise<Backup> {
  const { header, totals, bytes } = await asOwner(databaseUrl, (client) =>
    interruptible(client, async () => {
      const dump = await dumpDatabase(client, {
        version: packageJson.version,
        keyFile: options.withKeys ? keyFile : undefined,
        onTable: createProgressReporter('read'),
      });
      const size = await writeNewFile(file, (draft) => writeBackup(draft, dump.content, options.check));
      return { header: dump.header, totals: dump.totals, bytes: size };
    }),
  ).catch((error) => {
    throw explain(error, file);
  });
  const checked = options.check ? ', checked' : '';
  printToStderr(`${file}: ${formatTotals(totals)}, ${formatSize(bytes)}, as of ${header.takenAt}${checked}.`);
  printToStderr(
    options.withKeys
      ? 'It includes the key file and so decrypts every secret: protect it like the key file itself.'
      : `The key file is not included, and a restore needs it: store a copy of ${keyFile} in another place.`,
  );
  return { header, bytes };
}

/** Records the backup for the monitoring of the service. The backup is good without it, for example of a standby. */
async function recordBackup(databaseUrl: string, { header, bytes }: Backup, checked: boolean): Promise<void> {
  await asOwner(databaseUrl, (client) => recordLastBackup(client, { at: header.takenAt, bytes, checked })).catch(
    (error) =>
      printToStderr(
        `Warning: the database does not record this backup, so monitoring does not see it: ${error.message}`,
      ),
  );
}

async function prune(file: string, { header }: Backup, keepMs: number): Promise<void> {
  const { deleted, left, skipped } = await pruneBackups(dirname(file), { name: basename(file), header }, keepMs);
  for (const { name, bytes } of deleted) printToStderr(`Deleted ${name}, ${formatSize(bytes)}.`);
  for (const { name, reason } of skipped) printToStderr(`Left ${name} alone: ${reason}`);
  const total = left.reduce((sum, { bytes }) => sum + bytes, 0);
  printToStderr(`${dirname(file)} has ${left.length} backups of this service, ${formatSize(total)}.`);
}

async function main(): Promise<void> {
  const input = parseCommandLine(usage, ['keep'], ['with-keys', 'check']);
  if (!input) return;
  const { settings, positionals, flags, switches } = input;
  if (positionals.length > 1) throw new OperatorError(`Only one file or folder can be given.\n${usage}`);
  const keepMs = flags.keep === undefined ? undefined : parseAge(flags.keep);
  const file = await resolveTarget(positionals[0], flags.keep);
  const options = { withKeys: switches.has('with-keys'), check: switches.has('check') || keepMs !== undefined };
  consoleReporter.step(`backing up ${titleOfDatabase(settings)}`);
  await using opened = new AsyncDisposableStack();
  const databaseUrl = await openExistingDatabase(settings, consoleReporter, opened);
  const backup = await backUp(databaseUrl, file, keyFilePath(settings), options);
  await recordBackup(databaseUrl, backup, options.check);
  if (keepMs === undefined) return;
  await prune(file, backup, keepMs).catch((error) => {
    printToStderr(`The new backup is complete, but the old ones could not be deleted: ${error.message}`);
    process.exitCode = 1;
  });
}

runCommand('No backup was made.', main);
