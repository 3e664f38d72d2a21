// Every word that reaches a command or a configuration of the lab is made here, of numbers that the platform gave. Nothing a customer wrote
// does: what is no such number is refused, not escaped.
import { createHash } from 'node:crypto';
import { type Cidr, formatAddress, formatCidr } from '../../values/ip.ts';

function whole(value: number, least: number, most: number): string {
  if (!Number.isInteger(value) || value < least || value > most)
    throw new RangeError(`${value} is no whole number from ${least} to ${most}`);
  return String(value);
}

/** Numbers of records. An interface name has at most 15 bytes, of which two are letters. */
const recordNumber = (value: number): string => whole(value, 0, 999_999_999);

export const asNumber = (value: number): string => whole(value, 1, 4_294_967_294);
export const unsigned = (value: number): string => whole(value, 0, 4_294_967_295);
export const address = (value: number): string => {
  whole(value, 0, 4_294_967_295);
  return formatAddress(value);
};
export function cidr(value: Cidr): string {
  address(value.address);
  whole(value.prefix, 0, 32);
  return formatCidr(value);
}

export const routerName = (number: number): string => `r${recordNumber(number)}`;
export const farEndName = (number: number): string => `f${recordNumber(number)}`;
export const legName = (number: number): string => `l${recordNumber(number)}`;
const suffix = (index: number): string => (index === 0 ? '' : 'b');
/** The two ends of the cable of a session. */
export const portName = (number: number, index: number): string => `c${recordNumber(number)}${suffix(index)}`;
export const farPortName = (number: number, index: number): string => `p${recordNumber(number)}${suffix(index)}`;
export const sessionName = (number: number, index: number): string => `s${recordNumber(number)}${suffix(index)}`;

/** Routing tables of the kernel: what may be reached from a jack, and what its own far end announces. */
export const reachTable = (number: number): string => whole(10_000 + 2 * number, 10_000, 2 ** 32 - 1);
export const ownTable = (number: number): string => whole(10_001 + 2 * number, 10_000, 2 ** 32 - 1);

/** The two ends of a leg live in one place and need a network identifier each. */
export const legVni = (number: number, end: 0 | 1): number =>
  Number(whole(2 * (number % 8_000_000) + end, 0, 2 ** 24 - 1));

/** The hardware address of an end of a leg: always the same, so that the other end need not learn it again when this one was made anew. */
export const legHardware = (vni: number): string =>
  ['02', '00', '00', ...[16, 8, 0].map((shift) => ((vni >> shift) & 255).toString(16).padStart(2, '0'))].join(':');

/** Transfer addresses of a leg, out of a range that no customer can use or announce (240.0.0.0/4 is reserved). */
export const legAddress = (number: number, end: 0 | 1): Cidr => ({
  address: 240 * 2 ** 24 + 2 * (number % 2 ** 26) + end,
  prefix: 31,
});

/**
 * The key of a BGP session as both ends really use it. A configuration cannot hold every character that a customer may put into a key (a
 * quote ends it); both ends are ours, so both use the digest, and no byte of a customer's ever reaches a file.
 */
export const tcpKey = (key: string): string => createHash('sha256').update(key).digest('hex');

export const fingerprint = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 24);

export const instanceShape = /^[a-z0-9]{6}$/;
export const namespaceOf = (instance: string, place: string): string => {
  if (!instanceShape.test(instance)) throw new RangeError('an instance has six letters and digits');
  return `pb-${instance}-${place}`;
};
