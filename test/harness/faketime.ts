// Processes whose clock is set while they run: Debian's libfaketime, told by a file. Only the time of day is set; what measures how long something takes
// goes on as it was.
import { globSync } from 'node:fs';
import { chmod, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasDebianPostgres } from './debian-postgres.ts';

/** Also a PostgreSQL that is started with it. */
export const faketimePackages = ['faketime', 'postgresql'];
const library = (): string | undefined => globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')[0];
export const hasFaketime = (): boolean => library() !== undefined && hasDebianPostgres();

export interface FakeClock {
  /** What a process is started with. */
  env: Record<string, string>;
  /** How far it is ahead of the machine's. */
  readonly offsetMs: number;
  setOffset(milliseconds: number): Promise<void>;
}

/** In a folder that whoever is started may read. */
export async function createFakeClock(folder: string, name: string, aheadMs = 0): Promise<FakeClock> {
  const file = join(folder, name);
  let known = aheadMs;
  const setAhead = async (milliseconds: number): Promise<void> => {
    known = milliseconds;
    // Whoever reads it meanwhile finds the whole of the one or of the other.
    await writeFile(`${file}.new`, `${milliseconds < 0 ? '' : '+'}${(milliseconds / 1000).toFixed(6)}\n`);
    await chmod(`${file}.new`, 0o644);
    await rename(`${file}.new`, file);
  };
  await setAhead(aheadMs);
  return {
    env: {
      LD_PRELOAD: library() ?? '',
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_NO_CACHE: '1',
      // As older and newer releases call it.
      DONT_FAKE_MONOTONIC: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    get offsetMs() {
      return known;
    },
    setOffset: setAhead,
  };
}
