// The programs that the lab fabric runs: where they are, which packages hold them, and how one is executed. Never
// through a shell.
import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

const packages = {
  ip: 'iproute2',
  tc: 'iproute2',
  bird: 'bird2',
  fping: 'fping',
  traceroute: 'traceroute',
  ethtool: 'ethtool',
  unshare: 'util-linux',
  nsenter: 'util-linux',
  mount: 'mount',
  sysctl: 'procps',
} as const;
export type Program = keyof typeof packages;

const onlyWithoutRoot: Program[] = ['unshare', 'nsenter', 'mount'];

const folders = ['/usr/sbin', '/usr/bin', '/sbin', '/bin', '/usr/local/sbin', '/usr/local/bin'];

/** The sbin folders are missing in an ordinary user's PATH, and the parsers expect untranslated output. */
export const environment = { PATH: folders.join(':'), LC_ALL: 'C' };

const timeoutMs = 10_000;

export class LabError extends Error {}

export const unsupported = (reason: string): LabError => new LabError(`The lab fabric cannot work here: ${reason}`);

function find(program: Program): string | undefined {
  return folders
    .map((folder) => join(folder, program))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK);
        return true;
      } catch {
        return false;
      }
    });
}

/** Paths of all programs; fails with the list of missing Debian packages. */
export function findPrograms(isRoot: boolean): Record<Program, string> {
  if (process.platform !== 'linux') throw unsupported(`it needs Linux, and this is ${process.platform}`);
  const needed = (Object.keys(packages) as Program[]).filter((name) => !isRoot || !onlyWithoutRoot.includes(name));
  const paths = needed.map((name) => [name, find(name)] as const);
  const missing = paths.filter(([, path]) => path === undefined).map(([name]) => name);
  if (missing.length) {
    const names = [...new Set(missing.map((name) => packages[name]))];
    throw unsupported(`${missing.join(', ')} missing (Debian: apt-get install ${names.join(' ')})`);
  }
  return Object.fromEntries(paths) as Record<Program, string>;
}

/** Runs a program to its end and returns its standard output; throws the first lines of its error output. */
export function execute(name: string, file: string, args: string[], input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { timeout: timeoutMs, maxBuffer: 2 ** 24, env: environment };
    const child = execFile(file, args, options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      const message = stderr.trim().split('\n').slice(0, 3).join('; ') || error.message;
      reject(new LabError(`${name}: ${message}`));
    });
    child.stdin?.on('error', () => undefined);
    child.stdin?.end(input);
  });
}

/** Runs a program whose exit status is a result; returns what it printed on both outputs. */
export function tryExecute(file: string, args: string[]): Promise<{ succeeded: boolean; text: string }> {
  const options = { timeout: timeoutMs, maxBuffer: 2 ** 20, env: environment };
  return new Promise((resolve) =>
    execFile(file, args, options, (error, stdout, stderr) =>
      resolve({ succeeded: !error, text: `${stdout}${stderr}` }),
    ),
  );
}
