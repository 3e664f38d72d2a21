// The data directory of the embedded PostgreSQL: creation, version, owner and access rules.
import { once } from 'node:events';
import { chown, mkdir, readFile, rename, rmdir, stat, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { OperatorError } from '../errors/operator-error.ts';
import { accountName } from '../errors/system-errors.ts';
import { findUserName, isNobody, ownUserName, takeOverFromNobody } from './postgres-account.ts';
import {
  type Installation,
  lastLines,
  readPidFile,
  runScript,
  serves,
  spawnPostgres,
  stopProcess,
} from './postgres-process.ts';

const major = '18';

/** Deletes what a killed first start has left, with the rights of the account that it belongs to. */
async function removeDraft(installation: Installation, draft: string): Promise<void> {
  const found = await stat(draft).catch(() => undefined);
  if (!found) return;
  const account = installation.account && { name: '', uid: found.uid || installation.account.uid, gid: found.gid };
  await runScript({ ...installation, account }, draft, 'find . -mindepth 1 -delete');
  await rmdir(draft);
}

/** A new database has 45 MB. It needs room to grow, at least by some WAL segments of 16 MB. */
const neededMegabytes = 100;

/** On a full disk, initdb cannot even write its log. */
async function rejectFullDisk(folder: string): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const freeMegabytes = Math.floor((bavail * bsize) / 1e6);
  if (freeMegabytes < neededMegabytes)
    throw new OperatorError(
      `The embedded database needs ${neededMegabytes} MB, but the disk of ${folder} has ${freeMegabytes} MB free. ` +
        'Free some space, or choose another data folder with PATCHBAY_DATA.',
    );
}

/** Creates the cluster under another name and renames it when complete: a killed first start leaves no partial one. */
async function createCluster(installation: Installation): Promise<void> {
  const { cluster, log, account } = installation;
  const draft = `${cluster}.new`;
  await removeDraft(installation, draft);
  await rejectFullDisk(dirname(cluster));
  await mkdir(draft, { mode: 0o700 });
  if (account) await chown(draft, account.uid, account.gid);
  const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--encoding=UTF8'];
  const access = ['--username=patchbay', '--auth-local=peer', '--auth-host=reject'];
  const child = spawnPostgres(installation, draft, 'initdb', [...access, ...locale]);
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) {
    const reason = await lastLines(log);
    await removeDraft(installation, draft);
    throw new OperatorError(`The embedded database cannot be created in ${dirname(cluster)}:\n${reason}`);
  }
  await rename(draft, cluster);
}

const accessRules = `# Patchbay writes this file at each start.
local all         all peer map=patchbay
local replication all peer map=patchbay
`;

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** The user of the service may sign in, and root, who runs commands beside the service of another user. */
const userMap = (): string =>
  [...new Set([ownUserName(), 'root'])].map((name) => `patchbay ${quoted(name)} all\n`).join('');

const writeAccess =
  'umask 077 && printf %s "$2" >pg_ident.conf.new && mv -f pg_ident.conf.new pg_ident.conf && ' +
  'printf %s "$3" >pg_hba.conf.new && mv -f pg_hba.conf.new pg_hba.conf';

/** Written at each start, since the user may be another one, and clusters of earlier versions trust every user. */
async function writeAccessFiles(installation: Installation): Promise<void> {
  const { cluster, log } = installation;
  const code = await runScript(installation, cluster, writeAccess, userMap(), accessRules);
  if (code !== 0) throw new OperatorError(`The access rules in ${cluster} cannot be written:\n${await lastLines(log)}`);
}

async function stopOrphan(cluster: string, onStep: (step: string) => void): Promise<void> {
  const orphan = readPidFile(cluster);
  if (!orphan || !serves(orphan.pid, cluster)) return;
  onStep(`stopping the database server of a killed service (process ${orphan.pid})`);
  await stopProcess(orphan.pid, () => !serves(orphan.pid, cluster));
}

/** PostgreSQL runs only as the owner of its data directory. A cluster of nobody is taken over later. */
async function rejectOtherOwner({ cluster, account }: Installation): Promise<void> {
  const { uid } = await stat(cluster);
  const expected = account?.uid ?? process.getuid?.();
  if (uid === expected || expected === undefined || (account && (await isNobody(uid)))) return;
  const name = account?.name ?? accountName();
  throw new OperatorError(
    `The database in ${cluster} belongs to ${await findUserName(uid)}, but would run as ${name}. ` +
      (account
        ? `Give it to that account (chown -R ${name} ${cluster}), or set PATCHBAY_POSTGRES_ACCOUNT to its owner.`
        : `Start Patchbay as its owner, or give the data folder to ${name} (chown -R ${name} ${dirname(cluster)}).`),
  );
}

/** Creates the cluster, or checks its version and stops a server that still runs on it. */
export async function prepareCluster(installation: Installation, onStep: (step: string) => void): Promise<void> {
  const { cluster, account } = installation;
  if (!(await stat(cluster).catch(() => undefined))) {
    onStep('creating the embedded database');
    await createCluster(installation);
    return writeAccessFiles(installation);
  }
  await rejectOtherOwner(installation);
  const version = (await readFile(join(cluster, 'PG_VERSION'), 'utf8').catch(() => '')).trim();
  if (version !== major)
    throw new OperatorError(
      `The database in ${cluster} is of PostgreSQL ${version || 'an unknown version'}; this Patchbay embeds ${major}. ` +
        'Take a backup with the Patchbay that wrote it, and restore it into a new data folder.',
    );
  await stopOrphan(cluster, onStep);
  await takeOverFromNobody(cluster, account, onStep);
  await writeAccessFiles(installation);
}
