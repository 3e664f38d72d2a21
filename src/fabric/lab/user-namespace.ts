// The user namespace of a lab that runs without root. A small process holds it, and outlives the service.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { argumentsOf, isAlive, killProcess, processOf } from './processes.ts';
import { environment, execute, type Program, unsupported } from './programs.ts';

const hasUserMapping = (pid: number): boolean => {
  try {
    return readFileSync(`/proc/${pid}/uid_map`, 'utf8').trim() !== '' && existsSync(`/proc/${pid}/ns/net`);
  } catch {
    return false;
  }
};

export class UserNamespace {
  readonly #programs: Record<Program, string>;
  readonly #pidFile: string;
  readonly #fifo: string;
  #pid = 0;
  #starting: Promise<number> | undefined;

  constructor(programs: Record<Program, string>, folder: string) {
    this.#programs = programs;
    this.#pidFile = join(folder, 'agent.pid');
    this.#fifo = join(folder, 'agent');
  }

  get pid(): number {
    return this.#pid;
  }

  /** Starts another holder when the last one has ended; concurrent callers share one start. */
  async ensure(): Promise<void> {
    if (this.#isHeld()) return;
    this.#starting ??= this.#findOrStart().finally(() => {
      this.#starting = undefined;
    });
    this.#pid = await this.#starting;
  }

  /** The command line that runs a program inside the namespace. */
  enter(file: string, args: string[]): [string, string[]] {
    return this.#enterOf(this.#pid, file, args);
  }

  async end(): Promise<void> {
    if (this.#isHeld()) await killProcess(this.#pid);
    await rm(this.#pidFile, { force: true });
  }

  #enterOf(pid: number, file: string, args: string[]): [string, string[]] {
    const options = ['-t', String(pid), '-U', '-m', '-n', '--preserve-credentials', '--'];
    return [this.#programs.nsenter, [...options, file, ...args]];
  }

  #isHeld(): boolean {
    return argumentsOf(this.#pid).includes(this.#fifo);
  }

  async #findOrStart(): Promise<number> {
    const running = await processOf(this.#pidFile, this.#fifo);
    if (running) return running;
    // Reading a FIFO without a writer blocks for ever without using CPU time.
    await rm(this.#fifo, { force: true });
    await execute('mkfifo', '/usr/bin/mkfifo', [this.#fifo]);
    const args = ['-Urnm', '--', '/usr/bin/tail', '-f', this.#fifo];
    const child = spawn(this.#programs.unshare, args, { detached: true, stdio: 'ignore', env: environment });
    child.on('error', () => undefined);
    child.unref();
    const { pid } = child;
    for (let attempt = 0; pid && attempt < 400; attempt++) {
      if (argumentsOf(pid)[0]?.endsWith('tail') && hasUserMapping(pid)) {
        // `ip netns` needs a writable /run.
        const [file, words] = this.#enterOf(pid, this.#programs.mount, ['-t', 'tmpfs', 'tmpfs', '/run']);
        await execute('mount', file, words);
        // Written last, so that a restarted service finds only a complete namespace.
        await writeFile(this.#pidFile, String(pid));
        return pid;
      }
      if (!isAlive(pid)) break;
      await pause(5);
    }
    throw unsupported(
      'this user may not create a user namespace ' +
        '(as root: sysctl kernel.unprivileged_userns_clone=1, or start the service as root)',
    );
  }
}
