// One data folder, one process. The lock names its holder, so that a refused start can say who runs, and so that a lock
// left behind by a killed process is recognised and taken over.
import { existsSync, readFileSync } from 'node:fs';
import { link, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { OperatorError } from '../errors/operator-error.ts';

interface Holder {
  pid: number;
  /** When that process started, in the kernel's own count: process ids come round again. */
  born: string;
  since: string;
}

/** The kernel's start time of a living process (no zombie), or undefined. Where there is no /proc, any process lives. */
export function processBirth(pid: number): string | undefined {
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

const lockOf = (folder: string): string => join(folder, 'patchbay.lock');

const unfinishedOf = (folder: string): string => join(folder, 'restore-unfinished');

/** Until it is told that the restore has ended, nothing starts on this folder. */
export async function markRestore(folder: string, backup: string): Promise<() => Promise<void>> {
  await writeFile(unfinishedOf(folder), `${backup}\n`, { mode: 0o600, flush: true });
  return () => rm(unfinishedOf(folder), { force: true });
}

/** A restore that was killed may have left an empty database, which is not what anybody expects here. */
export async function rejectUnfinishedRestore(folder: string): Promise<void> {
  const backup = await readFile(unfinishedOf(folder), 'utf8').catch(() => undefined);
  if (backup !== undefined)
    throw new OperatorError(
      `A restore of ${backup.trim()} into ${folder} was begun and has not ended well. Run npm run restore again; ` +
        `or, to go on with what is here, remove ${unfinishedOf(folder)}.`,
    );
}

const parseHolder = (text: string): Holder | undefined => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const living = (lock: string): Holder | undefined => {
  const holder = parseHolder(lock);
  return holder && processBirth(holder.pid) === holder.born ? holder : undefined;
};

/** The living process that holds the lock of the folder, if one does. Nothing is taken. */
export const holderOf = async (folder: string): Promise<Holder | undefined> =>
  living(await readFile(lockOf(folder), 'utf8').catch(() => ''));

/** Makes the folder and takes its lock; answers how to give it back. */
export async function lockDataFolder(folder: string): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch((error) => {
    throw new OperatorError(
      `The data folder ${folder} cannot be made: ${error.message}. Choose another with PATCHBAY_DATA.`,
    );
  });
  const lock = lockOf(folder);
  const mine: Holder = { pid: process.pid, born: processBirth(process.pid) ?? '', since: new Date().toISOString() };
  const draft = `${lock}.${process.pid}`;
  await writeFile(draft, JSON.stringify(mine));
  try {
    for (let attempt = 0; attempt < 20; attempt++) {
      // A hard link is made whole or not at all, and only where none is: the file system decides who is first.
      const made = await link(draft, lock).then(
        () => true,
        (error) => (error.code === 'EEXIST' ? false : Promise.reject(error)),
      );
      if (made)
        return async () => {
          await rm(lock, { force: true });
        };
      const found = await readFile(lock, 'utf8').catch(() => '');
      const holder = living(found);
      if (holder)
        throw new OperatorError(
          `Patchbay already runs on the data folder ${folder}: process ${holder.pid}, since ${holder.since}. ` +
            'Stop it first, or choose another folder with PATCHBAY_DATA.',
        );
      const stale = `${lock}.stale.${process.pid}`;
      await rename(lock, stale).catch(() => undefined);
      // Another start may have replaced the stale lock between reading and moving it: then it is given back.
      if ((await readFile(stale, 'utf8').catch(() => found)) !== found) await link(stale, lock).catch(() => undefined);
      await rm(stale, { force: true });
    }
    throw new OperatorError(`The lock ${lock} changes hands too quickly. Is something starting Patchbay in a loop?`);
  } finally {
    await rm(draft, { force: true });
  }
}
