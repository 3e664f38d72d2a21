// The version and commit of this program. A release contains build.json; in a clone, Git's own files name the commit.
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import packageJson from '../../package.json' with { type: 'json' };

const packageRoot = join(import.meta.dirname, '..', '..');
const shortLength = 7;

const readText = (...path: string[]): string | undefined => {
  try {
    return readFileSync(join(...path), 'utf8').trim();
  } catch {
    return undefined;
  }
};

function readBuildFile(folder: string): string | undefined {
  try {
    const { commit } = JSON.parse(readText(folder, 'build.json') ?? '{}');
    return typeof commit === 'string' && commit ? commit : undefined;
  } catch {
    return undefined;
  }
}

/** The commit that is checked out, read without starting git: it may be missing, and refuses folders of other users. */
function readGitCommit(folder: string): string | undefined {
  // In a linked worktree, .git is a file that names the folder, and branches are in the main repository.
  const link = /^gitdir: (.+)$/m.exec(readText(folder, '.git') ?? '')?.[1];
  const git = link ? resolve(folder, link) : join(folder, '.git');
  const common = resolve(git, readText(git, 'commondir') ?? '.');
  const head = readText(git, 'HEAD');
  const ref = head && /^ref: (.+)$/.exec(head)?.[1];
  const packed = () => new RegExp(`^([0-9a-f]+) ${ref}$`, 'm').exec(readText(common, 'packed-refs') ?? '')?.[1];
  const commit = ref ? (readText(common, ref) ?? packed()) : head;
  return commit && /^[0-9a-f]{40,64}$/.test(commit) ? commit.slice(0, shortLength) : undefined;
}

/** The commit of the program in this folder, or `unknown`. */
export const readCommit = (folder: string): string => readBuildFile(folder) ?? readGitCommit(folder) ?? 'unknown';

export const buildInfo = { version: packageJson.version, commit: readCommit(packageRoot) };
