import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import packageJson from '../../package.json' with { type: 'json' };
import { buildInfo, readCommit } from './build-info.ts';

const home = await mkdtemp(join(tmpdir(), 'pbbuild-'));
after(() => rm(home, { recursive: true, force: true }));
const clone = join(home, 'clone');
const git = (folder: string, ...args: string[]): string =>
  execFileSync('git', ['-C', folder, '-c', 'user.name=t', '-c', 'user.email=t@t.example', ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim();
const shortHead = (folder: string): string => git(folder, 'rev-parse', '--short=7', 'HEAD');

test('the version is that of package.json, and the commit is known or said to be unknown', () => {
  assert.equal(buildInfo.version, packageJson.version);
  assert.match(buildInfo.commit, /^([0-9a-f]{7,40}|unknown)$/);
});

test('a clone reports the commit that is checked out: branch, packed branch, detached, worktree', () => {
  git(home, 'init', '-q', '-b', 'main', clone);
  git(clone, 'commit', '-q', '--allow-empty', '-m', 'one');
  assert.equal(readCommit(clone), shortHead(clone));
  git(clone, 'pack-refs', '--all');
  assert.equal(readCommit(clone), shortHead(clone));
  git(clone, 'commit', '-q', '--allow-empty', '-m', 'two');
  assert.equal(readCommit(clone), shortHead(clone));
  const worktree = join(home, 'worktree');
  git(clone, 'worktree', 'add', '-q', '-b', 'other', worktree, 'HEAD~1');
  assert.equal(readCommit(worktree), shortHead(worktree));
  assert.notEqual(readCommit(worktree), readCommit(clone));
  git(clone, 'checkout', '-q', '--detach');
  assert.equal(readCommit(clone), shortHead(clone));
});

test('a release reports the commit of its build.json', async () => {
  await writeFile(join(clone, 'build.json'), '{"commit":"abc1234"}\n');
  assert.equal(readCommit(clone), 'abc1234');
});

test('a folder without Git and without build.json has an unknown commit', () => {
  assert.equal(readCommit(join(home, 'nowhere')), 'unknown');
});
