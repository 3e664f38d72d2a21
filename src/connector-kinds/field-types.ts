// Field types of connector kinds, and helpers for the addresses of BGP sessions.
import { Type } from 'typebox';
import type { Session } from '../fabric/desired-state.ts';
import { highestAsNumber, reservedAsNumbers } from '../values/as-number.ts';
import {
  addressPattern,
  type Cidr,
  cidrPattern,
  formatCidr,
  isHost,
  isSameNetwork,
  isUnicast,
  networkOf,
  otherHost,
  parseAddress,
  parseCidr,
  parseMask,
} from '../values/ip.ts';
import type { FieldType, PlatformDefaults, Values } from './connector-kind.ts';

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
    description: `${description}. Stored sealed; an update without it leaves it unchanged`,
    message: 'must be 6 to 80 printable ASCII characters',
    // Tells clients that build forms from the API document.
    'x-secret': true,
  }),
  secret: true,
});

/** Twelve digits, leading zeros included. Accepts a number or a string; responses contain a number. */
export const account: FieldType = {
  schema: Type.Union(
    [Type.Integer({ minimum: 0, maximum: 999_999_999_999 }), Type.String({ pattern: '^[0-9]{12}$' })],
    {
      description: 'Account number of twelve digits',
      message: 'must be an account number: an integer of at most 12 digits, or a text of exactly 12',
    },
  ),
  readSchema: Type.Integer(),
  toStored: (value: number | string) => String(value).padStart(12, '0'),
  toWire: (value: string) => Number(value),
};

const cidrSchema = (description: string) =>
  Type.String({
    pattern: cidrPattern,
    description,
    message: 'must be an IPv4 address with a prefix length, such as 192.0.2.1/30 (octets without leading zeros)',
  });

/** Address of a host in a network of prefix length /29 to /31. */
export const hostAddress = (description: string): FieldType => ({
  schema: cidrSchema(description),
  validate(value: string) {
    const cidr = parseCidr(value);
    if (!cidr || cidr.prefix < 29 || cidr.prefix > 31) return 'must have a prefix length from /29 to /31';
    if (!isUnicast(cidr.address)) return 'must be the unicast address of a host';
    if (!isHost(cidr)) return 'must be the address of a host, not of the network itself or its broadcast';
    return undefined;
  },
});

/** Checks that two addresses are different hosts of one network. */
export function validatePair(values: Values, first: string, second: string) {
  const a = parseCidr(String(values[first]));
  const b = parseCidr(String(values[second]));
  if (!a || !b) return [];
  if (!isSameNetwork(a, b)) return [{ field: second, message: `must lie in the same subnet as ${first}` }];
  if (a.address === b.address) return [{ field: second, message: `must differ from ${first}` }];
  return [];
}

/** Completes a pair of session addresses: from the block if both are missing, else from the network of the other. */
export function completePair(first: unknown, second: unknown, block: Cidr): [string, string] {
  const [givenFirst, givenSecond] = [first, second].map((value) =>
    typeof value === 'string' ? parseCidr(value) : undefined,
  );
  const a = givenFirst ?? (givenSecond ? otherHost(givenSecond) : { ...block, address: block.address + 1 });
  const b = givenSecond ?? otherHost(a);
  return [formatCidr(a), formatCidr(b)];
}

export const subnet = (description: string): FieldType => ({
  schema: cidrSchema(description),
  validate(value: string) {
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
  validate: (value: string) =>
    isUnicast(parseAddress(value) ?? 0) ? undefined : 'must be the unicast address of a host',
});

export const mask: FieldType = {
  schema: addressSchema('Mask of the subnet, dotted', 'must be a dotted mask such as 255.255.255.252'),
  validate(value: string) {
    const prefix = parseMask(value);
    return prefix !== undefined && prefix >= 8 && prefix <= 31
      ? undefined
      : 'must be a dotted mask from 255.0.0.0 (/8) to 255.255.255.254 (/31), its ones before its zeros';
  },
};

/** The platform's AS number towards this peer. Equal numbers would make the session internal (RFC 4271). */
export const platformAsTowards = (peer: unknown, { asNumbers: [first, second] }: PlatformDefaults): number =>
  peer === first ? second : first;

/** An address that the provider assigns. It is stored with its prefix length, which the session needs. */
export const assignedAddress = (description: string): FieldType => ({
  schema: Type.String({ pattern: addressPattern, description }),
  toWire: (value: string) => value.split('/')[0],
});

/** One BGP session between two addresses in CIDR notation, or none while an address is missing. */
export function bgpSessions(
  local: unknown,
  remote: unknown,
  asNumbers: { localAs: unknown; remoteAs: unknown },
  options: Partial<Pick<Session, 'key' | 'med' | 'localPreference'>> = {},
): Session[] {
  const [a, b] = [local, remote].map((text) => (typeof text === 'string' ? parseCidr(text) : undefined));
  if (!a || !b) return [];
  return [
    {
      local: a,
      remote: b,
      localAs: Number(asNumbers.localAs),
      remoteAs: Number(asNumbers.remoteAs),
      key: undefined,
      med: undefined,
      localPreference: 100,
      ...options,
    },
  ];
}

/** The two session addresses of a subnet; the platform uses the first host. */
export function subnetHosts(subnet: unknown): [string | undefined, string | undefined] {
  const cidr = typeof subnet === 'string' ? parseCidr(subnet) : undefined;
  if (!cidr) return [undefined, undefined];
  const first = { ...cidr, address: networkOf(cidr) + (cidr.prefix >= 31 ? 0 : 1) };
  return [formatCidr(first), formatCidr(otherHost(first))];
}
