// The underlay of the VXLAN legs: two namespaces, core and relay, with one cable between them. Legs are created in the
// core and moved to their routers, so that no customer route can divert their packets. The relay process runs in the
// other namespace.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createKeyedMutex } from '../../concurrency/keyed-mutex.ts';
import type { CommandRunner } from './command-runner.ts';
import { underlay } from './identifiers.ts';
import type { Leg } from './layout.ts';
import { killProcess, processOf } from './processes.ts';
import { LabError } from './programs.ts';
import { type ForwardingTable, type RelayRequest, requestRelay } from './relay-client.ts';

export interface LegsOptions {
  runner: CommandRunner;
  /** Names of the two namespaces. */
  core: string;
  relay: string;
  folder: string;
  socketFolder: string;
  listNamespaces: () => Promise<Set<string>>;
}

const script = join(import.meta.dirname, 'delay-relay.ts');

export class VxlanLegs {
  /** The namespace in which legs are created. */
  readonly core: string;
  readonly #relay: string;
  readonly #runner: CommandRunner;
  readonly #listNamespaces: () => Promise<Set<string>>;
  readonly #socket: string;
  readonly #pidFile: string;
  readonly #mutex = createKeyedMutex();

  constructor({ runner, core, relay, folder, socketFolder, listNamespaces }: LegsOptions) {
    this.core = core;
    this.#relay = relay;
    this.#runner = runner;
    this.#listNamespaces = listNamespaces;
    this.#socket = join(socketFolder, 'relay.ctl');
    this.#pidFile = join(folder, 'relay.pid');
  }

  /** The relay's forwarding table; undefined when the underlay does not work. */
  async observe(): Promise<ForwardingTable | undefined> {
    if ((await this.#pid()) === undefined || !(await this.#isUnderlayUp())) return undefined;
    return this.#request({}).catch(() => undefined);
  }

  /** Starts the relay if necessary and adds these legs to its forwarding table. */
  async add(legs: Leg[]): Promise<void> {
    await this.#exclusively(() => this.#start());
    const put = legs.flatMap(({ ends: [a, b], delayMs, lossPercent }): RelayRequest['put'] & object => [
      [a.vni, b.vni, delayMs, lossPercent],
      [b.vni, a.vni, delayMs, lossPercent],
    ]);
    await this.#request({ put });
  }

  async remove(vnis: number[]): Promise<void> {
    if (await this.#pid()) await this.#request({ drop: vnis });
  }

  /** Ends the relay and removes both namespaces. */
  async end(): Promise<void> {
    await this.#exclusively(async () => {
      await this.#killRelay();
      for (const file of [this.#socket, this.#pidFile]) await rm(file, { force: true });
      await this.#removeNamespaces(await this.#listNamespaces());
    });
  }

  /** All groups share the underlay: only one caller at a time creates or removes it. */
  #exclusively(work: () => Promise<void>): Promise<void> {
    return this.#mutex(this.core, work);
  }

  #pid(): Promise<number | undefined> {
    return processOf(this.#pidFile, this.#pidFile);
  }

  #request(request: RelayRequest): Promise<ForwardingTable> {
    return requestRelay(this.#socket, request);
  }

  #ends(): [namespace: string, address: string][] {
    return [
      [this.core, underlay.core],
      [this.#relay, underlay.relay],
    ];
  }

  async #isUnderlayUp(): Promise<boolean> {
    const checks = this.#ends().map(async ([namespace, address]) => {
      const text = await this.#runner.run('ip', ['-n', namespace, '-j', 'addr', 'show', 'dev', 'under', 'up']);
      return text.includes(`"${address}"`);
    });
    return (await Promise.all(checks).catch(() => [false])).every(Boolean);
  }

  async #start(): Promise<void> {
    await this.#createUnderlay();
    if (await this.#pid()) return;
    await rm(this.#pidFile, { force: true });
    const args = [script, this.#socket, this.#pidFile, underlay.relay, underlay.core, underlay.port];
    this.#runner.launch('ip', ['netns', 'exec', this.#relay, process.execPath, ...args]);
    for (let attempt = 0; (await this.#pid()) === undefined; attempt++) {
      if (attempt === 400) throw new LabError('The relay of the legs does not start');
      await pause(10);
    }
  }

  async #createUnderlay(): Promise<void> {
    const { core } = this;
    const relay = this.#relay;
    const present = await this.#listNamespaces();
    if (present.has(core) && present.has(relay) && (await this.#isUnderlayUp())) return;
    // A running relay would keep a namespace alive that has lost its name.
    await this.#killRelay();
    await this.#removeNamespaces(present);
    await this.#runner.batch('ip', undefined, [
      `netns add ${core}`,
      `netns add ${relay}`,
      `link add under netns ${core} mtu 1600 type veth peer name under netns ${relay} mtu 1600`,
    ]);
    for (const [namespace, address] of this.#ends())
      await this.#runner.batch('ip', namespace, [
        `addr add ${address}/30 dev under`,
        'link set under up',
        'link set lo up',
      ]);
  }

  async #killRelay(): Promise<void> {
    const pid = await this.#pid();
    if (pid) await killProcess(pid);
  }

  async #removeNamespaces(present: Set<string>): Promise<void> {
    for (const [namespace] of this.#ends())
      if (present.has(namespace)) await this.#runner.run('ip', ['netns', 'del', namespace]);
  }
}
