// The folder of the embedded PostgreSQL's socket. postmaster.pid names it too, but the database's account writes that
// file: what a later start deletes is named by a record that only the user of the service can write.
import { lstatSync, readFileSync, realpathSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, realpath, rm, rmdir, unlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Account } from './postgres-account.ts';

const prefix = 'patchbay-';
const namePattern = /^patchbay-[A-Za-z0-9]{6}$/;
const socketFiles = ['.s.PGSQL.5432', '.s.PGSQL.5432.lock'];

const recordPath = (dataFolder: string): string => join(dataFolder, 'postgres.socket');
/** The account owns this part alone, so it cannot put a symbolic link in its place. */
const socketPart = (folder: string): string => join(folder, 'socket');

/** The recorded folder, if the record and the folder belong to this user and the path has no symbolic link. */
function readRecord(dataFolder: string): string | undefined {
  const file = recordPath(dataFolder);
  const uid = process.getuid?.();
  try {
    const record = lstatSync(file);
    if (!record.isFile() || record.uid !== uid) return undefined;
    const folder = readFileSync(file, 'utf8').trimEnd();
    if (!namePattern.test(basename(folder)) || realpathSync(folder) !== folder) return undefined;
    const found = lstatSync(folder);
    return found.isDirectory() && found.uid === uid ? folder : undefined;
  } catch {
    return undefined;
  }
}

/** The folder of the socket of a server on this data folder. */
export function findSocketFolder(dataFolder: string): string | undefined {
  const folder = readRecord(dataFolder);
  return folder && socketPart(folder);
}

/** Socket paths are limited to 107 bytes, hence a temporary folder. Only the account can enter the socket's part. */
export async function createSocketFolder(dataFolder: string, account: Account | undefined): Promise<string> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), prefix)));
  await chmod(folder, account ? 0o711 : 0o700);
  const part = socketPart(folder);
  await mkdir(part, { mode: 0o700 });
  if (account) await chown(part, account.uid, account.gid);
  await rm(recordPath(dataFolder), { force: true });
  await writeFile(recordPath(dataFolder), `${folder}\n`, { mode: 0o600, flag: 'wx' });
  return part;
}

/** Deletes the two files of a server and the empty folders. Whatever else the account has put there stays. */
export async function removeSocketFolder(dataFolder: string): Promise<void> {
  const folder = readRecord(dataFolder);
  if (folder) {
    const part = socketPart(folder);
    for (const name of socketFiles) await unlink(join(part, name)).catch(() => undefined);
    for (const path of [part, folder]) await rmdir(path).catch(() => undefined);
  }
  await rm(recordPath(dataFolder), { force: true });
}
