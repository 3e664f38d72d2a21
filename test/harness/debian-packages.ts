// Installs Debian packages for the tests when they are missing and we may.
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const can = (command: string): boolean =>
  ['/usr/bin/', '/bin/', '/usr/local/bin/'].some((folder) => existsSync(folder + command));

/** Whether a program of a package is installed, also where only root looks by itself. */
export const hasProgram = (name: string): boolean =>
  ['/usr/bin/', '/usr/sbin/', '/bin/', '/sbin/'].some((folder) => existsSync(folder + name));

/** Makes sure that packages are there; answers why they are not, or undefined. */
export async function ensureDebianPackages(names: string[], isThere: () => boolean): Promise<string | undefined> {
  if (isThere()) return undefined;
  const name = names.join(' ');
  if (!can('apt-get')) return `${name} is not installed, and there is no apt-get to install it with`;
  const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  const apt = (...args: string[]) => {
    const [command = '', ...rest] = [...sudo, 'apt-get', ...args];
    execFileSync(command, rest, {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      timeout: 300_000,
    });
  };
  console.log(`installing ${name} …`);
  try {
    apt('update', '-q');
    apt('install', '-q', '-y', '--no-install-recommends', ...names);
  } catch (error) {
    return `${name} could not be installed (as root: apt-get install ${name}): ${(error as Error).message.split('\n')[0]}`;
  }
  return isThere() ? undefined : `${name} was installed and yet is not there`;
}
