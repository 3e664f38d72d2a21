// The BIRD daemons of the lab's nodes. They outlive the service; a restarted service finds them by their pid files.
import { readFile, readlink, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { sendCommand } from './bird-control.ts';
import type { CommandRunner } from './command-runner.ts';
import { routerName } from './identifiers.ts';
import { type Protocol, parseProtocols } from './parsers.ts';
import { killProcess, processOf } from './processes.ts';
import { LabError } from './programs.ts';

interface NodeFiles {
  configuration: string;
  socket: string;
  pid: string;
  /** BIRD's time of the last reconfiguration by this service. */
  loaded: string;
}

export class BirdDaemons {
  readonly #runner: CommandRunner;
  readonly #folder: string;
  readonly #socketFolder: string;

  constructor(runner: CommandRunner, folder: string, socketFolder: string) {
    this.#runner = runner;
    this.#folder = folder;
    this.#socketFolder = socketFolder;
  }

  /** The configuration file of a node; undefined when there is none. */
  configurationOf(node: string): Promise<string | undefined> {
    return readFile(this.#files(node).configuration, 'utf8').catch(() => undefined);
  }

  pidOf(node: string): Promise<number | undefined> {
    const { pid, configuration } = this.#files(node);
    return processOf(pid, configuration);
  }

  async isRunning(node: string, namespace: string): Promise<boolean> {
    return (await this.#pidIn(node, namespace)) !== undefined;
  }

  /** Whether another party has reloaded the configuration since this service did. */
  async isReloaded(node: string): Promise<boolean> {
    const expected = await readFile(this.#files(node).loaded, 'utf8').catch(() => '');
    return (await this.#lastReconfiguration(node)) !== expected;
  }

  /** Sends a command to the running daemon and returns the lines of its reply. */
  query(node: string, command: string): Promise<string[]> {
    return sendCommand(this.#files(node).socket, command);
  }

  /** The protocols of a router by name; undefined when its daemon does not answer. */
  async protocolsOf(router: number): Promise<Map<string, Protocol> | undefined> {
    const lines = await this.query(routerName(router), 'show protocols all').catch(() => undefined);
    return lines && new Map(parseProtocols(lines).map((protocol) => [protocol.name, protocol]));
  }

  /** Makes the daemon of a node run with a configuration, whatever its state was before. */
  async ensure(node: string, namespace: string, configuration: string): Promise<void> {
    const files = this.#files(node);
    const draft = `${files.configuration}.draft`;
    await writeFile(draft, configuration, { mode: 0o600 });
    await rename(draft, files.configuration);
    if (!(await this.isRunning(node, namespace))) await this.#restart(node, namespace);
    else
      try {
        await this.query(node, 'configure');
        // Restarts protocols that were disabled by hand or by a limit.
        await this.query(node, 'enable all');
      } catch {
        await this.#restart(node, namespace);
      }
    await writeFile(files.loaded, await this.#lastReconfiguration(node));
  }

  async end(node: string): Promise<void> {
    await this.#kill(node);
    for (const file of Object.values(this.#files(node))) await rm(file, { force: true });
  }

  #files(node: string): NodeFiles {
    return {
      configuration: join(this.#folder, `${node}.conf`),
      socket: join(this.#socketFolder, `${node}.ctl`),
      pid: join(this.#folder, `${node}.pid`),
      loaded: join(this.#folder, `${node}.loaded`),
    };
  }

  /** The process, if it runs in this namespace. A namespace that was recreated under its name is another one. */
  async #pidIn(node: string, namespace: string): Promise<number | undefined> {
    const pid = await this.pidOf(node);
    if (pid === undefined) return undefined;
    const identity = await readlink(`/proc/${pid}/ns/net`).catch(() => '');
    return identity === this.#runner.identityOf(namespace) ? pid : undefined;
  }

  async #lastReconfiguration(node: string): Promise<string> {
    const lines = await this.query(node, 'show status');
    return lines.find((line) => line.startsWith('Last reconfiguration')) ?? '';
  }

  async #kill(node: string): Promise<void> {
    const pid = await this.pidOf(node);
    if (pid) await killProcess(pid);
  }

  async #restart(node: string, namespace: string): Promise<void> {
    await this.#kill(node);
    const { configuration, socket, pid } = this.#files(node);
    await rm(socket, { force: true });
    const command = ['bird', '-c', configuration, '-s', socket, '-P', pid];
    await this.#runner.run('ip', ['netns', 'exec', namespace, ...command]);
    // The command returns when BIRD has gone to the background; its socket opens a little later.
    for (let attempt = 0; ; attempt++) {
      if (await this.query(node, 'show status').then(Boolean, () => false)) return;
      if (attempt === 200) throw new LabError(`BIRD of ${node} does not start`);
      await pause(5);
    }
  }
}
