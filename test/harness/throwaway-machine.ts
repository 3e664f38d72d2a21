// A copy of this machine that can be changed at will: an overlay over its root folder, with processes, /run and /tmp of
// its own. Everything disappears with the process that holds it, so a test that installs packages leaves no trace.
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

export interface ThrowawayMachine {
  /** Runs a shell script. A failure is an outcome, not an exception. */
  sh(script: string, ...args: string[]): Promise<Outcome>;
  /** Starts a shell script and leaves it running. */
  start(script: string): ChildProcess;
  /** Copies a file of the real machine. */
  copyIn(file: string, target: string): Promise<void>;
  close(): Promise<void>;
}

// The root folder of the copy. It is mounted in a namespace of its own, so that the name is free on the real machine.
const machineRoot = '/mnt/machine';

const hold = `set -e
mount -t tmpfs tmpfs /mnt
mkdir /mnt/upper /mnt/work ${machineRoot}
mount -t overlay overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work ${machineRoot}
cd ${machineRoot}
mount -t proc proc proc
mount --rbind /dev dev
mount -t tmpfs tmpfs dev/shm
mount -t tmpfs tmpfs run
mount -t tmpfs -o mode=1777 tmpfs tmp
echo ready
exec sleep infinity`;

const namespaces = ['--mount', '--pid', '--fork', '--kill-child', '--propagation', 'private'];

/** Why there can be no such copy here, or undefined. */
export async function lacksThrowawayMachine(): Promise<string | undefined> {
  if (process.getuid?.() !== 0) return 'only root can mount a copy of the machine';
  const test = hold.replace('exec sleep infinity', 'exit 0');
  const failure = await run('unshare', [...namespaces, 'sh', '-c', test]).catch((error: Error) => error);
  return failure instanceof Error
    ? `a copy of the machine cannot be mounted (${failure.message.split('\n')[1]})`
    : undefined;
}

async function findChild(pid: number | undefined): Promise<string> {
  const [child] = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).split(' ');
  if (!child) throw new Error('The process that holds the copy of the machine has ended.');
  return child;
}

export async function openThrowawayMachine(): Promise<ThrowawayMachine> {
  const holder = spawn('unshare', [...namespaces, 'sh', '-c', hold], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(holder, 'exit');
  await Promise.race([once(holder.stdout, 'data'), ended]);
  const inside = ['--target', await findChild(holder.pid), '--mount', '--pid'];
  const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';
  const shell = [...inside, 'chroot', machineRoot, 'env', '-i', `PATH=${path}`, 'HOME=/root', 'sh', '-c'];
  const close = async (): Promise<void> => {
    // SIGKILL, because --kill-child acts when unshare itself dies.
    holder.kill('SIGKILL');
    await ended;
  };
  return {
    sh: (script, ...args) =>
      run('nsenter', [...shell, script, 'sh', ...args], { maxBuffer: 2 ** 26 }).then(
        (output) => ({ code: 0, ...output }),
        ({ code, stdout, stderr }) => ({ code, stdout, stderr }),
      ),
    start: (script) => spawn('nsenter', [...shell, script], { stdio: ['ignore', 'pipe', 'pipe'] }),
    copyIn: async (file, target) => void (await run('nsenter', [...inside, 'cp', file, `${machineRoot}${target}`])),
    close,
  };
}
