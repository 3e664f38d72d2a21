// Backups that prune older ones, killed at any moment: no young backup and no other file is lost.
import assert from 'node:assert/strict';
import { createWriteStream } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import { checkArchive, openArchive, writeArchive } from '../src/backups/archive.ts';
import { backupName } from '../src/backups/prune.ts';
import { command } from './backup-command.ts';
import { random } from './seed.ts';

export interface PruneResult {
  runs: number;
  killed: number;
  deleted: number;
}

const dayMs = 86_400_000;
const unrelated = ['keys.json', 'patchbay-notes.txt', 'patchbay-2020-01-01T00-00-00Z.backup.gz'];

/** Copies a backup as one that was taken some days earlier. */
async function writeOlderBackup(source: string, folder: string, days: number): Promise<string> {
  const { header, entries } = await openArchive(source);
  const takenAt = new Date(Date.parse(header.takenAt) - days * dayMs);
  const name = backupName(takenAt);
  const content = writeArchive({ ...header, takenAt: takenAt.toISOString() }, entries, () => undefined);
  await pipeline(content, createGzip({ level: 1 }), createWriteStream(join(folder, name)));
  return name;
}

const listNames = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => /^patchbay-.*\.backup\.gz$/.test(name) && !unrelated.includes(name));

/** The backups of the folder with their age in days. Each file that has the name of a backup must be complete. */
async function listBackups(folder: string): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (const name of await listNames(folder)) {
    const archive = await openArchive(join(folder, name));
    await checkArchive(archive);
    found.set(name, (Date.now() - Date.parse(archive.header.takenAt)) / dayMs);
  }
  return found;
}

/**
 * Kills backups that prune, at any moment. A backup that is younger than the limit is never deleted, an older one only
 * after a newer one is complete, and other files never. `keep` is 5d; the folder has backups of 1 to 9 days.
 */
export async function killPruning(home: string, data: string, runs: number): Promise<PruneResult> {
  const folder = join(home, 'pruned');
  await mkdir(folder);
  const args = [folder, '--keep', '5d', '--data', data];
  const result: PruneResult = { runs, killed: 0, deleted: 0 };
  const source = join(home, 'pruned.backup.gz');
  assert.equal((await command('backup', [source, '--data', data])).code, 0);
  for (const name of unrelated) await writeFile(join(folder, name), 'not a backup');
  for (let run = 0; run < runs; run++) {
    for (let days = 1; days <= 9; days += 2) await writeOlderBackup(source, folder, days + random.next() / 10);
    const before = await listBackups(folder);
    const { code } = await command('backup', args, async (isOver) => {
      const isPruning = async () => {
        const names = await listNames(folder);
        return [...before.keys()].some((name) => !names.includes(name));
      };
      // Half of the kills come at any time, half when the first backup is deleted.
      if (run % 2) while (!isOver() && !(await isPruning())) await pause(1);
      else await pause(random.next() * 2500);
    });
    if (code === null) result.killed++;
    const after = await listBackups(folder);
    const gone = [...before].filter(([name]) => !after.has(name));
    result.deleted += gone.length;
    for (const [name, days] of gone) assert.ok(days > 5, `${name} was deleted, but is only ${days} days old`);
    const isNew = [...after.keys()].some((name) => !before.has(name));
    if (gone.length) assert.ok(isNew, 'backups were deleted without a new one');
    for (const name of unrelated) assert.equal(await readFile(join(folder, name), 'utf8'), 'not a backup', name);
    // Young backups would stay, and every run reads all of them.
    for (const [name, days] of after) if (days < 5) await rm(join(folder, name));
  }
  const { code, output } = await command('backup', args);
  assert.equal(code, 0, output);
  for (const [name, days] of await listBackups(folder)) assert.ok(days < 5.01, `${name} was not deleted`);
  return result;
}
