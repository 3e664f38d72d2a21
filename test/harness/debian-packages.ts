// Installs missing Debian packages for the tests, if this user may.
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

const hasCommand = (command: string): boolean =>
  ['/usr/bin/', '/bin/', '/usr/local/bin/'].some((folder) => existsSync(folder + command));

/** Also searches the folders that are only on root's PATH. */
export const hasProgram = (name: string): boolean =>
  ['/usr/bin/', '/usr/sbin/', '/bin/', '/sbin/'].some((folder) => existsSync(folder + name));

const sudo = process.getuid?.() === 0 ? [] : ['sudo', '-n'];

/** Stops the daemon that a package may have started when it was installed. The service stays enabled. */
export function stopDaemon(name: string): void {
  const [command = '', ...args] = [...sudo, 'service', name, 'stop'];
  // Fails where the package started nothing.
  spawnSync(command, args, { stdio: 'ignore', timeout: 60_000 });
}

/** Installs packages unless the check passes. Returns why they are missing, or undefined. */
export async function ensureDebianPackages(names: string[], isInstalled: () => boolean): Promise<string | undefined> {
  if (isInstalled()) return undefined;
  const name = names.join(' ');
  if (!hasCommand('apt-get')) return `${name} is not installed, and there is no apt-get to install it with`;
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
    const [reason] = (error as Error).message.split('\n');
    return `${name} could not be installed (as root: apt-get install ${name}): ${reason}`;
  }
  return isInstalled() ? undefined : `${name} was installed, but its programs were not found`;
}
