// IPv4 addresses, prefixes, masks, AS numbers and speeds, parsed strictly: ambiguous spellings are rejected, such as an
// octet with a leading zero, which some parsers read as octal.

export interface Cidr {
  address: number;
  prefix: number;
}

const octet = '(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])';
export const addressPattern = `^${octet}(?:\\.${octet}){3}$`;
export const cidrPattern = `^${octet}(?:\\.${octet}){3}/(?:3[0-2]|[12]?[0-9])$`;
const addressShape = new RegExp(addressPattern);
const cidrShape = new RegExp(cidrPattern);

/** An address as a number from 0 to 2^32 - 1. */
export function parseAddress(text: string): number | undefined {
  if (!addressShape.test(text)) return undefined;
  return text.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
}

export const formatAddress = (address: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.');

export function parseCidr(text: string): Cidr | undefined {
  if (!cidrShape.test(text)) return undefined;
  const [host = '', prefix] = text.split('/');
  return { address: parseAddress(host) ?? 0, prefix: Number(prefix) };
}

export const formatCidr = ({ address, prefix }: Cidr): string => `${formatAddress(address)}/${prefix}`;

const sizeOf = (prefix: number): number => 2 ** (32 - prefix);

export const networkOf = ({ address, prefix }: Cidr): number => address - (address % sizeOf(prefix));

/** Whether the address is usable by a host: not the network or broadcast address, except in a /31 (RFC 3021). */
export function isHost(cidr: Cidr): boolean {
  if (cidr.prefix >= 31) return true;
  const offset = cidr.address - networkOf(cidr);
  return offset !== 0 && offset !== sizeOf(cidr.prefix) - 1;
}

export const isSameNetwork = (a: Cidr, b: Cidr): boolean => a.prefix === b.prefix && networkOf(a) === networkOf(b);

export function overlap(a: Cidr, b: Cidr): boolean {
  const prefix = Math.min(a.prefix, b.prefix);
  return networkOf({ ...a, prefix }) === networkOf({ ...b, prefix });
}

/** The first other host of the same network, which must have at least two. */
export function otherHost(cidr: Cidr): Cidr {
  const first = networkOf(cidr) + (cidr.prefix >= 31 ? 0 : 1);
  return { address: cidr.address === first ? first + 1 : first, prefix: cidr.prefix };
}

/** Not "this network", loopback, multicast or reserved. */
export function isUnicast(address: number): boolean {
  const first = Math.floor(address / 2 ** 24);
  return first > 0 && first !== 127 && first < 224;
}

/** `255.255.255.252` as 30; undefined for a non-contiguous mask. */
export function parseMask(text: string): number | undefined {
  const mask = parseAddress(text);
  if (mask === undefined) return undefined;
  const hosts = 2 ** 32 - 1 - mask;
  const bits = Math.log2(hosts + 1);
  return Number.isInteger(bits) ? 32 - bits : undefined;
}

export const formatMask = (prefix: number): string => formatAddress(2 ** 32 - sizeOf(prefix));
