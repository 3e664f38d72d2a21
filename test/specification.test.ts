// The answers of the service against the tables of its specification, field by field, on an organisation that has one of everything.
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
    default:
      return typeof value === 'string' && shapes[rule].test(value);
  }
}

/** Where a value differs from its rule, in sentences. */
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
  answer: ApiResponse;
  rule: Rule;
  status: number;
}
const creations: Creation[] = [];

const anonymous = (path: string): string => path.replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '{id}');

async function create(client: Client, path: string, body: unknown, rule: Rule, status = 201): Promise<Body> {
  const answer = await client.post(path, body);
  assert.ok(answer.status < 300, `POST ${path}: ${answer.text}`);
  const { name } = body as { name?: string };
  creations.push({ name: `POST ${anonymous(path)}${name ? ` of “${name}”` : ''}`, answer, rule, status });
  return answer.body;
}

// A child organisation with one of everything.
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
/** The fields of a kind at their place in a body. */
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

// Records of their own, so that what they are changed to disturbs nobody.
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

describe('every field of the specification is there, with its type, and none beyond the listed additions', () => {
  for (const [path, rule] of readings)
    test(`GET ${anonymous(path)}`, async () => {
      // Tokens are their holder's own, whoever that acts for.
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
  for (const { name, answer, rule, status } of creations)
    test(`${name} answers ${status}`, () => {
      assert.equal(answer.status, status);
      assert.deepEqual(differences(rule, answer.body), []);
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
  test('an appliance holds its virtual interfaces as a list in the list, and by their ids when it is read', async () => {
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
  /** Where the described fields are others than those of the table. */
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
    test(`that of ${what} is of the family ${family} and of its organisation`, () => {
      const [scheme, ...parts] = irn.split(':');
      assert.deepEqual([scheme, ...parts.slice(0, 3)], ['irn', family, owner, qualifier]);
      assert.match(parts[3] ?? '', /^[0-9a-z]{7,}$/);
    });
  test('each record has its own, and everywhere the same', async () => {
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
  test('the audit calls records by theirs, and by the singular of their family', async () => {
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
  test('another organisation has another owner in them', async () => {
    const { body } = await parent.post('/groups', { name: 'of the reseller itself' });
    assert.notEqual(String(body.irn).split(':')[2], owner);
  });
});

describe('what is null', () => {
  test('tagIds without tags; a virtual interface has an empty list', async () => {
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
  test('with tags they are listed, each once', async () => {
    for (const record of [group, site, link, appliance, virtualInterface]) assert.deepEqual(record.tagIds, tagIds);
    const twice = await child.post('/groups', { name: 'tagged twice', tagIds: [tagIds[0], tagIds[0]] });
    assert.deepEqual(twice.body.tagIds, [tagIds[0]]);
  });
  test('allocatedCapacity without allocations; with them it is their sum', async () => {
    assert.equal(bareGroup.allocatedCapacity, null);
    assert.equal((await child.get(`/groups/${group.id}`)).body.allocatedCapacity, 1_500_000_000);
    const left = (await child.get(`/capacities/available/${within.id}`)).body.availableCapacity;
    assert.equal(left, 9_000_000_000);
  });
  test('the capacities of an organisation that has none, and the second region of a regional one', async () => {
    assert.equal(organisation.capacities, null);
    const { capacities } = (await parent.get(self)).body;
    assert.deepEqual(capacities, [within, between]);
    assert.deepEqual([within.isRegional, within.region2Id], [true, null]);
    assert.deepEqual([between.isRegional, between.region2Id], [false, regionId('japan')]);
  });
  test('the BGP key among the parameters of a virtual interface, though there is one', () => {
    assert.equal(virtualInterface.custParameters.bgpKey, null);
    assert.deepEqual(
      [virtualInterface.linkedEntrepriseConnectorName, virtualInterface.custParameters.vlanID],
      ['the entreprise', 201],
    );
  });
  test('an account number of twelve digits comes back as a number', async () => {
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
  test('those who may write see them, and what they may do', async () => {
    const operator = await f.as('operator@meridian.example', { scope: organisation.id });
    for (const client of [child, operator])
      for (const [kind, readName, writeName] of hidden) {
        const { body, read, write } = await modelFor(client, kind);
        assert.deepEqual([read[readName], write[writeName]], [secrets[kind], secrets[kind]]);
        assert.deepEqual(body.actions, kind === 'entreprise' ? ['update', 'deploy'] : ['update', 'delete', 'deploy']);
      }
  });
  test('to others they are null, here and by scope, and there is nothing they may do', async () => {
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
  test('no other answer holds one, nor does the log', async () => {
    for (const [path] of readings) {
      const { text } = await child.get(path);
      for (const secret of Object.values(secrets)) assert.ok(!text.includes(secret), `${path} shows ${secret}`);
    }
    for (const { name, answer } of creations)
      for (const secret of Object.values(secrets)) assert.ok(!answer.text.includes(secret), `${name} shows ${secret}`);
    for (const secret of Object.values(secrets)) assert.ok(!f.logs.join('\n').includes(secret));
  });
  test('an update with null or without the key keeps them', async () => {
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

describe('a change', () => {
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
    test(`of ${what} keeps what it does not name, and null clears`, async () => {
      for (const change of changes) {
        const before = read((await client.get(path)).body);
        const answer = await client.put(path, change);
        assert.equal(answer.status, 200, answer.text);
        assert.deepEqual(differences(rule, answer.body), []);
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
    test(`of ${JSON.stringify(change)} leaves the other fields of ${kind} as they are`, async () => {
      const path = editedOf(kind);
      const before = (await child.get(path)).body;
      const answer = await child.put(path, placed(kind, change));
      assert.equal(answer.status, 200, answer.text);
      const after = (await child.get(path)).body;
      assert.deepEqual(placedIn(kind, after.write), { ...placedIn(kind, before.write), ...change });
      assert.deepEqual({ ...after.write, csp: 0, entreprise: 0 }, { ...before.write, csp: 0, entreprise: 0 });
      assert.equal(after.write.csp?.cloudDestinationID, before.write.csp?.cloudDestinationID);
      assert.deepEqual(differences(t.readWriteModel(kind), after), []);
    });
  test('of the speed is one of the bandwidth', async () => {
    for (const [kind, bandwidth] of [
      ['providerAHostedConnection', 1e9],
      ['providerC', 2e9],
    ] as const)
      assert.equal((await child.get(`/connectors/${edited.get(kind).id}`)).body.bandwidth, bandwidth);
  });

  const refilled: [kind: KindName, field: string, value: unknown, filled: (value: unknown) => boolean][] = [
    ['providerA', 'platformAsNumber', 65001, (value) => Number.isInteger(value) && value !== 65001],
    ['providerAHostedConnection', 'portSpeed', '5Gbps', (value) => value === '50Mbps'],
    ['providerB', 'primarySubnet', '192.0.2.0/30', (value) => /^[\d.]+\/\d+$/.test(String(value))],
    ['providerC', 'bandwidth', 'BPS_5G', (value) => value === 'BPS_50M'],
    ['entreprise', 'serviceCloudApplianceASN', 65001, (value) => Number.isInteger(value) && value !== 65001],
  ];
  for (const [kind, field, value, isFilled] of refilled)
    test(`of ${kind}’s ${field} to null lets the platform fill it in again`, async () => {
      const path = editedOf(kind);
      await child.put(path, placed(kind, { [field]: value }));
      const before = placedIn(kind, (await child.get(path)).body.write);
      assert.equal(before[field], value);
      const answer = await child.put(path, placed(kind, { [field]: null }));
      assert.equal(answer.status, 200, answer.text);
      const after = placedIn(kind, (await child.get(path)).body.write);
      assert.ok(isFilled(after[field]), JSON.stringify(after[field]));
      assert.notEqual(after[field], value);
      assert.deepEqual({ ...after, [field]: 0 }, { ...before, [field]: 0 });
    });
  for (const kind of kindNames)
    test(`of nothing in ${kind} changes nothing`, async () => {
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

describe('what was read, sent back, changes nothing', () => {
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
      const answer = await client.put(write, sent(before.body));
      assert.equal(answer.status, 200, answer.text);
      const after = await client.get(read);
      assert.deepEqual(after.body, before.body);
      assert.equal(after.headers.etag, before.headers.etag);
    });
  test('and it may be sent with capitals in its ids, and with second spellings', async () => {
    const path = `/flow/connector/${site.id}`;
    const before = await child.get(path);
    const { entreprise, groupId, tagIds: tagged, ...rest } = before.body.write;
    const loud = {
      ...rest,
      groupID: groupId.toUpperCase(),
      enterprise: { ...entreprise, cloudApplianceID: entreprise.cloudApplianceID.toUpperCase() },
      tagIds: [...tagged].reverse().map((id: string) => id.toUpperCase()),
    };
    const answer = await child.put(path, loud);
    assert.equal(answer.status, 200, answer.text);
    assert.equal((await child.get(path)).headers.etag, before.headers.etag);
  });
});

describe('a deployment', () => {
  test('answers with the record and how far it has come', async () => {
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
      const answer = await child.post(path, {});
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(differences(rule, answer.body), []);
      assert.notEqual(answer.body.state, 'registered');
    }
    assert.notEqual((await child.get(`/connectors/${three.id}`)).body.state, 'registered');
  });
});

describe('a deletion', () => {
  test('of a connector or link answers 200 {}, of anything else 204 and nothing', async () => {
    const [one, two] = [await connect('providerA', 'short-lived 1'), await connect('entreprise', 'short-lived 2')];
    const made = await child.post('/flow/link/set-registered', { name: 'short-lived', from: one.irn, to: two.irn });
    for (const path of [`/flow/link/${made.body.id}`, `/flow/connector/${one.id}`, `/flow/connector/${two.id}`]) {
      const answer = await child.delete(path);
      assert.deepEqual([answer.status, answer.body], [200, {}], path);
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
      const answer = await client.delete(path);
      assert.deepEqual([answer.status, answer.text], [204, ''], path);
      assert.equal((await client.delete(path)).status, 404);
    }
  });
});
