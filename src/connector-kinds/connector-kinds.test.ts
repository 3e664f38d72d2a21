import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Ajv, type ValidateFunction } from 'ajv';
import fc from 'fast-check';
import {
  type Cidr,
  formatAddress,
  formatCidr,
  formatMask,
  isHost,
  isSameNetwork,
  isUnicast,
  networkOf,
  overlap,
  parseCidr,
  parseSpeed,
} from '../values/ip.ts';
import {
  type ConnectorKind,
  type PlatformDefaults,
  parseWriteModel,
  readModel,
  readModelSchema,
  type Values,
  validateValues,
  withDefaults,
  writeModel,
  writeModelSchema,
  writeSchema,
} from './connector-kind.ts';
import { asNumber as asNumberKind } from './field-types.ts';
import { findProvider, providers } from './providers.ts';
import { site } from './site.ts';

const kinds = [...providers, site];
const kindNamed = (name: string): ConnectorKind => kinds.find((kind) => kind.name === name) ?? assert.fail(name);

// What callers may send.
const reserved = [0, 23456, 65535, 4294967295];
const asNumber = fc.integer({ min: 1, max: 4294967294 }).filter((number) => !reserved.includes(number));
const account = fc.oneof(fc.integer({ min: 0, max: 999_999_999_999 }), fc.stringMatching(/^[0-9]{12}$/));
const secret = fc.stringMatching(/^[\x20-\x7e]{6,80}$/);
const uuid = fc.uuid();
const unicast = fc.integer({ min: 2 ** 24, max: 224 * 2 ** 24 - 1 }).filter(isUnicast);
const cidrOf = (shortest: number, longest: number): fc.Arbitrary<Cidr> =>
  fc.tuple(unicast, fc.integer({ min: shortest, max: longest })).map(([address, prefix]) => ({ address, prefix }));
const hostIn = (shortest: number, longest: number) => cidrOf(shortest, longest).filter(isHost);
const subnet = cidrOf(8, 31).map((cidr) => ({ ...cidr, address: networkOf(cidr) }));
const record = (fields: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Values> =>
  fc.record(fields, { noNullPrototype: true });

/** What the platform gives: it owns blocks of four addresses, two for each connector. */
const blockAt = (index: number): Cidr => ({ address: 100 * 2 ** 24 + 64 * 2 ** 16 + index * 4, prefix: 30 });
const platform: fc.Arbitrary<PlatformDefaults> = fc
  .tuple(asNumber, fc.uniqueArray(fc.nat(1_048_575), { minLength: 2, maxLength: 2 }))
  .map(([number, [first = 0, second = 1]]) => ({ asNumber: number, blocks: [blockAt(first), blockAt(second)] }));

/** The least that makes a connector of each kind. */
const least: Record<string, fc.Arbitrary<Values>> = {
  providerA: record({ asNumber, providerAAccount: account }),
  providerAHostedConnection: record({ asNumber, providerAAccount: account }),
  providerB: record({ serviceKey: secret }),
  providerC: record({ pairingKey: secret }),
  entreprise: record({ cloudApplianceID: uuid, customerASN: asNumber, vlan: fc.integer({ min: 1, max: 4094 }) }),
};

const given = (name: string, value: fc.Arbitrary<unknown>): fc.Arbitrary<Values> => record({ [name]: value });
const interfaceIp = 'cloudApplianceCloudVirtualInterfaceIP';
const withMask = (name: string) =>
  hostIn(8, 31).map(({ address, prefix }) => ({ [name]: formatAddress(address), cmeMask: formatMask(prefix) }));
const inFour = hostIn(30, 30).map(({ address }) => formatAddress(address));

/** What somebody may add to it, one thing at a time. */
const more: Record<string, fc.Arbitrary<Values>> = {
  providerA: fc.oneof(
    given('platformAsNumber', asNumber),
    given('providerAAddress', hostIn(29, 31).map(formatCidr)),
    given('customerAddress', hostIn(29, 31).map(formatCidr)),
  ),
  providerAHostedConnection: fc.oneof(
    given('platformAsNumber', asNumber),
    given('portSpeed', fc.constantFrom('50Mbps', '500Mbps', '1Gbps', '10Gbps')),
  ),
  providerB: given('platformAsNumber', asNumber),
  providerC: fc.oneof(
    given('platformAsNumber', asNumber),
    given('bandwidth', fc.constantFrom('BPS_50M', 'BPS_500M', 'BPS_1G', 'BPS_50G')),
    given('med', fc.integer({ min: 0, max: 4294967295 })),
  ),
  entreprise: fc.oneof(
    given('serviceCloudApplianceASN', asNumber),
    given('cmeBGPKey', secret),
    given('cmeMask', fc.integer({ min: 8, max: 31 }).map(formatMask)),
    given('cmeGatewayIP', inFour),
    given(interfaceIp, inFour),
    withMask('cmeGatewayIP'),
    withMask(interfaceIp),
  ),
};

/** What stays empty when nobody gives it; the rest is the platform's to fill in. */
const left = ['cmeBGPKey', 'med'];

const sentOf = (kind: ConnectorKind): fc.Arbitrary<Values> => {
  const [needed = fc.constant({}), added = fc.constant({})] = [least[kind.name], more[kind.name]];
  return fc.tuple(needed, fc.oneof(fc.constant({}), added)).map(([base, extra]) => ({ ...base, ...extra }));
};

const ajv = new Ajv({ strict: false, allErrors: true });
function assertFits(fits: ValidateFunction, value: unknown): void {
  assert.ok(fits(value), `${ajv.errorsText(fits.errors)}: ${JSON.stringify(value)}`);
}

test('these are all kinds there are', () => {
  assert.deepEqual(kinds.map(({ name }) => name).sort(), Object.keys(least).sort());
  assert.deepEqual(Object.keys(more).sort(), Object.keys(least).sort());
  for (const kind of providers) assert.equal(findProvider(kind.name), kind);
  assert.equal(findProvider('entreprise'), undefined, 'a site is no provider');
});

for (const kind of kinds)
  describe(kind.name, () => {
    const { name } = kind;
    const needed = least[name] ?? fc.constant<Values>({});
    const asCreated = ajv.compile(writeSchema(kind, 'create'));
    const asChanged = ajv.compile(writeSchema(kind, 'change'));
    const asRead = ajv.compile(readModelSchema(kind));
    const asWritten = ajv.compile(writeModelSchema(kind));
    const writable = kind.fields.filter((field) => field.input !== 'none');
    const values = fc
      .tuple(sentOf(kind), platform)
      .map(([sent, own]) => ({ sent, filled: withDefaults(kind, parseWriteModel(kind, sent), own) }));

    test('the platform fills in what was left out, and nothing is wrong with the result', () => {
      fc.assert(
        fc.property(values, ({ sent, filled }) => {
          assertFits(asCreated, sent);
          assert.deepEqual(validateValues(kind, filled, name), []);
          for (const [key, value] of Object.entries(parseWriteModel(kind, sent)))
            assert.equal(filled[key], value, `${key} was given`);
          for (const field of writable)
            if (!left.includes(field.name)) assert.ok(filled[field.name] !== undefined, `${field.name} is empty`);
        }),
        { numRuns: 300 },
      );
    });

    test('each field that must be given is asked for', () => {
      const required = writable.filter((field) => field.input === 'required').map(({ writeName }) => writeName);
      fc.assert(
        fc.property(needed, fc.constantFrom(...required), (sent, missing) => {
          assert.deepEqual(Object.keys(sent).sort(), [...required].sort());
          const { [missing]: _, ...rest } = sent;
          assert.equal(asCreated(rest), false);
          assertFits(asChanged, rest);
        }),
      );
    });

    test('the write model, sent back, says what was said before', () => {
      fc.assert(
        fc.property(values, platform, ({ filled }, later) => {
          const shown = JSON.parse(JSON.stringify(writeModel(kind, filled)));
          assertFits(asWritten, shown);
          assertFits(asChanged, shown);
          assert.deepEqual(withDefaults(kind, parseWriteModel(kind, shown), later), filled);
        }),
      );
    });

    test('the read model has every field, the write model those that callers set, and they agree', () => {
      fc.assert(
        fc.property(values, ({ filled }) => {
          const [read, write] = [readModel(kind, filled), writeModel(kind, filled)];
          assertFits(asRead, read);
          assert.deepEqual(
            Object.keys(read),
            kind.fields.map((field) => field.name),
          );
          assert.deepEqual(
            Object.keys(write),
            writable.map(({ writeName }) => writeName),
          );
          for (const field of writable) assert.deepEqual(read[field.name], write[field.writeName]);
          for (const field of kind.fields)
            if (field.input === 'none') assert.equal(read[field.name], null, 'only the platform knows, later');
        }),
      );
    });

    test('without its secrets, both models show null where they were', () => {
      const secrets = kind.fields.filter((field) => field.secret);
      fc.assert(
        fc.property(values, ({ filled }) => {
          const open = Object.fromEntries(
            Object.entries(filled).filter(([key]) => !secrets.some((field) => field.name === key)),
          );
          const [read, write] = [readModel(kind, open), writeModel(kind, open)];
          assertFits(asRead, read);
          assertFits(asWritten, write);
          for (const field of secrets) assert.equal(read[field.name], null);
          assert.deepEqual({ ...readModel(kind, filled), ...read }, read, 'the rest is the same');
        }),
      );
    });

    test('nothing that the platform alone sets is taken from a caller', () => {
      const own = kind.fields.filter((field) => field.input === 'none').map((field) => field.name);
      fc.assert(
        fc.property(sentOf(kind), fc.string(), (sent, value) => {
          const forged = { ...sent, ...Object.fromEntries(own.map((field) => [field, value])) };
          assert.deepEqual(parseWriteModel(kind, forged), parseWriteModel(kind, sent));
        }),
      );
    });

    test('null stays null, so that a change can clear with it, and the platform fills it in anew', () => {
      const optional = writable.filter((field) => field.input === 'optional');
      const cleared = Object.fromEntries(optional.map(({ writeName }) => [writeName, null]));
      assert.deepEqual(parseWriteModel(kind, cleared), Object.fromEntries(optional.map((field) => [field.name, null])));
      fc.assert(
        fc.property(needed, platform, (sent, own) => {
          const filled = withDefaults(kind, parseWriteModel(kind, { ...sent, ...cleared }), own);
          assert.deepEqual(filled, withDefaults(kind, parseWriteModel(kind, sent), own));
        }),
      );
    });

    test('its bandwidth is what was asked for, in whole bits per second', () => {
      fc.assert(
        fc.property(values, ({ filled }) => {
          const asked = filled.portSpeed ?? filled.bandwidth;
          const bandwidth = kind.bandwidthBps(filled);
          assert.equal(bandwidth, typeof asked === 'string' ? parseSpeed(asked) : 1e9);
        }),
      );
    });

    test('its example in the document would be taken', () => {
      assertFits(asCreated, kind.example);
      const own: PlatformDefaults = { asNumber: 64512, blocks: [blockAt(0), blockAt(1)] };
      assert.deepEqual(validateValues(kind, withDefaults(kind, parseWriteModel(kind, kind.example), own), name), []);
    });
  });

describe('addresses', () => {
  const near = (around: Cidr) =>
    fc.tuple(fc.integer({ min: -8, max: 8 }), fc.integer({ min: 29, max: 31 })).map(([step, prefix]) => ({
      address: around.address + step,
      prefix,
    }));
  const couple = hostIn(29, 31).chain((first) => near(first).map((second): [Cidr, Cidr] => [first, second]));

  test('the two ends of a session are different hosts of one network, and anything else is named', () => {
    const kind = kindNamed('providerA');
    fc.assert(
      fc.property(couple, ([ours, theirs]) => {
        const values = { providerAAddress: formatCidr(ours), customerAddress: formatCidr(theirs) };
        const isRight =
          isUnicast(theirs.address) && isHost(theirs) && isSameNetwork(ours, theirs) && ours.address !== theirs.address;
        const complaints = validateValues(kind, values, 'csp.providerA');
        assert.deepEqual(
          complaints.map(({ path }) => path),
          isRight ? [] : ['csp.providerA.customerAddress'],
        );
      }),
      { numRuns: 1000 },
    );
  });

  test('a gateway and its virtual interface are different hosts under the mask, and anything else is named', () => {
    fc.assert(
      fc.property(couple, ([ours, theirs]) => {
        const { prefix } = ours;
        const values = {
          [interfaceIp]: formatAddress(ours.address),
          cmeGatewayIP: formatAddress(theirs.address),
          cmeMask: formatMask(prefix),
        };
        const gateway = { address: theirs.address, prefix };
        const isRight =
          isUnicast(gateway.address) &&
          isHost(gateway) &&
          isSameNetwork(ours, gateway) &&
          ours.address !== gateway.address;
        const complaints = validateValues(site, values, 'entreprise');
        assert.deepEqual(
          complaints.map(({ path }) => path),
          isRight ? [] : ['entreprise.cmeGatewayIP'],
        );
      }),
      { numRuns: 1000 },
    );
  });

  test('a subnet has no host bits; the complaint says which subnet it would be', () => {
    const kind = kindNamed('providerB');
    fc.assert(
      fc.property(cidrOf(8, 31), fc.constantFrom('primarySubnet', 'secondarySubnet'), (cidr, field) => {
        const network = { ...cidr, address: networkOf(cidr) };
        const [complaint, ...others] = validateValues(kind, { [field]: formatCidr(cidr) }, 'csp.providerB');
        assert.deepEqual(others, []);
        if (cidr.address === network.address) return assert.equal(complaint, undefined);
        assert.equal(complaint?.path, `csp.providerB.${field}`);
        assert.ok(complaint.message.includes(formatCidr(network)));
      }),
    );
  });

  test('one subnet of a circuit is given, wherever it lies: the platform finds another one for the other', () => {
    const kind = kindNamed('providerB');
    // Any subnet, and those that hold the very addresses which the platform would take.
    const around = (blocks: Cidr[]) =>
      fc.tuple(fc.constantFrom(...blocks), fc.integer({ min: 8, max: 31 })).map(([{ address }, prefix]) => ({
        address: networkOf({ address, prefix }),
        prefix,
      }));
    const wish = platform.chain((own) => fc.tuple(fc.constant(own), fc.oneof(subnet, around(own.blocks))));
    fc.assert(
      fc.property(wish, fc.constantFrom('primarySubnet', 'secondarySubnet'), ([own, cidr], field) => {
        const filled = withDefaults(kind, { providerBServiceKey: 'abcdef', [field]: formatCidr(cidr) }, own);
        assert.deepEqual(validateValues(kind, filled, 'csp.providerB'), []);
        assert.equal(filled[field], formatCidr(cidr));
        const [first, second] = [filled.primarySubnet, filled.secondarySubnet].map((text) => parseCidr(String(text)));
        assert.ok(first && second && !overlap(first, second));
      }),
    );
  });
});

describe('accounts', () => {
  test('twelve digits are kept, whichever way they come, and a number is shown', () => {
    const kind = kindNamed('providerA');
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999_999_999_999 }), (number) => {
        const digits = String(number).padStart(12, '0');
        for (const sent of [number, digits]) {
          const values = parseWriteModel(kind, { providerAAccount: sent });
          assert.deepEqual(values, { providerAAccount: digits });
          assert.equal(writeModel(kind, values).providerAAccount, number);
          assert.equal(readModel(kind, values).providerAAccount, number);
        }
      }),
    );
  });
});

test('without a mask a site gets the smallest network that holds the addresses it was given', () => {
  const platform: PlatformDefaults = {
    asNumber: 64512,
    blocks: [parseCidr('100.64.0.0/30')!, parseCidr('100.64.0.4/30')!],
  };
  const masks = [
    ['192.0.2.128', '192.0.2.129', '255.255.255.254'],
    ['192.0.2.129', '192.0.2.130', '255.255.255.252'],
    ['192.0.2.1', '192.0.2.6', '255.255.255.248'],
    ['192.0.2.4', undefined, '255.255.255.248'],
    [undefined, undefined, '255.255.255.252'],
  ] as const;
  for (const [ours, theirs, mask] of masks) {
    const given = { cloudApplianceCloudVirtualInterfaceIP: ours, cmeGatewayIP: theirs };
    const values = withDefaults(site, given, platform);
    assert.equal(values.cmeMask, mask, `${ours} and ${theirs}`);
    assert.deepEqual(validateValues(site, values, 'entreprise'), []);
  }
});

test('an AS number has 32 bits and is none of the four that nobody has', () => {
  const isAsNumber = new Ajv({ strict: false }).compile(asNumberKind.schema);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4294967294 }), (number) => {
      assert.equal(isAsNumber(number), !reserved.includes(number));
    }),
    { examples: [[1], [23455], [23457], [64512], [65534], [65536], [4200000000], [4294967294]] },
  );
  for (const number of [...reserved, -1, 2 ** 32, 2 ** 53, 1.5, 64512.5, '64512', null])
    assert.equal(isAsNumber(number), false, String(number));
});
