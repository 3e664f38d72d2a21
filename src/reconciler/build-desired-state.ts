// Builds the desired state of a group from its records. Pure, except for the keys that decrypt secrets.
import {
  type ConnectorSpec,
  type DesiredState,
  emptyState,
  type LinkSpec,
  type Session,
} from '../fabric/desired-state.ts';
import type { Diagnosis } from '../fabric/driver.ts';
import { delayMs } from '../fabric/propagation-delay.ts';
import type { Keys } from '../host/key-file.ts';
import { connectorKindOf } from '../resources/connectors/rules.ts';
import { unsealSecret } from '../resources/connectors/secrets.ts';
import { type Cidr, formatCidr, networkOf, overlap } from '../values/ip.ts';
import type { GroupRows } from './group-store.ts';

export interface GroupDesiredState {
  desiredState: DesiredState;
  /** Records that the desired state cannot contain, by id, with the reason. */
  rejected: Map<string, Diagnosis>;
}

type ConnectorRow = GroupRows['connectors'][number];
type LinkRow = GroupRows['links'][number];

/** More prefixes than the far end of any connector announces in normal operation. */
const prefixLimit = 100;

const firstRange = 10 * 2 ** 24;
const secondRange = 172 * 2 ** 24 + 16 * 2 ** 16;

/** The two networks that a far end announces; they repeat after 65,536 connectors. */
const prefixesOf = (number: number): Cidr[] => [
  { address: firstRange + (number % 65_536) * 256, prefix: 24 },
  { address: secondRange + (number % 65_536) * 16, prefix: 28 },
];

const connectorSpecOf = (connector: ConnectorRow, router: number, sessions: Session[]): ConnectorSpec => ({
  connectorId: connector.id,
  number: Number(connector.number),
  router,
  sessions,
  bandwidthBps: Number(connector.bandwidth_bps),
  prefixLimit,
  farEnd: { prefixes: prefixesOf(Number(connector.number)), fault: connector.fault ?? undefined },
});

const formatSubnet = ({ address, prefix }: Cidr): string =>
  formatCidr({ address: networkOf({ address, prefix }), prefix });

/** A session inside a network that a far end announces would receive the traffic for that network. */
function diagnoseAnnounced(local: Cidr, farEndNumber: number): Diagnosis | undefined {
  const prefix = prefixesOf(farEndNumber).find((one) => overlap(one, local));
  if (!prefix) return undefined;
  const [own, announced] = [formatSubnet(local), formatSubnet(prefix)];
  return {
    cause: `The subnet ${own} of the session overlaps with ${announced}, which the far end announces.`,
    advice: 'Change the addresses of the session to another subnet.',
  };
}

interface UsedSubnet {
  connectorName: string;
  subnet: Cidr;
}

function diagnoseConnector({ number }: ConnectorRow, sessions: Session[], used: UsedSubnet[]): Diagnosis | undefined {
  if (sessions.length === 0)
    return {
      cause: 'The provider has not assigned addresses yet.',
      advice: 'Deploy the connector again: a deployment first requests missing addresses from the provider.',
    };
  for (const { local } of sessions) {
    const announced = diagnoseAnnounced(local, Number(number));
    if (announced) return announced;
    const other = used.find(({ subnet }) => overlap(subnet, local));
    if (other) {
      const [own, taken] = [formatSubnet(local), formatSubnet(other.subnet)];
      return {
        cause: `Its subnet ${own} overlaps with ${taken} of the connector ${other.connectorName} on the same router.`,
        advice: 'Change the addresses of one of the two: the subnets on a router must not overlap.',
      };
    }
  }
  return undefined;
}

function diagnoseMissingEnd(
  link: LinkRow,
  connectors: Map<string, ConnectorRow>,
  rejected: Map<string, Diagnosis>,
): Diagnosis {
  for (const id of [link.from_id, link.to_id]) {
    const diagnosis = rejected.get(id);
    if (diagnosis) {
      const cause = `Its connector ${connectors.get(id)?.name} is not in the fabric. ${diagnosis.cause}`;
      return { ...diagnosis, cause };
    }
  }
  return {
    cause: 'One of its connectors is not deployed.',
    advice: 'Deploy the link again: this also deploys its connectors.',
  };
}

/** The specs of the accepted connectors, by id. Adds the other connectors to `rejected`. */
function buildConnectors(keys: Keys, rows: GroupRows, rejected: Map<string, Diagnosis>): Map<string, ConnectorSpec> {
  const specs = new Map<string, ConnectorSpec>();
  const usedSubnets = new Map<string, UsedSubnet[]>();
  const routers = new Map(rows.routers.map((router) => [router.id, router]));
  const secrets = Map.groupBy(rows.secrets, ({ connector_id }) => connector_id);
  // Deployed connectors come first, so that a new connector with the same subnet cannot displace them.
  const rank = ({ state }: ConnectorRow): number => (state === 'deployed' || state === 'delivered' ? 0 : 1);
  for (const connector of rows.connectors.toSorted((a, b) => rank(a) - rank(b))) {
    const router = routers.get(connector.router_id);
    const opened = (secrets.get(connector.id) ?? []).map((secret) => [secret.field, unsealSecret(keys, secret)]);
    const details = { ...connector.details, ...Object.fromEntries(opened) };
    const sessions = connectorKindOf(connector.family).sessions(details);
    const used = (router && usedSubnets.get(router.id)) ?? [];
    const diagnosis = diagnoseConnector(connector, sessions, used);
    if (diagnosis) rejected.set(connector.id, diagnosis);
    if (diagnosis || !router) continue;
    const added = sessions.map(({ local }) => ({ connectorName: connector.name, subnet: local }));
    usedSubnets.set(router.id, [...used, ...added]);
    specs.set(connector.id, connectorSpecOf(connector, Number(router.number), sessions));
  }
  return specs;
}

/** The specs of the accepted links. Adds the other links to `rejected`. */
function buildLinks(
  rows: GroupRows,
  connectorSpecs: Map<string, ConnectorSpec>,
  rejected: Map<string, Diagnosis>,
): LinkSpec[] {
  const connectors = new Map(rows.connectors.map((connector) => [connector.id, connector]));
  return rows.links.flatMap((link): LinkSpec[] => {
    const [from, to] = [connectorSpecs.get(link.from_id), connectorSpecs.get(link.to_id)];
    const [fromPlace, toPlace] = [connectors.get(link.from_id), connectors.get(link.to_id)];
    if (!from || !to || !fromPlace || !toPlace) {
      rejected.set(link.id, diagnoseMissingEnd(link, connectors, rejected));
      return [];
    }
    const diagnosis = [
      ...from.sessions.map(({ local }) => diagnoseAnnounced(local, to.number)),
      ...to.sessions.map(({ local }) => diagnoseAnnounced(local, from.number)),
    ].find((found) => found !== undefined);
    if (diagnosis) {
      rejected.set(link.id, diagnosis);
      return [];
    }
    const ends = { from: from.number, to: to.number };
    // A link within one router has no leg, so it has neither delay nor loss.
    const hasLeg = from.router !== to.router;
    const delay = hasLeg ? delayMs(fromPlace, toPlace) + (link.extra_ms ?? 0) : 0;
    const loss = hasLeg && link.loss_percent ? { lossPercent: link.loss_percent } : {};
    return [{ linkId: link.id, number: Number(link.number), ...ends, delayMs: delay, ...loss }];
  });
}

export function buildDesiredState(keys: Keys, groupId: string, rows: GroupRows): GroupDesiredState {
  const rejected = new Map<string, Diagnosis>();
  const specs = buildConnectors(keys, rows, rejected);
  const links = buildLinks(rows, specs, rejected);
  const connectors = [...specs.values()].sort((a, b) => a.number - b.number);
  const used = new Set(connectors.map(({ router }) => router));
  const routers = rows.routers
    .map(({ number, edge_code }) => ({ number: Number(number), edgeCode: edge_code }))
    .filter(({ number }) => used.has(number));
  return { desiredState: { ...emptyState(groupId), routers, connectors, links }, rejected };
}

/** The part of a desired state with these connectors, their routers and the links between them. */
export function restrictTo(desiredState: DesiredState, connectorNumbers: number[]): DesiredState {
  const wanted = new Set(connectorNumbers);
  const connectors = desiredState.connectors.filter(({ number }) => wanted.has(number));
  return {
    ...desiredState,
    connectors,
    routers: desiredState.routers.filter(({ number }) => connectors.some(({ router }) => router === number)),
    links: desiredState.links.filter(({ from, to }) => wanted.has(from) && wanted.has(to)),
  };
}
