// The X.509 extension that limits a certificate authority to some names (RFC 5280, section 4.2.1.10), in DER.
import { isIP } from 'node:net';

export const nameConstraintsId = '2.5.29.30';
/** The same identifier as a certificate contains it. */
const encodedId = Buffer.from([0x06, 0x03, 0x55, 0x1d, 0x1e]);

const tags = { sequence: 0x30, permittedSubtrees: 0xa0, dnsName: 0x82, ipAddress: 0x87 };

function encode(tag: number, content: Buffer): Buffer {
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function addressBytes(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split('.').map(Number));
  // The URL parser writes an embedded IPv4 address as hexadecimal groups; a zone is no part of the address.
  const { hostname } = new URL(`https://[${address.replace(/%.*/, '')}]`);
  const [before = [], after = []] = hostname
    .slice(1, -1)
    .split('::')
    .map((half) => half.split(':').filter(Boolean));
  const groups = [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex');
}

/** Permits one name: a host name with those below it, or a single address, as address and mask. */
function subtreeOf(name: string): Buffer {
  if (!isIP(name)) return encode(tags.sequence, encode(tags.dnsName, Buffer.from(name, 'latin1')));
  const address = addressBytes(name);
  const mask = Buffer.alloc(address.length, 0xff);
  return encode(tags.sequence, encode(tags.ipAddress, Buffer.concat([address, mask])));
}

/** The value of the extension. `names` must have a host name and an address: a kind that is absent is not limited. */
export const encodeNameConstraints = (names: string[]): Buffer =>
  encode(tags.sequence, encode(tags.permittedSubtrees, Buffer.concat(names.map(subtreeOf))));

export const hasNameConstraints = (certificate: Buffer): boolean => certificate.includes(encodedId);

/** Whether an authority with constraints of this module may sign for all the names. */
export const permitsNames = (certificate: Buffer, names: string[]): boolean =>
  hasNameConstraints(certificate) && names.every((name) => certificate.includes(subtreeOf(name)));
