// Invalid requests, each with one mistake: status, code, and the path of the field with a message. The valid limits
// beside them show that a rejection is not the only response.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { type ProblemCode, problemTable } from '../src/errors/problems.ts';
import type { ApiResponse, Client } from './harness/client.ts';
import { fixture } from './harness/service.ts';

const f = await fixture();
const parent = await f.as('admin@meridian.example');
const password = 'tidal lantern orbit cedar';
const absentId = '0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10';

type Body = ApiResponse['body'];

async function made(sending: Promise<ApiResponse>): Promise<Body> {
  const response = await sending;
  assert.ok(response.status < 300, response.text);
  return response.body;
}

/** A message continues a sentence that begins with the field name. It has no full stop. */
const saying = /^(must|is|are|cannot|excludes|names|does not|has)\b.{4,}[^.\s]$/;

/** Asserts the code and exactly these paths. */
function assertRejected(response: ApiResponse, code: ProblemCode, ...paths: string[]): void {
  assert.deepEqual([response.status, response.body.code], [problemTable[code].status, code], response.text);
  const details: Body[] = response.body.details ?? [];
  assert.deepEqual(
    details.map(({ path }) => path),
    paths,
    response.text,
  );
  for (const { message } of details) assert.match(message, saying);
}

// Two children of the reseller: the tenant under test and another tenant.
const families = ['providerA', 'providerAHostedConnection', 'providerB', 'providerC'];
const regions: Body[] = (await parent.get('/regions')).body;
const regionId = (slug: string): string => regions.find((region) => region.slug === slug).id;
const destinations: Body[] = (await parent.get('/cloud-gateways-types')).body.cloudGatewayTypes;
const destination = (family: string, edgeCode: string): string =>
  destinations.find((one) => one.family.shortName === family && one.edgeCode === edgeCode).id;
const [model]: Body[] = (await parent.get('/cloud-appliance-models')).body;

async function settle(name: string) {
  const { id } = await made(
    parent.post('/organisations', {
      name,
      admin: { email: `admin@${name}.example`, lastName: 'Moreau', password },
    }),
  );
  const client = parent.with({ scope: id });
  for (const family of families)
    await made(parent.put(`/organisations/${id}/products/${family}/europe`, { total: 1000 }));
  const group = await made(client.post('/groups', { name: 'stores' }));
  const tag = await made(client.post('/tags', { name: 'production' }));
  const appliance = await made(
    client.post('/cloud-appliances', {
      name: 'cpe-1',
      siteName: 'Paris',
      slacity: 'paris',
      cloudApplianceModelID: model.id,
      kind: 'cloudAppliance',
    }),
  );
  const capacity = await made(
    parent.post(`/organisations/${id}/capacities`, { capacity: 1000, duration: 12, region1Id: regionId('europe') }),
  );
  return { id, client, path: `/organisations/${id}`, group, tag, appliance, capacity };
}
const ours = await settle('quarry');
const theirs = await settle('harbour');
const child = ours.client;

type KindName = 'providerA' | 'providerAHostedConnection' | 'providerB' | 'providerC' | 'entreprise';
let number = 0;
const least: Record<KindName, () => Body> = {
  providerA: () => ({ asNumber: 64710, providerAAccount: 123456789012 }),
  providerAHostedConnection: () => ({ asNumber: 64710, providerAAccount: 123456789012 }),
  providerB: () => ({ serviceKey: 'a service key' }),
  providerC: () => ({ pairingKey: 'a pairing key' }),
  entreprise: () => ({ cloudApplianceID: ours.appliance.id, customerASN: 64620, vlan: 1000 + ++number }),
};
const pathOf = (kind: KindName): string => (kind === 'entreprise' ? kind : `csp.${kind}`);
const placed = (kind: KindName, fields: Body): Body =>
  kind === 'entreprise'
    ? { entreprise: fields }
    : { csp: { cloudDestinationID: destination(kind, 'AMS1'), [kind]: fields } };
const input = (kind: KindName, fields: Body = {}, more: object = {}): Body => ({
  name: `connector ${++number}`,
  groupId: ours.group.id,
  ...placed(kind, { ...least[kind](), ...fields }),
  ...more,
});
const connect = (body: Body, client: Client = child): Promise<ApiResponse> =>
  client.post('/flow/connector/set-registered', body);
const modelOf = async (connector: Body, kind: KindName): Promise<Body> => {
  const { write } = (await child.get(`/flow/connector/${connector.id}`)).body;
  return kind === 'entreprise' ? write.entreprise : write.csp[kind];
};

// Connectors that the tests keep, and links between some of them.
const standing = {
  a: await made(connect(input('providerA'))),
  hosted: await made(connect(input('providerAHostedConnection'))),
  b: await made(connect(input('providerB'))),
  c: await made(connect(input('providerC'))),
  site: await made(connect(input('entreprise', { vlan: 77 }))),
};
const secondGroup = await made(child.post('/groups', { name: 'second' }));
const elsewhere = await made(connect(input('providerA', {}, { groupId: secondGroup.id })));
const foreignConnector = await made(
  theirs.client.post('/flow/connector/set-registered', {
    name: 'foreign',
    groupId: theirs.group.id,
    csp: { cloudDestinationID: destination('providerA', 'AMS1'), providerA: least.providerA() },
  }),
);
const link = await made(
  child.post('/flow/link/set-registered', { name: 'linked', from: standing.a.irn, to: standing.b.irn }),
);

const allocated = await made(
  child.post(`/groups/${secondGroup.id}/capacities`, { capacityId: ours.capacity.id, allocation: 100 }),
);

// A third organisation for the list, with a known set of connectors.
const third = await settle('orchard');
const mine = third.client;
const others = await made(mine.post('/groups', { name: 'others' }));
const audited = await made(mine.post('/tags', { name: 'audited' }));
const [production, both] = [[third.tag.id], [third.tag.id, audited.id]];
const build = (name: string, group: Body, tagIds: string[] | null, rest: Body): Promise<Body> =>
  made(mine.post('/flow/connector/set-registered', { name, groupId: group.id, tagIds, ...rest }));
const cloud = (kind: 'providerA' | 'providerB', edgeCode: string) => ({
  csp: { cloudDestinationID: destination(kind, edgeCode), [kind]: least[kind]() },
});
const siteAt = (vlan: number) => ({ entreprise: { cloudApplianceID: third.appliance.id, customerASN: 64620, vlan } });
const amsterdam = await build('amsterdam', third.group, both, cloud('providerA', 'AMS1'));
await build('frankfurt', third.group, production, cloud('providerA', 'FRA2'));
const paris = await build('paris', third.group, null, siteAt(10));
const circuit = await build('circuit', others, [audited.id], cloud('providerB', 'AMS1'));
const depot = await build('depot', others, null, siteAt(11));
const join = (name: string, from: Body, to: Body) =>
  made(mine.post('/flow/link/set-registered', { name, from: from.irn, to: to.irn }));
await join('one', amsterdam, paris);
await join('two', depot, circuit);
// No request can set these: status is measured, and legacy connectors are imported.
await f.owner.query('update connectors set status = 0 where id = any($1::uuid[])', [[amsterdam.id, depot.id]]);
await f.owner.query('update connectors set status = 1 where id = $1', [circuit.id]);
await f.owner.query('update connectors set flow = false where id = $1', [depot.id]);

describe('a connector is rejected', () => {
  const asNumbers = [0, -1, 23456, 65535, 4294967295, 2 ** 32, 1.5, '64710'];
  const asFields: [KindName, string][] = [
    ['providerA', 'asNumber'],
    ['providerA', 'platformAsNumber'],
    ['providerAHostedConnection', 'asNumber'],
    ['providerAHostedConnection', 'platformAsNumber'],
    ['providerB', 'platformAsNumber'],
    ['providerC', 'platformAsNumber'],
    ['entreprise', 'customerASN'],
    ['entreprise', 'serviceCloudApplianceASN'],
  ];
  const addresses = (ours: string, theirs: string) => ({ providerAAddress: ours, customerAddress: theirs });
  const sides = (ours: string, theirs: string, cmeMask: string) => ({
    cloudApplianceCloudVirtualInterfaceIP: ours,
    cmeGatewayIP: theirs,
    cmeMask,
  });
  const rows: [why: string, kind: KindName, fields: Body, ...wrong: string[]][] = [
    ...asFields.flatMap(([kind, field]) =>
      asNumbers.map((value): [string, KindName, Body, string] => [
        `AS number ${JSON.stringify(value)} in ${field}`,
        kind,
        { [field]: value },
        field,
      ]),
    ),
    ['no AS number', 'providerA', { asNumber: undefined }, 'asNumber'],
    ['null for what is required', 'entreprise', { customerASN: null }, 'customerASN'],
    ['VLAN 0', 'entreprise', { vlan: 0 }, 'vlan'],
    ['VLAN 4095', 'entreprise', { vlan: 4095 }, 'vlan'],
    ['a VLAN as text', 'entreprise', { vlan: '10' }, 'vlan'],
    ['host bits in the primary subnet', 'providerB', { primarySubnet: '192.0.2.1/30' }, 'primarySubnet'],
    ['host bits in the secondary subnet', 'providerB', { secondarySubnet: '192.0.2.130/30' }, 'secondarySubnet'],
    ['a prefix length of 33', 'providerB', { primarySubnet: '192.0.2.0/33' }, 'primarySubnet'],
    ['an octal octet in a subnet', 'providerB', { primarySubnet: '010.0.0.0/24' }, 'primarySubnet'],
    ['a subnet without prefix length', 'providerB', { secondarySubnet: '192.0.2.0' }, 'secondarySubnet'],
    [
      'two subnets that overlap',
      'providerB',
      { primarySubnet: '192.0.2.0/29', secondarySubnet: '192.0.2.4/30' },
      'secondarySubnet',
    ],
    ['one address for both ends', 'providerA', addresses('192.0.2.1/30', '192.0.2.1/30'), 'customerAddress'],
    ['ends in different subnets', 'providerA', addresses('192.0.2.1/30', '192.0.2.5/30'), 'customerAddress'],
    ['ends under different masks', 'providerA', addresses('192.0.2.1/30', '192.0.2.2/29'), 'customerAddress'],
    ['the network’s own address', 'providerA', addresses('192.0.2.0/30', '192.0.2.1/30'), 'providerAAddress'],
    ['the broadcast address', 'providerA', addresses('192.0.2.1/30', '192.0.2.3/30'), 'customerAddress'],
    ['a network too large', 'providerA', addresses('192.0.2.1/28', '192.0.2.2/30'), 'providerAAddress'],
    ['a network of one', 'providerA', addresses('192.0.2.1/30', '192.0.2.1/32'), 'customerAddress'],
    ['only one end, in a network too large', 'providerA', { providerAAddress: '192.0.2.1/28' }, 'providerAAddress'],
    ['only one end, in a network of one', 'providerA', { customerAddress: '192.0.2.1/32' }, 'customerAddress'],
    ['only one end, of a multicast group', 'providerA', { providerAAddress: '224.0.0.1/30' }, 'providerAAddress'],
    ['an octal octet in an address', 'providerA', { providerAAddress: '192.0.02.1/30' }, 'providerAAddress'],
    ['a mask with a hole', 'entreprise', { cmeMask: '255.0.255.0' }, 'cmeMask'],
    ['a mask as prefix length', 'entreprise', { cmeMask: '/30' }, 'cmeMask'],
    [
      'a gateway at the interface’s own address',
      'entreprise',
      sides('192.0.2.1', '192.0.2.1', '255.255.255.252'),
      'cmeGatewayIP',
    ],
    ['a gateway in another subnet', 'entreprise', sides('192.0.2.1', '192.0.2.5', '255.255.255.252'), 'cmeGatewayIP'],
    [
      'a gateway at the network’s address',
      'entreprise',
      sides('192.0.2.1', '192.0.2.0', '255.255.255.0'),
      'cmeGatewayIP',
    ],
    [
      'an interface at the broadcast address',
      'entreprise',
      sides('192.0.2.255', '192.0.2.1', '255.255.255.0'),
      'cloudApplianceCloudVirtualInterfaceIP',
    ],
    ['only the gateway, of a multicast group', 'entreprise', { cmeGatewayIP: '224.0.0.1' }, 'cmeGatewayIP'],
    [
      'only the gateway, the network’s own address',
      'entreprise',
      { cmeGatewayIP: '192.0.2.4', cmeMask: '255.255.255.252' },
      'cmeGatewayIP',
    ],
    ['an address of three parts', 'entreprise', { cmeGatewayIP: '192.0.2' }, 'cmeGatewayIP'],
    ['a speed that is not sold', 'providerAHostedConnection', { portSpeed: '75Mbps' }, 'portSpeed'],
    ['a speed of the other provider', 'providerAHostedConnection', { portSpeed: 'BPS_50M' }, 'portSpeed'],
    ['a bandwidth that is not sold', 'providerC', { bandwidth: 'BPS_3G' }, 'bandwidth'],
    ['a discriminator below zero', 'providerC', { med: -1 }, 'med'],
    ['a discriminator of 33 bits', 'providerC', { med: 2 ** 32 }, 'med'],
    ['an account of 13 digits', 'providerA', { providerAAccount: 1234567890123 }, 'providerAAccount'],
    ['an account of 13 digits as text', 'providerA', { providerAAccount: '1234567890123' }, 'providerAAccount'],
    ['an account of 11 digits as text', 'providerA', { providerAAccount: '12345678901' }, 'providerAAccount'],
    ['an account below zero', 'providerAHostedConnection', { providerAAccount: -1 }, 'providerAAccount'],
    ['a service key of 5 characters', 'providerB', { serviceKey: '12345' }, 'serviceKey'],
    ['a service key of 81 characters', 'providerB', { serviceKey: 'x'.repeat(81) }, 'serviceKey'],
    ['a pairing key with a line break', 'providerC', { pairingKey: 'pairing\nkey' }, 'pairingKey'],
    ['a BGP key of 5 characters', 'entreprise', { cmeBGPKey: '12345' }, 'cmeBGPKey'],
    ['a BGP key of 81 characters', 'entreprise', { cmeBGPKey: 'x'.repeat(81) }, 'cmeBGPKey'],
    ['a malformed appliance', 'entreprise', { cloudApplianceID: 'cpe-1' }, 'cloudApplianceID'],
    [
      'several mistakes, each named',
      'providerC',
      { bandwidth: 'BPS_3G', med: -1, platformAsNumber: 0 },
      'bandwidth',
      'med',
      'platformAsNumber',
    ],
  ];
  for (const [why, kind, fields, ...wrong] of rows)
    test(`for ${why} (${kind})`, async () => {
      const paths = wrong.map((field) => `${pathOf(kind)}.${field}`);
      assertRejected(await connect(input(kind, fields)), 'InvalidInput', ...paths);
    });

  test('with a message that fits the mistake', async () => {
    for (const [kind, fields, words] of [
      ['providerA', { asNumber: 23456 }, /AS number .*reserved/],
      ['providerA', { providerAAccount: '12345678901' }, /12 digits/],
      ['providerA', { providerAAccount: 1234567890123 }, /12 digits|999999999999/],
      ['providerA', { providerAAddress: '192.0.2.1/28', customerAddress: '192.0.2.2/30' }, /\/29 to \/31/],
      ['providerAHostedConnection', { portSpeed: '75Mbps' }, /"50Mbps", .*"10Gbps"/],
      ['providerB', { primarySubnet: '010.0.0.0/24' }, /without leading zeros/],
      ['providerB', { primarySubnet: '192.0.2.1/30' }, /192\.0\.2\.0\/30/],
      ['providerB', { serviceKey: '12345' }, /6 to 80/],
      ['providerC', { bandwidth: 'BPS_3G' }, /"BPS_50M", .*"BPS_50G"/],
      ['entreprise', { cmeMask: '255.0.255.0' }, /mask .*255/],
      ['entreprise', { cloudApplianceID: 'cpe-1' }, /UUID/],
    ] as const) {
      const [detail] = (await connect(input(kind, fields))).body.details;
      assert.match(detail.message, words, detail.path);
    }
  });

  test('for the same fields in an update as in a creation', async () => {
    for (const [connector, kind, field, value] of [
      [standing.a, 'providerA', 'asNumber', 65535],
      [standing.a, 'providerA', 'providerAAddress', '203.0.113.1/30'],
      [standing.b, 'providerB', 'primarySubnet', '192.0.2.1/30'],
      [standing.c, 'providerC', 'med', 2 ** 32],
      [standing.site, 'entreprise', 'vlan', 4095],
      [standing.site, 'entreprise', 'cmeMask', '255.0.255.0'],
    ] as const) {
      const path = `/flow/connector/${connector.id}`;
      const before = await child.get(path);
      const fields = { [field]: value };
      const response = await child.put(
        path,
        kind === 'entreprise' ? { entreprise: fields } : { csp: { [kind]: fields } },
      );
      // Of two addresses that do not fit together, the error names the second.
      const named = field === 'providerAAddress' ? 'customerAddress' : field;
      assertRejected(response, 'InvalidInput', `${pathOf(kind)}.${named}`);
      assert.equal((await child.get(path)).headers.etag, before.headers.etag);
    }
  });

  const fields = least.providerA();
  const cloudDestinationID = destination('providerA', 'AMS1');
  const choices: [why: string, code: ProblemCode, body: Body, path: string][] = [
    [
      'a destination that is not there',
      'NotFound',
      { csp: { cloudDestinationID: absentId, providerA: fields } },
      'csp.cloudDestinationID',
    ],
    [
      'a malformed destination',
      'InvalidInput',
      { csp: { cloudDestinationID: 'Amsterdam', providerA: fields } },
      'csp.cloudDestinationID',
    ],
    ['no destination', 'InvalidInput', { csp: { providerA: fields } }, 'csp.cloudDestinationID'],
    [
      'a provider that is not the destination’s',
      'InvalidInput',
      { csp: { cloudDestinationID, providerB: least.providerB() } },
      'csp.providerB',
    ],
    [
      'two providers',
      'InvalidInput',
      { csp: { cloudDestinationID, providerA: fields, providerB: least.providerB() } },
      'csp.providerB',
    ],
    ['no provider', 'InvalidInput', { csp: { cloudDestinationID } }, 'csp'],
    [
      'a provider and a site',
      'InvalidInput',
      { csp: { cloudDestinationID, providerA: fields }, entreprise: least.entreprise() },
      'entreprise',
    ],
    ['neither provider nor site', 'InvalidInput', {}, 'csp'],
    ['null for both', 'InvalidInput', { csp: null, entreprise: null }, 'csp'],
    ['no object for a provider', 'InvalidInput', { csp: { cloudDestinationID, providerA: 'yes' } }, 'csp.providerA'],
    ['no object for a site', 'InvalidInput', { entreprise: [] }, 'entreprise'],
    ['a malformed group', 'InvalidInput', { ...input('providerA'), groupId: 'stores' }, 'groupId'],
    ['no group', 'InvalidInput', { ...input('providerA'), groupId: undefined }, 'groupId'],
    ['a malformed tag', 'InvalidInput', { ...input('providerA'), tagIds: [ours.tag.id, 'production'] }, 'tagIds.1'],
    [
      'two spellings of the group that differ',
      'InvalidInput',
      { ...input('providerA'), groupID: secondGroup.id },
      'groupID',
    ],
    ['a read-only field of the record', 'ReadOnlyField', { ...input('providerA'), status: 0 }, 'status'],
  ];
  for (const [why, code, body, path] of choices)
    test(`for ${why}`, async () => {
      assertRejected(await connect({ name: `choice ${++number}`, groupId: ours.group.id, ...body }), code, path);
    });

  const assigned: [kind: KindName, connector: Body, field: string, value: unknown][] = [
    ['providerA', standing.a, 'dxvif', 'dxvif-1'],
    ['providerAHostedConnection', standing.hosted, 'vlanId', 12],
    ['providerAHostedConnection', standing.hosted, 'providerAPeerIP', '192.0.2.1'],
    ['providerAHostedConnection', standing.hosted, 'customerPeerIP', '192.0.2.2'],
    ['providerAHostedConnection', standing.hosted, 'bgpKey', 'a BGP key'],
    ['providerAHostedConnection', standing.hosted, 'connectionId', 'dxcon-1'],
    ['providerC', standing.c, 'interconnectId', 'ic-1'],
  ];
  for (const [kind, connector, field, value] of assigned)
    test(`for setting ${field}, which the provider assigns (${kind})`, async () => {
      const path = `csp.${kind}.${field}`;
      assertRejected(await connect(input(kind, { [field]: value })), 'ReadOnlyField', path);
      const response = await child.put(`/flow/connector/${connector.id}`, { csp: { [kind]: { [field]: value } } });
      assertRejected(response, 'ReadOnlyField', path);
    });

  test('for a name or VLAN that is taken', async () => {
    const { name } = standing.a;
    assertRejected(await connect({ ...input('providerB'), name }), 'NameTaken', 'name');
    assertRejected(await child.post('/flow/connector/check-name', { name }), 'NameTaken', 'name');
    assertRejected(await child.put(`/flow/connector/${standing.b.id}`, { name }), 'NameTaken', 'name');
    assertRejected(await connect(input('entreprise', { vlan: 77 })), 'VlanTaken', 'entreprise.vlan');
    const other = await made(connect(input('entreprise')));
    const response = await child.put(`/flow/connector/${other.id}`, { entreprise: { vlan: 77 } });
    assertRejected(response, 'VlanTaken', 'entreprise.vlan');
  });

  test('without a product in the region, and uses none', async () => {
    const somewhere = destinations.find((one) => one.family.shortName === 'providerA' && one.region === 'japan');
    const body = input('providerA');
    body.csp.cloudDestinationID = somewhere.id;
    assertRejected(await connect(body), 'NotEnoughSpareProducts');
    await made(parent.put(`${ours.path}/products/providerA/japan`, { total: 1 }));
    assert.equal((await connect(body)).status, 200);
    assertRejected(await connect({ ...body, name: 'one too many' }), 'NotEnoughSpareProducts');
  });

  test('and uses no product, name or VLAN', async () => {
    const { body } = await child.get(`${ours.path}/products`);
    const used = body.reduce((sum: number, pool: Body) => sum + pool.used, 0);
    const total = async (family: string) =>
      Number((await child.get(`/connectors?family=${family}`)).headers['content-range']?.split('/')[1]);
    const there = (await Promise.all(families.map(total))).reduce((sum, count) => sum + count, 0);
    assert.equal(used, there, 'as many products are in use as there are connectors');
  });
});

describe('a connector is accepted', () => {
  const asNumbers = [1, 23455, 23457, 65534, 65536, 4200000000, 4294967294];
  const rows: [kind: KindName, field: string, values: unknown[]][] = [
    ['providerA', 'asNumber', asNumbers],
    ['providerA', 'platformAsNumber', asNumbers],
    ['entreprise', 'customerASN', asNumbers],
    ['entreprise', 'serviceCloudApplianceASN', asNumbers],
    ['entreprise', 'vlan', [1, 4094]],
    ['entreprise', 'cmeBGPKey', ['6 char', 'x'.repeat(80)]],
    ['providerB', 'serviceKey', ['123456', '~'.repeat(80)]],
    ['providerB', 'primarySubnet', ['10.0.0.0/24', '192.0.2.4/30', '192.0.2.6/31']],
    [
      'providerAHostedConnection',
      'portSpeed',
      ['50Mbps', '100Mbps', '200Mbps', '300Mbps', '400Mbps', '500Mbps', '1Gbps', '2Gbps', '5Gbps', '10Gbps'],
    ],
    ['providerC', 'bandwidth', ['BPS_50M', 'BPS_100M', 'BPS_500M', 'BPS_1G', 'BPS_10G', 'BPS_50G']],
    ['providerC', 'med', [0, 4294967295]],
    ['providerC', 'pairingKey', ['7e51371e-72a3-40b5-b844-2e3efefaee59/frankfurt/1']],
  ];
  for (const [kind, field, values] of rows)
    test(`with ${values.map((value) => JSON.stringify(value)).join(', ')} as ${field} (${kind})`, async () => {
      for (const value of values) {
        const connector = await made(connect(input(kind, { [field]: value })));
        assert.equal((await modelOf(connector, kind))[field], value);
        await made(child.delete(`/flow/connector/${connector.id}`));
      }
    });
  test('with two hosts of a subnet of two, four or eight; a missing one is assigned next to the other', async () => {
    for (const [given, other] of [
      ['192.0.2.0/31', '192.0.2.1/31'],
      ['192.0.2.2/30', '192.0.2.1/30'],
      ['192.0.2.1/29', '192.0.2.6/29'],
    ]) {
      const both = { providerAAddress: given, customerAddress: other };
      const connector = await made(connect(input('providerA', both)));
      const stored = await modelOf(connector, 'providerA');
      assert.deepEqual([stored.providerAAddress, stored.customerAddress], [given, other]);
      await made(child.delete(`/flow/connector/${connector.id}`));
      const half = await made(connect(input('providerA', { customerAddress: given })));
      const alone = await modelOf(half, 'providerA');
      assert.equal(alone.customerAddress, given);
      assert.notEqual(alone.providerAAddress, given);
      assert.equal(alone.providerAAddress.split('/')[1], given?.split('/')[1]);
      await made(child.delete(`/flow/connector/${half.id}`));
    }
  });
  test('with an account number as string or number: returned as a number, stored with twelve digits', async () => {
    for (const sent of ['000456789012', 456789012]) {
      const connector = await made(connect(input('providerA', { providerAAccount: sent })));
      assert.equal((await modelOf(connector, 'providerA')).providerAAccount, 456789012);
      const { rows: stored } = await f.owner.query(
        `select details ->> 'providerAAccount' as digits from connectors where id = $1`,
        [connector.id],
      );
      assert.deepEqual(stored, [{ digits: '000456789012' }]);
    }
  });
  test('with aliases: groupID, enterprise, and the read name of the service key', async () => {
    const { groupId, entreprise, ...rest } = input('entreprise');
    const site = await made(connect({ ...rest, groupID: groupId, enterprise: entreprise }));
    assert.equal((await modelOf(site, 'entreprise')).vlan, entreprise.vlan);
    const circuit = await made(
      connect(input('providerB', { serviceKey: undefined, providerBServiceKey: 'by another name' })),
    );
    assert.equal((await modelOf(circuit, 'providerB')).serviceKey, 'by another name');
  });
});

describe('an immutable field of a connector or link cannot change', () => {
  const elsewhereId = destination('providerA', 'FRA1');
  let secondAppliance: Body;
  const rows: [what: string, path: string, body: () => Body, ...wrong: string[]][] = [
    ['group', `/flow/connector/${standing.a.id}`, () => ({ groupId: secondGroup.id }), 'groupId'],
    [
      'group by its second spelling',
      `/flow/connector/${standing.a.id}`,
      () => ({ groupID: secondGroup.id }),
      'groupId',
    ],
    [
      'destination',
      `/flow/connector/${standing.a.id}`,
      () => ({ csp: { cloudDestinationID: elsewhereId } }),
      'csp.cloudDestinationID',
    ],
    [
      'provider',
      `/flow/connector/${standing.a.id}`,
      () => ({ csp: { providerB: { serviceKey: 'a service key' } } }),
      'csp.providerB',
    ],
    [
      'kind, from provider to site',
      `/flow/connector/${standing.a.id}`,
      () => ({ entreprise: { vlan: 7 } }),
      'entreprise',
    ],
    [
      'kind, from site to provider',
      `/flow/connector/${standing.site.id}`,
      () => ({ csp: { providerA: { asNumber: 64710 } } }),
      'csp',
    ],
    [
      'appliance',
      `/flow/connector/${standing.site.id}`,
      () => ({ entreprise: { cloudApplianceID: secondAppliance.id } }),
      'entreprise.cloudApplianceID',
    ],
    ['one end of a link', `/flow/link/${link.id}`, () => ({ from: standing.c.irn }), 'from'],
    ['the other end of a link', `/flow/link/${link.id}`, () => ({ to: standing.c.id }), 'to'],
    [
      'the direction of a link',
      `/flow/link/${link.id}`,
      () => ({ from: standing.b.id, to: standing.a.id }),
      'from',
      'to',
    ],
    ['an end of a link to one of another tenant', `/flow/link/${link.id}`, () => ({ to: foreignConnector.irn }), 'to'],
    ['state', `/flow/link/${link.id}`, () => ({ state: 'delivered' }), 'state'],
    ['identity', `/flow/connector/${standing.a.id}`, () => ({ id: absentId, irn: 'irn:x' }), 'id', 'irn'],
  ];
  for (const [what, path, body, ...wrong] of rows)
    test(`its ${what}`, async () => {
      secondAppliance ??= await made(
        child.post('/cloud-appliances', {
          name: 'cpe-2',
          siteName: 'Lyon',
          slacity: 'marseille',
          cloudApplianceModelID: model.id,
          kind: 'cloudAppliance',
        }),
      );
      const before = await child.get(path);
      assertRejected(await child.put(path, body()), 'ReadOnlyField', ...wrong);
      assert.equal((await child.get(path)).headers.etag, before.headers.etag);
    });
});

describe('a read-only field is rejected by name in a creation and an update', () => {
  const applianceWish = { siteName: 'x', slacity: 'paris', cloudApplianceModelID: model.id, kind: 'cloudAppliance' };
  const capacities = `${ours.path}/capacities`;
  const rows: [what: string, client: Client, list: string, input: Body, record: string][] = [
    ['a group', child, '/groups', { name: 'x' }, `/groups/${ours.group.id}`],
    ['a tag', child, '/tags', { name: 'x' }, `/tags/${ours.tag.id}`],
    [
      'an appliance',
      child,
      '/cloud-appliances',
      { name: 'x', ...applianceWish },
      `/cloud-appliances/${ours.appliance.id}`,
    ],
    ['a connector', child, '/flow/connector/set-registered', input('providerA'), `/flow/connector/${standing.a.id}`],
    [
      'a link',
      child,
      '/flow/link/set-registered',
      { name: 'x', from: standing.a.id, to: standing.c.id },
      `/flow/link/${link.id}`,
    ],
    [
      'a capacity',
      parent,
      capacities,
      { capacity: 1, duration: 1, region1Id: regionId('europe') },
      `${capacities}/${ours.capacity.id}`,
    ],
    [
      'an allocation',
      child,
      `/groups/${secondGroup.id}/capacities`,
      { capacityId: ours.capacity.id, allocation: 1 },
      `/groups/${secondGroup.id}/capacities/${allocated.id}`,
    ],
  ];
  for (const [what, client, list, wished, record] of rows)
    for (const [key, value] of [
      ['id', absentId],
      ['irn', 'irn:group:abcdefghij01::1234567'],
      ['organisationId', theirs.id],
      ['createdAt', '2026-11-14T09:30:00.123456Z'],
      ['updatedAt', '2026-11-14T09:30:00.123456Z'],
    ] as const)
      test(`${key} of ${what}`, async () => {
        assertRejected(await client.post(list, { ...wished, [key]: value }), 'ReadOnlyField', key);
        assertRejected(await client.put(record, { [key]: value }), 'ReadOnlyField', key);
      });
});

describe('a link is rejected', () => {
  const rows: [why: string, code: ProblemCode, ends: Body, ...wrong: string[]][] = [
    ['from a connector to itself', 'InvalidInput', { from: standing.c.id, to: standing.c.id }, 'to'],
    ['from a connector to itself by name', 'InvalidInput', { from: standing.c.irn, to: standing.c.id }, 'to'],
    ['between two groups', 'InvalidInput', { from: standing.a.id, to: elsewhere.id }, 'to'],
    ['when there is one', 'AlreadyLinked', { from: standing.a.id, to: standing.b.id }],
    ['when there is one the other way', 'AlreadyLinked', { from: standing.b.irn, to: standing.a.irn }],
    ['from something malformed', 'InvalidInput', { from: 'connector 1', to: standing.a.id }, 'from'],
    ['to something malformed', 'InvalidInput', { from: standing.a.id, to: 'irn:connectors:x::y' }, 'to'],
    ['to what is no connector', 'InvalidInput', { from: standing.a.id, to: ours.group.irn }, 'to'],
    ['without an end', 'InvalidInput', { from: standing.a.id }, 'to'],
    ['from a connector that is not there', 'NotFound', { from: absentId, to: standing.a.id }, 'from'],
    ['to a connector that is not there', 'NotFound', { from: standing.a.id, to: absentId }, 'to'],
    ['from a connector of another tenant', 'NotFound', { from: foreignConnector.id, to: standing.a.id }, 'from'],
    ['to a connector of another tenant, by name', 'NotFound', { from: standing.a.id, to: foreignConnector.irn }, 'to'],
    ['under a name that is taken', 'NameTaken', { name: 'linked', from: standing.a.id, to: standing.c.id }, 'name'],
  ];
  for (const [why, code, ends, ...wrong] of rows)
    test(why, async () => {
      const response = await child.post('/flow/link/set-registered', { name: `link ${++number}`, ...ends });
      assertRejected(response, code, ...wrong);
    });
  test('deletion of a linked connector, a group with connectors or an appliance with interfaces', async () => {
    assertRejected(await child.delete(`/flow/connector/${standing.a.id}`), 'ConnectorLinked');
    assertRejected(await child.delete(`/groups/${ours.group.id}`), 'GroupInUse');
    assertRejected(await child.delete(`/cloud-appliances/${ours.appliance.id}`), 'ApplianceInUse');
  });
});

describe('a reference to a record of another tenant fails like one to a missing record', () => {
  const from = standing.a.id;
  const site = (cloudApplianceID: string) => input('entreprise', { cloudApplianceID });
  const appliance = { siteName: 'Nice', slacity: 'marseille', cloudApplianceModelID: model.id, kind: 'cloudAppliance' };
  const ownIrn = (id: string): string =>
    `${String(standing.a.irn).split('::')[0]}::${BigInt(`0x${id.replaceAll('-', '')}`).toString(36)}`;
  type Row = [what: string, path: string, send: (id: string) => Promise<ApiResponse>, foreign: string, absent?: string];
  const rows: Row[] = [
    ['group of a connector', 'groupId', (id) => connect(input('providerA', {}, { groupId: id })), theirs.group.id],
    ['tag of a connector', 'tagIds', (id) => connect(input('providerA', {}, { tagIds: [id] })), theirs.tag.id],
    ['appliance', 'entreprise.cloudApplianceID', (id) => connect(site(id)), theirs.appliance.id],
    [
      'tag of a connector that changes',
      'tagIds',
      (id) => child.put(`/flow/connector/${from}`, { tagIds: [ours.tag.id, id] }),
      theirs.tag.id,
    ],
    ['tag of a group', 'tagIds', (id) => child.post('/groups', { name: 'x', tagIds: [id] }), theirs.tag.id],
    [
      'tag of a group that changes',
      'tagIds',
      (id) => child.put(`/groups/${ours.group.id}`, { tagIds: [id] }),
      theirs.tag.id,
    ],
    [
      'tag of an appliance',
      'tagIds',
      (id) => child.post('/cloud-appliances', { name: 'x', ...appliance, tagIds: [id] }),
      theirs.tag.id,
    ],
    [
      'tag of a link',
      'tagIds',
      (id) => child.post('/flow/link/set-registered', { name: 'x', from, to: standing.c.id, tagIds: [id] }),
      theirs.tag.id,
    ],
    [
      'end of a link',
      'to',
      (id) => child.post('/flow/link/set-registered', { name: 'x', from, to: id }),
      foreignConnector.id,
    ],
    [
      'end of a link by its resource name',
      'from',
      (name) => child.post('/flow/link/set-registered', { name: 'x', from: name, to: from }),
      foreignConnector.irn,
      ownIrn(absentId),
    ],
    [
      'capacity',
      'capacityId',
      (id) => child.post(`/groups/${ours.group.id}/capacities`, { capacityId: id, allocation: 1 }),
      theirs.capacity.id,
    ],
  ];
  const essence = ({ status, text, body }: ApiResponse): string => `${status} ${text.replace(body.requestId, '')}`;
  for (const [what, path, send, foreign, absent = absentId] of rows)
    test(`as ${what}`, async () => {
      const [one, other] = [await send(foreign), await send(absent)];
      assertRejected(one, 'NotFound', path);
      assert.equal(essence(one), essence(other));
    });
  test('in a path, with every method', async () => {
    const paths: [string, string][] = [
      ['/groups/{id}', theirs.group.id],
      ['/groups/{id}/capacities', theirs.group.id],
      ['/connectors/group/{id}', theirs.group.id],
      ['/link/group/{id}', theirs.group.id],
      ['/tags/{id}', theirs.tag.id],
      ['/cloud-appliances/{id}', theirs.appliance.id],
      ['/cloud-appliances/{id}/cloud-virtual-interfaces', theirs.appliance.id],
      ['/connectors/{id}', foreignConnector.id],
      ['/connectors/{id}/prefixes', foreignConnector.id],
      ['/flow/connector/{id}', foreignConnector.id],
      ['/capacities/available/{id}', theirs.capacity.id],
      [`${ours.path}/capacities/{id}`, theirs.capacity.id],
    ];
    for (const [path, foreign] of paths) {
      const ask = (id: string) => child.get(path.replace('{id}', id));
      const [one, other, malformed] = [await ask(foreign), await ask(absentId), await ask('nonsense')];
      assertRejected(one, 'NotFound');
      assert.equal(essence(one), essence(other), path);
      assert.equal(essence(one), essence(malformed), path);
    }
  });
});

describe('a name', () => {
  const bad: [why: string, name: unknown][] = [
    ['of 300 characters', 'x'.repeat(300)],
    ['with a control character', 'bell\u0007'],
    ['with a line break', 'two\nlines'],
    ['that looks like another', 'admin\u202enimda'],
    ['of nothing', ''],
    ['of blanks', '   '],
    ['that is a number', 7],
    ['that is null', null],
    ['that is missing', undefined],
  ];
  const places: [what: string, send: (name: unknown) => Promise<ApiResponse>, path?: string][] = [
    ['group', (name) => child.post('/groups', { name })],
    ['tag', (name) => child.post('/tags', { name })],
    ['connector', (name) => connect({ ...input('providerA'), name })],
    ['connector in a name check', (name) => child.post('/flow/connector/check-name', { name })],
    ['link', (name) => child.post('/flow/link/set-registered', { name, from: standing.a.id, to: standing.c.id })],
    [
      'site',
      (siteName) =>
        child.post('/cloud-appliances', {
          name: 'x',
          siteName,
          slacity: 'paris',
          cloudApplianceModelID: model.id,
          kind: 'cloudAppliance',
        }),
      'siteName',
    ],
    ['child organisation', (name) => parent.post('/organisations', { name })],
  ];
  for (const [what, send, path = 'name'] of places)
    for (const [why, name] of bad)
      test(`of a ${what} ${why} is rejected`, async () => {
        assertRejected(await send(name), 'InvalidInput', path);
      });
  test('of 255 characters of any script is accepted and returned unchanged', async () => {
    for (const name of ['x'.repeat(255), 'Žluťoučký kůň', '店舗 №4', 'e\u0301', '<b>&amp;"\'']) {
      const group = await made(child.post('/groups', { name }));
      assert.equal((await child.get(`/groups/${group.id}`)).body.name, name);
      await child.delete(`/groups/${group.id}`);
    }
  });
  test('of another tag is rejected as a duplicate', async () => {
    assertRejected(await child.post('/tags', { name: 'production' }), 'NameTaken', 'name');
  });
});

describe('capacities and products', () => {
  const capacities = `${ours.path}/capacities`;
  const pool = `${ours.path}/products/providerA/europe`;
  const europe = regionId('europe');
  const good = { capacity: 1000, duration: 12, region1Id: europe };
  const rows: [why: string, code: ProblemCode, body: Body, path: string][] = [
    ['between a region and itself', 'InvalidInput', { ...good, region2Id: europe }, 'region2Id'],
    [
      'between a region and itself, in capitals',
      'InvalidInput',
      { ...good, region2Id: europe.toUpperCase() },
      'region2Id',
    ],
    ['in a region that is not there', 'NotFound', { ...good, region1Id: absentId }, 'region1Id'],
    ['to a region that is not there', 'NotFound', { ...good, region2Id: absentId }, 'region2Id'],
    ['in a malformed region', 'InvalidInput', { ...good, region1Id: 'europe' }, 'region1Id'],
    ['in no region', 'InvalidInput', { ...good, region1Id: undefined }, 'region1Id'],
    ['for no month', 'InvalidInput', { ...good, duration: 0 }, 'duration'],
    ['for 121 months', 'InvalidInput', { ...good, duration: 121 }, 'duration'],
    ['of nothing', 'InvalidInput', { ...good, capacity: 0 }, 'capacity'],
    ['of less than nothing', 'InvalidInput', { ...good, capacity: -1 }, 'capacity'],
    ['of half a bit', 'InvalidInput', { ...good, capacity: 1.5 }, 'capacity'],
    ['beyond exact numbers', 'InvalidInput', { ...good, capacity: 2 ** 53 }, 'capacity'],
    ['as text', 'InvalidInput', { ...good, capacity: '1000' }, 'capacity'],
    ['that says it is what it is not', 'ReadOnlyField', { ...good, isRegional: false }, 'isRegional'],
  ];
  for (const [why, code, body, path] of rows)
    test(`a capacity ${why} is rejected`, async () => {
      assertRejected(await parent.post(capacities, body), code, path);
    });
  test('a capacity of 1 to 120 months is accepted', async () => {
    for (const duration of [1, 120]) {
      const capacity = await made(parent.post(capacities, { ...good, duration }));
      assert.equal(capacity.duration, duration);
      assert.equal((await parent.delete(`${capacities}/${capacity.id}`)).status, 204);
    }
  });
  test('the regions of a capacity cannot change', async () => {
    const path = `${capacities}/${ours.capacity.id}`;
    assertRejected(await parent.put(path, { region1Id: regionId('japan') }), 'ReadOnlyField', 'region1Id');
    assertRejected(await parent.put(path, { region2Id: regionId('japan') }), 'ReadOnlyField', 'region2Id');
    assertRejected(await parent.put(path, { duration: 121 }), 'InvalidInput', 'duration');
  });
  test('only the parent can change them, in its own scope', async () => {
    const own = f.client.with({ token: (await f.signIn('admin@quarry.example', password)).access_token });
    for (const client of [own, child])
      for (const response of [
        await client.put(pool, { total: 5 }),
        await client.post(capacities, good),
        await client.put(`${capacities}/${ours.capacity.id}`, { capacity: 5000 }),
        await client.delete(`${capacities}/${ours.capacity.id}`),
      ])
        assertRejected(response, 'NotParent');
    // Neither the reseller for itself, nor a sibling, to which the organisation looks missing.
    const { meridian } = f.organisations;
    assertRejected(await parent.put(`/organisations/${meridian}/products/providerA/europe`, { total: 5 }), 'NotParent');
    assertRejected(await parent.post(`/organisations/${meridian}/capacities`, good), 'NotParent');
    assertRejected(await theirs.client.put(pool, { total: 5 }), 'NotFound');
    assertRejected(await theirs.client.post(capacities, good), 'NotFound');
  });
  test('a pool cannot become smaller than its use', async () => {
    const { used } = (await parent.get(pool)).body;
    assert.ok(used > 1);
    assertRejected(await parent.put(pool, { total: used - 1 }), 'BelowUsed', 'total');
    assert.equal((await parent.put(pool, { total: used })).body.total, used);
    assertRejected(await connect(input('providerA')), 'NotEnoughSpareProducts');
    await made(parent.put(pool, { total: 1000 }));
  });
  test('the size of a pool is a non-negative integer, its family and region exist', async () => {
    for (const total of [-1, 1.5, '5', null, undefined])
      assertRejected(await parent.put(pool, { total }), 'InvalidInput', 'total');
    assertRejected(await parent.put(pool, { total: 1000, used: 999 }), 'ReadOnlyField', 'used');
    for (const place of ['providerD/europe', 'providerA/atlantis'])
      for (const response of [
        await parent.put(`${ours.path}/products/${place}`, { total: 5 }),
        await parent.get(`${ours.path}/products/${place}`),
      ])
        assertRejected(response, 'NotFound');
  });
  test('allocations cannot exceed the capacity, and the capacity cannot shrink below its allocations', async () => {
    const group = await made(child.post('/groups', { name: 'allocations' }));
    const allocations = `/groups/${group.id}/capacities`;
    const { id: capacityId } = await made(parent.post(capacities, good));
    for (const allocation of [0, 1.5, '5'])
      assertRejected(await child.post(allocations, { capacityId, allocation }), 'InvalidInput', 'allocation');
    assertRejected(await child.post(allocations, { capacityId: 'all', allocation: 1 }), 'InvalidInput', 'capacityId');
    assertRejected(await child.post(allocations, { capacityId, allocation: 1001 }), 'NotEnoughCapacity');
    const drawn = await made(child.post(allocations, { capacityId, allocation: 600 }));
    const path = `${allocations}/${drawn.id}`;
    assertRejected(await child.post(allocations, { capacityId, allocation: 1 }), 'AlreadyAllocated', 'capacityId');
    const second = `/groups/${ours.group.id}/capacities`;
    assertRejected(await child.post(second, { capacityId, allocation: 401 }), 'NotEnoughCapacity');
    assertRejected(await child.put(path, { allocation: 1001 }), 'NotEnoughCapacity');
    assertRejected(await child.put(path, { capacityId: absentId }), 'ReadOnlyField', 'capacityId');
    assertRejected(await child.put(path, { groupId: ours.group.id }), 'ReadOnlyField', 'groupId');
    const subscribed = `${capacities}/${capacityId}`;
    assertRejected(await parent.put(subscribed, { capacity: 599 }), 'BelowAllocated');
    assertRejected(await parent.delete(subscribed), 'BelowAllocated');
    assert.equal((await parent.put(subscribed, { capacity: 600 })).status, 200);
    assert.equal((await child.get(`/capacities/available/${capacityId}`)).body.availableCapacity, 0);
  });
});

describe('appliances', () => {
  const good = {
    name: 'cpe-9',
    siteName: 'Nice',
    slacity: 'marseille',
    cloudApplianceModelID: model.id,
    kind: 'cloudAppliance',
  };
  const rows: [why: string, code: ProblemCode, body: Body, path: string][] = [
    ['of an unknown kind', 'InvalidInput', { ...good, kind: 'toaster' }, 'kind'],
    ['in a city that is not there', 'NotFound', { ...good, slacity: 'atlantis' }, 'slacity'],
    ['of a model that is not there', 'NotFound', { ...good, cloudApplianceModelID: absentId }, 'cloudApplianceModelID'],
    ['of a malformed model', 'InvalidInput', { ...good, cloudApplianceModelID: 'big' }, 'cloudApplianceModelID'],
    [
      'with interfaces of its own making',
      'ReadOnlyField',
      { ...good, cloudVirtualInterfaces: [] },
      'cloudVirtualInterfaces',
    ],
  ];
  for (const [why, code, body, path] of rows)
    test(`one ${why} is rejected`, async () => {
      assertRejected(await child.post('/cloud-appliances', body), code, path);
    });
  test('kind and place of an appliance cannot change', async () => {
    const path = `/cloud-appliances/${ours.appliance.id}`;
    assertRejected(await child.put(path, { kind: 'routingAppliance' }), 'ReadOnlyField', 'kind');
    assertRejected(await child.put(path, { slacity: 'lisbon' }), 'ReadOnlyField', 'slacity');
    assertRejected(await child.put(path, { cloudApplianceModelID: absentId }), 'NotFound', 'cloudApplianceModelID');
  });
  test('the list filters by at most one kind, and by ids of interfaces', async () => {
    const ask = (query: string) => child.get(`/cloud-appliances?${query}`);
    const both = await ask('cloudApplianceOnly=true&routingApplianceOnly=true');
    assertRejected(both, 'InvalidInput', 'routingApplianceOnly');
    assert.equal((await ask('cloudApplianceOnly=true&routingApplianceOnly=false')).status, 200);
    assertRejected(await ask('cloudApplianceOnly=maybe'), 'InvalidInput', 'cloudApplianceOnly');
    assertRejected(await ask('virtualInterfacesIds=x'), 'InvalidInput', 'virtualInterfacesIds.0');
    assert.deepEqual((await ask(`virtualInterfacesIds=${absentId}`)).body, []);
    const [first] = (await child.get(`/cloud-appliances/${ours.appliance.id}/cloud-virtual-interfaces`)).body;
    const found: Body[] = (await ask(`virtualInterfacesIds=${absentId},${first.id}`)).body;
    assert.deepEqual(
      found.map(({ id }) => id),
      [ours.appliance.id],
    );
  });
});

describe('the list of connectors', () => {
  const find = async (query: string): Promise<string[]> =>
    (await mine.get(`/connectors?${query}`)).body.map(({ name }: Body) => name);
  const everything = ['amsterdam', 'frankfurt', 'paris', 'circuit', 'depot'];
  const rows: [query: string, names: string[]][] = [
    ['', everything],
    [`groupID=${third.group.id}`, ['amsterdam', 'frankfurt', 'paris']],
    [`groupID=${others.id.toUpperCase()}`, ['circuit', 'depot']],
    ['family=providerA', ['amsterdam', 'frankfurt']],
    ['family=providerB', ['circuit']],
    ['family=providerC', []],
    [`destinationID=${destination('providerA', 'FRA2')}`, ['frankfurt']],
    [`destinationID=${destination('providerA', 'FRA1')}`, []],
    [`linkedTo=${amsterdam.irn}`, ['paris']],
    [`linkedTo=${paris.irn.replace(':connectors:', ':connector:')}`, ['amsterdam']],
    [`linkedTo=${circuit.irn}`, ['depot']],
    [`linkedTo=${amsterdam.routerIrn}`, ['amsterdam', 'paris']],
    [`linkedTo=${depot.routerIrn}`, ['circuit', 'depot']],
    ['slacity=amsterdam', ['amsterdam', 'circuit']],
    ['slacity=paris', ['paris', 'depot']],
    ['edgeCode=FRA2', ['frankfurt']],
    ['edgeCode=PAR1', ['paris', 'depot']],
    [`tags=${third.tag.id}`, ['amsterdam', 'frankfurt']],
    [`tags=${audited.id}`, ['amsterdam', 'circuit']],
    [`tags=${both.join(',')}`, ['amsterdam']],
    [`tags=${both[0]}&tags=${both[1]}`, ['amsterdam']],
    ['status=OK', ['amsterdam', 'depot']],
    ['status=KO', ['frankfurt', 'paris', 'circuit']],
    ['legacy=legacy', ['depot']],
    [`family=providerA&status=OK&slacity=amsterdam&groupID=${third.group.id}&tags=${both.join(',')}`, ['amsterdam']],
    ['family=providerA&status=KO', ['frankfurt']],
    ['family=providerB&slacity=paris', []],
  ];
  for (const [query, names] of rows)
    test(`finds ${names.join(', ') || 'nothing'} by ${query.replace(/[0-9a-f-]{36}/gi, '{id}') || 'no filter'}`, async () => {
      assert.deepEqual(await find(query), names);
    });
  test('finds nothing by a missing record or a record of another tenant', async () => {
    const foreignRouter = standing.a.routerIrn;
    for (const query of [
      `groupID=${absentId}`,
      `groupID=${ours.group.id}`,
      `destinationID=${absentId}`,
      `tags=${absentId}`,
      `tags=${ours.tag.id}`,
      `tags=${third.tag.id},${absentId}`,
      'family=providerD',
      'slacity=atlantis',
      'edgeCode=ATL9',
      `linkedTo=${standing.a.irn}`,
      `linkedTo=${foreignRouter}`,
    ]) {
      const response = await mine.get(`/connectors?${query}`);
      assert.deepEqual([response.status, response.body], [200, []], query);
      assert.equal(response.headers['content-range'], '*/0');
    }
  });
  const malformed: [query: string, path: string][] = [
    ['groupID=x', 'groupID'],
    ['groupID=', 'groupID'],
    ['destinationID=x', 'destinationID'],
    ['tags=x', 'tags.0'],
    [`tags=${absentId},x`, 'tags.1'],
    ['status=up', 'status'],
    ['status=ok', 'status'],
    ['linkedTo=nonsense', 'linkedTo'],
    [`linkedTo=${absentId}`, 'linkedTo'],
    [`linkedTo=${third.group.irn}`, 'linkedTo'],
    ['legacy=yes', 'legacy'],
    ['family=providerA&family=providerB', 'family'],
    ['page=x', 'page'],
    ['page=-1', 'page'],
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
  ];
  for (const [query, path] of malformed)
    test(`rejects ${query.replace(/[0-9a-f-]{36}/gi, '{id}')}`, async () => {
      assertRejected(await mine.get(`/connectors?${query}`), 'InvalidInput', path);
    });
  test('links to further pages contain the filters', async () => {
    const filters = [
      `groupID=${third.group.id}`,
      `tags=${both.join(',')}`,
      `linkedTo=${paris.irn}`,
      'status=KO',
      'family=providerA',
      'slacity=paris',
      'edgeCode=AMS1',
      'legacy=legacy',
      '',
    ];
    for (const filter of filters) {
      const whole = await find(filter);
      const walked: string[] = [];
      let path: string | undefined = `/connectors?${filter}&limit=1`;
      for (let step = 0; path && step < 10; step++) {
        const response: ApiResponse = await mine.get(path);
        assert.equal(response.status, 200, response.text);
        walked.push(...response.body.map(({ name }: Body) => name));
        const range = whole.length ? `${step}-${step}/${whole.length}` : '*/0';
        assert.equal(response.headers['content-range'], range);
        path = /<([^>]+)>; rel="next"/.exec(response.headers.link ?? '')?.[1];
      }
      assert.deepEqual(walked, whole, filter);
    }
    const { headers } = await mine.get(`/connectors?status=KO&tags=${third.tag.id}&nonsense=1&limit=1`);
    assert.equal(
      headers.link,
      `</connectors?tags=${third.tag.id}&status=KO&page=1&limit=1>; rel="first", </connectors?tags=${third.tag.id}&status=KO&page=1&limit=1>; rel="last"`,
    );
  });
  test('of a group shows its connectors, filtered by origin', async () => {
    const ask = async (query: string): Promise<string[]> =>
      (await mine.get(`/connectors/group/${others.id}${query}`)).body.map(({ name }: Body) => name);
    assert.deepEqual(await ask(''), ['circuit', 'depot']);
    assert.deepEqual(await ask('?flow=flow'), ['circuit']);
    assertRejected(await mine.get(`/connectors/group/${others.id}?flow=yes`), 'InvalidInput', 'flow');
    const counted = (await mine.get(`/groups/${others.id}`)).body;
    assert.deepEqual([counted.countConnectors, counted.countFlowConnectors, counted.countLinks], [2, 1, 1]);
  });
});
