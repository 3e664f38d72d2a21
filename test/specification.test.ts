// The responses of the service, field by field, against the tables of the specification, for an organisation with a
// record of every kind.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { ApiResponse, Client } from './harness/client.ts';
import { fixture } from './harness/service.ts';
import * as t from './specification-tables.ts';
import { arrayOf, type KindName, type Rule } from './specification-tables.ts';

const f = await fixture();
const parent = await f.as('admin@meridian.example');
const { meridian } = f.organisations;
const password = 'tidal lantern orbit cedar';

type Body = ApiResponse['body'];

const shapes = {
  uuid: /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  timestamp: /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/,
  spacedTimestamp: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6} \+0000 UTC$/,
};
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function fits(rule: Exclude<Rule, object>, value: unknown): boolean {
  switch (rule) {
    case 'text':
      return typeof value === 'string';
    case 'integer':
      return Number.isSafeInteger(value);
    case 'number':
      return Number.isFinite(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'null':
      return value === null;
    case 'anything':
      return value !== undefined;
    default:
      return typeof value === 'string' && shapes[rule].test(value);
  }
}

/** Sentences about the differences between a value and its rule. */
function differences(rule: Rule, value: unknown, path = 'it'): string[] {
  const should = (be: string) => [`${path} should be ${be}, and is ${JSON.stringify(value) ?? 'absent'}`];
  if (typeof rule === 'string') return fits(rule, value) ? [] : should(rule);
  if ('orNull' in rule) return value === null ? [] : differences(rule.orNull, value, path);
  if ('oneOf' in rule) return rule.oneOf.includes(value as string) ? [] : should(`one of ${rule.oneOf.join(', ')}`);
  if ('irn' in rule) {
    const shape = new RegExp(`^irn:${rule.irn}:[0-9a-z]{12}:${rule.qualifier}:[0-9a-z]{7,}$`);
    return typeof value === 'string' && shape.test(value) ? [] : should(`a resource name like ${shape}`);
  }
  if ('arrayOf' in rule)
    return Array.isArray(value)
      ? value.flatMap((item, index) => differences(rule.arrayOf, item, `${path}[${index}]`))
      : should('an array');
  if (!isObject(value)) return should('an object');
  if ('byId' in rule)
    return Object.entries(value).flatMap(([id, item]) => [
      ...differences('uuid', id, `the key ${id} of ${path}`),
      ...differences(rule.byId, item, `${path}.${id}`),
    ]);
  const known = { ...rule.fields, ...rule.additions };
  return [
    ...Object.keys(value).flatMap((key) => (key in known ? [] : [`${path}.${key} is in no table`])),
    ...Object.entries(known).flatMap(([key, inner]) => differences(inner, value[key], `${path}.${key}`)),
  ];
}

interface Creation {
  name: string;
  response: ApiResponse;
  rule: Rule;
  status: number;
}
const creations: Creation[] = [];

const anonymous = (path: string): string => path.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '{id}');

async function create(client: Client, path: string, body: unknown, rule: Rule, status = 201): Promise<Body> {
  const response = await client.post(path, body);
  assert.ok(response.status < 300, `POST ${path}: ${response.text}`);
  const { name } = body as { name?: string };
  creations.push({ name: `POST ${anonymous(path)}${name ? ` of “${name}”` : ''}`, response, rule, status });
  return response.body;
}

// A child organisation with a record of every kind.
const organisation: Body = await create(
  parent,
  '/organisations',
  { name: 'Quarry Foods', address: { city: 'Lyon' }, invoice: { tvasubjection: false }, phone: '+33 4' },
  t.organisation,
);
const self = `/organisations/${organisation.id}`;
const child = parent.with({ scope: organisation.id });
const regions: Body[] = (await child.get('/regions')).body;
const regionId = (slug: string): string => regions.find((region) => region.slug === slug).id;
const destinations: Body[] = (await child.get('/cloud-gateways-types')).body.cloudGatewayTypes;
const destinationOf = (family: string): string =>
  destinations.find((one) => one.family.shortName === family && one.region === 'europe')?.id;
const [model]: Body[] = (await child.get('/cloud-appliance-models')).body;

const pools = ['providerA', 'providerAHostedConnection', 'providerB', 'providerC'];
for (const family of pools) await parent.put(`${self}/products/${family}/europe`, { total: 20 });
const within: Body = await create(
  parent,
  `${self}/capacities`,
  { capacity: 10_000_000_000, duration: 12, region1Id: regionId('europe') },
  t.capacity,
);
const between: Body = await create(
  parent,
  `${self}/capacities`,
  { capacity: 5_000_000_000, duration: 36, region1Id: regionId('europe'), region2Id: regionId('japan') },
  t.capacity,
);
const tags: Body[] = [
  await create(child, '/tags', { name: 'production', description: 'Carries traffic', color: '#1f7a4d' }, t.tag),
  await create(child, '/tags', { name: 'audited' }, t.tag),
];
const tagIds: string[] = tags.map(({ id }) => id).sort();
const group: Body = await create(child, '/groups', { name: 'stores', description: 'All of them', tagIds }, t.group);
const bareGroup: Body = await create(child, '/groups', { name: 'bare' }, t.group);
const allocations: Body[] = [
  await create(
    child,
    `/groups/${group.id}/capacities`,
    { capacityId: within.id, allocation: 1_000_000_000 },
    t.allocation,
  ),
  await create(
    child,
    `/groups/${group.id}/capacities`,
    { capacityId: between.id, allocation: 500_000_000 },
    t.allocation,
  ),
];
const appliance: Body = await create(
  child,
  '/cloud-appliances',
  {
    name: 'cpe-par-01',
    siteName: 'Paris, Bercy',
    slacity: 'paris',
    cloudApplianceModelID: model.id,
    kind: 'cloudAppliance',
    description: 'In the cellar',
    tagIds,
  },
  t.appliance,
);
await create(
  child,
  '/cloud-appliances',
  { name: 'r-1', siteName: 'Paris', slacity: 'paris', cloudApplianceModelID: model.id, kind: 'routingAppliance' },
  t.appliance,
);

const secrets = {
  providerB: 'service key of the circuit',
  providerC: 'pairing key of the attachment',
  entreprise: 'BGP key of the site',
};
let lastVlan = 200;
const ordered: Record<KindName, () => Body> = {
  providerA: () => ({ asNumber: 64710, providerAAccount: '000456789012' }),
  providerAHostedConnection: () => ({ asNumber: 4200000710, providerAAccount: 456789012 }),
  providerB: () => ({ serviceKey: secrets.providerB }),
  providerC: () => ({ pairingKey: secrets.providerC, med: 100 }),
  entreprise: () => ({
    cloudApplianceID: appliance.id,
    customerASN: 64620,
    vlan: ++lastVlan,
    cmeBGPKey: secrets.entreprise,
  }),
};
/** The fields of a connector kind, nested as in a body. */
const placed = (kind: KindName, fields: unknown, more: object = {}): Body =>
  kind === 'entreprise' ? { entreprise: fields } : { csp: { ...more, [kind]: fields } };
const placedIn = (kind: KindName, body: Body): Body => (kind === 'entreprise' ? body.entreprise : body.csp[kind]);

const connect = (kind: KindName, name: string): Promise<Body> =>
  create(
    child,
    '/flow/connector/set-registered',
    {
      name,
      groupId: group.id,
      tagIds,
      ...placed(kind, ordered[kind](), { cloudDestinationID: destinationOf(kind) }),
    },
    t.connector,
    200,
  );
const kindNames = Object.keys(t.kinds) as KindName[];
const connectors = new Map<KindName, Body>();
for (const kind of kindNames) connectors.set(kind, await connect(kind, `the ${kind}`));
const connectorOf = (kind: KindName): Body => connectors.get(kind);
const site: Body = connectorOf('entreprise');
const link: Body = await create(
  child,
  '/flow/link/set-registered',
  { name: 'site to cloud', description: 'By night', tagIds, from: site.irn, to: connectorOf('providerA').id },
  t.link,
  200,
);
const member: Body = await create(
  child,
  '/users',
  {
    email: 'viewer@quarry.example',
    firstName: 'Ines',
    lastName: 'Moreau',
    password,
    contact: { phone: '+33 4' },
    preference: { language: 'fr' },
  },
  t.user,
);
await create(
  parent,
  '/personal/tokens',
  { name: 'terraform', comment: 'pipeline', expiresIn: 3600 },
  t.newPersonalToken,
  200,
);
await create(child, '/flow/connector/check-name', { name: 'still free' }, t.connectorName, 200);

// Separate records, so that their changes do not affect other tests.
const editedGroup: Body = (await child.post('/groups', { name: 'edited', description: 'd', tagIds })).body;
const editedTag: Body = (await child.post('/tags', { name: 'edited', description: 'd', color: '#000000' })).body;
const editedAppliance: Body = (
  await child.post('/cloud-appliances', {
    name: 'edited',
    siteName: 'Lyon',
    slacity: 'marseille',
    cloudApplianceModelID: model.id,
    kind: 'cloudAppliance',
    description: 'd',
    tagIds,
  })
).body;
const edited = new Map<KindName, Body>();
for (const kind of kindNames) edited.set(kind, await connect(kind, `edited ${kind}`));
const editedOf = (kind: KindName): string => `/flow/connector/${edited.get(kind).id}`;
const editedLink: Body = (
  await child.post('/flow/link/set-registered', {
    name: 'edited',
    description: 'd',
    tagIds,
    from: edited.get('providerA').id,
    to: edited.get('providerB').id,
  })
).body;

const interfacesPath = `/cloud-appliances/${appliance.id}/cloud-virtual-interfaces`;
const virtualInterface: Body = (await child.get(interfacesPath)).body[0];

const readings: [path: string, rule: Rule][] = [
  ['/me/info', t.currentUser],
  ['/users', arrayOf(t.user)],
  [`/users/${member.id}`, t.user],
  [`/users/${member.number}`, t.user],
  ['/personal/tokens', arrayOf(t.personalToken)],
  ['/acl/roles', arrayOf(t.role)],
  ['/acl/roles/operator', t.role],
  [`/acl/users/${member.id}/policies`, arrayOf(t.policy)],
  [self, t.organisationRead],
  [`${self}/products`, arrayOf(t.product)],
  [`${self}/products/providerA/europe`, t.product],
  [`${self}/capacities`, arrayOf(t.capacity)],
  [`${self}/capacities/${within.id}`, t.capacity],
  ['/capacities/available', arrayOf(t.availableCapacity)],
  [`/capacities/available/${between.id}`, t.availableCapacity],
  ['/audit', arrayOf(t.auditRecord)],
  ['/cities', arrayOf(t.city)],
  ['/regions', arrayOf(t.region)],
  ['/cloud-gateways-types', t.destinations],
  ['/cloud-destination-families', t.families],
  ['/cloud-appliance-models', arrayOf(t.applianceModel)],
  ['/groups', arrayOf(t.group)],
  [`/groups/${group.id}`, t.group],
  [`/groups/${group.id}/capacities`, arrayOf(t.allocation)],
  ['/tags', arrayOf(t.tag)],
  [`/tags/${tagIds[0]}`, t.tag],
  ['/connectors', arrayOf(t.connector)],
  [`/connectors/group/${group.id}`, arrayOf(t.connector)],
  [`/connectors/group/${group.id}?flow=flow`, arrayOf(t.connector)],
  [`/connectors/${site.id}`, t.connector],
  [`/connectors/${site.id}/prefixes`, t.prefixes],
  [`/link/group/${group.id}`, arrayOf(t.listedLink)],
  ['/links', arrayOf(t.listedLink)],
  [`/flow/link/${link.id}`, t.link],
  ['/cloud-appliances', arrayOf(t.listedAppliance)],
  [`/cloud-appliances/${appliance.id}`, t.appliance],
  [interfacesPath, arrayOf(t.virtualInterface)],
  [`${interfacesPath}/${virtualInterface.id}`, t.virtualInterface],
];

describe('every field of the specification is present with its type, and no field beyond the listed additions', () => {
  for (const [path, rule] of readings)
    test(`GET ${anonymous(path)}`, async () => {
      // Tokens belong to the user, not to the scope.
      const { status, body } = await child.get(path);
      assert.equal(status, 200);
      assert.deepEqual(differences(rule, body), []);
      if (Array.isArray(body)) assert.ok(body.length, 'an empty list says nothing');
    });
  for (const kind of kindNames)
    test(`GET /flow/connector/{id} of ${kind}`, async () => {
      const { body } = await child.get(`/flow/connector/${connectorOf(kind).id}`);
      assert.deepEqual(differences(t.readWriteModel(kind), body), []);
    });
  for (const { name, response, rule, status } of creations)
    test(`${name} responds with ${status}`, () => {
      assert.equal(response.status, status);
      assert.deepEqual(differences(rule, response.body), []);
    });
  test('GET /organisations, of a reseller', async () => {
    const { body } = await parent.get('/organisations?limit=100');
    assert.deepEqual(differences(arrayOf(t.organisation), body), []);
    assert.ok(body.some((one: Body) => one.id === organisation.id));
  });
  test('GET /organisations/{id}, of a reseller with its children', async () => {
    const { body } = await parent.get(`/organisations/${meridian}`);
    assert.deepEqual(differences(t.organisationRead, body), []);
    assert.ok(body.children.length > 1);
  });
  test('POST /auth/token', async () => {
    const session = await f.signIn('admin@meridian.example');
    assert.deepEqual(differences(t.session, session), []);
  });
  test('an appliance has its virtual interfaces as an array in lists, and by id in a single response', async () => {
    const listed = (await child.get('/cloud-appliances')).body.find((one: Body) => one.id === appliance.id);
    const { body } = await child.get(`/cloud-appliances/${appliance.id}`);
    const single = (await child.get(`${interfacesPath}/${virtualInterface.id}`)).body;
    assert.deepEqual(listed.cloudVirtualInterfaces[0], single);
    assert.deepEqual(body.cloudVirtualInterfaces[single.id], single);
    assert.deepEqual(Object.values(body.cloudVirtualInterfaces), listed.cloudVirtualInterfaces);
  });
});

test('the API document describes the same fields', () => {
  type Schema = { $ref?: string; anyOf?: Schema[]; items?: Schema; properties?: Record<string, Schema> };
  const resolve = (schema: Schema): Schema =>
    schema.$ref ? resolve(f.document.components.schemas[schema.$ref.split('/').at(-1) ?? ''] as Schema) : schema;
  /** Differences between the fields of the document and those of the table. */
  const others = (rule: Rule, described: Schema | undefined, path: string): string[] => {
    if (!described) return [`${path} is not described`];
    if (typeof rule === 'string') return [];
    const schema = resolve(described);
    if ('orNull' in rule) return others(rule.orNull, schema.anyOf?.[0] ?? schema, path);
    if ('arrayOf' in rule) return others(rule.arrayOf, schema.items, `${path}[]`);
    if (!('fields' in rule)) return [];
    const known = { ...rule.fields, ...rule.additions };
    const { properties = {} } = schema;
    return [
      ...Object.keys(properties).flatMap((key) => (key in known ? [] : [`${path}.${key} is in no table`])),
      ...Object.entries(known).flatMap(([key, inner]) => others(inner, properties[key], `${path}.${key}`)),
    ];
  };
  const found = Object.entries(t.titles).flatMap(([title, rule]) =>
    others(rule, f.document.components.schemas[title], title),
  );
  assert.deepEqual(found, []);
});

describe('resource names', () => {
  const owner = String(group.irn).split(':')[2];
  const named: [what: string, irn: string, family: string, qualifier: string][] = [
    ['a group', group.irn, 'group', ''],
    ['another group', bareGroup.irn, 'group', ''],
    ...kindNames.map((kind): [string, string, string, string] => [
      `a connector (${kind})`,
      connectorOf(kind).irn,
      'connectors',
      '',
    ]),
    ['a router', site.routerIrn, 'ire', ''],
    ['a link', link.irn, 'links', ''],
    ['an appliance', appliance.irn, 'cpe', ''],
    ['a virtual interface', virtualInterface.irn, 'cloudgateway', 'entreprise'],
    ...allocations.map(({ irn }): [string, string, string, string] => ['an allocation', irn, 'capacity', '']),
  ];
  for (const [what, irn, family, qualifier] of named)
    test(`the name of ${what} has the family ${family} and its organisation`, () => {
      const [scheme, ...parts] = irn.split(':');
      assert.deepEqual([scheme, ...parts.slice(0, 3)], ['irn', family, owner, qualifier]);
      assert.match(parts[3] ?? '', /^[0-9a-z]{7,}$/);
    });
  test('every record has one unique name in all responses', async () => {
    assert.equal(new Set(named.map(([, irn]) => irn)).size, named.length);
    for (const [list, record] of [
      ['/groups', group],
      ['/connectors', site],
      [`/link/group/${group.id}`, link],
      ['/cloud-appliances', appliance],
    ] as const) {
      const { body } = await child.get(list);
      assert.equal(body.find(({ id }: Body) => id === record.id).irn, record.irn, list);
    }
    const { read } = (await child.get(`/flow/connector/${site.id}`)).body;
    assert.equal(read.irn, site.irn);
    const { groupId } = (await child.get(`/flow/link/${link.id}`)).body;
    assert.equal(groupId, group.id);
  });
  test('audit entries contain them, with the singular of the family', async () => {
    const { body } = await child.get('/audit?action=create&limit=100');
    for (const [record, type] of [
      [group, 'group'],
      [site, 'connector'],
      [link, 'link'],
      [appliance, 'cpe'],
      [allocations[0], 'capacity'],
    ])
      assert.equal(body.find(({ serviceIRN }: Body) => serviceIRN === record.irn)?.serviceType, type);
    for (const one of body) assert.equal(one.organisationID, organisation.id);
  });
  test('contain the owner organisation', async () => {
    const { body } = await parent.post('/groups', { name: 'of the reseller itself' });
    assert.notEqual(String(body.irn).split(':')[2], owner);
  });
});

describe('null values', () => {
  test('tagIds is null without tags, but empty for a virtual interface', async () => {
    const plain = { name: 'untagged', groupId: bareGroup.id };
    const [one, two] = [
      await child.post('/flow/connector/set-registered', { ...plain, ...placed('entreprise', ordered.entreprise()) }),
      await child.post('/flow/connector/set-registered', {
        ...plain,
        name: 'untagged too',
        ...placed('providerC', ordered.providerC(), { cloudDestinationID: destinationOf('providerC') }),
      }),
    ];
    const made = await child.post('/flow/link/set-registered', {
      name: 'untagged',
      from: one.body.irn.replace(':connectors:', ':connector:'),
      to: two.body.irn,
    });
    const { write } = (await child.get(`/flow/connector/${one.body.id}`)).body;
    const registered = (await child.get('/cloud-appliances?routingApplianceOnly=true')).body[0];
    for (const record of [bareGroup, one.body, two.body, made.body, write, registered])
      assert.equal(record.tagIds, null, record.name);
    const interfaced = (await child.get(interfacesPath)).body.at(-1);
    assert.deepEqual([interfaced.name, interfaced.tagIds], ['untagged', []]);
    await child.delete(`/flow/link/${made.body.id}`);
    for (const { body } of [one, two]) await child.delete(`/flow/connector/${body.id}`);
  });
  test('tagIds lists each tag once', async () => {
    for (const record of [group, site, link, appliance, virtualInterface]) assert.deepEqual(record.tagIds, tagIds);
    const twice = await child.post('/groups', { name: 'tagged twice', tagIds: [tagIds[0], tagIds[0]] });
    assert.deepEqual(twice.body.tagIds, [tagIds[0]]);
  });
  test('allocatedCapacity is null without allocations, otherwise their sum', async () => {
    assert.equal(bareGroup.allocatedCapacity, null);
    assert.equal((await child.get(`/groups/${group.id}`)).body.allocatedCapacity, 1_500_000_000);
    const left = (await child.get(`/capacities/available/${within.id}`)).body.availableCapacity;
    assert.equal(left, 9_000_000_000);
  });
  test('capacities of an organisation without any are null, as is the second region of a regional one', async () => {
    assert.equal(organisation.capacities, null);
    const { capacities } = (await parent.get(self)).body;
    assert.deepEqual(capacities, [within, between]);
    assert.deepEqual([within.isRegional, within.region2Id], [true, null]);
    assert.deepEqual([between.isRegional, between.region2Id], [false, regionId('japan')]);
  });
  test('the BGP key in the parameters of a virtual interface is null, even if it is set', () => {
    assert.equal(virtualInterface.custParameters.bgpKey, null);
    assert.deepEqual(
      [virtualInterface.linkedEntrepriseConnectorName, virtualInterface.custParameters.vlanID],
      ['the entreprise', 201],
    );
  });
  test('an account number of twelve digits is returned as a number', async () => {
    for (const kind of ['providerA', 'providerAHostedConnection'] as const) {
      const { read, write } = (await child.get(`/flow/connector/${connectorOf(kind).id}`)).body;
      assert.deepEqual(
        [read.csp[kind].providerAAccount, write.csp[kind].providerAAccount],
        [456789012, 456789012],
        kind,
      );
    }
  });
});

describe('secrets', () => {
  const hidden = [
    ['providerB', 'providerBServiceKey', 'serviceKey'],
    ['providerC', 'pairingKey', 'pairingKey'],
    ['entreprise', 'cmeBGPKey', 'cmeBGPKey'],
  ] as const;
  const modelFor = async (client: Client, kind: KindName) => {
    const { body } = await client.get(`/flow/connector/${connectorOf(kind).id}`);
    return { body, read: placedIn(kind, body.read), write: placedIn(kind, body.write) };
  };
  test('are visible to callers who may write, with their actions', async () => {
    const operator = await f.as('operator@meridian.example', { scope: organisation.id });
    for (const client of [child, operator])
      for (const [kind, readName, writeName] of hidden) {
        const { body, read, write } = await modelFor(client, kind);
        assert.deepEqual([read[readName], write[writeName]], [secrets[kind], secrets[kind]]);
        assert.deepEqual(body.actions, kind === 'entreprise' ? ['update', 'deploy'] : ['update', 'delete', 'deploy']);
      }
  });
  test('are null for other callers, also in another scope, without actions', async () => {
    const here = f.client.with({ token: (await f.signIn('viewer@quarry.example', password)).access_token });
    const byScope = await f.as('viewer@meridian.example', { scope: organisation.id });
    for (const client of [here, byScope])
      for (const [kind, readName, writeName] of hidden) {
        const { body, read, write } = await modelFor(client, kind);
        assert.deepEqual([read[readName], write[writeName]], [null, null]);
        assert.deepEqual(body.actions, []);
        assert.deepEqual(differences(t.readWriteModel(kind), body), []);
      }
  });
  test('are in no other response, nor in the log', async () => {
    for (const [path] of readings) {
      const { text } = await child.get(path);
      for (const secret of Object.values(secrets)) assert.ok(!text.includes(secret), `${path} shows ${secret}`);
    }
    for (const { name, response } of creations)
      for (const secret of Object.values(secrets))
        assert.ok(!response.text.includes(secret), `${name} shows ${secret}`);
    for (const secret of Object.values(secrets)) assert.ok(!f.logs.join('\n').includes(secret));
  });
  test('stay in an update with null or without the field', async () => {
    for (const [kind, , writeName] of hidden) {
      const path = `/flow/connector/${connectorOf(kind).id}`;
      const before = await child.get(path);
      for (const fields of [{ [writeName]: null }, {}]) {
        assert.equal((await child.put(path, placed(kind, fields))).status, 200);
        assert.equal((await child.get(path)).headers.etag, before.headers.etag);
      }
      assert.equal(placedIn(kind, before.body.write)[writeName], secrets[kind]);
    }
  });
});

describe('an update', () => {
  const rows: [
    what: string,
    rule: Rule,
    client: Client,
    path: string,
    changes: object[],
    read?: (body: Body) => Body,
  ][] = [
    [
      'a group',
      t.group,
      child,
      `/groups/${editedGroup.id}`,
      [{ name: 'n' }, { description: 'x' }, { description: null }, { tagIds: [tagIds[1]] }, { tagIds: null }],
    ],
    [
      'a tag',
      t.tag,
      child,
      `/tags/${editedTag.id}`,
      [{ name: 'n' }, { color: '#ffffff' }, { color: null, description: null }],
    ],
    [
      'an appliance',
      t.appliance,
      child,
      `/cloud-appliances/${editedAppliance.id}`,
      [{ siteName: 'Nice' }, { description: null }, { name: 'n', tagIds: null }],
    ],
    [
      'a link',
      t.link,
      child,
      `/flow/link/${editedLink.id}`,
      [{ name: 'n' }, { description: null }, { tagIds: [tagIds[0]] }, { tagIds: null }],
    ],
    [
      'a connector',
      t.connector,
      child,
      editedOf('providerA'),
      [{ name: 'n' }, { description: 'x' }, { description: null }, { tagIds: [tagIds[0]] }, { tagIds: null }],
      ({ write }) => write,
    ],
    [
      'a capacity',
      t.capacity,
      parent,
      `${self}/capacities/${between.id}`,
      [{ duration: 48 }, { capacity: 6_000_000_000 }],
    ],
    ['a product', t.product, parent, `${self}/products/providerA/europe`, [{ total: 25 }]],
  ];
  for (const [what, rule, client, path, changes, read = (body: Body) => body] of rows)
    test(`of ${what} keeps absent fields, and null clears a field`, async () => {
      for (const change of changes) {
        const before = read((await client.get(path)).body);
        const response = await client.put(path, change);
        assert.equal(response.status, 200, response.text);
        assert.deepEqual(differences(rule, response.body), []);
        const after = read((await client.get(path)).body);
        assert.deepEqual({ ...after, updatedAt: 0 }, { ...before, ...change, updatedAt: 0 });
        if (before.updatedAt) assert.ok(after.updatedAt > before.updatedAt);
      }
    });

  const merges: [kind: KindName, change: Record<string, unknown>][] = [
    ['providerA', { asNumber: 64999 }],
    ['providerA', { platformAsNumber: 65001 }],
    ['providerA', { providerAAddress: '192.0.2.1/30', customerAddress: '192.0.2.2/30' }],
    ['providerA', { providerAAccount: 210987654321 }],
    ['providerAHostedConnection', { portSpeed: '1Gbps' }],
    ['providerAHostedConnection', { asNumber: 64999 }],
    ['providerB', { secondarySubnet: '192.0.2.128/30' }],
    ['providerB', { serviceKey: 'another service key' }],
    ['providerC', { med: 200 }],
    ['providerC', { med: null }],
    ['providerC', { bandwidth: 'BPS_2G' }],
    ['providerC', { pairingKey: 'another pairing key' }],
    ['entreprise', { customerASN: 4200000001 }],
    ['entreprise', { vlan: 4000 }],
    ['entreprise', { cmeBGPKey: 'another BGP key' }],
    ['entreprise', { cmeGatewayIP: '192.0.2.6', cloudApplianceCloudVirtualInterfaceIP: '192.0.2.5' }],
  ];
  for (const [kind, change] of merges)
    test(`of ${JSON.stringify(change)} leaves the other fields of ${kind} unchanged`, async () => {
      const path = editedOf(kind);
      const before = (await child.get(path)).body;
      const response = await child.put(path, placed(kind, change));
      assert.equal(response.status, 200, response.text);
      const after = (await child.get(path)).body;
      assert.deepEqual(placedIn(kind, after.write), { ...placedIn(kind, before.write), ...change });
      assert.deepEqual({ ...after.write, csp: 0, entreprise: 0 }, { ...before.write, csp: 0, entreprise: 0 });
      assert.equal(after.write.csp?.cloudDestinationID, before.write.csp?.cloudDestinationID);
      assert.deepEqual(differences(t.readWriteModel(kind), after), []);
    });
  test('of the speed changes the bandwidth', async () => {
    for (const [kind, bandwidth] of [
      ['providerAHostedConnection', 1e9],
      ['providerC', 2e9],
    ] as const)
      assert.equal((await child.get(`/connectors/${edited.get(kind).id}`)).body.bandwidth, bandwidth);
  });

  const refilled: [kind: KindName, field: string, value: unknown, filled: (value: unknown) => boolean][] = [
    ['providerA', 'platformAsNumber', 65001, (value) => Number.isInteger(value) && value !== 65001],
    ['providerAHostedConnection', 'portSpeed', '5Gbps', (value) => value === '50Mbps'],
    ['providerB', 'primarySubnet', '198.51.100.0/30', (value) => /^[\d.]+\/\d+$/.test(String(value))],
    ['providerC', 'bandwidth', 'BPS_5G', (value) => value === 'BPS_50M'],
    ['entreprise', 'serviceCloudApplianceASN', 65001, (value) => Number.isInteger(value) && value !== 65001],
  ];
  for (const [kind, field, value, isFilled] of refilled)
    test(`of ${kind}’s ${field} to null makes the platform assign it again`, async () => {
      const path = editedOf(kind);
      await child.put(path, placed(kind, { [field]: value }));
      const before = placedIn(kind, (await child.get(path)).body.write);
      assert.equal(before[field], value);
      const response = await child.put(path, placed(kind, { [field]: null }));
      assert.equal(response.status, 200, response.text);
      const after = placedIn(kind, (await child.get(path)).body.write);
      assert.ok(isFilled(after[field]), JSON.stringify(after[field]));
      assert.notEqual(after[field], value);
      assert.deepEqual({ ...after, [field]: 0 }, { ...before, [field]: 0 });
    });
  for (const kind of kindNames)
    test(`without fields changes nothing in ${kind}`, async () => {
      const path = editedOf(kind);
      const { etag } = (await child.get(path)).headers;
      for (const body of [
        {},
        placed(kind, {}),
        kind === 'entreprise' ? { csp: null } : { entreprise: null, csp: {} },
      ]) {
        assert.equal((await child.put(path, body)).status, 200);
        assert.equal((await child.get(path)).headers.etag, etag, JSON.stringify(body));
      }
    });
});

describe('a response sent back as an update changes nothing', () => {
  const pools = `${self}/products/providerA/europe`;
  const rows: [what: string, client: Client, read: string, write: string, sent: (body: Body) => Body][] = [
    ['an organisation with capacities', parent, self, self, (body) => body],
    ['a group', child, `/groups/${group.id}`, `/groups/${group.id}`, (body) => body],
    ['a group without anything', child, `/groups/${bareGroup.id}`, `/groups/${bareGroup.id}`, (body) => body],
    ['a group of the list', child, '/groups', `/groups/${group.id}`, ([first]) => first],
    ['a tag', child, `/tags/${tagIds[0]}`, `/tags/${tagIds[0]}`, (body) => body],
    ['an appliance', child, `/cloud-appliances/${appliance.id}`, `/cloud-appliances/${appliance.id}`, (body) => body],
    ['a link', child, `/flow/link/${link.id}`, `/flow/link/${link.id}`, (body) => body],
    ['a link of the list', child, `/link/group/${group.id}`, `/flow/link/${link.id}`, ([first]) => first],
    ['a capacity', parent, `${self}/capacities/${within.id}`, `${self}/capacities/${within.id}`, (body) => body],
    [
      'an allocation',
      child,
      `/groups/${group.id}/capacities`,
      `/groups/${group.id}/capacities/${allocations[0].id}`,
      ([first]) => first,
    ],
    ['a product', parent, pools, pools, (body) => body],
  ];
  for (const kind of kindNames) {
    const { id } = connectorOf(kind);
    const models = `/flow/connector/${id}`;
    rows.push(
      [`the write model of ${kind}`, child, models, models, ({ write }) => write],
      [`the read model of ${kind}`, child, models, models, ({ read }) => read],
      [`both models of ${kind} at once`, child, models, models, (body) => body],
      [`the connector of ${kind}`, child, `/connectors/${id}`, models, (body) => body],
    );
  }
  for (const [what, client, read, write, sent] of rows)
    test(what, async () => {
      const before = await client.get(read);
      const response = await client.put(write, sent(before.body));
      assert.equal(response.status, 200, response.text);
      const after = await client.get(read);
      assert.deepEqual(after.body, before.body);
      assert.equal(after.headers.etag, before.headers.etag);
    });
  test('also with capitals in its ids, and with aliases', async () => {
    const path = `/flow/connector/${site.id}`;
    const before = await child.get(path);
    const { entreprise, groupId, tagIds: tagged, ...rest } = before.body.write;
    const loud = {
      ...rest,
      groupID: groupId.toUpperCase(),
      enterprise: { ...entreprise, cloudApplianceID: entreprise.cloudApplianceID.toUpperCase() },
      tagIds: [...tagged].reverse().map((id: string) => id.toUpperCase()),
    };
    const response = await child.put(path, loud);
    assert.equal(response.status, 200, response.text);
    assert.equal((await child.get(path)).headers.etag, before.headers.etag);
  });
});

describe('a deployment', () => {
  test('responds with the record and its state', async () => {
    const body = (kind: KindName, name: string) => ({
      name,
      groupId: bareGroup.id,
      ...placed(kind, ordered[kind](), { cloudDestinationID: destinationOf(kind) }),
    });
    const one = await child.post('/flow/connector/auto-deploy', body('providerA', 'deployed at once'));
    assert.equal(one.status, 200, one.text);
    assert.deepEqual(differences(t.connector, one.body), []);
    assert.notEqual(one.body.state, 'registered');
    const two = (await child.post('/flow/connector/set-registered', body('entreprise', 'deployed later'))).body;
    assert.equal(two.state, 'registered');
    const three = (await child.post('/flow/connector/set-registered', body('providerB', 'deployed by its link'))).body;
    const made = await child.post('/flow/link/set-registered', { name: 'deployed', from: two.id, to: three.id });
    for (const [path, rule] of [
      [`/flow/connector/${two.id}/set-in-deployment`, t.connector],
      [`/flow/link/${made.body.id}/set-in-deployment`, t.link],
    ] as const) {
      const response = await child.post(path, {});
      assert.equal(response.status, 200, response.text);
      assert.deepEqual(differences(rule, response.body), []);
      assert.notEqual(response.body.state, 'registered');
    }
    assert.notEqual((await child.get(`/connectors/${three.id}`)).body.state, 'registered');
  });
});

describe('a deletion', () => {
  test('of a connector or link responds with 200 {}, of other records with 204 without a body', async () => {
    const [one, two] = [await connect('providerA', 'short-lived 1'), await connect('entreprise', 'short-lived 2')];
    const made = await child.post('/flow/link/set-registered', { name: 'short-lived', from: one.irn, to: two.irn });
    for (const path of [`/flow/link/${made.body.id}`, `/flow/connector/${one.id}`, `/flow/connector/${two.id}`]) {
      const response = await child.delete(path);
      assert.deepEqual([response.status, response.body], [200, {}], path);
      assert.equal((await child.delete(path)).status, 404);
    }
    const spare = (await parent.post(`${self}/capacities`, { capacity: 1, duration: 1, region1Id: regionId('japan') }))
      .body;
    const spareGroup = (await child.post('/groups', { name: 'short-lived' })).body;
    const allocated = `/groups/${spareGroup.id}/capacities`;
    const drawn = (await child.post(allocated, { capacityId: spare.id, allocation: 1 })).body;
    for (const [client, path] of [
      [child, `${allocated}/${drawn.id}`],
      [parent, `${self}/capacities/${spare.id}`],
      [child, `/groups/${spareGroup.id}`],
      [child, `/tags/${editedTag.id}`],
      [child, `/cloud-appliances/${editedAppliance.id}`],
    ] as const) {
      const response = await client.delete(path);
      assert.deepEqual([response.status, response.text], [204, ''], path);
      // Clients delete a group twice.
      const isGroup = path === `/groups/${spareGroup.id}`;
      assert.equal((await client.delete(path)).status, isGroup ? 204 : 404, path);
    }
  });
});
