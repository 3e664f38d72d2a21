// Observed and desired resources of a group as items, whose fingerprints are hashes of a canonical text.
import { setTimeout as pause } from 'node:timers/promises';
import type { Item } from '../driver.ts';
import { configurationMarker } from './bird-config.ts';
import type { BirdDaemons } from './bird-daemons.ts';
import type { CommandRunner } from './command-runner.ts';
import type { RegistryEntry } from './group-registry.ts';
import { fingerprint } from './identifiers.ts';
import type { Layout, Leg } from './layout.ts';
import {
  cableText,
  desiredCable,
  desiredLeg,
  desiredNamespace,
  legText,
  namespaceText,
  rulesText,
} from './netns-diff.ts';
import { type NamespaceState, parseNamespace, parseProtocols } from './parsers.ts';
import type { ForwardingTable } from './relay-client.ts';

export interface ObservedGroup {
  /** By node. */
  namespaces: Map<string, NamespaceState>;
  /** Canonical text of each running daemon, by node. */
  daemons: Map<string, string>;
  /** Undefined when the relay does not work. */
  forwarding: ForwardingTable | undefined;
}

const retryMs = 200;

export async function observeNamespace(runner: CommandRunner, namespace: string): Promise<NamespaceState> {
  const [text, qdiscs] = await Promise.all([
    runner.run('ip', ['-n', namespace, '-j', '-d', '-batch', '-'], 'addr show\nrule show\nnetconf show\n'),
    runner.run('tc', ['-n', namespace, '-j', 'qdisc', 'show']),
  ]);
  return parseNamespace(text, qdiscs);
}

/** The configuration on disk, the marker of the loaded one, and deviations made by hand. */
const daemonText = (configuration: string | undefined, marker: string | undefined, deviations: string[]): string =>
  [fingerprint(configuration ?? ''), marker ?? 'none', ...deviations].join(' ');

/** Canonical text of a node's daemon; undefined when it does not run. */
export async function observeDaemon(
  daemons: BirdDaemons,
  node: string,
  namespace: string,
): Promise<string | undefined> {
  if (!(await daemons.isRunning(node, namespace))) return undefined;
  const query = () => daemons.query(node, 'show protocols');
  // A busy daemon may miss one request; one that does not answer the second counts as drift.
  const lines = await query()
    .catch(() => pause(retryMs).then(query))
    .catch(() => []);
  const protocols = parseProtocols(lines);
  const marker = protocols.find(({ name }) => name.startsWith('v_'))?.name;
  const deviations = protocols
    .filter(({ state, info }) => state === 'down' && !/limit|error/i.test(info))
    .map(({ name }) => `-${name}`);
  if (await daemons.isReloaded(node).catch(() => false)) deviations.push('reloaded');
  return daemonText(await daemons.configurationOf(node), marker, deviations);
}

const item = (key: string, on: string, text: string, state: string, concerns: string[] = []): Item => ({
  key,
  on,
  text,
  fingerprint: fingerprint(state),
  concerns,
});

const isRouter = (node: string): boolean => node.startsWith('r');

function observedCables(namespaces: ObservedGroup['namespaces']): Item[] {
  const cables = new Map<string, { router: string; farEnd: string }>();
  for (const [node, { devices }] of namespaces)
    for (const device of devices.keys()) {
      const [, side, suffix] = /^([cp])(\d+b?)$/.exec(device) ?? [];
      if (!suffix) continue;
      const known = cables.get(suffix) ?? { router: '', farEnd: '' };
      cables.set(suffix, side === 'c' ? { ...known, router: node } : { ...known, farEnd: node });
    }
  return [...cables].map(([suffix, { router, farEnd }]) => {
    const near = namespaces.get(router)?.devices.get(`c${suffix}`);
    const far = namespaces.get(farEnd)?.devices.get(`p${suffix}`);
    return item(`cable c${suffix}`, `${router} and ${farEnd}`, `cable c${suffix}`, cableText(near, far));
  });
}

const legEndText = (router: string, text: string): string => `${router} ${text}`;

function observedLegs({ namespaces, forwarding }: ObservedGroup, { legs }: RegistryEntry): Item[] {
  const forwardingText = (vni: number): string => {
    const entry = forwarding?.get(vni);
    return entry ? `${vni}>${entry.to} ${entry.delayMs} ${entry.lossPercent}` : 'not forwarded';
  };
  return Object.entries(legs).flatMap(([name, [a, b]]) => {
    const ends = [...namespaces].filter(([, { devices }]) => devices.has(name));
    if (ends.length === 0 && !forwarding?.has(a) && !forwarding?.has(b)) return [];
    const texts = ends.map(([router, { devices }]) => legEndText(router, legText(devices.get(name)))).sort();
    const state = [...texts, forwardingText(a), forwardingText(b)].join(' | ');
    return [item(`leg ${name}`, ends.map(([router]) => router).join(' and '), `leg ${name}`, state)];
  });
}

export function observedItems(observed: ObservedGroup, entry: RegistryEntry): Item[] {
  const { namespaces, daemons } = observed;
  return [
    ...[...namespaces].flatMap(([node, state]) => [
      item(`namespace ${node}`, node, node, namespaceText(state)),
      ...(isRouter(node) ? [item(`rules ${node}`, node, `routing rules of ${node}`, rulesText(state))] : []),
    ]),
    ...observedCables(namespaces),
    ...observedLegs(observed, entry),
    ...[...daemons].map(([node, state]) => item(`daemon ${node}`, node, `BIRD of ${node}`, state)),
  ];
}

const desiredLegText = ({ ends: [a, b], delayMs, lossPercent }: Leg): string =>
  [
    ...[a, b].map((end) => legEndText(end.router, desiredLeg(end))).sort(),
    `${a.vni}>${b.vni} ${delayMs} ${lossPercent}`,
    `${b.vni}>${a.vni} ${delayMs} ${lossPercent}`,
  ].join(' | ');

const rateText = (bps: number): string => (bps % 1e9 === 0 ? `${bps / 1e9} Gbps` : `${bps / 1e6} Mbps`);

export const desiredItems = ({ nodes, cables, legs }: Layout, configurations: Map<string, string>): Item[] => [
  ...nodes.flatMap((node) => {
    const { name, text, concerns } = node;
    const rules = item(`rules ${name}`, name, `routing rules of ${name}`, rulesText(node), concerns);
    return [
      item(`namespace ${name}`, name, text, desiredNamespace(node), concerns),
      ...(isRouter(name) ? [rules] : []),
    ];
  }),
  ...cables.map((cable) => {
    const { name, router, farEnd, concerns } = cable;
    const text = `cable ${name} at ${rateText(cable.bandwidthBps)}`;
    return item(`cable ${name}`, `${router} and ${farEnd}`, text, desiredCable(cable), concerns);
  }),
  ...legs.map((leg) => {
    const { name, ends, delayMs, lossPercent, concerns } = leg;
    const on = ends.map(({ router }) => router).join(' and ');
    const text = `leg ${name} of ${delayMs} ms each way${lossPercent ? `, losing ${lossPercent} %` : ''}`;
    return item(`leg ${name}`, on, text, desiredLegText(leg), concerns);
  }),
  ...nodes.map(({ name, concerns }) => {
    const configuration = configurations.get(name) ?? '';
    const state = daemonText(configuration, configurationMarker(configuration), []);
    return item(`daemon ${name}`, name, `BIRD of ${name}`, state, concerns);
  }),
];
