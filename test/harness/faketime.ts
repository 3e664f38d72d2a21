// Changes the wall clock of running processes with Debian's libfaketime, controlled by a file. Monotonic clocks are not
// affected.
import { globSync } from 'node:fs';
import { chmod, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasDebianPostgres } from './debian-postgres.ts';

/** With a PostgreSQL server that can run under it. */
export const faketimePackages = ['faketime', 'postgresql'];
const library = (): string | undefined => globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')[0];
export const hasFaketime = (): boolean => library() !== undefined && hasDebianPostgres();

export interface FakeClock {
  /** The environment that a process needs. */
  env: Record<string, string>;
  /** Milliseconds ahead of the machine's clock. */
  readonly offsetMs: number;
  setOffset(milliseconds: number): Promise<void>;
}

/** The processes must be able to read the folder. */
export async function createFakeClock(folder: string, name: string, initialMs = 0): Promise<FakeClock> {
  const file = join(folder, name);
  let offsetMs = 0;
  const setOffset = async (milliseconds: number): Promise<void> => {
    offsetMs = milliseconds;
    // The rename is atomic: a reader sees the old or the new content.
    await writeFile(`${file}.new`, `${milliseconds < 0 ? '' : '+'}${(milliseconds / 1000).toFixed(6)}\n`);
    await chmod(`${file}.new`, 0o644);
    await rename(`${file}.new`, file);
  };
  await setOffset(initialMs);
  return {
    env: {
      LD_PRELOAD: library() ?? '',
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      // The names in older and newer releases.
      DONT_FAKE_MONOTONIC: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    get offsetMs() {
      return offsetMs;
    },
    setOffset,
  };
}
