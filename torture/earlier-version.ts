// An earlier version of the project, installed in a folder of its own.
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../test/harness/process.ts';

const run = promisify(execFile);

export interface EarlierVersion {
  folder: string;
  commit: string;
  remove(): Promise<void>;
}

/** Copies the files of a commit and installs its dependencies. */
export async function installEarlierVersion(revision: string): Promise<EarlierVersion> {
  const { stdout } = await run('git', ['rev-parse', '--short', '--verify', `${revision}^{commit}`], { cwd: root });
  const commit = stdout.trim();
  const folder = await mkdtemp(join(tmpdir(), 'pbearlier-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  try {
    const archive = join(folder, 'archive.tar');
    await run('git', ['archive', '--output', archive, commit], { cwd: root });
    await run('tar', ['-xf', archive, '-C', folder]);
    await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, maxBuffer: 2 ** 24 });
  } catch (error) {
    await remove();
    throw error;
  }
  return { folder, commit, remove };
}
