// npm run backup: writes the database into one file, while the service runs.
import { createWriteStream } from 'node:fs';
import { link, lstat, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import packageJson from '../../package.json' with { type: 'json' };
import { dumpDatabase } from '../backups/dump.ts';
import { keyFilePath, openExistingDatabase, titleOfDatabase } from '../bootstrap/foundation.ts';
import { OperatorError } from '../errors/operator-error.ts';
import { createFolder } from '../host/create-folder.ts';
import type { Settings } from '../settings.ts';
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

const usage = `npm run backup -- [FILE or FOLDER] [--with-keys] [settings]

Writes the content of the database into one file, whether the service runs or not. Queued jobs are not part of a backup.
In a folder (default: the current one) the file is named patchbay-DATE.backup.gz; a name that ends in / is a folder,
which must exist. An existing file is never replaced. Only its owner can read the file.

  --with-keys   includes the key file. Such a backup decrypts every secret: protect it like the key file itself.
                Without it, secrets in the backup stay encrypted, and a restore needs the key file: store a copy of it
                in another place.`;

/** Resolves the file to write; a folder gets a name with the date. */
async function resolveTarget(argument: string | undefined): Promise<string> {
  const path = resolve(argument ?? '.');
  const isFolder = (await stat(path).catch(() => undefined))?.isDirectory();
  if (!isFolder && /[/\\]$/.test(argument ?? ''))
    throw new OperatorError(`The folder ${path} does not exist. Create it first.`);
  const stamp = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
  const file = isFolder ? join(path, `patchbay-${stamp}Z.backup.gz`) : path;
  if (await lstat(file).catch(() => undefined))
    throw new OperatorError(`${file} exists, and a backup never replaces a file. Choose another name.`);
  return file;
}

const fileErrors = new Set([
  'ENOSPC',
  'EDQUOT',
  'EFBIG',
  'EIO',
  'EACCES',
  'EPERM',
  'EROFS',
  'ENOENT',
  'ENOTDIR',
  'ENAMETOOLONG',
]);

function explain(error: Error & { code?: string }, file: string): Error {
  const { code = '', message } = error;
  if (fileErrors.has(code)) return new OperatorError(`${file} cannot be written: ${message}. Choose another place.`);
  if (code === '42501')
    return new OperatorError(
      `The database account cannot read every row (${message}), and a backup must be complete. ` +
        'Use the account that owns the tables, as the service does.',
    );
  if (code === '55P03')
    return new OperatorError('A migration is changing the tables. Run the backup again when it has finished.');
  return error;
}

/** Writes a draft beside the file and renames it when it is complete and synced to disk. */
async function writeAtomically(file: string, content: AsyncIterable<Buffer>): Promise<number> {
  await createFolder(dirname(file));
  const draft = join(dirname(file), `.${basename(file)}.part-${process.pid}`);
  try {
    const target = createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true });
    // Half of the content are numbers that hardly compress, so a low level saves time and costs little space.
    await pipeline(content, createGzip({ level: 3 }), target);
    // link() never replaces a file. Some file systems have no links; there the name was free at the start.
    await link(draft, file).catch((error) => {
      if (error.code === 'EEXIST')
        throw new OperatorError(`${file} was created meanwhile, and a backup never replaces a file.`);
      return rename(draft, file);
    });
    const folder = await open(dirname(file));
    await folder.sync().finally(() => folder.close());
    return (await stat(file)).size;
  } finally {
    await rm(draft, { force: true });
  }
}

async function backUp(settings: Settings, file: string, withKeys: boolean): Promise<void> {
  const keyFile = keyFilePath(settings);
  await using opened = new AsyncDisposableStack();
  const databaseUrl = await openExistingDatabase(settings, consoleReporter, opened);
  const { totals, bytes, takenAt } = await asOwner(databaseUrl, (client) =>
    interruptible(client, async () => {
      const dump = await dumpDatabase(client, {
        version: packageJson.version,
        keyFile: withKeys ? keyFile : undefined,
        onTable: createProgressReporter('read'),
      });
      const size = await writeAtomically(file, dump.content);
      return { totals: dump.totals, bytes: size, takenAt: dump.header.takenAt };
    }),
  ).catch((error) => {
    throw explain(error, file);
  });
  printToStderr(`${file}: ${formatTotals(totals)}, ${(bytes / 1e6).toFixed(1)} MB, as of ${takenAt}.`);
  printToStderr(
    withKeys
      ? 'It includes the key file and so decrypts every secret: protect it like the key file itself.'
      : `The key file is not included, and a restore needs it: store a copy of ${keyFile} in another place.`,
  );
}

async function main(): Promise<void> {
  const input = parseCommandLine(usage, [], ['with-keys']);
  if (!input) return;
  const { settings, positionals, switches } = input;
  if (positionals.length > 1) throw new OperatorError(`Only one file or folder can be given.\n${usage}`);
  const file = await resolveTarget(positionals[0]);
  consoleReporter.step(`backing up ${titleOfDatabase(settings)}`);
  await backUp(settings, file, switches.has('with-keys'));
}

runCommand('No backup was made.', main);
