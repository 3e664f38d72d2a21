// Runs the commands of the lab: directly as root, or inside a user namespace. Arguments are arrays, and batches consist
// of lines whose values identifiers.ts checked; there is never a shell.
import { spawn } from 'node:child_process';
import { statSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createSemaphore } from '../../concurrency/semaphore.ts';
import { environment, execute, findPrograms, type Program, tryExecute } from './programs.ts';
import { UserNamespace } from './user-namespace.ts';

/** Limit of concurrently running programs. */
const concurrency = 6;

export async function forEachConcurrently<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const withPermit = createSemaphore(concurrency);
  await Promise.all([...items].map((item) => withPermit(() => work(item))));
}

export class CommandRunner {
  readonly #programs: Record<Program, string>;
  /** Undefined as root. */
  readonly #userNamespace: UserNamespace | undefined;

  private constructor(programs: Record<Program, string>, userNamespace: UserNamespace | undefined) {
    this.#programs = programs;
    this.#userNamespace = userNamespace;
  }

  static async open(folder: string): Promise<CommandRunner> {
    const isRoot = process.getuid?.() === 0;
    const programs = findPrograms(isRoot);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const userNamespace = isRoot ? undefined : new UserNamespace(programs, folder);
    await userNamespace?.ensure();
    return new CommandRunner(programs, userNamespace);
  }

  /** Runs a program to its end and returns its standard output; throws a LabError when it fails. */
  async run(program: Program, args: string[], input?: string): Promise<string> {
    await this.#userNamespace?.ensure();
    const [file, words] = this.#commandLine(program, args);
    return execute(program, file, words, input);
  }

  /** Runs a program whose exit status is a result; returns what it printed on both outputs. */
  async attempt(program: Program, args: string[]): Promise<{ succeeded: boolean; text: string }> {
    await this.#userNamespace?.ensure();
    return tryExecute(...this.#commandLine(program, args));
  }

  /** Runs lines of `ip -batch` or `tc -batch`, in a network namespace if one is given. */
  async batch(program: 'ip' | 'tc', namespace: string | undefined, lines: string[]): Promise<void> {
    if (lines.length === 0) return;
    const inNamespace = namespace === undefined ? [] : ['-n', namespace];
    await this.run(program, [...inNamespace, '-batch', '-'], `${lines.join('\n')}\n`);
  }

  /** Starts a detached program that outlives the service. */
  launch(program: Program, args: string[]): void {
    const child = spawn(...this.#commandLine(program, args), { detached: true, stdio: 'ignore', env: environment });
    child.on('error', () => undefined);
    child.unref();
  }

  /** Identity of a network namespace, as /proc/PID/ns/net shows it; undefined when there is none of this name. */
  identityOf(namespace: string): string | undefined {
    const root = this.#userNamespace ? `/proc/${this.#userNamespace.pid}/root` : '/';
    try {
      return `net:[${statSync(join(root, 'run/netns', namespace)).ino}]`;
    } catch {
      return undefined;
    }
  }

  describe(): string {
    return this.#userNamespace ? `in a user namespace held by process ${this.#userNamespace.pid}` : 'as root';
  }

  /** Releases the user namespace; the caller has removed everything in it. */
  async end(): Promise<void> {
    await this.#userNamespace?.end();
  }

  #commandLine(program: Program, args: string[]): [string, string[]] {
    const file = this.#programs[program];
    return this.#userNamespace ? this.#userNamespace.enter(file, args) : [file, args];
  }
}
