// A blueprint as the things of the lab: namespaces, cables, legs, rules and daemons. Pure.
import type { Cidr } from '../../values/ip.ts';
import type { ConnectorSpec, DesiredState, LinkSpec } from '../desired-state.ts';
import {
  cidr,
  farEndName,
  farPortName,
  legAddress,
  legName,
  legVni,
  ownTable,
  portName,
  reachTable,
  routerName,
} from './resource-names.ts';

export interface Cable {
  name: string;
  router: string;
  farEnd: string;
  /** Name and address of its two ends: on the router, and at the far end. */
  near: { name: string; address: string };
  far: { name: string; address: string; isDown: boolean };
  bandwidthBps: number;
  concerns: string[];
}

export interface LegEnd {
  router: string;
  address: string;
  vni: number;
}

export interface Leg {
  name: string;
  ends: [LegEnd, LegEnd];
  delayMs: number;
  lossPercent: number;
  concerns: string[];
}

/** A router or a far end: a namespace with a BIRD in it. */
export interface Namespace {
  name: string;
  text: string;
  /** What a far end answers on. */
  addresses: string[];
  /** Which table packets are looked up in, as `ip rule` takes it. */
  rules: string[];
  concerns: string[];
}

export interface Layout {
  places: Namespace[];
  cables: Cable[];
  legs: Leg[];
}

/** The first host of a network, which the far end has as its own. */
export const firstHost = ({ address, prefix }: Cidr): Cidr => ({
  address: address + (prefix < 31 ? 1 : 0),
  prefix: 32,
});

const cablesOf = (jack: ConnectorSpec): Cable[] =>
  jack.sessions.map(({ local, remote }, index) => ({
    name: portName(jack.number, index),
    router: routerName(jack.router),
    farEnd: farEndName(jack.number),
    near: { name: portName(jack.number, index), address: cidr(local) },
    far: { name: farPortName(jack.number, index), address: cidr(remote), isDown: jack.farEnd.fault === 'down' },
    bandwidthBps: jack.bandwidthBps,
    concerns: [jack.connectorId],
  }));

/** Cords of which the two jacks stand on different routers. */
export const legsOf = ({
  connectors: jacks,
  links: cords,
}: DesiredState): { cord: LinkSpec; from: ConnectorSpec; to: ConnectorSpec }[] => {
  const byNumber = new Map(jacks.map((jack) => [jack.number, jack]));
  return cords.flatMap((cord) => {
    const [from, to] = [byNumber.get(cord.from), byNumber.get(cord.to)];
    return from && to && from.router !== to.router ? [{ cord, from, to }] : [];
  });
};

const legOf = ({ cord, from, to }: ReturnType<typeof legsOf>[number]): Leg => ({
  name: legName(cord.number),
  ends: [
    { router: routerName(from.router), address: cidr(legAddress(cord.number, 0)), vni: legVni(cord.number, 0) },
    { router: routerName(to.router), address: cidr(legAddress(cord.number, 1)), vni: legVni(cord.number, 1) },
  ],
  delayMs: cord.delayMs,
  lossPercent: cord.lossPercent ?? 0,
  concerns: [cord.linkId],
});

/** What comes in by an interface sees one table and nothing else; what the router says itself is asked for last. */
const rulesFor = (name: string, table: string, own: string): string[] => [
  `1000 iif ${name} lookup ${table}`,
  `2000 iif ${name} unreachable`,
  `40000 from ${own.split('/')[0]} lookup ${table}`,
];

/** Those that every namespace is born with. */
export const standingRules = ['0 from all lookup local', '32766 from all lookup main', '32767 from all lookup default'];

function rulesOf(blueprint: DesiredState, router: number): string[] {
  const ports = blueprint.connectors
    .filter((jack) => jack.router === router)
    .flatMap((jack) =>
      jack.sessions.flatMap(({ local }, index) =>
        rulesFor(portName(jack.number, index), reachTable(jack.number), cidr(local)),
      ),
    );
  const legs = legsOf(blueprint).flatMap(({ cord, from, to }) =>
    ([from, to] as const).flatMap((jack, end) => {
      if (jack.router !== router) return [];
      const [lookup, refuse, own] = rulesFor(
        legName(cord.number),
        ownTable(jack.number),
        cidr(legAddress(cord.number, end as 0 | 1)),
      );
      // Whoever asks a router beyond a leg for the way is answered over that leg.
      return [lookup, refuse, own?.replace(/\d+$/, reachTable(jack.number))].filter((rule) => rule !== undefined);
    }),
  );
  return [...standingRules, ...ports, ...legs].sort();
}

export function layoutOf(blueprint: DesiredState): Layout {
  const { routers, connectors: jacks, links: cords } = blueprint;
  const byNumber = new Map(jacks.map((jack) => [jack.number, jack]));
  const routerPlaces = routers.map(({ number, edgeCode }): Namespace => {
    const own = jacks.filter(({ router }) => router === number);
    const ends = new Set(own.map(({ number: jack }) => jack));
    const tied = cords.filter(
      ({ from, to }) => (ends.has(from) || ends.has(to)) && byNumber.has(from) && byNumber.has(to),
    );
    return {
      name: routerName(number),
      text: `router ${routerName(number)} at ${edgeCode.replace(/[^A-Z0-9]/g, '')}`,
      addresses: [],
      rules: rulesOf(blueprint, number),
      concerns: [...own.map(({ connectorId }) => connectorId), ...tied.map(({ linkId }) => linkId)],
    };
  });
  const farEnds = jacks.map(
    (jack): Namespace => ({
      name: farEndName(jack.number),
      text: `far end ${farEndName(jack.number)}`,
      addresses: jack.farEnd.prefixes.map((prefix) => cidr(firstHost(prefix))).sort(),
      rules: [],
      concerns: [jack.connectorId],
    }),
  );
  return {
    places: [...routerPlaces, ...farEnds],
    cables: jacks.flatMap(cablesOf),
    legs: legsOf(blueprint).map(legOf),
  };
}
