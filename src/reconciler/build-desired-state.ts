// From the records of a group to what its fabric should hold. Pure, but for the keys that open secrets.
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
import { openSecret } from '../resources/connectors/secrets.ts';
import { type Cidr, formatCidr, networkOf, overlap } from '../values/ip.ts';
import type { GroupRows } from './group-store.ts';

/** A blueprint, and the records that have no place in it, by id, with the reason. */
export interface GroupDesiredState {
  desiredState: DesiredState;
  rejected: Map<string, Diagnosis>;
}

/** More prefixes from a far end than any site or provider of this size has. */
const prefixLimit = 100;

const firstRange = 10 * 2 ** 24;
const secondRange = 172 * 2 ** 24 + 16 * 2 ** 16;

/** What a far end announces: two networks that no other of the next 65,536 has. */
const prefixesOf = (number: number): Cidr[] => [
  { address: firstRange + (number % 65_536) * 256, prefix: 24 },
  { address: secondRange + (number % 65_536) * 16, prefix: 28 },
];

type ConnectorOf = GroupRows['connectors'][number];

function sessionsOf(keys: Keys, secretsOf: Map<string, GroupRows['secrets']>, connector: ConnectorOf): Session[] {
  const secrets = (secretsOf.get(connector.id) ?? []).map((secret) => [secret.field, openSecret(keys, secret)]);
  return connectorKindOf(connector.family).sessions({ ...connector.details, ...Object.fromEntries(secrets) });
}

const jackOf = (connector: ConnectorOf, router: number, sessions: Session[]): ConnectorSpec => ({
  connectorId: connector.id,
  number: Number(connector.number),
  router,
  sessions,
  bandwidthBps: Number(connector.bandwidth_bps),
  prefixLimit,
  farEnd: { prefixes: prefixesOf(Number(connector.number)), fault: connector.fault ?? undefined },
});

const subnetText = ({ address, prefix }: Cidr): string =>
  formatCidr({ address: networkOf({ address, prefix }), prefix });

/** Why these sessions cannot stand on a router beside those that are there, if so. */
function hindranceOf(
  { number }: ConnectorOf,
  sessions: Session[],
  there: { name: string; subnet: Cidr }[],
): Diagnosis | undefined {
  if (sessions.length === 0)
    return {
      cause: 'Its provider has handed out no addresses yet.',
      advice: 'Deploy it again: that asks the provider first.',
    };
  for (const { local } of sessions) {
    const own = announcedOver(local, Number(number));
    if (own) return own;
    const other = there.find(({ subnet }) => overlap(subnet, local));
    if (other)
      return {
        cause: `Its subnet ${subnetText(local)} overlaps with ${subnetText(other.subnet)} of the connector ${other.name} on the same router.`,
        advice: 'Change the addresses of one of the two: a router tells its neighbours apart by their subnets.',
      };
  }
  return undefined;
}

/** A session within what a far end announces would answer in its place. */
function announcedOver(local: Cidr, number: number): Diagnosis | undefined {
  const prefix = prefixesOf(number).find((one) => overlap(one, local));
  return (
    prefix && {
      cause: `The subnet ${subnetText(local)} of the session overlaps with ${subnetText(prefix)}, which the far end announces.`,
      advice: 'Change the addresses of the session to another subnet.',
    }
  );
}

export function buildDesiredState(keys: Keys, groupId: string, rows: GroupRows): GroupDesiredState {
  const hindered = new Map<string, Diagnosis>();
  const taken = new Map<string, { name: string; subnet: Cidr }[]>();
  const places = new Map(rows.connectors.map((one) => [one.id, one]));
  const routersById = new Map(rows.routers.map((one) => [one.id, one]));
  const secretsOf = Map.groupBy(rows.secrets, ({ connector_id }) => connector_id);
  const jacks = new Map<string, ConnectorSpec>();
  // Who stands already comes first: a change elsewhere does not push anybody out.
  const stands = ({ state }: ConnectorOf): number => (state === 'deployed' || state === 'delivered' ? 0 : 1);
  for (const connector of rows.connectors.toSorted((a, b) => stands(a) - stands(b))) {
    const router = routersById.get(connector.router_id);
    const sessions = sessionsOf(keys, secretsOf, connector);
    const there = (router && taken.get(router.id)) ?? [];
    const trouble = hindranceOf(connector, sessions, there);
    if (trouble) hindered.set(connector.id, trouble);
    if (trouble || !router) continue;
    taken.set(router.id, [...there, ...sessions.map(({ local }) => ({ name: connector.name, subnet: local }))]);
    jacks.set(connector.id, jackOf(connector, Number(router.number), sessions));
  }
  const cords = rows.links.flatMap((link): LinkSpec[] => {
    const [from, to] = [jacks.get(link.from_id), jacks.get(link.to_id)];
    const [here, there] = [places.get(link.from_id), places.get(link.to_id)];
    if (!from || !to || !here || !there) {
      hindered.set(link.id, hindranceOfLink(link, places, hindered));
      return [];
    }
    const astray = [
      ...from.sessions.map(({ local }) => announcedOver(local, to.number)),
      ...to.sessions.map(({ local }) => announcedOver(local, from.number)),
    ].find((trouble) => trouble !== undefined);
    if (astray) {
      hindered.set(link.id, astray);
      return [];
    }
    const ends = { from: from.number, to: to.number };
    // Within a router there is no leg to be slow or to lose anything.
    const isLeg = from.router !== to.router;
    const delay = isLeg ? delayMs(here, there) + (link.extra_ms ?? 0) : 0;
    const loss = isLeg && link.loss_percent ? { lossPercent: link.loss_percent } : {};
    return [{ linkId: link.id, number: Number(link.number), ...ends, delayMs: delay, ...loss }];
  });
  const used = new Set([...jacks.values()].map(({ router }) => router));
  const routers = rows.routers
    .map(({ number, edge_code }) => ({ number: Number(number), edgeCode: edge_code }))
    .filter(({ number }) => used.has(number));
  const inOrder = [...jacks.values()].sort((a, b) => a.number - b.number);
  return { desiredState: { ...emptyState(groupId), routers, connectors: inOrder, links: cords }, rejected: hindered };
}

function hindranceOfLink(
  link: GroupRows['links'][number],
  places: Map<string, ConnectorOf>,
  hindered: Map<string, Diagnosis>,
): Diagnosis {
  for (const id of [link.from_id, link.to_id]) {
    const [name, trouble] = [places.get(id)?.name, hindered.get(id)];
    if (trouble) return { ...trouble, cause: `Its connector ${name} has no place in the fabric. ${trouble.cause}` };
  }
  return {
    cause: 'One of its connectors is not deployed.',
    advice: 'Deploy the link again: that deploys what it connects.',
  };
}

/** The part of a blueprint that these jacks are: they, their routers and the cords between them. */
export function restrictTo(blueprint: DesiredState, numbers: number[]): DesiredState {
  const wanted = new Set(numbers);
  const jacks = blueprint.connectors.filter(({ number }) => wanted.has(number));
  return {
    ...blueprint,
    connectors: jacks,
    routers: blueprint.routers.filter(({ number }) => jacks.some(({ router }) => router === number)),
    links: blueprint.links.filter(({ from, to }) => wanted.has(from) && wanted.has(to)),
  };
}
