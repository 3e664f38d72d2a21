// The folder of a lab: who owns it, and where its control sockets are.
import { chmod, lstat, mkdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LabError } from './programs.ts';

/** The kernel limits paths of Unix sockets to 107 bytes. */
const maxSocketPath = 100;

/** A folder for control sockets: the lab's own, or a short one in the temporary folder when its path is too long. */
export async function openSocketFolder(folder: string, instance: string): Promise<string> {
  if (join(folder, 'r999999999.ctl').length < maxSocketPath) return folder;
  const short = join(tmpdir(), `patchbay-lab-${instance}`);
  await mkdir(short, { recursive: true, mode: 0o700 });
  const found = await lstat(short);
  if (!found.isDirectory() || found.uid !== process.getuid?.())
    throw new LabError(`${short} is no folder of this user: remove it`);
  await chmod(short, 0o700);
  return short;
}

/** Checks that this user owns the lab; the service creates a missing one. Returns whether the lab existed before. */
export async function claimLabFolder(folder: string, mayCreate: boolean): Promise<boolean> {
  const file = join(folder, 'keeper');
  const uid = String(process.getuid?.());
  const owner = await readFile(file, 'utf8').catch(() => undefined);
  if (owner !== undefined && owner !== uid)
    throw new LabError(`The lab in ${folder} belongs to user ${owner}, and this is user ${uid}: become that user`);
  if (owner === undefined && !mayCreate)
    throw new LabError(`There is no lab in ${folder}: set PATCHBAY_DATA to the data folder of the service`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if (owner === undefined) await writeFile(file, uid);
  return owner !== undefined;
}
