// Computes the batch lines for ip and tc that turn the observed into the desired configuration of a namespace. Pure.
// Correct parts stay untouched: a cable whose speed changes keeps its sessions.

import { legHardware, underlay } from './identifiers.ts';
import type { Cable, LabNode, LegEnd } from './layout.ts';
import type { Device, NamespaceState } from './parsers.ts';

/** Lines for `ip -batch` and `tc -batch`. */
export interface BatchLines {
  ip: string[];
  tc: string[];
}

const mtu = 1500;
/** Burst size of a shaper: a few milliseconds, and at least some full packets. */
const burstBytes = (bps: number): number => Math.max(32_000, Math.ceil(bps / 8 / 250));

const cableEndText = (device: Device | undefined): string =>
  device
    ? `${device.isUp ? 'up' : 'down'} ${device.mtu} ${device.addresses.join(',')} ${device.rateBps ?? 'unshaped'}`
    : 'missing';

const desiredEnd = (address: string, bps: number, isDown: boolean): Device => ({
  isUp: !isDown,
  mtu,
  kind: 'veth',
  vni: undefined,
  addresses: [address],
  rateBps: bps,
});

/** Canonical text of a cable's two ends; equal texts mean equal configurations. */
export const cableText = (near: Device | undefined, far: Device | undefined): string =>
  `${cableEndText(near)} | ${cableEndText(far)}`;
export const desiredCable = ({ near, far, bandwidthBps }: Cable): string =>
  cableText(desiredEnd(near.address, bandwidthBps, false), desiredEnd(far.address, bandwidthBps, far.isDown));

export const legText = (device: Device | undefined): string =>
  device ? `${device.isUp ? 'up' : 'down'} ${device.mtu} ${device.addresses.join(',')} vni ${device.vni}` : 'missing';
export const desiredLeg = ({ address, vni }: LegEnd): string =>
  legText({ isUp: true, mtu, kind: 'vxlan', vni, addresses: [address], rateBps: undefined });

/** Corrects address, MTU, rate and state of an existing device. */
function repairDevice(
  name: string,
  found: Device,
  desired: { address: string; isDown: boolean; rateBps?: number },
): BatchLines {
  const strayAddresses = found.addresses.filter((one) => one !== desired.address);
  const ip = [
    ...strayAddresses.map((one) => `addr del ${one} dev ${name}`),
    ...(found.mtu === mtu ? [] : [`link set ${name} mtu ${mtu}`]),
    ...(found.addresses.includes(desired.address) ? [] : [`addr add ${desired.address} dev ${name}`]),
    ...(found.isUp === !desired.isDown ? [] : [`link set ${name} ${desired.isDown ? 'down' : 'up'}`]),
  ];
  const { rateBps } = desired;
  const tc =
    rateBps === undefined || found.rateBps === rateBps
      ? []
      : [`qdisc replace dev ${name} root tbf rate ${rateBps}bit burst ${burstBytes(rateBps)} latency 60ms`];
  return { ip, tc };
}

const newDevice: Device = { isUp: false, mtu, kind: undefined, vni: undefined, addresses: [], rateBps: undefined };

/** Corrects a cable. An incomplete one is removed first and created again. */
export function cableRepairLines(
  { near, far, bandwidthBps }: Cable,
  found: { near: Device | undefined; far: Device | undefined },
  namespaces: { router: string; farEnd: string },
): { isIncomplete: boolean; create: string[]; router: BatchLines; farEnd: BatchLines } {
  const isComplete = found.near !== undefined && found.far !== undefined;
  const existing = isComplete ? found : { near: undefined, far: undefined };
  const create = [
    `link add ${near.name} netns ${namespaces.router} mtu ${mtu}`,
    `type veth peer name ${far.name} netns ${namespaces.farEnd} mtu ${mtu}`,
  ].join(' ');
  return {
    isIncomplete: !isComplete && (found.near !== undefined || found.far !== undefined),
    create: isComplete ? [] : [create],
    router: repairDevice(near.name, existing.near ?? newDevice, {
      address: near.address,
      isDown: false,
      rateBps: bandwidthBps,
    }),
    farEnd: repairDevice(far.name, existing.far ?? newDevice, {
      address: far.address,
      isDown: far.isDown,
      rateBps: bandwidthBps,
    }),
  };
}

/** Corrects one end of a leg. An end with another identifier is replaced; a new one is created in the core. */
export function legRepairLines(
  name: string,
  { address, vni }: LegEnd,
  other: LegEnd,
  found: Device | undefined,
  namespace: string,
): { isOther: boolean; create: string[]; router: BatchLines } {
  const isSame = found?.vni === vni;
  const create = [
    `link add ${name} address ${legHardware(vni)} netns ${namespace} mtu ${mtu}`,
    `type vxlan id ${vni} local ${underlay.core} remote ${underlay.relay} dstport ${underlay.port} nolearning`,
  ].join(' ');
  const { ip, tc } = repairDevice(name, isSame ? found : newDevice, { address, isDown: false });
  // A static neighbour entry saves a round trip for ARP.
  const [host = ''] = other.address.split('/');
  const neighbour = `neigh replace ${host} lladdr ${legHardware(other.vni)} dev ${name} nud permanent`;
  return {
    isOther: found !== undefined && !isSame,
    create: isSame ? [] : [create],
    router: { ip: [...ip, neighbour], tc },
  };
}

export const rulesText = ({ rules }: { rules: string[] }): string => rules.join('; ');

const ruleLine = (verb: 'add' | 'del', rule: string): string => {
  const [priority, ...rest] = rule.split(' ');
  return `rule ${verb} pref ${priority} ${rest.join(' ')}`;
};

/** A rule in the notation of layout.ts, which `ip rule del` accepts. */
const isPlain = (rule: string): boolean => /^\d+ (iif \w+|from [\w./]+) (lookup \w+|unreachable)$/.test(rule);

export function ruleRepairLines({ rules }: LabNode, found: NamespaceState): string[] {
  const foreign = found.rules.filter((rule) => !rules.includes(rule));
  const missing = rules.filter((rule) => !found.rules.includes(rule));
  // Foreign rules with unknown selectors cannot be deleted one by one: flush all but rule 0, and add ours again.
  if (!foreign.every(isPlain))
    return ['rule flush', ...rules.filter((rule) => !rule.startsWith('0 ')).map((rule) => ruleLine('add', rule))];
  return [...foreign.map((rule) => ruleLine('del', rule)), ...missing.map((rule) => ruleLine('add', rule))];
}

/** Canonical text of a namespace: forwarding, loopback, and the addresses that a far end answers on. */
export const namespaceText = (found: NamespaceState): string => {
  const lo = found.devices.get('lo');
  const own = (lo?.addresses ?? []).filter((one) => !one.startsWith('127.'));
  return `${found.forwards ? 'forwards' : 'does not forward'} ${lo?.isUp ? 'up' : 'down'} ${own.join(',')}`;
};
export const desiredNamespace = ({ addresses }: LabNode): string => `forwards up ${addresses.join(',')}`;

export function loopbackRepairLines({ addresses }: LabNode, found: NamespaceState): string[] {
  const lo = found.devices.get('lo');
  const own = (lo?.addresses ?? []).filter((one) => !one.startsWith('127.'));
  return [
    ...(lo?.isUp ? [] : ['link set lo up']),
    ...own.filter((one) => !addresses.includes(one)).map((one) => `addr del ${one} dev lo`),
    ...addresses.filter((one) => !own.includes(one)).map((one) => `addr add ${one} dev lo`),
  ];
}
