// Builds every word that reaches a command or a configuration of the lab, from numbers that the platform assigned.
// Values that are no such number are rejected, not escaped: customer input never gets here.
import { createHash } from 'node:crypto';
import { type Cidr, formatAddress, formatCidr } from '../../values/ip.ts';

function integer(value: number, min: number, max: number): string {
  if (!Number.isInteger(value) || value < min || value > max)
    throw new RangeError(`${value} is no integer from ${min} to ${max}`);
  return String(value);
}

/** Number of a record. Interface names have at most 15 bytes, of which two are letters. */
const recordNumber = (value: number): string => integer(value, 0, 999_999_999);

export const asNumber = (value: number): string => integer(value, 1, 4_294_967_294);
export const unsigned = (value: number): string => integer(value, 0, 4_294_967_295);
export const address = (value: number): string => {
  integer(value, 0, 4_294_967_295);
  return formatAddress(value);
};
export function cidr(value: Cidr): string {
  address(value.address);
  integer(value.prefix, 0, 32);
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

/** Kernel routing tables of a connector: all routes it may use, and only those that its own far end announces. */
export const reachTable = (number: number): string => integer(10_000 + 2 * number, 10_000, 2 ** 32 - 1);
export const farEndTable = (number: number): string => integer(10_001 + 2 * number, 10_000, 2 ** 32 - 1);

/** The addresses of the cable between core and relay, and the VXLAN port. */
export const underlay = { core: '198.19.255.1', relay: '198.19.255.2', port: '4789' };

/** VXLAN network identifier of a leg's end. Both ends are created in one namespace, so each needs its own. */
export const legVni = (number: number, end: 0 | 1): number =>
  Number(integer(2 * (number % 8_000_000) + end, 0, 2 ** 24 - 1));

/** Hardware address of a leg's end. It is stable: the neighbour entry of the other end outlives a recreation. */
export const legHardware = (vni: number): string =>
  ['02', '00', '00', ...[16, 8, 0].map((shift) => ((vni >> shift) & 255).toString(16).padStart(2, '0'))].join(':');

/** Transfer addresses of a leg, from a reserved range (240.0.0.0/4) that customers can neither use nor announce. */
export const legAddress = (number: number, end: 0 | 1): Cidr => ({
  address: 240 * 2 ** 24 + 2 * (number % 2 ** 26) + end,
  prefix: 31,
});

/**
 * The MD5 key that both ends of a session use. A configuration file cannot hold every character of a customer's key (a
 * quote ends the string). The lab owns both ends, so both use the key's digest, and no customer byte reaches a file.
 */
export const tcpKey = (key: string): string => createHash('sha256').update(key).digest('hex');

export const fingerprint = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 24);

const instanceShape = /^[a-z0-9]{6}$/;
/** The network namespace of a node in the lab of an instance: `pb-k3x9ab-r12`. */
export const namespaceName = (instance: string, node: string): string => {
  if (!instanceShape.test(instance)) throw new RangeError('an instance has six letters and digits');
  return `pb-${instance}-${node}`;
};
