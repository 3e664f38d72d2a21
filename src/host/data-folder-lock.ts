// A lock file that gives one process exclusive use of the data folder. It names its holder, so that a second start can
// report it and a stale lock of a killed process can be replaced.
import { existsSync, readFileSync } from 'node:fs';
import { link, readFile, rename, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../errors/operator-error.ts';
import { describeFileError } from '../errors/system-errors.ts';
import { createFolder } from './create-folder.ts';

interface LockHolder {
  pid: number;
  /** The process's start time in clock ticks since boot, since process ids are reused. */
  born: string;
  since: string;
}

/** The start time of a running process (not a zombie), or undefined. Without /proc: 'unknown' for any process. */
export function processStartTime(pid: number): string | undefined {
  if (existsSync('/proc/self/stat')) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ');
      return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
    } catch {
      return undefined;
    }
  }
  try {
    process.kill(pid, 0);
    return 'unknown';
  } catch {
    return undefined;
  }
}

const lockPath = (folder: string): string => join(folder, 'patchbay.lock');

const restoreMarkPath = (folder: string): string => join(folder, 'restore-unfinished');

/** Prevents starts on this folder until the returned function removes the mark. */
export async function markRestoreStarted(folder: string, backup: string): Promise<() => Promise<void>> {
  await writeFile(restoreMarkPath(folder), `${backup}\n`, { mode: 0o600, flush: true });
  return () => rm(restoreMarkPath(folder), { force: true });
}

/** Refuses to start after a killed restore, which may have left an empty database. */
export async function rejectUnfinishedRestore(folder: string): Promise<void> {
  const backup = await readFile(restoreMarkPath(folder), 'utf8').catch(() => undefined);
  if (backup !== undefined)
    throw new OperatorError(
      `A restore of ${backup.trim()} into ${folder} was started and did not complete. Run npm run restore again; ` +
        `or, to use the database as it is, remove ${restoreMarkPath(folder)}.`,
    );
}

const parseLock = (text: string): LockHolder | undefined => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const runningHolder = (lock: string): LockHolder | undefined => {
  const holder = parseLock(lock);
  return holder && processStartTime(holder.pid) === holder.born ? holder : undefined;
};

/** The running process that holds the folder's lock, if any. */
export const findLockHolder = async (folder: string): Promise<LockHolder | undefined> =>
  runningHolder(await readFile(lockPath(folder), 'utf8').catch(() => ''));

async function takeLock(folder: string): Promise<() => Promise<void>> {
  const lock = lockPath(folder);
  const own: LockHolder = {
    pid: process.pid,
    born: processStartTime(process.pid) ?? '',
    since: new Date().toISOString(),
  };
  const draft = `${lock}.${process.pid}`;
  try {
    await writeFile(draft, JSON.stringify(own));
    for (let attempt = 0; attempt < 20; attempt++) {
      // Creating a hard link is atomic and fails when the name exists, so exactly one process succeeds.
      const isTaken = await link(draft, lock).then(
        () => true,
        (error) => (error.code === 'EEXIST' ? false : Promise.reject(error)),
      );
      if (isTaken)
        return async () => {
          await rm(lock, { force: true });
        };
      const found = await readFile(lock, 'utf8').catch(() => '');
      const holder = runningHolder(found);
      if (holder)
        throw new OperatorError(
          `Patchbay already runs on the data folder ${folder}: process ${holder.pid}, since ${holder.since}. ` +
            'Stop it first, or choose another folder with PATCHBAY_DATA.',
        );
      const stale = `${lock}.stale.${process.pid}`;
      await rename(lock, stale).catch(() => undefined);
      // Another start may have replaced the stale lock before the rename: then restore that start's lock.
      if ((await readFile(stale, 'utf8').catch(() => found)) !== found) await link(stale, lock).catch(() => undefined);
      await rm(stale, { force: true });
    }
    throw new OperatorError(`The lock ${lock} keeps changing. Check whether something starts Patchbay in a loop.`);
  } finally {
    await rm(draft, { force: true });
  }
}

/** Creates the folder and takes its lock. Resolves to the function that releases it. */
export async function lockDataFolder(folder: string): Promise<() => Promise<void>> {
  const created = await createFolder(folder).catch((error) => {
    throw new OperatorError(
      `The data folder ${folder} cannot be created: ${describeFileError(error)}. Choose another with PATCHBAY_DATA.`,
    );
  });
  // A start that fails leaves no empty folder behind.
  const removeCreated = async (): Promise<void> => {
    for (const path of created.toReversed()) await rmdir(path).catch(() => undefined);
  };
  try {
    const release = await takeLock(folder);
    return async () => {
      await release();
      await removeCreated();
    };
  } catch (error) {
    await removeCreated();
    if (error instanceof OperatorError) throw error;
    throw new OperatorError(
      `The data folder ${folder} cannot be written: ${describeFileError(error as NodeJS.ErrnoException)}. ` +
        'Correct this, or choose another with PATCHBAY_DATA.',
    );
  }
}
