// A service whose embedded database lies on a small disk of its own, which is filled to the last byte: either there is no room for more rows, or the journal
// has none to go on, of which the database dies, and cannot start until there is some.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { findRunningUrl } from '../src/store/embedded-postgres.ts';
import { defaultPatience, start } from '../test/harness/process.ts';
import type { Ground } from './database-outage.ts';

const megabytes = 512;
/** As many journal files, of 16 MB each, as could lie ready there. */
const journals = megabytes / 16;

/** Why there cannot be such a disk here, if there cannot. */
export const lacksSmallDisk = (): string | undefined =>
  process.getuid?.() === 0 ? undefined : 'a disk of its own is mounted by root alone';

/** Takes all there is, by large pieces and then by small ones. */
async function fillUp(file: string): Promise<void> {
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

/** Begins new journal files until there is no room for one, of which the database dies. */
async function exhaustJournal(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  const begin = async (): Promise<void> => {
    await client.query(`select pg_logical_emit_message(false, 'patchbay', 'filling')`);
    await client.query('select pg_switch_wal()');
  };
  let isDead = false;
  for (let count = 0; count < journals && !isDead; count++)
    await begin().catch(() => {
      isDead = true;
    });
  await client.end().catch(() => undefined);
  assert.ok(isDead, 'the journal still finds room');
}

export async function openSmallDisk(): Promise<Ground> {
  const home = await mkdtemp(join(tmpdir(), 'pbdisk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', home]);
  const clear = async (): Promise<void> => {
    execFileSync('umount', ['--lazy', home]);
    await rm(home, { recursive: true, force: true });
  };
  const data = join(home, 'data');
  const ballast = join(home, 'ballast');
  try {
    return {
      running: await start(data, { args: defaultPatience }),
      troubles: ['no room for rows', 'no room for the journal'],
      lastsMs: (_, dice) => 1500 + dice.below(4000),
      async become(trouble) {
        if (trouble === 'none') return rm(ballast, { force: true });
        await fillUp(ballast);
        if (trouble === 'no room for the journal') await exhaustJournal(findRunningUrl(data) ?? '');
      },
      close: clear,
    };
  } catch (error) {
    await clear();
    throw error;
  }
}
