// Ways to harm a lab that stands, as people and machines do it: behind the driver's back.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { daemonsOf, flagOf, isBird, namespaceOf, networkOf, run } from './lab-inspector.ts';
import type { Picture } from './lab-snapshot.ts';
import { oneOf } from './race-fixture.ts';

export interface Connector {
  id: string;
  number: number;
  router: number;
}

export interface Scene {
  data: string;
  connectors: Connector[];
  links: { id: string; from: number; to: number }[];
  /** The routers and far ends: r12, f57. */
  names: string[];
  before: Picture;
}

/** Does harm in a namespace; answers undefined when there is nothing of the sort. */
type Harm = (scene: Scene, name: string) => Promise<unknown>;

const birdIn = async (data: string, name: string) => {
  const network = networkOf(await namespaceOf(data, name));
  const bird = daemonsOf(data).find((daemon) => isBird(daemon) && daemon.network === network);
  return bird ?? assert.fail(`there is no BIRD in ${name}`);
};

const killBird: Harm = async ({ data }, name) => process.kill((await birdIn(data, name)).pid, 'SIGKILL');

interface Device {
  ifname: string;
  linkinfo?: { info_kind?: string };
}

/** Some interface of this kind there. */
async function deviceIn({ data }: Scene, name: string, kind: 'veth' | 'vxlan'): Promise<[string, string] | undefined> {
  const namespace = await namespaceOf(data, name);
  const devices: Device[] = JSON.parse(await run('ip', '-n', namespace, '-j', '-d', 'link'));
  const device = oneOf(devices.filter(({ linkinfo }) => linkinfo?.info_kind === kind));
  return device && [namespace, device.ifname];
}

const toDevice =
  (kind: 'veth' | 'vxlan', ...[program, ...words]: [string, ...string[]]): Harm =>
  async (scene, name) => {
    const [namespace, device] = (await deviceIn(scene, name, kind)) ?? [];
    if (!namespace || !device) return undefined;
    return run(program, '-n', namespace, ...words.map((word) => (word === 'DEVICE' ? device : word)));
  };

const deleteRule: Harm = async ({ data }, name) => {
  const namespace = await namespaceOf(data, name);
  const rules: { priority: number }[] = JSON.parse(await run('ip', '-n', namespace, '-j', 'rule'));
  // The kernel's own three are nobody's.
  const rule = oneOf(rules.filter(({ priority }) => ![0, 32766, 32767].includes(priority)));
  return rule && run('ip', '-n', namespace, 'rule', 'delete', 'priority', String(rule.priority));
};

const toShaper =
  (...words: string[]): Harm =>
  async ({ data }, name) => {
    const namespace = await namespaceOf(data, name);
    const queues: { kind: string; dev: string }[] = JSON.parse(await run('tc', '-n', namespace, '-j', 'qdisc'));
    const shaped = oneOf(queues.filter(({ kind }) => kind === 'tbf'));
    if (!shaped) return undefined;
    const [action = '', ...rest] = words;
    return run('tc', '-n', namespace, 'qdisc', action, 'dev', shaped.dev, 'root', ...rest);
  };

const overwriteConfiguration: Harm = async ({ data }, name) => {
  const bird = await birdIn(data, name);
  await writeFile(flagOf(bird, '-c'), 'router id 192.0.2.99;\nprotocol device {}\n');
  return run('birdc', '-s', flagOf(bird, '-s'), 'configure');
};

const disableSession: Harm = async ({ data }, name) => {
  const control = flagOf(await birdIn(data, name), '-s');
  const lines = (await run('birdc', '-s', control, 'show', 'protocols')).split('\n');
  const session = oneOf(lines.map((line) => line.split(/\s+/)).filter(([, protocol]) => protocol === 'BGP'))?.[0];
  return session && run('birdc', '-s', control, 'disable', session);
};

const killRelay: Harm = async ({ data }) => {
  const relay = daemonsOf(data).find((daemon) => !isBird(daemon));
  return relay && process.kill(relay.pid, 'SIGKILL');
};

const onRouter = ({ names }: Scene): string => oneOf(names.filter((name) => name.startsWith('r'))) ?? '';
const onFarEnd = ({ names }: Scene): string => oneOf(names.filter((name) => name.startsWith('f'))) ?? '';
const anywhere = ({ names }: Scene): string => oneOf(names) ?? '';

export type Drift = [what: string, where: (scene: Scene) => string, harm: Harm];

export const deaths: Drift[] = [
  ['BIRD of a router killed', onRouter, killBird],
  ['BIRD of a far end killed', onFarEnd, killBird],
];

export const drifts: Drift[] = [
  ['cable deleted', onRouter, toDevice('veth', 'ip', 'link', 'delete', 'DEVICE')],
  ['cable set down', anywhere, toDevice('veth', 'ip', 'link', 'set', 'DEVICE', 'down')],
  ['address flushed', anywhere, toDevice('veth', 'ip', '-4', 'address', 'flush', 'dev', 'DEVICE')],
  ['rule deleted', onRouter, deleteRule],
  ['shaper deleted', onRouter, toShaper('delete')],
  ['shaper changed', onRouter, toShaper('replace', 'tbf', 'rate', '7mbit', 'burst', '32kbit', 'latency', '40ms')],
  ['leg deleted', onRouter, toDevice('vxlan', 'ip', 'link', 'delete', 'DEVICE')],
  [
    'namespace of a router deleted',
    onRouter,
    async ({ data }, name) => run('ip', 'netns', 'delete', await namespaceOf(data, name)),
  ],
  [
    'namespace of a far end deleted',
    onFarEnd,
    async ({ data }, name) => run('ip', 'netns', 'delete', await namespaceOf(data, name)),
  ],
  ['configuration overwritten', anywhere, overwriteConfiguration],
  ['session disabled', onRouter, disableSession],
  ['relay killed', () => 'relay', killRelay],
];
