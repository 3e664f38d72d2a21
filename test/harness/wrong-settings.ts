// Starts the service, or a command, with a wrong setting, and records what an operator would see.
import { execFileSync } from 'node:child_process';
import { chown, mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openCertificate } from '../../src/http/server/certificate.ts';
import { launch } from './process.ts';

export interface WrongSetting {
  /** What is wrong, as the name of the test. */
  what: string;
  env?: Record<string, string>;
  args?: string[];
  /** A command instead of the service. */
  script?: string;
  wrapper?: string[];
  /** Prepares the data folder, which does not exist otherwise. */
  prepare?: (data: string) => Promise<void>;
  /** The data folder where its place is what is wrong. */
  data?: string;
  /** What is printed after the first line; DATA is the data folder. */
  expected: string | RegExp;
  /** Some 20 times as long as on an idle machine, unless the row says otherwise. */
  withinSeconds?: number;
}

export interface Refusal {
  code: number | null;
  signal: string | null;
  output: string;
  seconds: number;
}

export async function startWith(setting: WrongSetting, data: string, withinSeconds: number): Promise<Refusal> {
  const { env = {}, args = [], script, wrapper } = setting;
  const started = performance.now();
  const { child, exited, output } = launch(data, {
    env,
    args,
    ...(script && { script }),
    ...(wrapper && { wrapper }),
  });
  const late = setTimeout(() => child.kill('SIGKILL'), withinSeconds * 1000);
  const { code, signal } = await exited;
  clearTimeout(late);
  return { code, signal, output: output(), seconds: (performance.now() - started) / 1000 };
}

/** Every path below the folder with its size and time; undefined if there is none. Folders change with their files. */
export async function snapshot(folder: string): Promise<string[] | undefined> {
  const names = await readdir(folder, { recursive: true }).catch(() => undefined);
  if (!names) return undefined;
  const lines = names.sort().map(async (name) => {
    const found = await stat(join(folder, name));
    return found.isDirectory() ? `${name}/` : `${name} ${found.size} ${found.mtimeMs}`;
  });
  return Promise.all(lines);
}

/** Runs a program as user 1, who may read everything: a clone in root's home too. */
export const asOrdinaryUser = [
  'setpriv',
  '--reuid=1',
  '--regid=1',
  '--clear-groups',
  '--inh-caps=+dac_read_search',
  '--ambient-caps=+dac_read_search',
];

/** What looks like a cluster of another account or version. */
export async function plantCluster(data: string, uid: number, version = '18'): Promise<void> {
  const cluster = join(data, 'postgres');
  await mkdir(cluster, { recursive: true, mode: 0o700 });
  await writeFile(join(cluster, 'PG_VERSION'), `${version}\n`);
  await chown(cluster, uid, uid);
}

/** Mounts a small disk. The returned function unmounts it. */
export async function mountDisk(folder: string, options: string): Promise<() => void> {
  await mkdir(folder);
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder]);
  return () => void execFileSync('umount', ['--lazy', folder]);
}

/** A CA and a certificate of it for this machine, with the private key. */
export async function makeCertificate(folder: string): Promise<{ ca: string; cert: string; key: string }> {
  await mkdir(folder);
  const options = { dataFolder: folder, host: '127.0.0.1', certFile: undefined, keyFile: undefined };
  const { authorityFile = '' } = await openCertificate({ ...options, onStep: () => undefined });
  const place = dirname(authorityFile);
  return { ca: authorityFile, cert: join(place, 'server.pem'), key: join(place, 'server.key') };
}
