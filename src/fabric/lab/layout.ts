// The desired state of a group as resources of the lab: nodes, cables, legs and routing rules. Pure.
import type { Cidr } from '../../values/ip.ts';
import type { ConnectorSpec, DesiredState, LinkSpec } from '../desired-state.ts';
import {
  cidr,
  farEndName,
  farEndTable,
  farPortName,
  legAddress,
  legName,
  legVni,
  portName,
  reachTable,
  routerName,
} from './identifiers.ts';

/** A veth pair between a router and a far end. */
export interface Cable {
  name: string;
  router: string;
  farEnd: string;
  /** Its end on the router. */
  near: { name: string; address: string };
  /** Its end at the far end. */
  far: { name: string; address: string; isDown: boolean };
  bandwidthBps: number;
  concerns: string[];
}

export interface LegEnd {
  router: string;
  address: string;
  vni: number;
}

/** A VXLAN between two routers. */
export interface Leg {
  name: string;
  ends: [LegEnd, LegEnd];
  delayMs: number;
  lossPercent: number;
  concerns: string[];
}

/** A router or a far end: a network namespace with a BIRD daemon. */
export interface LabNode {
  name: string;
  text: string;
  /** The addresses that a far end answers on. */
  addresses: string[];
  /** Routing policy rules, in the notation of `ip rule`. */
  rules: string[];
  concerns: string[];
}

export interface Layout {
  nodes: LabNode[];
  cables: Cable[];
  legs: Leg[];
}

/** The first host of a network; the far end answers on it. */
export const firstHost = ({ address, prefix }: Cidr): Cidr => ({
  address: address + (prefix < 31 ? 1 : 0),
  prefix: 32,
});

const cablesOf = (connector: ConnectorSpec): Cable[] =>
  connector.sessions.map(({ local, remote }, index) => ({
    name: portName(connector.number, index),
    router: routerName(connector.router),
    farEnd: farEndName(connector.number),
    near: { name: portName(connector.number, index), address: cidr(local) },
    far: {
      name: farPortName(connector.number, index),
      address: cidr(remote),
      isDown: connector.farEnd.fault === 'down',
    },
    bandwidthBps: connector.bandwidthBps,
    concerns: [connector.connectorId],
  }));

export interface LinkWithLeg {
  link: LinkSpec;
  from: ConnectorSpec;
  to: ConnectorSpec;
}

/** The links whose connectors are on different routers, which need a leg. */
export function linksWithLeg({ connectors, links }: DesiredState): LinkWithLeg[] {
  const byNumber = new Map(connectors.map((connector) => [connector.number, connector]));
  return links.flatMap((link) => {
    const [from, to] = [byNumber.get(link.from), byNumber.get(link.to)];
    return from && to && from.router !== to.router ? [{ link, from, to }] : [];
  });
}

const legOf = ({ link, from, to }: LinkWithLeg): Leg => ({
  name: legName(link.number),
  ends: [
    { router: routerName(from.router), address: cidr(legAddress(link.number, 0)), vni: legVni(link.number, 0) },
    { router: routerName(to.router), address: cidr(legAddress(link.number, 1)), vni: legVni(link.number, 1) },
  ],
  delayMs: link.delayMs,
  lossPercent: link.lossPercent ?? 0,
  concerns: [link.linkId],
});

/**
 * Packets that arrive on an interface are routed by one table only. Packets that the router sends itself from the
 * interface's address use a table too, with the lowest priority.
 */
const rulesFor = (name: string, table: string, address: string, ownTable: string): string[] => [
  `1000 iif ${name} lookup ${table}`,
  `2000 iif ${name} unreachable`,
  `40000 from ${address.split('/')[0]} lookup ${ownTable}`,
];

/** The rules that the kernel creates in every namespace. */
export const defaultRules = ['0 from all lookup local', '32766 from all lookup main', '32767 from all lookup default'];

function rulesOf(desired: DesiredState, router: number): string[] {
  const ports = desired.connectors
    .filter((connector) => connector.router === router)
    .flatMap(({ number, sessions }) =>
      sessions.flatMap(({ local }, index) =>
        rulesFor(portName(number, index), reachTable(number), cidr(local), reachTable(number)),
      ),
    );
  const legs = linksWithLeg(desired).flatMap(({ link, from, to }) =>
    ([from, to] as const).flatMap((connector, end) => {
      if (connector.router !== router) return [];
      const address = cidr(legAddress(link.number, end as 0 | 1));
      // A leg leads only to the far end. The router's own replies, for example to traceroute, need the way back over
      // the leg.
      return rulesFor(legName(link.number), farEndTable(connector.number), address, reachTable(connector.number));
    }),
  );
  return [...defaultRules, ...ports, ...legs].sort();
}

function routerNode(desired: DesiredState, number: number, edgeCode: string): LabNode {
  const all = new Set(desired.connectors.map((connector) => connector.number));
  const connectors = desired.connectors.filter(({ router }) => router === number);
  const here = new Set(connectors.map((connector) => connector.number));
  const links = desired.links.filter(
    ({ from, to }) => (here.has(from) || here.has(to)) && all.has(from) && all.has(to),
  );
  return {
    name: routerName(number),
    text: `router ${routerName(number)} at ${edgeCode.replace(/[^A-Z0-9]/g, '')}`,
    addresses: [],
    rules: rulesOf(desired, number),
    concerns: [...connectors.map(({ connectorId }) => connectorId), ...links.map(({ linkId }) => linkId)],
  };
}

const farEndNode = ({ number, farEnd, connectorId }: ConnectorSpec): LabNode => ({
  name: farEndName(number),
  text: `far end ${farEndName(number)}`,
  addresses: farEnd.prefixes.map((prefix) => cidr(firstHost(prefix))).sort(),
  rules: [],
  concerns: [connectorId],
});

export const layoutOf = (desired: DesiredState): Layout => ({
  nodes: [
    ...desired.routers.map(({ number, edgeCode }) => routerNode(desired, number, edgeCode)),
    ...desired.connectors.map(farEndNode),
  ],
  cables: desired.connectors.flatMap(cablesOf),
  legs: linksWithLeg(desired).map(legOf),
});
