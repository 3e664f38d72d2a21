// The account that runs the embedded PostgreSQL, which refuses to run as root. Root needs an unprivileged account for it,
// and not nobody, which other services share.
import { execFile } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { userInfo } from 'node:os';
import { promisify } from 'node:util';
import { OperatorError } from '../errors/operator-error.ts';

const run = promisify(execFile);

export interface Account {
  name: string;
  uid: number;
  gid: number;
}

const ownAccount = 'patchbay';
const usableAccounts = [ownAccount, 'postgres'];
/** The id of nobody where the system does not name it. */
const usualNobody = 65534;

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

/** The name of a user, or its number where it has none. */
export async function findUserName(uid: number): Promise<string> {
  return run('id', ['-un', String(uid)]).then(
    ({ stdout }) => stdout.trim(),
    () => String(uid),
  );
}

const findNobody = async (): Promise<number> => (await findAccount('nobody'))?.uid ?? usualNobody;

export const isNobody = async (uid: number): Promise<boolean> => uid === (await findNobody());

async function createAccount(onStep: (step: string) => void): Promise<Account> {
  onStep(`creating the system account ${ownAccount} for the embedded database`);
  const folders = ['--no-create-home', '--home-dir', '/nonexistent', '--shell', '/usr/sbin/nologin'];
  const env = { ...process.env, PATH: `${process.env.PATH ?? ''}:/usr/sbin:/sbin` };
  const failure = await run('useradd', ['--system', '--user-group', ...folders, ownAccount], { env }).then(
    () => '',
    (error: Error) => error.message.trim(),
  );
  // A concurrent start may have created it first.
  const account = await findAccount(ownAccount);
  if (account) return account;
  throw new OperatorError(
    'Started by root, the embedded database needs an unprivileged account, and none could be created ' +
      `(${failure}). Create one (useradd --system --user-group ${ownAccount}) or set PATCHBAY_POSTGRES_ACCOUNT.`,
  );
}

/** When started by root: the configured account, the cluster's owner, patchbay or postgres, or else a new one. */
export async function chooseAccount(
  configured: string | undefined,
  cluster: string,
  onStep: (step: string) => void,
): Promise<Account | undefined> {
  if (!startedByRoot()) return undefined;
  const nobody = await findNobody();
  if (configured) {
    const account = await findAccount(configured);
    if (!account || account.uid === nobody)
      throw new OperatorError(
        `PATCHBAY_POSTGRES_ACCOUNT is ${JSON.stringify(configured)}, but must be an account other than root and ` +
          `nobody. Create one: useradd --system --user-group ${ownAccount}`,
      );
    return account;
  }
  const owner = await stat(cluster).catch(() => undefined);
  if (owner?.uid && owner.uid !== nobody)
    return { name: await findUserName(owner.uid), uid: owner.uid, gid: owner.gid };
  for (const name of usableAccounts) {
    const account = await findAccount(name);
    if (account) return account;
  }
  return createAccount(onStep);
}

/**
 * Gives a cluster that an earlier version ran as nobody to the account. `--from` leaves alone whatever nobody has
 * linked into the cluster but does not own. The top folder is changed last, so that an interrupted run is repeated.
 */
export async function takeOverFromNobody(
  cluster: string,
  account: Account | undefined,
  onStep: (step: string) => void,
): Promise<void> {
  if (!account) return;
  const nobody = await findNobody();
  if ((await stat(cluster)).uid !== nobody) return;
  onStep(`giving the embedded database from nobody to ${account.name}`);
  const options = ['--recursive', '--no-dereference', `--from=${nobody}`];
  await run('chown', [...options, `${account.uid}:${account.gid}`, cluster]).catch((error: Error) => {
    throw new OperatorError(
      `The database in ${cluster} belongs to nobody, and could not be given to ${account.name} ` +
        `(${error.message.trim()}). Run: chown -R ${account.uid}:${account.gid} ${cluster}`,
    );
  });
}

/** The name by which the database server knows this process on its socket. */
export function ownUserName(): string {
  try {
    return userInfo().username;
  } catch {
    throw new OperatorError(
      `The user id ${process.getuid?.()} has no name on this system, by which the embedded database recognises the ` +
        'service. Add the user to /etc/passwd, or set DATABASE_URL to a PostgreSQL server.',
    );
  }
}
