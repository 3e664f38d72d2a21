// Deletes the old backups in a folder. A file is deleted only if npm run backup named it, if its header says that it is
// a backup of the same service, and if it is old enough; the backup that was just checked always stays.
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../errors/operator-error.ts';
import { type ArchiveHeader, readArchiveHeader } from './archive.ts';

export const backupName = (takenAt: Date): string =>
  `patchbay-${takenAt.toISOString().slice(0, 19).replaceAll(':', '-')}Z.backup.gz`;
const ownName = /^patchbay-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.backup\.gz$/;

/** What a killed backup leaves (host/new-file.ts). */
const ownDraft = /^\.patchbay-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.backup\.gz\.part-\d+$/;

/** The backup that was just written and checked. */
export interface NewBackup {
  name: string;
  header: ArchiveHeader;
}

export interface PrunedFile {
  name: string;
  bytes: number;
}

export interface PruneResult {
  deleted: PrunedFile[];
  /** The backups of the service that stay, the new one included. */
  left: PrunedFile[];
  /** Files with the name of a backup that stay because they are not a backup of this service, with the reason. */
  skipped: { name: string; reason: string }[];
}

const unitMs = { h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 };

/** Parses an age such as 14d. */
export function parseAge(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,4})([hdw])$/.exec(text) ?? [];
  if (!count || Number(count) === 0)
    throw new OperatorError(
      `--keep is ${JSON.stringify(text)}, but must be a number of hours, days or weeks such as 48h, 14d or 8w.`,
    );
  return Number(count) * unitMs[unit as keyof typeof unitMs];
}

/** Why a file is not a backup of this service, or when it was taken. */
async function inspect(file: string, newest: ArchiveHeader): Promise<{ reason: string } | { takenAtMs: number }> {
  try {
    const header = await readArchiveHeader(file);
    if (header.keys.fingerprint !== newest.keys.fingerprint) return { reason: 'it is a backup of another service' };
    const takenAtMs = Date.parse(header.takenAt);
    return Number.isNaN(takenAtMs) ? { reason: 'it does not say when it was taken' } : { takenAtMs };
  } catch (error) {
    return { reason: (error as Error).message };
  }
}

/**
 * Deletes the backups that are more than `keepMs` older than the new one, oldest first, and drafts of killed backups of
 * that age. Each deletion is complete in itself: a kill leaves only files that the next run deletes.
 */
export async function pruneBackups(
  folder: string,
  { name: newName, header }: NewBackup,
  keepMs: number,
): Promise<PruneResult> {
  const result: PruneResult = { deleted: [], left: [], skipped: [] };
  const oldestMs = Date.parse(header.takenAt) - keepMs;
  for (const name of (await readdir(folder)).sort()) {
    if (!ownName.test(name) && !ownDraft.test(name)) continue;
    const file = join(folder, name);
    const found = await lstat(file).catch(() => undefined);
    // Only regular files: a link may lead anywhere.
    if (!found?.isFile()) continue;
    const backup = ownName.test(name) ? await inspect(file, header) : { takenAtMs: found.mtimeMs };
    if ('reason' in backup) result.skipped.push({ name, reason: backup.reason });
    else if (name !== newName && backup.takenAtMs < oldestMs) {
      await rm(file, { force: true });
      result.deleted.push({ name, bytes: found.size });
    } else if (ownName.test(name)) result.left.push({ name, bytes: found.size });
  }
  return result;
}
