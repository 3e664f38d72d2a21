// Faults of a deployed lab that its driver does not know of.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { pick } from './helpers.ts';
import { daemonsOf, flagOf, isBird, namespaceOf, networkOf, run } from './lab-inspector.ts';
import type { Snapshot } from './lab-snapshot.ts';

export interface Connector {
  id: string;
  number: number;
  router: number;
}

export interface DeployedLab {
  data: string;
  connectors: Connector[];
  links: { id: string; from: number; to: number }[];
  /** The namespaces of routers and far ends: r12, f57. */
  names: string[];
  before: Snapshot;
}

/** Injects a fault into a namespace. Returns undefined when the namespace has nothing that the fault applies to. */
type Inject = (lab: DeployedLab, name: string) => Promise<unknown>;

const birdIn = async (data: string, name: string) => {
  const network = networkOf(await namespaceOf(data, name));
  const bird = daemonsOf(data).find((daemon) => isBird(daemon) && daemon.network === network);
  return bird ?? assert.fail(`there is no BIRD in ${name}`);
};

const killBird: Inject = async ({ data }, name) => process.kill((await birdIn(data, name)).pid, 'SIGKILL');

interface Device {
  ifname: string;
  linkinfo?: { info_kind?: string };
}

/** A random interface of this kind in the namespace. */
async function deviceIn(
  { data }: DeployedLab,
  name: string,
  kind: 'veth' | 'vxlan',
): Promise<[string, string] | undefined> {
  const namespace = await namespaceOf(data, name);
  const devices: Device[] = JSON.parse(await run('ip', '-n', namespace, '-j', '-d', 'link'));
  const device = pick(devices.filter(({ linkinfo }) => linkinfo?.info_kind === kind));
  return device && [namespace, device.ifname];
}

const onDevice =
  (kind: 'veth' | 'vxlan', ...[program, ...words]: [string, ...string[]]): Inject =>
  async (lab, name) => {
    const [namespace, device] = (await deviceIn(lab, name, kind)) ?? [];
    if (!namespace || !device) return undefined;
    return run(program, '-n', namespace, ...words.map((word) => (word === 'DEVICE' ? device : word)));
  };

const deleteRule: Inject = async ({ data }, name) => {
  const namespace = await namespaceOf(data, name);
  const rules: { priority: number }[] = JSON.parse(await run('ip', '-n', namespace, '-j', 'rule'));
  // These priorities are the kernel's default rules.
  const rule = pick(rules.filter(({ priority }) => ![0, 32766, 32767].includes(priority)));
  return rule && run('ip', '-n', namespace, 'rule', 'delete', 'priority', String(rule.priority));
};

const onShaper =
  (...words: string[]): Inject =>
  async ({ data }, name) => {
    const namespace = await namespaceOf(data, name);
    const queues: { kind: string; dev: string }[] = JSON.parse(await run('tc', '-n', namespace, '-j', 'qdisc'));
    const shaped = pick(queues.filter(({ kind }) => kind === 'tbf'));
    if (!shaped) return undefined;
    const [action = '', ...rest] = words;
    return run('tc', '-n', namespace, 'qdisc', action, 'dev', shaped.dev, 'root', ...rest);
  };

const overwriteConfiguration: Inject = async ({ data }, name) => {
  const bird = await birdIn(data, name);
  await writeFile(flagOf(bird, '-c'), 'router id 192.0.2.99;\nprotocol device {}\n');
  return run('birdc', '-s', flagOf(bird, '-s'), 'configure');
};

const disableSession: Inject = async ({ data }, name) => {
  const control = flagOf(await birdIn(data, name), '-s');
  const lines = (await run('birdc', '-s', control, 'show', 'protocols')).split('\n');
  const session = pick(lines.map((line) => line.split(/\s+/)).filter(([, protocol]) => protocol === 'BGP'))?.[0];
  return session && run('birdc', '-s', control, 'disable', session);
};

const killRelay: Inject = async ({ data }) => {
  const relay = daemonsOf(data).find((daemon) => !isBird(daemon));
  return relay && process.kill(relay.pid, 'SIGKILL');
};

const onRouter = ({ names }: DeployedLab): string => pick(names.filter((name) => name.startsWith('r'))) ?? '';
const onFarEnd = ({ names }: DeployedLab): string => pick(names.filter((name) => name.startsWith('f'))) ?? '';
const anywhere = ({ names }: DeployedLab): string => pick(names) ?? '';

export type Fault = [name: string, chooseNamespace: (lab: DeployedLab) => string, inject: Inject];

export const processFaults: Fault[] = [
  ['BIRD of a router killed', onRouter, killBird],
  ['BIRD of a far end killed', onFarEnd, killBird],
];

export const driftFaults: Fault[] = [
  ['cable deleted', onRouter, onDevice('veth', 'ip', 'link', 'delete', 'DEVICE')],
  ['cable set down', anywhere, onDevice('veth', 'ip', 'link', 'set', 'DEVICE', 'down')],
  ['address flushed', anywhere, onDevice('veth', 'ip', '-4', 'address', 'flush', 'dev', 'DEVICE')],
  ['rule deleted', onRouter, deleteRule],
  ['shaper deleted', onRouter, onShaper('delete')],
  ['shaper changed', onRouter, onShaper('replace', 'tbf', 'rate', '7mbit', 'burst', '32kbit', 'latency', '40ms')],
  ['leg deleted', onRouter, onDevice('vxlan', 'ip', 'link', 'delete', 'DEVICE')],
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
