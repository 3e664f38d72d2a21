// What is there of a group, as it is: its namespaces, what is in them, and their daemons.
import { setTimeout as pause } from 'node:timers/promises';
import type { Item } from '../driver.ts';
import { markOf } from './bird-config.ts';
import type { Daemons } from './bird-daemon.ts';
import type { CommandRunner } from './command-runner.ts';
import type { RegistryEntry } from './group-registry.ts';
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
import { type Network, parseNetwork, parseProtocols } from './parsers.ts';
import { fingerprint } from './resource-names.ts';
import type { RelayNamespaces } from './vxlan-legs.ts';

export interface ObservedGroup {
  networks: Map<string, Network>;
  daemons: Map<string, string>;
  ways: RelayNamespaces | undefined;
}

const askAgainMs = 200;
const questions = 'addr show\nrule show\nnetconf show\n';

export async function observeNamespace(machine: CommandRunner, namespace: string): Promise<Network> {
  const [text, qdiscs] = await Promise.all([
    machine.run('ip', ['-n', namespace, '-j', '-d', '-batch', '-'], questions),
    machine.run('tc', ['-n', namespace, '-j', 'qdisc', 'show']),
  ]);
  return parseNetwork(text, qdiscs);
}

/** Which configuration is on disk, which one is loaded, and what somebody did to it. */
const daemonText = (configuration: string | undefined, mark: string | undefined, off: string[]): string =>
  [fingerprint(configuration ?? ''), mark ?? 'none', ...off].join(' ');

export async function observeDaemon(daemons: Daemons, place: string, namespace: string): Promise<string | undefined> {
  if (!(await daemons.isRunning(place, namespace))) return undefined;
  const ask = () => daemons.ask(place, 'show protocols');
  // One that is busy for a moment is asked again; one that stays silent is not as it should be.
  const lines = await ask()
    .catch(() => pause(askAgainMs).then(ask))
    .catch(() => ['silent']);
  const protocols = parseProtocols(lines);
  const mark = protocols.find(({ name }) => name.startsWith('v_'))?.name;
  const off = protocols
    .filter(({ state, info }) => state === 'down' && !/limit|error/i.test(info))
    .map(({ name }) => `-${name}`);
  if (await daemons.isReloaded(place).catch(() => false)) off.push('reloaded');
  return daemonText(await daemons.configurationOf(place), mark, off);
}

const sides = (router: string, text: string): string => `${router} ${text}`;
const wayText = (ways: RelayNamespaces | undefined, vni: number): string => {
  const way = ways?.get(vni);
  return way ? `${vni}>${way.to} ${way.delayMs} ${way.lossPercent}` : 'no way';
};

const wantedLegText = ({ ends: [a, b], delayMs, lossPercent }: Leg): string =>
  [
    ...[a, b].map((end) => sides(end.router, desiredLeg(end))).sort(),
    `${a.vni}>${b.vni} ${delayMs} ${lossPercent}`,
    `${b.vni}>${a.vni} ${delayMs} ${lossPercent}`,
  ].join(' | ');

function seenLegs({ networks, ways }: ObservedGroup, { legs }: RegistryEntry): Item[] {
  return Object.entries(legs).flatMap(([name, [a, b]]) => {
    const found = [...networks].filter(([, { devices }]) => devices.has(name));
    if (found.length === 0 && !ways?.has(a) && !ways?.has(b)) return [];
    const texts = found.map(([router, { devices }]) => sides(router, legText(devices.get(name)))).sort();
    const text = [...texts, wayText(ways, a), wayText(ways, b)].join(' | ');
    return [item(`leg ${name}`, found.map(([router]) => router).join(' and '), `leg ${name}`, text, [])];
  });
}

const item = (key: string, on: string, text: string, state: string, concerns: string[]): Item => ({
  key,
  on,
  text,
  fingerprint: fingerprint(state),
  concerns,
});

/** What is there, as items. */
export function observedItems(sight: ObservedGroup, entry: RegistryEntry): Item[] {
  const { networks, daemons } = sight;
  const cables = new Map<string, { router: string | undefined; farEnd: string | undefined }>();
  for (const [place, { devices }] of networks)
    for (const device of devices.keys()) {
      const [, side, rest] = /^([cp])(\d+b?)$/.exec(device) ?? [];
      if (!rest) continue;
      const known = cables.get(rest) ?? { router: undefined, farEnd: undefined };
      cables.set(rest, side === 'c' ? { ...known, router: place } : { ...known, farEnd: place });
    }
  return [
    ...[...networks].flatMap(([place, network]) => [
      item(`place ${place}`, place, place, namespaceText(network), []),
      ...(place.startsWith('r')
        ? [item(`rules ${place}`, place, `routing rules of ${place}`, rulesText(network), [])]
        : []),
    ]),
    ...[...cables].map(([rest, { router = '', farEnd = '' }]) => {
      const near = networks.get(router)?.devices.get(`c${rest}`);
      const far = networks.get(farEnd)?.devices.get(`p${rest}`);
      return item(`cable c${rest}`, `${router} and ${farEnd}`, `cable c${rest}`, cableText(near, far), []);
    }),
    ...seenLegs(sight, entry),
    ...[...daemons].map(([place, text]) => item(`daemon ${place}`, place, `BIRD of ${place}`, text, [])),
  ];
}

const speed = (bps: number): string => (bps % 1e9 === 0 ? `${bps / 1e9} Gbps` : `${bps / 1e6} Mbps`);

/** What should be there, as items. */
export const desiredItems = ({ places, cables, legs }: Layout, configurations: Map<string, string>): Item[] => [
  ...places.flatMap((place) => [
    item(`place ${place.name}`, place.name, place.text, desiredNamespace(place), place.concerns),
    ...(place.name.startsWith('r')
      ? [item(`rules ${place.name}`, place.name, `routing rules of ${place.name}`, rulesText(place), place.concerns)]
      : []),
  ]),
  ...cables.map((cable) =>
    item(
      `cable ${cable.name}`,
      `${cable.router} and ${cable.farEnd}`,
      `cable ${cable.name} at ${speed(cable.bandwidthBps)}`,
      desiredCable(cable),
      cable.concerns,
    ),
  ),
  ...legs.map((leg) =>
    item(
      `leg ${leg.name}`,
      leg.ends.map(({ router }) => router).join(' and '),
      `leg ${leg.name} of ${leg.delayMs} ms each way${leg.lossPercent ? `, losing ${leg.lossPercent} %` : ''}`,
      wantedLegText(leg),
      leg.concerns,
    ),
  ),
  ...places.map((place) => {
    const configuration = configurations.get(place.name) ?? '';
    const text = daemonText(configuration, markOf(configuration), []);
    return item(`daemon ${place.name}`, place.name, `BIRD of ${place.name}`, text, place.concerns);
  }),
];
