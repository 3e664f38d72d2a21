// npm run backup: everything that the database holds, in one file, while the service serves.
import { createWriteStream } from 'node:fs';
import { link, lstat, mkdir, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import packageJson from '../../package.json' with { type: 'json' };
import { dumpDatabase } from '../backups/dump.ts';
import { keyFileOf, openExistingDatabase } from '../bootstrap/foundation.ts';
import { OperatorError } from '../errors/operator-error.ts';
import type { Settings } from '../settings.ts';
import { asOwner } from '../store/migrations.ts';
import { counted, interruptible, progress, readCommand, run, say } from './cli.ts';

const usage = `npm run backup -- [FILE or FOLDER] [--with-keys] [settings]

Writes everything that the database holds into one file, while the service serves or while it rests. In a folder (the current one when none is named)
the file is called patchbay-DATE.backup.gz; a name that ends in / is a folder, which must be there. No file is ever replaced, and only its owner may read it.

  --with-keys   puts the key file into the backup too. Then it opens every secret and stands for the whole service: keep it as you keep the keys.
                Without it the secrets in the backup are sealed; restoring needs the key file, so keep a copy of that in another place.`;

/** Where the backup shall be. */
async function fileFor(wish: string | undefined): Promise<string> {
  const place = resolve(wish ?? '.');
  const isFolder = (await stat(place).catch(() => undefined))?.isDirectory();
  if (!isFolder && /[/\\]$/.test(wish ?? '')) throw new OperatorError(`There is no folder ${place}. Make it first.`);
  const stamp = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
  const file = isFolder ? join(place, `patchbay-${stamp}Z.backup.gz`) : place;
  if (await lstat(file).catch(() => undefined))
    throw new OperatorError(`${file} is there already, and no file is replaced. Name another one.`);
  return file;
}

const ofFiles = new Set([
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

/** What a person can do about a failure on the way. */
const explained = (file: string) => (error: Error & { code?: string }) => {
  const { code = '', message } = error;
  if (ofFiles.has(code)) throw new OperatorError(`${file} cannot be written: ${message}. Name another place.`);
  if (code === '42501')
    throw new OperatorError(
      `The account of the database may not read everything (${message}), and a backup leaves out nothing. Use the one that owns the tables, as the service does.`,
    );
  if (code === '55P03')
    throw new OperatorError('The tables are being changed by a migration. Try again when it is over.');
  throw error;
};

/** Written beside its place and moved there when it is whole and lies on the disk. */
async function writeWhole(file: string, content: AsyncIterable<Buffer>): Promise<number> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const draft = join(dirname(file), `.${basename(file)}.part-${process.pid}`);
  try {
    const target = createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true });
    // Quick packing: the backup is done sooner, and half of it are numbers that do not shrink.
    await pipeline(content, createGzip({ level: 3 }), target);
    // A link never replaces anything. Where the file system has none, the name was free when this began.
    await link(draft, file).catch((error) => {
      if (error.code === 'EEXIST') throw new OperatorError(`${file} has appeared meanwhile, and no file is replaced.`);
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
  const keyFile = keyFileOf(settings);
  await using opened = new AsyncDisposableStack();
  const databaseUrl = await openExistingDatabase(
    settings,
    { step: (step) => say(`  … ${step}`), trouble: say },
    opened,
  );
  const { totals, bytes, takenAt } = await asOwner(databaseUrl, async (client) => {
    const tell = progress('read');
    return interruptible(client, async () => {
      const taken = await dumpDatabase(client, {
        version: packageJson.version,
        keyFile: withKeys ? keyFile : undefined,
        onTable: tell,
      });
      const size = await writeWhole(file, taken.content);
      return { totals: taken.totals, bytes: size, takenAt: taken.heading.takenAt };
    });
  }).catch(explained(file));
  say(`${file}: ${counted(totals)}, ${(bytes / 1e6).toFixed(1)} MB, as of ${takenAt}.`);
  say(
    withKeys
      ? 'It holds the key file: whoever has it has every secret. Keep it as you keep the keys.'
      : `The key file is not in it, and nothing can be restored without: keep a copy of ${keyFile} in another place.`,
  );
}

async function main(): Promise<void> {
  const asked = readCommand(usage, [], ['with-keys']);
  if (!asked) return;
  const { settings, words, switches } = asked;
  if (words.length > 1) throw new OperatorError(`One file is enough.\n${usage}`);
  const file = await fileFor(words[0]);
  say(`  … of ${settings.databaseUrl ? 'the database of DATABASE_URL' : settings.data}`);
  await backUp(settings, file, switches.has('with-keys'));
}

run('No backup was made.', main);
