// Session subnets of connectors: those that the caller chose must not overlap with another connector's on the same
// router, and for the others the platform draws address blocks that do not.
import { isDeepStrictEqual } from 'node:util';
import type { ConnectorKind, Values } from '../../connector-kinds/connector-kind.ts';
import { problem } from '../../errors/problems.ts';
import type { Database, Scope } from '../../store/database.ts';
import { type Cidr, formatCidr, networkOf, overlap, parseAddress, parseCidr } from '../../values/ip.ts';
import {
  type BlockPosition,
  drawAddressBlock,
  listNearbyConnectors,
  lockRouter,
  returnAddressBlocks,
} from './address-block-store.ts';
import { connectorKindOf } from './rules.ts';

/** The connector whose subnets are compared. It must be inserted. */
export interface SubnetOwner {
  id: string;
  routerId: string;
  kind: ConnectorKind;
  /** Path of the kind's fields in the request body. */
  path: string;
  /** Stored values of the fields that the caller sent: an error names one of them. */
  sent: Values;
}

/** The values of a connector that gets these address blocks. */
export type Complete = (blocks: [number, number]) => Values;

/** A /24 that another connector chose within the platform's range contains 64 blocks. */
const maxRedraws = 64;

const positions: BlockPosition[] = [0, 1];
const placeholders = (): [number, number] => [0, 1];

/** The positions whose block makes a difference. */
const neededPositions = (complete: Complete): BlockPosition[] =>
  positions.filter((position) => {
    const others = placeholders();
    others[position] += 2;
    return !isDeepStrictEqual(complete(placeholders()), complete(others));
  });

/** The platform's address of each session, with the prefix length of the subnet. */
const localAddresses = (kind: ConnectorKind, values: Values): Cidr[] => kind.sessions(values).map(({ local }) => local);

const formatSubnet = ({ address, prefix }: Cidr): string =>
  formatCidr({ address: networkOf({ address, prefix }), prefix });

/** The addresses that do not depend on address blocks. */
function givenAddresses(kind: ConnectorKind, complete: Complete): Cidr[] {
  const elsewhere = localAddresses(kind, complete([2, 3]));
  return localAddresses(kind, complete(placeholders())).filter((one) =>
    elsewhere.some((other) => isDeepStrictEqual(one, other)),
  );
}

interface Overlap {
  own: Cidr;
  other: Cidr;
  connectorName: string;
}

async function findOverlap(
  database: Database,
  scope: Scope,
  { id, routerId }: SubnetOwner,
  addresses: Cidr[],
): Promise<Overlap | undefined> {
  if (addresses.length === 0) return undefined;
  const nearby = await listNearbyConnectors(database, scope, routerId, id, addresses.map(formatSubnet));
  for (const { name, family, details } of nearby)
    for (const other of localAddresses(connectorKindOf(family), details)) {
      const own = addresses.find((one) => overlap(one, other));
      if (own) return { own, other, connectorName: name };
    }
  return undefined;
}

function overlapProblem({ kind, path, sent }: SubnetOwner, { own, other, connectorName }: Overlap) {
  const isInside = (value: unknown): boolean => {
    const cidr = parseCidr(String(value));
    const address = cidr?.address ?? parseAddress(String(value));
    return address !== undefined && overlap({ address, prefix: 32 }, own);
  };
  const field = kind.fields.find(({ name }) => isInside(sent[name]));
  const taken = `${formatSubnet(other)} of the connector ${connectorName} on the same router`;
  return problem('Overlaps', {
    sentence: `The subnet ${formatSubnet(own)} overlaps with ${taken}. Choose another subnet for one of the two.`,
    details: [{ path: field ? `${path}.${field.writeName}` : path, message: `overlaps with ${taken}` }],
  });
}

/** Rejects subnets that the caller chose, without drawing blocks for the others. */
export async function rejectOverlaps(
  database: Database,
  scope: Scope,
  owner: SubnetOwner,
  complete: Complete,
): Promise<void> {
  const given = givenAddresses(owner.kind, complete);
  if (given.length === 0) return;
  await lockRouter(database, scope, owner.routerId);
  const found = await findOverlap(database, scope, owner, given);
  if (found) throw overlapProblem(owner, found);
}

/**
 * Completes the values with address blocks that belong to the connector, and rejects subnets that overlap with another
 * connector's on the router. Subnets in `current` stay as they are: a connector may keep what it has.
 */
export async function completeWithBlocks(
  database: Database,
  scope: Scope,
  owner: SubnetOwner,
  complete: Complete,
  current: Values = {},
): Promise<Values> {
  const needed = neededPositions(complete);
  const given = givenAddresses(owner.kind, complete);
  const kept = localAddresses(owner.kind, current).map(formatSubnet);
  const isNew = (address: Cidr): boolean => !kept.includes(formatSubnet(address));
  if (needed.length === 0 && !given.some(isNew)) return complete(placeholders());
  await lockRouter(database, scope, owner.routerId);
  for (let redraws = 0; ; redraws++) {
    const blocks = placeholders();
    const drawn = await Promise.all(needed.map((position) => drawAddressBlock(database, scope, owner.id, position)));
    needed.forEach((position, index) => {
      blocks[position] = drawn[index] ?? blocks[position];
    });
    const values = complete(blocks);
    const found = await findOverlap(database, scope, owner, localAddresses(owner.kind, values).filter(isNew));
    if (!found) return values;
    const isChosen = given.some((one) => isDeepStrictEqual(one, found.own));
    if (isChosen || redraws === maxRedraws) throw overlapProblem(owner, found);
    await returnAddressBlocks(database, scope, owner.id, needed);
  }
}
