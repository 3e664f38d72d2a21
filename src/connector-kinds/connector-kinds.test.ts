// Property tests of the connector kinds: validation, defaults, read and write models.
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
} from '../values/ip.ts';
import { parseSpeed } from '../values/speed.ts';
import {
  type ConnectorKind,
  type PlatformDefaults,
  readModel,
  readModelSchema,
  toStoredValues,
  type Values,
  validateValues,
  withDefaults,
  writeModel,
  writeModelRequestSchema,
  writeModelResponseSchema,
} from './connector-kind.ts';
import { asNumber as asNumberType } from './field-types.ts';
import { findProvider, providers } from './providers.ts';
import { site } from './site.ts';

const kinds = [...providers, site];
const kindNamed = (name: string): ConnectorKind => kinds.find((kind) => kind.name === name) ?? assert.fail(name);

// Valid input.
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

/** The platform supplies two /30 networks for each connector. */
const addressBlock = (index: number): Cidr => ({ address: 100 * 2 ** 24 + 64 * 2 ** 16 + index * 4, prefix: 30 });
const platform: fc.Arbitrary<PlatformDefaults> = fc
  .tuple(
    fc.uniqueArray(asNumber, { minLength: 2, maxLength: 2 }),
    fc.uniqueArray(fc.nat(1_048_575), { minLength: 2, maxLength: 2 }),
  )
  .map(([[number = 64512, otherNumber = 64513], [first = 0, second = 1]]) => ({
    asNumbers: [number, otherNumber],
    blocks: [addressBlock(first), addressBlock(second)],
  }));

/** Input with the required fields only, for each kind. */
const requiredInput: Record<string, fc.Arbitrary<Values>> = {
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
const hostOfSlash30 = hostIn(30, 30).map(({ address }) => formatAddress(address));

/** Optional fields, one combination at a time. */
const optionalInput: Record<string, fc.Arbitrary<Values>> = {
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
    given('cmeGatewayIP', hostOfSlash30),
    given(interfaceIp, hostOfSlash30),
    withMask('cmeGatewayIP'),
    withMask(interfaceIp),
  ),
};

/** Optional fields without a default. */
const withoutDefault = ['cmeBGPKey', 'med'];

const inputFor = (kind: ConnectorKind): fc.Arbitrary<Values> => {
  const [required = fc.constant({}), optional = fc.constant({})] = [requiredInput[kind.name], optionalInput[kind.name]];
  return fc.tuple(required, fc.oneof(fc.constant({}), optional)).map(([base, extra]) => ({ ...base, ...extra }));
};

const ajv = new Ajv({ strict: false, allErrors: true });
function assertValid(validate: ValidateFunction, value: unknown): void {
  assert.ok(validate(value), `${ajv.errorsText(validate.errors)}: ${JSON.stringify(value)}`);
}

test('the tests cover all kinds', () => {
  assert.deepEqual(kinds.map(({ name }) => name).sort(), Object.keys(requiredInput).sort());
  assert.deepEqual(Object.keys(optionalInput).sort(), Object.keys(requiredInput).sort());
  for (const kind of providers) assert.equal(findProvider(kind.name), kind);
  assert.equal(findProvider('entreprise'), undefined, 'a site is not a provider');
});

/** Validators and generators for the tests of one kind. */
const setupFor = (kind: ConnectorKind) => ({
  name: kind.name,
  required: requiredInput[kind.name] ?? fc.constant<Values>({}),
  validateCreate: ajv.compile(writeModelRequestSchema(kind, 'create')),
  validateChange: ajv.compile(writeModelRequestSchema(kind, 'change')),
  validateRead: ajv.compile(readModelSchema(kind)),
  validateWrite: ajv.compile(writeModelResponseSchema(kind)),
  writable: kind.fields.filter((field) => field.input !== 'none'),
  completed: fc
    .tuple(inputFor(kind), platform)
    .map(([input, defaults]) => ({ input, values: withDefaults(kind, toStoredValues(kind, input), defaults) })),
});

for (const kind of kinds)
  describe(`input of ${kind.name}`, () => {
    const { name, required, validateCreate, validateChange, writable, completed } = setupFor(kind);

    test('defaults complete the input, and the result is valid', () => {
      fc.assert(
        fc.property(completed, ({ input, values }) => {
          assertValid(validateCreate, input);
          assert.deepEqual(validateValues(kind, values, name), []);
          for (const [key, value] of Object.entries(toStoredValues(kind, input)))
            assert.equal(values[key], value, `${key} was given`);
          for (const field of writable)
            if (!withoutDefault.includes(field.name))
              assert.ok(values[field.name] !== undefined, `${field.name} is empty`);
        }),
        { numRuns: 300 },
      );
    });

    test('the create schema requires each required field, the change schema none', () => {
      const names = writable.filter((field) => field.input === 'required').map(({ writeName }) => writeName);
      fc.assert(
        fc.property(required, fc.constantFrom(...names), (input, missing) => {
          assert.deepEqual(Object.keys(input).sort(), [...names].sort());
          const { [missing]: _, ...rest } = input;
          assert.equal(validateCreate(rest), false);
          assertValid(validateChange, rest);
        }),
      );
    });

    test('fields that the provider assigns are ignored in the input', () => {
      const assigned = kind.fields.filter((field) => field.input === 'none').map((field) => field.name);
      fc.assert(
        fc.property(inputFor(kind), fc.string(), (input, value) => {
          const forged = { ...input, ...Object.fromEntries(assigned.map((field) => [field, value])) };
          assert.deepEqual(toStoredValues(kind, forged), toStoredValues(kind, input));
        }),
      );
    });

    test('null stays null, so that an update can clear a field, and defaults replace it', () => {
      const optional = writable.filter((field) => field.input === 'optional');
      const cleared = Object.fromEntries(optional.map(({ writeName }) => [writeName, null]));
      assert.deepEqual(toStoredValues(kind, cleared), Object.fromEntries(optional.map((field) => [field.name, null])));
      fc.assert(
        fc.property(required, platform, (input, defaults) => {
          const values = withDefaults(kind, toStoredValues(kind, { ...input, ...cleared }), defaults);
          assert.deepEqual(values, withDefaults(kind, toStoredValues(kind, input), defaults));
        }),
      );
    });

    test('the example in the API document is valid', () => {
      assertValid(validateCreate, kind.example);
      const defaults: PlatformDefaults = { asNumbers: [64512, 64513], blocks: [addressBlock(0), addressBlock(1)] };
      const values = withDefaults(kind, toStoredValues(kind, kind.example), defaults);
      assert.deepEqual(validateValues(kind, values, name), []);
    });
  });

for (const kind of kinds)
  describe(`models of ${kind.name}`, () => {
    const { validateChange, validateRead, validateWrite, writable, completed } = setupFor(kind);

    test('the write model sent back changes nothing', () => {
      fc.assert(
        fc.property(completed, platform, ({ values }, laterDefaults) => {
          const model = JSON.parse(JSON.stringify(writeModel(kind, values)));
          assertValid(validateWrite, model);
          assertValid(validateChange, model);
          assert.deepEqual(withDefaults(kind, toStoredValues(kind, model), laterDefaults), values);
        }),
      );
    });

    test('the read model contains every field, the write model the writable ones, with equal values', () => {
      fc.assert(
        fc.property(completed, ({ values }) => {
          const [read, write] = [readModel(kind, values), writeModel(kind, values)];
          assertValid(validateRead, read);
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
            if (field.input === 'none') assert.equal(read[field.name], null, 'not assigned yet');
        }),
      );
    });

    test('without secrets, both models contain null in their place', () => {
      const secrets = kind.fields.filter((field) => field.secret);
      fc.assert(
        fc.property(completed, ({ values }) => {
          const open = Object.fromEntries(
            Object.entries(values).filter(([key]) => !secrets.some((field) => field.name === key)),
          );
          const [read, write] = [readModel(kind, open), writeModel(kind, open)];
          assertValid(validateRead, read);
          assertValid(validateWrite, write);
          for (const field of secrets) assert.equal(read[field.name], null);
          assert.deepEqual({ ...readModel(kind, values), ...read }, read, 'other fields are equal');
        }),
      );
    });

    test('the bandwidth is the requested speed, in bits per second', () => {
      fc.assert(
        fc.property(completed, ({ values }) => {
          const speed = values.portSpeed ?? values.bandwidth;
          assert.equal(kind.bandwidthBps(values), typeof speed === 'string' ? parseSpeed(speed) : 1e9);
        }),
      );
    });
  });

describe('the platform’s AS number', () => {
  const peerFields = { providerA: 'asNumber', providerAHostedConnection: 'asNumber', entreprise: 'customerASN' };
  for (const [name, peerField] of Object.entries(peerFields))
    test(`that is filled in for ${name} differs from the caller’s: the session is external`, () => {
      const kind = kindNamed(name);
      // A caller with a number of its own, or with one of the platform's.
      const cases = platform.chain((defaults) =>
        fc.tuple(fc.constant(defaults), fc.oneof(asNumber, fc.constantFrom(...defaults.asNumbers))),
      );
      fc.assert(
        fc.property(cases, ([defaults, peer]) => {
          const values = withDefaults(kind, { [peerField]: peer }, defaults);
          const filled = values.platformAsNumber ?? values.serviceCloudApplianceASN;
          assert.ok(defaults.asNumbers.includes(Number(filled)));
          assert.notEqual(filled, peer);
        }),
      );
    });
});

test('a hosted connection shows the addresses of its session without a prefix length', () => {
  const kind = kindNamed('providerAHostedConnection');
  const validateRead = new Ajv({ strict: false }).compile(readModelSchema(kind));
  const assignment = { identifier: () => 'dxcon-1', number: () => 7, key: () => 'a session key' };
  fc.assert(
    fc.property(fc.nat(1_048_575).map(addressBlock), (block) => {
      const values = { ...kind.provision?.({}, { ...assignment, block }) };
      const read = readModel(kind, values);
      assertValid(validateRead, read);
      const shown = [read.customerPeerIP, read.providerAPeerIP];
      assert.deepEqual(
        shown,
        [1, 2].map((host) => formatAddress(block.address + host)),
      );
      const [session] = kind.sessions({ ...values, asNumber: 64710, platformAsNumber: 64512 });
      assert.deepEqual(
        [session?.local, session?.remote].map((end) => end && formatCidr(end)),
        shown.map((address) => `${address}/30`),
      );
    }),
  );
});

describe('session addresses', () => {
  const near = (around: Cidr) =>
    fc.tuple(fc.integer({ min: -8, max: 8 }), fc.integer({ min: 29, max: 31 })).map(([step, prefix]) => ({
      address: around.address + step,
      prefix,
    }));
  const pairs = hostIn(29, 31).chain((first) => near(first).map((second): [Cidr, Cidr] => [first, second]));

  test('must be different hosts of one network; the error names the field', () => {
    const kind = kindNamed('providerA');
    fc.assert(
      fc.property(pairs, ([first, second]) => {
        const values = { providerAAddress: formatCidr(first), customerAddress: formatCidr(second) };
        const isValid =
          isUnicast(second.address) &&
          isHost(second) &&
          isSameNetwork(first, second) &&
          first.address !== second.address;
        const errors = validateValues(kind, values, 'csp.providerA');
        assert.deepEqual(
          errors.map(({ path }) => path),
          isValid ? [] : ['csp.providerA.customerAddress'],
        );
      }),
      { numRuns: 1000 },
    );
  });

  test('a gateway and its virtual interface must be different hosts under the mask; the error names the field', () => {
    fc.assert(
      fc.property(pairs, ([first, second]) => {
        const { prefix } = first;
        const values = {
          [interfaceIp]: formatAddress(first.address),
          cmeGatewayIP: formatAddress(second.address),
          cmeMask: formatMask(prefix),
        };
        const gateway = { address: second.address, prefix };
        const isValid =
          isUnicast(gateway.address) &&
          isHost(gateway) &&
          isSameNetwork(first, gateway) &&
          first.address !== gateway.address;
        const errors = validateValues(site, values, 'entreprise');
        assert.deepEqual(
          errors.map(({ path }) => path),
          isValid ? [] : ['entreprise.cmeGatewayIP'],
        );
      }),
      { numRuns: 1000 },
    );
  });
});

describe('session subnets', () => {
  test('must have no host bits; the error contains the correct subnet', () => {
    const kind = kindNamed('providerB');
    fc.assert(
      fc.property(cidrOf(8, 31), fc.constantFrom('primarySubnet', 'secondarySubnet'), (cidr, field) => {
        const network = { ...cidr, address: networkOf(cidr) };
        const [error, ...others] = validateValues(kind, { [field]: formatCidr(cidr) }, 'csp.providerB');
        assert.deepEqual(others, []);
        if (cidr.address === network.address) return assert.equal(error, undefined);
        assert.equal(error?.path, `csp.providerB.${field}`);
        assert.ok(error.message.includes(formatCidr(network)));
      }),
    );
  });

  test('the default for the other session never overlaps with the given subnet', () => {
    const kind = kindNamed('providerB');
    // Any subnet, and subnets that contain the platform's blocks.
    const around = (blocks: Cidr[]) =>
      fc.tuple(fc.constantFrom(...blocks), fc.integer({ min: 8, max: 31 })).map(([{ address }, prefix]) => ({
        address: networkOf({ address, prefix }),
        prefix,
      }));
    const cases = platform.chain((defaults) =>
      fc.tuple(fc.constant(defaults), fc.oneof(subnet, around(defaults.blocks))),
    );
    fc.assert(
      fc.property(cases, fc.constantFrom('primarySubnet', 'secondarySubnet'), ([defaults, cidr], field) => {
        const values = withDefaults(kind, { providerBServiceKey: 'abcdef', [field]: formatCidr(cidr) }, defaults);
        assert.deepEqual(validateValues(kind, values, 'csp.providerB'), []);
        assert.equal(values[field], formatCidr(cidr));
        const [first, second] = [values.primarySubnet, values.secondarySubnet].map((text) => parseCidr(String(text)));
        assert.ok(first && second && !overlap(first, second));
      }),
    );
  });
});

describe('accounts', () => {
  test('are stored as twelve digits and returned as a number', () => {
    const kind = kindNamed('providerA');
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 999_999_999_999 }), (number) => {
        const digits = String(number).padStart(12, '0');
        for (const input of [number, digits]) {
          const values = toStoredValues(kind, { providerAAccount: input });
          assert.deepEqual(values, { providerAAccount: digits });
          assert.equal(writeModel(kind, values).providerAAccount, number);
          assert.equal(readModel(kind, values).providerAAccount, number);
        }
      }),
    );
  });
});

test('without a mask, a site gets the smallest network that contains the given addresses', () => {
  const platform: PlatformDefaults = {
    asNumbers: [64512, 64513],
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

test('an AS number has 32 bits and is not reserved', () => {
  const isAsNumber = new Ajv({ strict: false }).compile(asNumberType.schema);
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4294967294 }), (number) => {
      assert.equal(isAsNumber(number), !reserved.includes(number));
    }),
    { examples: [[1], [23455], [23457], [64512], [65534], [65536], [4200000000], [4294967294]] },
  );
  for (const number of [...reserved, -1, 2 ** 32, 2 ** 53, 1.5, 64512.5, '64512', null])
    assert.equal(isAsNumber(number), false, String(number));
});
