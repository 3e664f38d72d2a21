// From what a namespace is to what it should be: the lines for ip and tc that make the difference. Pure, so that nothing is touched that is
// right: a cable whose speed changes keeps its sessions.
import type { Cable, LegEnd, Namespace } from './layout.ts';
import type { Device, Network } from './parsers.ts';
import { legHardware } from './resource-names.ts';
import { underlay } from './vxlan-legs.ts';

/** Lines of `ip -batch` in the namespace of a name (or in none), and of `tc -batch`. */
export interface Lines {
  ip: string[];
  tc: string[];
}

const mtu = 1500;
/** What a shaper lets through at once: a few milliseconds, and never less than some full packets. */
const burstBytes = (bps: number): number => Math.max(32_000, Math.ceil(bps / 8 / 250));

const endText = (device: Device | undefined): string =>
  device
    ? `${device.isUp ? 'up' : 'down'} ${device.mtu} ${device.addresses.join(',')} ${device.rateBps ?? 'unshaped'}`
    : 'missing';

const wantedEnd = (address: string, bps: number, isDown: boolean): Device => ({
  isUp: !isDown,
  mtu,
  kind: 'veth',
  vni: undefined,
  addresses: [address],
  rateBps: bps,
});

/** Both ends of a cable in words that are equal when they are. */
export const cableText = (near: Device | undefined, far: Device | undefined): string =>
  `${endText(near)} | ${endText(far)}`;
export const desiredCable = ({ near, far, bandwidthBps }: Cable): string =>
  cableText(wantedEnd(near.address, bandwidthBps, false), wantedEnd(far.address, bandwidthBps, far.isDown));

export const legText = (device: Device | undefined): string =>
  device ? `${device.isUp ? 'up' : 'down'} ${device.mtu} ${device.addresses.join(',')} vni ${device.vni}` : 'missing';
export const desiredLeg = ({ address, vni }: LegEnd): string =>
  legText({ isUp: true, mtu, kind: 'vxlan', vni, addresses: [address], rateBps: undefined });

/** A device that is there, brought to its address, size, speed and state. */
function amend(name: string, found: Device, wanted: { address: string; isDown: boolean; rateBps?: number }): Lines {
  const stray = found.addresses.filter((one) => one !== wanted.address);
  const ip = [
    ...stray.map((one) => `addr del ${one} dev ${name}`),
    ...(found.mtu === mtu ? [] : [`link set ${name} mtu ${mtu}`]),
    ...(found.addresses.includes(wanted.address) ? [] : [`addr add ${wanted.address} dev ${name}`]),
    ...(found.isUp === !wanted.isDown ? [] : [`link set ${name} ${wanted.isDown ? 'down' : 'up'}`]),
  ];
  const { rateBps } = wanted;
  const tc =
    rateBps === undefined || found.rateBps === rateBps
      ? []
      : [`qdisc replace dev ${name} root tbf rate ${rateBps}bit burst ${burstBytes(rateBps)} latency 60ms`];
  return { ip, tc };
}

const fresh: Device = { isUp: false, mtu, kind: undefined, vni: undefined, addresses: [], rateBps: undefined };

/** What makes a cable right: perhaps anew, and then on the router and at the far end. */
export function repairCable(
  { near, far, bandwidthBps }: Cable,
  found: { near: Device | undefined; far: Device | undefined },
  namespaces: { router: string; farEnd: string },
): { drop: boolean; anew: string[]; router: Lines; farEnd: Lines } {
  const isWhole = found.near !== undefined && found.far !== undefined;
  const make = `link add ${near.name} netns ${namespaces.router} mtu ${mtu} type veth peer name ${far.name} netns ${namespaces.farEnd} mtu ${mtu}`;
  return {
    // Half a cable: the end that is left goes first.
    drop: !isWhole && (found.near !== undefined || found.far !== undefined),
    anew: isWhole ? [] : [make],
    router: amend(near.name, isWhole ? (found.near ?? fresh) : fresh, {
      address: near.address,
      isDown: false,
      rateBps: bandwidthBps,
    }),
    farEnd: amend(far.name, isWhole ? (found.far ?? fresh) : fresh, {
      address: far.address,
      isDown: far.isDown,
      rateBps: bandwidthBps,
    }),
  };
}

/** What makes one end of a leg right: made in the core when it is missing or another, and then in its router. */
export function repairLeg(
  name: string,
  { address, vni }: LegEnd,
  other: LegEnd,
  found: Device | undefined,
  namespace: string,
): { drop: boolean; core: string[]; router: Lines } {
  const isKept = found?.vni === vni;
  const make = `link add ${name} address ${legHardware(vni)} netns ${namespace} mtu ${mtu} type vxlan id ${vni} local ${underlay.core} remote ${underlay.relay} dstport ${underlay.port} nolearning`;
  const { ip, tc } = amend(name, isKept ? found : fresh, { address, isDown: false });
  // Who need not be asked for its hardware address answers a round trip earlier.
  const [host = ''] = other.address.split('/');
  const known = `neigh replace ${host} lladdr ${legHardware(other.vni)} dev ${name} nud permanent`;
  return {
    drop: found !== undefined && !isKept,
    core: isKept ? [] : [make],
    router: { ip: [...ip, known], tc },
  };
}

export const rulesText = ({ rules }: { rules: string[] }): string => rules.join('; ');

const ruleLine = (verb: 'add' | 'del', rule: string): string => {
  const [priority, ...rest] = rule.split(' ');
  return `rule ${verb} pref ${priority} ${rest.join(' ')}`;
};

/** A rule as we write them, which can be taken away by its words. */
const isPlain = (rule: string): boolean => /^\d+ (iif \w+|from [\w./]+) (lookup \w+|unreachable)$/.test(rule);

export function repairRules({ rules }: Namespace, found: Network): string[] {
  const strays = found.rules.filter((rule) => !rules.includes(rule));
  const missing = rules.filter((rule) => !found.rules.includes(rule));
  // What somebody else thought of is not unpicked: everything goes but the first, which nobody can remove, and ours come back.
  if (!strays.every(isPlain))
    return ['rule flush', ...rules.filter((rule) => !rule.startsWith('0 ')).map((rule) => ruleLine('add', rule))];
  return [...strays.map((rule) => ruleLine('del', rule)), ...missing.map((rule) => ruleLine('add', rule))];
}

/** A namespace of ours: what is common to all, and the addresses that a far end answers on. */
export const namespaceText = (found: Network): string => {
  const lo = found.devices.get('lo');
  const own = (lo?.addresses ?? []).filter((one) => !one.startsWith('127.'));
  return `${found.forwards ? 'forwards' : 'keeps'} ${lo?.isUp ? 'up' : 'down'} ${own.join(',')}`;
};
export const desiredNamespace = ({ addresses }: Namespace): string => `forwards up ${addresses.join(',')}`;

export function repairNamespace({ addresses }: Namespace, found: Network): string[] {
  const lo = found.devices.get('lo');
  const own = (lo?.addresses ?? []).filter((one) => !one.startsWith('127.'));
  return [
    ...(lo?.isUp ? [] : ['link set lo up']),
    ...own.filter((one) => !addresses.includes(one)).map((one) => `addr del ${one} dev lo`),
    ...addresses.filter((one) => !own.includes(one)).map((one) => `addr add ${one} dev lo`),
  ];
}
