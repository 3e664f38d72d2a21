// The kinds of fields that connectors have.
import { Type } from 'typebox';
import type { Session } from '../fabric/desired-state.ts';
import {
  addressPattern,
  type Cidr,
  cidrPattern,
  formatCidr,
  highestAsNumber,
  isHost,
  isSameNetwork,
  isUnicast,
  networkOf,
  otherHost,
  parseAddress,
  parseCidr,
  parseMask,
  reservedAsNumbers,
} from '../values/ip.ts';
import type { FieldType, Values } from './connector-kind.ts';

export const asNumber: FieldType = {
  schema: Type.Integer({
    minimum: 1,
    maximum: highestAsNumber,
    not: { enum: reservedAsNumbers },
    description: 'AS number, 2 or 4 bytes, as a plain number',
    message: `must be an AS number from 1 to ${highestAsNumber} that is not reserved (${reservedAsNumbers.join(', ')})`,
  }),
};

export const vlan: FieldType = {
  schema: Type.Integer({ minimum: 1, maximum: 4094, description: 'VLAN, unique on its appliance' }),
};

export const integerUpTo = (maximum: number, description: string): FieldType => ({
  schema: Type.Integer({ minimum: 0, maximum, description }),
});

export const text: FieldType = { schema: Type.String() };

export const oneOf = (values: string[], description: string): FieldType => ({
  schema: Type.String({ enum: values, description }),
});

/** Six to eighty printable characters. */
export const secret = (description: string): FieldType => ({
  schema: Type.String({
    pattern: '^[\\x20-\\x7e]{6,80}$',
    description: `${description}. Kept sealed; an update without it keeps it`,
    message: 'must be 6 to 80 printable ASCII characters',
  }),
  secret: true,
});

/** Twelve digits, of which the first may be zeros: a number on the way out, both on the way in. */
export const account: FieldType = {
  schema: Type.Union(
    [Type.Integer({ minimum: 0, maximum: 999_999_999_999 }), Type.String({ pattern: '^[0-9]{12}$' })],
    {
      description: 'Account number of twelve digits',
      message: 'must be an account number: an integer of at most 12 digits, or a text of exactly 12',
    },
  ),
  shownSchema: Type.Integer(),
  keep: (value: number | string) => String(value).padStart(12, '0'),
  show: (value: string) => Number(value),
};

const cidrSchema = (description: string) =>
  Type.String({
    pattern: cidrPattern,
    description,
    message: 'must be an IPv4 address with a prefix length, such as 192.0.2.1/30 (octets without leading zeros)',
  });

/** A host's address within a network that has room for two or six. */
export const hostAddress = (description: string): FieldType => ({
  schema: cidrSchema(description),
  complaint(value: string) {
    const cidr = parseCidr(value);
    if (!cidr || cidr.prefix < 29 || cidr.prefix > 31) return 'must have a prefix length from /29 to /31';
    if (!isUnicast(cidr.address)) return 'must be the unicast address of a host';
    if (!isHost(cidr)) return 'must be the address of a host, not of the network itself or its broadcast';
    return undefined;
  },
});

/** Two different hosts of one network. */
export function validatePair(values: Values, first: string, second: string) {
  const a = parseCidr(String(values[first]));
  const b = parseCidr(String(values[second]));
  if (!a || !b) return [];
  if (!isSameNetwork(a, b)) return [{ field: second, message: `must lie in the same subnet as ${first}` }];
  if (a.address === b.address) return [{ field: second, message: `must differ from ${first}` }];
  return [];
}

/** The pair completed: both of the platform's block, or the missing one beside the given. */
export function pairOf(first: unknown, second: unknown, block: Cidr): [string, string] {
  const known = [first, second].map((value) => (typeof value === 'string' ? parseCidr(value) : undefined));
  const a = known[0] ?? (known[1] ? otherHost(known[1]) : { address: block.address + 1, prefix: block.prefix });
  const b = known[1] ?? otherHost(a);
  return [formatCidr(a), formatCidr(b)];
}

export const subnet = (description: string): FieldType => ({
  schema: cidrSchema(description),
  complaint(value: string) {
    const cidr = parseCidr(value);
    if (!cidr || cidr.prefix < 8 || cidr.prefix > 31) return 'must have a prefix length from /8 to /31';
    if (!isUnicast(cidr.address)) return 'must be a unicast network';
    const network = networkOf(cidr);
    if (network !== cidr.address)
      return `must have no host bits: the subnet is ${formatCidr({ address: network, prefix: cidr.prefix })}`;
    return undefined;
  },
});

const addressSchema = (description: string, message: string) =>
  Type.String({ pattern: addressPattern, description, message });

export const address = (description: string): FieldType => ({
  schema: addressSchema(description, 'must be an IPv4 address such as 192.0.2.1 (octets without leading zeros)'),
  complaint: (value: string) =>
    isUnicast(parseAddress(value) ?? 0) ? undefined : 'must be the unicast address of a host',
});

export const mask: FieldType = {
  schema: addressSchema('Mask of the subnet, dotted', 'must be a dotted mask such as 255.255.255.252'),
  complaint(value: string) {
    const prefix = parseMask(value);
    return prefix !== undefined && prefix >= 8 && prefix <= 31
      ? undefined
      : 'must be a dotted mask from 255.0.0.0 (/8) to 255.255.255.254 (/31), its ones before its zeros';
  },
};

/** A BGP session between two hosts, each with its prefix length; none while one of them is not known. */
export function sessionBetween(
  local: unknown,
  remote: unknown,
  numbers: { localAs: unknown; remoteAs: unknown },
  more: Partial<Pick<Session, 'key' | 'med' | 'localPreference'>> = {},
): Session[] {
  const [a, b] = [local, remote].map((text) => (typeof text === 'string' ? parseCidr(text) : undefined));
  if (!a || !b) return [];
  return [
    {
      local: a,
      remote: b,
      localAs: Number(numbers.localAs),
      remoteAs: Number(numbers.remoteAs),
      key: undefined,
      med: undefined,
      localPreference: 100,
      ...more,
    },
  ];
}

/** The two ends of a subnet that the platform divides: the platform's is the first host. */
export function endsOf(subnet: unknown): [string | undefined, string | undefined] {
  const cidr = typeof subnet === 'string' ? parseCidr(subnet) : undefined;
  if (!cidr) return [undefined, undefined];
  const first = { ...cidr, address: networkOf(cidr) + (cidr.prefix >= 31 ? 0 : 1) };
  return [formatCidr(first), formatCidr(otherHost(first))];
}
