// A service whose embedded database is on a small tmpfs that is filled to the last byte. Either tables cannot grow, or
// the WAL cannot: then the database crashes, and cannot start until there is space.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { defaultPatience, start } from '../test/harness/process.ts';
import type { OutageTarget } from './database-outage.ts';
import { databaseUrlOf } from './helpers.ts';

const megabytes = 512;
/** As many WAL segments of 16 MB as fit on the disk. */
const walSegments = megabytes / 16;

/** Why a small disk cannot be mounted here, or undefined. */
export const lacksSmallDisk = (): string | undefined =>
  process.getuid?.() === 0 ? undefined : 'only root can mount a tmpfs';

/** Fills the disk, with large blocks first and small ones after. */
async function fillDisk(file: string): Promise<void> {
  const handle = await open(file, 'a');
  try {
    for (const size of [2 ** 20, 2 ** 12])
      for (let isFull = false; !isFull; )
        await handle.write(Buffer.alloc(size)).catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'ENOSPC') throw error;
          isFull = true;
        });
  } finally {
    await handle.close();
  }
}

/** Switches WAL segments until there is no space for another and the database crashes. */
async function exhaustWal(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  const switchSegment = async (): Promise<void> => {
    await client.query(`select pg_logical_emit_message(false, 'patchbay', 'filling')`);
    await client.query('select pg_switch_wal()');
  };
  let isCrashed = false;
  for (let count = 0; count < walSegments && !isCrashed; count++)
    await switchSegment().catch(() => {
      isCrashed = true;
    });
  await client.end().catch(() => undefined);
  assert.ok(isCrashed, 'the WAL still finds space');
}

export async function openSmallDisk(): Promise<OutageTarget> {
  const home = await mkdtemp(join(tmpdir(), 'pbdisk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', home]);
  const unmount = async (): Promise<void> => {
    execFileSync('umount', ['--lazy', home]);
    await rm(home, { recursive: true, force: true });
  };
  const data = join(home, 'data');
  const ballast = join(home, 'ballast');
  try {
    return {
      running: await start(data, { args: defaultPatience }),
      faults: ['no space for tables', 'no space for the WAL'],
      durationMs: (_, random) => 1500 + random.below(4000),
      async setFault(fault) {
        if (fault === 'none') return rm(ballast, { force: true });
        await fillDisk(ballast);
        if (fault === 'no space for the WAL') await exhaustWal(databaseUrlOf(data));
      },
      close: unmount,
    };
  } catch (error) {
    await unmount();
    throw error;
  }
}
