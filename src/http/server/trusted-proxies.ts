// Which proxies may forward requests, and the client address behind them.
import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

/** `proxies` are addresses or CIDR prefixes. */
export function createProxyTrust(proxies: string[]): (address: string) => boolean {
  if (proxies.length === 0) return () => false;
  const list = new BlockList();
  for (const proxy of proxies) {
    const [address = '', prefix] = proxy.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (prefix === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(prefix), family);
  }
  return (address) => {
    const plain = address.replace(/^::ffff:/i, '');
    return list.check(plain, isIP(plain) === 6 ? 'ipv6' : 'ipv4');
  };
}

/** The last address on the forwarded path that is not a trusted proxy. */
export function clientAddress(
  { socket, headers }: Pick<IncomingMessage, 'socket' | 'headers'>,
  isTrusted: (address: string) => boolean,
): string {
  const peer = socket.remoteAddress ?? '';
  const forwarded = headers['x-forwarded-for'];
  if (forwarded === undefined || !isTrusted(peer)) return peer;
  const path = [...String(forwarded).split(','), peer].map((address) => address.trim());
  return path.findLast((address) => !isTrusted(address)) ?? path[0] ?? peer;
}
