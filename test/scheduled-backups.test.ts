// npm run backup on a schedule: --check, --keep, the recorded time of the last backup, and the systemd units.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createWriteStream, readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { after, test } from 'node:test';
import { createGzip } from 'node:zlib';
import { openArchive, writeArchive } from '../src/backups/archive.ts';
import { backupName } from '../src/backups/prune.ts';
import { command } from '../torture/backup-command.ts';
import { hasProgram } from './harness/debian-packages.ts';
import { root } from './harness/process.ts';
import { startFixture } from './harness/service.ts';

const home = await mkdtemp(join(tmpdir(), 'pbscheduled-'));
const f = await startFixture();
after(async () => {
  await f.close();
  await rm(home, { recursive: true, force: true });
});
const of = ['--data', f.data, '--database-url', f.databaseUrl];
const source = join(home, 'source.backup.gz');
const dayMs = 86_400_000;

async function lastBackup(): Promise<{ at: string; bytes: number; checked: boolean } | undefined> {
  const { rows } = await f.owner.query(`select value from service_facts where name = 'last backup'`);
  return rows[0] && JSON.parse(rows[0].value);
}

/** Copies the first backup as one that was taken earlier, of this or of another service. */
async function addBackup(folder: string, daysAgo: number, fingerprint?: string): Promise<string> {
  const { header, entries } = await openArchive(source);
  const takenAt = new Date(Date.now() - daysAgo * dayMs);
  const keys = { ...header.keys, ...(fingerprint ? { fingerprint } : {}) };
  const content = writeArchive({ ...header, keys, takenAt: takenAt.toISOString() }, entries, () => undefined);
  const name = backupName(takenAt);
  await pipeline(content, createGzip({ level: 1 }), createWriteStream(join(folder, name)));
  return name;
}

/** A folder with backups of several ages and files that must never be deleted. */
async function prepareFolder(name: string) {
  const folder = join(home, name);
  await mkdir(folder);
  const old = [await addBackup(folder, 15), await addBackup(folder, 400)];
  const young = [await addBackup(folder, 1), await addBackup(folder, 13.9)];
  const foreign = await addBackup(folder, 100, 'another service');
  const noBackup = 'patchbay-2020-01-01T00-00-00Z.backup.gz';
  const unrelated = ['patchbay-old.backup.gz', 'notes.txt', noBackup];
  for (const file of unrelated) await writeFile(join(folder, file), 'not a backup');
  await symlink(join(folder, old[0] ?? ''), join(folder, 'patchbay-2021-01-01T00-00-00Z.backup.gz'));
  for (const file of [...unrelated, ...old]) await utimes(join(folder, file), 0, 0);
  return { folder, old, young, foreign, noBackup, kept: [...young, ...unrelated, foreign] };
}

test('a backup records its time and size where the service finds them, and whether it was checked', async () => {
  assert.equal(await lastBackup(), undefined);
  const before = Date.now();
  assert.equal((await command('backup', [source, ...of])).code, 0);
  const first = await lastBackup();
  assert.ok(first);
  assert.ok(Date.parse(first.at) >= before && Date.parse(first.at) <= Date.now(), first.at);
  assert.deepEqual([first.bytes, first.checked], [(await readFile(source)).length, false]);
  const { code, output } = await command('backup', [join(home, 'checked.gz'), '--check', ...of]);
  assert.equal(code, 0, output);
  assert.match(output, /rows of \d+ tables, [\d.]+ MB, as of .*, checked\./);
  assert.equal((await lastBackup())?.checked, true);
});

test('--keep deletes only old backups of the same service, and says what it deleted and what it left', async () => {
  const { folder, old, foreign, noBackup, kept } = await prepareFolder('kept');
  const staleDraft = '.patchbay-2020-01-01T00-00-00Z.backup.gz.part-4';
  const freshDraft = '.patchbay-2020-01-02T00-00-00Z.backup.gz.part-5';
  for (const draft of [staleDraft, freshDraft]) await writeFile(join(folder, draft), 'half');
  await utimes(join(folder, staleDraft), 0, 0);
  const before = new Set(await readdir(folder));
  const { code, output } = await command('backup', [`${folder}/`, '--keep', '14d', '--check', ...of]);
  assert.equal(code, 0, output);
  const names = await readdir(folder);
  const added = names.filter((name) => !before.has(name));
  assert.equal(added.length, 1);
  assert.deepEqual([...before].filter((name) => !names.includes(name)).sort(), [staleDraft, ...old].sort());
  for (const name of [...kept, freshDraft]) assert.ok(names.includes(name), name);
  for (const name of old) assert.match(output, new RegExp(`Deleted ${name}, [\\d.]+ MB`));
  assert.ok(output.includes(`Left ${foreign} alone: it is a backup of another service`), output);
  assert.match(output, new RegExp(`Left ${noBackup} alone: .* cannot be decompressed`));
  assert.match(output, /has 3 backups of this service, [\d.]+ MB/);
});

test('a backup that fails exits with 1, leaves no file, deletes nothing and is not recorded', async () => {
  const { folder } = await prepareFolder('failed');
  const [names, recorded] = [await readdir(folder), await lastBackup()];
  const unreachable = ['--data', f.data, '--database-url', 'postgresql://127.0.0.1:9/none'];
  const gone = await command('backup', [folder, '--keep', '1d', ...unreachable]);
  assert.equal(gone.code, 1);
  assert.match(gone.output, /^ .*\nNo backup was made\.\nThe database cannot be reached/);
  const notAFolder = await command('backup', [join(folder, 'one.gz'), '--keep', '1d', ...of]);
  assert.equal(notAFolder.code, 1);
  assert.match(notAFolder.output, /--keep needs a folder of backups/);
  for (const age of ['0d', '14', 'x', '2y']) {
    const { code, output } = await command('backup', [folder, '--keep', age, ...of]);
    assert.equal(code, 1);
    assert.match(output, /--keep is ".*", but must be a number of hours, days or weeks such as 48h, 14d or 8w/);
  }
  assert.deepEqual(await readdir(folder), names);
  assert.deepEqual(await lastBackup(), recorded);
});

test('systemd accepts the units in examples/', async (t) => {
  const units = readdirSync(join(root, 'examples')).filter((name) => /\.(service|timer)$/.test(name));
  assert.ok(units.includes('patchbay-backup.service') && units.includes('patchbay-backup.timer'));
  const unit = readFileSync(join(root, 'examples/patchbay-backup.service'), 'utf8');
  assert.match(unit, /^ExecStart=\S+\/node src\/commands\/backup\.ts \/var\/backups\/patchbay\/ --keep 14d --check$/m);
  if (!hasProgram('systemd-analyze'))
    return t.diagnostic('systemd-analyze is not installed: the units were not verified');
  const folder = await mkdtemp(join(home, 'units-'));
  for (const name of units) {
    const text = readFileSync(join(root, 'examples', name), 'utf8');
    // systemd-analyze wants the program to exist.
    await writeFile(join(folder, name), text.replaceAll('/opt/patchbay/node_modules/.bin/node', process.execPath));
  }
  for (const name of units) {
    const { status, stderr } = spawnSync('systemd-analyze', ['verify', join(folder, name)], { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
  }
});
