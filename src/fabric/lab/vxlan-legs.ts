// The place that legs lead through: two namespaces with one cable between them. Legs are made in the first one and put into their routers,
// so that no route of a customer can lead their packets astray; the relay is in the second.
import { rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createKeyedMutex } from '../../concurrency/keyed-mutex.ts';
import { type CommandRunner, endProcess, LabError, processOf } from './command-runner.ts';
import type { Leg } from './layout.ts';

/** What the relay holds: the other identifier, the delay and the loss, by identifier. */
export type RelayNamespaces = Map<number, { to: number; delayMs: number; lossPercent: number }>;

export interface Legs {
  /** The namespace in which the legs are made. */
  core: string;
  observe(): Promise<RelayNamespaces | undefined>;
  /** Makes sure that there is a place for legs, and that the relay holds these. */
  put(legs: Leg[]): Promise<void>;
  drop(vnis: number[]): Promise<void>;
  end(): Promise<void>;
}

export const underlay = { core: '198.19.255.1', relay: '198.19.255.2', port: '4789' };
const script = join(import.meta.dirname, 'delay-relay.ts');
const answerMs = 2000;

function tell(socket: string, told: object): Promise<RelayNamespaces> {
  return new Promise((resolve, reject) => {
    const connection = connect(socket, () => connection.write(`${JSON.stringify(told)}\n`));
    const fail = (reason: string) => {
      connection.destroy();
      reject(new LabError(`The relay of the legs does not answer: ${reason}`));
    };
    const timer = setTimeout(() => fail('in time'), answerMs);
    let text = '';
    connection.setEncoding('utf8');
    connection.on('data', (chunk: string) => {
      text += chunk;
      if (!text.endsWith('\n')) return;
      clearTimeout(timer);
      connection.destroy();
      const held = JSON.parse(text) as [number, number, number, number][];
      resolve(new Map(held.map(([vni, to, delayMs, lossPercent]) => [vni, { to, delayMs, lossPercent }])));
    });
    connection.on('error', (error) => {
      clearTimeout(timer);
      fail(error.message);
    });
  });
}

export function openLegs(
  machine: CommandRunner,
  names: { core: string; relay: string },
  folder: string,
  sockets: string,
  listNamespaces: () => Promise<Set<string>>,
): Legs {
  const socket = join(sockets, 'relay.ctl');
  const pidFile = join(folder, 'relay.pid');
  const pidOf = () => processOf(pidFile, pidFile);

  // All groups share the place: whoever builds or ends it does so alone.
  const inOrder = createKeyedMutex();
  const alone = <T>(work: () => Promise<T>): Promise<T> => inOrder(names.core, work);

  const isWhole = async (): Promise<boolean> => {
    const looks = [
      [names.core, underlay.core],
      [names.relay, underlay.relay],
    ].map(async ([name = '', own = '']) => {
      const text = await machine.run('ip', ['-n', name, '-j', 'addr', 'show', 'dev', 'under', 'up']);
      return text.includes(`"${own}"`);
    });
    return (await Promise.all(looks).catch(() => [false])).every(Boolean);
  };

  async function build(): Promise<void> {
    const there = await listNamespaces();
    if (there.has(names.core) && there.has(names.relay) && (await isWhole())) return;
    // A relay of before would be in a namespace that has only lost its name.
    const before = await pidOf();
    if (before) await endProcess(before);
    for (const name of [names.core, names.relay]) if (there.has(name)) await machine.run('ip', ['netns', 'del', name]);
    await machine.run(
      'ip',
      ['-batch', '-'],
      [
        `netns add ${names.core}`,
        `netns add ${names.relay}`,
        `link add under netns ${names.core} mtu 1600 type veth peer name under netns ${names.relay} mtu 1600`,
      ].join('\n'),
    );
    for (const [name, own] of [
      [names.core, underlay.core],
      [names.relay, underlay.relay],
    ] as const)
      await machine.run(
        'ip',
        ['-n', name, '-batch', '-'],
        `addr add ${own}/30 dev under\nlink set under up\nlink set lo up`,
      );
  }

  async function start(): Promise<void> {
    await build();
    if (await pidOf()) return;
    await rm(pidFile, { force: true });
    const words = [script, socket, pidFile, underlay.relay, underlay.core, underlay.port];
    machine.launch('ip', ['netns', 'exec', names.relay, process.execPath, ...words]);
    for (let look = 0; (await pidOf()) === undefined; look++) {
      if (look === 400) throw new LabError('The relay of the legs does not come up');
      await pause(10);
    }
  }

  return {
    core: names.core,
    async observe() {
      if ((await pidOf()) === undefined || !(await isWhole())) return undefined;
      return tell(socket, {}).catch(() => undefined);
    },
    async put(legs) {
      await alone(start);
      const put = legs.flatMap(({ ends: [a, b], delayMs, lossPercent }) => [
        [a.vni, b.vni, delayMs, lossPercent],
        [b.vni, a.vni, delayMs, lossPercent],
      ]);
      await tell(socket, { put });
    },
    async drop(vnis) {
      if (await pidOf()) await tell(socket, { drop: vnis });
    },
    end: () =>
      alone(async () => {
        const pid = await pidOf();
        if (pid) await endProcess(pid);
        for (const file of [socket, pidFile]) await rm(file, { force: true });
        const there = await listNamespaces();
        for (const name of [names.core, names.relay])
          if (there.has(name)) await machine.run('ip', ['netns', 'del', name]);
      }),
  };
}
