import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  addressPattern,
  cidrPattern,
  formatAddress,
  formatCidr,
  formatMask,
  isHost,
  isSameNetwork,
  isUnicast,
  networkOf,
  otherHost,
  overlap,
  parseAddress,
  parseCidr,
  parseMask,
} from './ip.ts';
import { parseSpeed } from './speed.ts';

const highest = 2 ** 32 - 1;
const address = fc.integer({ min: 0, max: highest });
const prefix = fc.integer({ min: 0, max: 32 });
const cidrWith = (prefixes: fc.Arbitrary<number>) =>
  fc.tuple(address, prefixes).map(([host, length]) => ({ address: host, prefix: length }));
const cidr = cidrWith(prefix);
const sizeOf = (length: number): number => 2 ** (32 - length);

test('formatting and parsing an address round-trips', () => {
  const borders = [0, 1, 255, 256, 2 ** 31 - 1, 2 ** 31, highest - 1, highest];
  fc.assert(
    fc.property(address, (number) => {
      const text = formatAddress(number);
      assert.equal(text, [number >>> 24, (number >>> 16) & 255, (number >>> 8) & 255, number & 255].join('.'));
      assert.equal(parseAddress(text), number);
      assert.match(text, new RegExp(addressPattern));
    }),
    { examples: borders.map((number): [number] => [number]) },
  );
});

test('ambiguous or malformed addresses are rejected', () => {
  const refused = [
    ...['', '1', '1.2', '1.2.3', '1.2.3.4.5', '1..3.4', '.1.2.3.4', '1.2.3.4.', '1.2.3.-4', '1.2.3.+4'],
    ...['256.0.0.1', '1.2.3.256', '1.2.3.1000', '01.2.3.4', '1.2.3.04', '010.0.0.0', '00.0.0.0', '1.2.3.4/32'],
    ...[' 1.2.3.4', '1.2.3.4 ', '1. 2.3.4', '1.2.3.4\n', '0x1.2.3.4', '1e1.2.3.4', '1.2.3.a', '١.2.3.4', '::1'],
  ];
  for (const text of refused) assert.equal(parseAddress(text), undefined, JSON.stringify(text));
  // One of the four parts has a leading zero, is too large or contains a blank.
  const parts = fc.array(fc.integer({ min: 0, max: 255 }).map(String), { minLength: 4, maxLength: 4 });
  const corrupt = (part: string) => [`0${part}`, `00${part}`, String(Number(part) + 256), ` ${part}`, `${part} `];
  fc.assert(
    fc.property(parts, fc.nat(3), fc.nat(4), (good, place, way) => {
      const bad = good.with(place, corrupt(good[place] ?? '')[way] ?? '');
      assert.equal(parseAddress(bad.join('.')), undefined);
      assert.equal(parseCidr(`${bad.join('.')}/24`), undefined);
    }),
  );
});

test('every parsed text formats back to itself, and no text makes a parser throw', () => {
  const digitsAndDots = fc.string({ unit: fc.constantFrom(...'0123456789./ '), maxLength: 20 });
  fc.assert(
    fc.property(fc.oneof(fc.string(), digitsAndDots), (text) => {
      const [plain, network, mask] = [parseAddress(text), parseCidr(text), parseMask(text)];
      if (plain !== undefined) assert.equal(formatAddress(plain), text);
      if (network !== undefined) assert.equal(formatCidr(network), text);
      if (mask !== undefined) assert.equal(formatMask(mask), text);
    }),
    { numRuns: 2000 },
  );
});

test('formatting and parsing a network round-trips', () => {
  fc.assert(
    fc.property(cidr, (one) => {
      assert.equal(formatCidr(one), `${formatAddress(one.address)}/${one.prefix}`);
      assert.deepEqual(parseCidr(formatCidr(one)), one);
      assert.match(formatCidr(one), new RegExp(cidrPattern));
    }),
  );
  for (const length of ['33', '032', '00', '-1', '', ' 8', '8 ', '8.0', '1e1', '255.0.0.0'])
    assert.equal(parseCidr(`10.0.0.0/${length}`), undefined, length);
  for (const text of ['10.0.0.0', '10.0.0/8', '10.0.0.0/8/8', '10.0.0.0\\8', '010.0.0.0/24', '/8'])
    assert.equal(parseCidr(text), undefined, text);
});

test('networkOf contains the address and is the same for every address of the network', () => {
  fc.assert(
    fc.property(cidr, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (one, share) => {
      const network = networkOf(one);
      const size = sizeOf(one.prefix);
      assert.ok(network <= one.address && one.address < network + size);
      assert.equal(network % size, 0);
      const neighbour = { address: network + Math.floor(share * size), prefix: one.prefix };
      assert.ok(isSameNetwork(one, neighbour));
      assert.ok(
        !isSameNetwork(one, { ...neighbour, prefix: (one.prefix + 1) % 33 }),
        'a different prefix length is a different network',
      );
      if (network + size <= highest) assert.ok(!isSameNetwork(one, { ...one, address: network + size }));
    }),
  );
});

test('networks overlap exactly when they have an address in common', () => {
  // Small networks close together, so that every case occurs.
  const near = fc.record({ address: fc.integer({ min: 0, max: 63 }), prefix: fc.integer({ min: 26, max: 32 }) });
  const addressesOf = (one: { address: number; prefix: number }) =>
    new Set(Array.from({ length: sizeOf(one.prefix) }, (_, offset) => networkOf(one) + offset));
  fc.assert(
    fc.property(near, near, (a, b) => {
      assert.equal(overlap(a, b), !addressesOf(a).isDisjointFrom(addressesOf(b)));
      assert.equal(overlap(a, b), overlap(b, a));
    }),
  );
});

test('a host is any address except the first and last; in a /31 both addresses are hosts', () => {
  fc.assert(
    fc.property(cidr, (one) => {
      const [first, last] = [networkOf(one), networkOf(one) + sizeOf(one.prefix) - 1];
      assert.equal(isHost(one), one.prefix >= 31 || (one.address !== first && one.address !== last));
    }),
  );
});

test('otherHost returns a different host of the same network', () => {
  const roomForTwo = cidrWith(fc.integer({ min: 0, max: 31 })).filter(isHost);
  fc.assert(
    fc.property(roomForTwo, (host) => {
      const other = otherHost(host);
      assert.notEqual(other.address, host.address);
      assert.ok(isSameNetwork(host, other));
      assert.ok(isHost(other));
      if (host.prefix >= 30) assert.deepEqual(otherHost(other), host, 'of two hosts, each is the other of the other');
    }),
  );
});

test('exactly 33 masks are accepted', () => {
  const masks = Array.from({ length: 33 }, (_, length) => formatMask(length));
  assert.deepEqual(
    masks.map(parseMask),
    masks.map((_, length) => length),
  );
  assert.equal(new Set(masks).size, 33);
  assert.deepEqual(
    [masks[0], masks[8], masks[20], masks[30], masks[32]],
    ['0.0.0.0', '255.0.0.0', '255.255.240.0', '255.255.255.252', '255.255.255.255'],
  );
  // Arbitrary addresses, and masks with one flipped bit.
  const almost = fc.tuple(prefix, fc.nat(31)).map(([length, bit]) => {
    const mask = highest - (sizeOf(length) - 1);
    const weight = 2 ** bit;
    return Math.floor(mask / weight) % 2 ? mask - weight : mask + weight;
  });
  fc.assert(
    fc.property(fc.oneof(address, almost), (number) => {
      const text = formatAddress(number);
      assert.equal(parseMask(text) !== undefined, masks.includes(text), text);
    }),
    { numRuns: 2000 },
  );
  for (const text of ['', '/30', '30', '255.255.255.256', '255.255.255', '0255.0.0.0', '255.0.255.0'])
    assert.equal(parseMask(text), undefined, text);
});

test('a unicast address is neither "this network", loopback, multicast nor reserved', () => {
  fc.assert(
    fc.property(address, (number) => {
      const [first = 0] = formatAddress(number).split('.').map(Number);
      assert.equal(isUnicast(number), first >= 1 && first <= 223 && first !== 127);
    }),
  );
});

test('a speed is a number and a unit in one of two notations', () => {
  const units = { M: 1e6, G: 1e9 } as const;
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 99_999 }), fc.constantFrom('M' as const, 'G' as const), (number, unit) => {
      assert.equal(parseSpeed(`${number}${unit}bps`), number * units[unit]);
      assert.equal(parseSpeed(`BPS_${number}${unit}`), number * units[unit]);
    }),
  );
  const refused = [
    ...['', '50', 'Mbps', '0Mbps', '050Mbps', '50 Mbps', '50mbps', '50MBps', '50Kbps', '1.5Gbps', '-50Mbps', '1e2Mbps'],
    ...[
      'BPS_',
      'BPS_50',
      'BPS_M',
      'BPS_0M',
      'BPS_050M',
      'bps_50M',
      'BPS_50m',
      'BPS_50Mbps',
      '50M',
      ' 50Mbps',
      '50Mbps\n',
    ],
    ...['BPS_50M50Mbps', '100000Gbps'],
  ];
  for (const text of refused) assert.equal(parseSpeed(text), undefined, JSON.stringify(text));
  fc.assert(fc.property(fc.string(), (text) => parseSpeed(text) === undefined));
});
