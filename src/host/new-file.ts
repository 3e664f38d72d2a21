// Writes files that get their name when they are complete. An existing file is never replaced.
import { link, lstat, open, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { OperatorError } from '../errors/operator-error.ts';
import { createFolder } from './create-folder.ts';

export async function rejectExistingFile(file: string): Promise<void> {
  if (await lstat(file).catch(() => undefined))
    throw new OperatorError(`${file} exists, and is never replaced. Choose another name.`);
}

/** `write` writes a draft beside the file and syncs it to disk. A kill leaves the draft. Returns the size. */
export async function writeNewFile(file: string, write: (draft: string) => Promise<void>): Promise<number> {
  await createFolder(dirname(file));
  const draft = join(dirname(file), `.${basename(file)}.part-${process.pid}`);
  try {
    await write(draft);
    // link() never replaces a file. Some file systems have no links; there the name was free at the start.
    await link(draft, file).catch((error) => {
      if (error.code === 'EEXIST') throw new OperatorError(`${file} was created meanwhile, and is never replaced.`);
      return rename(draft, file);
    });
    const folder = await open(dirname(file));
    await folder.sync().finally(() => folder.close());
    return (await stat(file)).size;
  } finally {
    await rm(draft, { force: true });
  }
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

/** Explains errors of the file system to the operator. */
export function explainFileError(error: Error & { code?: string }, file: string): Error {
  if (!fileErrors.has(error.code ?? '')) return error;
  return new OperatorError(`${file} cannot be written: ${error.message}. Choose another place.`);
}
