// The shipped example of a brand file serves two public clients, whose requests these tests replay.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { loadBrand, rejectAmbiguousBrand } from '../src/brand-file.ts';
import { providers } from '../src/connector-kinds/providers.ts';
import { demoPassword } from '../src/demo/demo-world.ts';
import type { Client } from './harness/client.ts';
import { deploy } from './harness/deployable-group.ts';
import { root } from './harness/process.ts';
import { basic, fixture } from './harness/service.ts';

const brandFile = join(root, 'examples', 'brand.json');
const f = await fixture(['--brand', brandFile]);
const neutral = await fixture();
const { atlas } = f.organisations;
const admin = await f.as('admin@meridian.example');
const operator = await f.as('operator@meridian.example');
/** Calls like the Terraform provider: with its scope header, and a media type even without a body. */
const terraform: Client = operator.with({
  headers: {
    'intercloud-scope': atlas,
    'content-type': 'application/json',
    'user-agent': 'Intercloud Terraform Provider Terraform/1.0 IntercloudPluginProvider/1.0',
  },
});

const destination = async (family: string, city: string): Promise<string> => {
  const { body } = await operator.get('/cloud-gateways-types');
  const found = body.cloudGatewayTypes.filter(
    (one: { cspCity: string; family: { shortName: string } }) =>
      one.cspCity === city && one.family.shortName === family,
  );
  assert.equal(found.length, 1, `${family} ${city} is found exactly once`);
  return found[0].id;
};

const room = async (family: string, region: string) => {
  const response = await admin.put(`/organisations/${atlas}/products/${family}/${region}`, { total: 50 });
  assert.equal(response.status, 200, response.text);
  return response.body;
};

describe('the Terraform provider', () => {
  const families = [
    ['aws', 'Frankfurt', { asNumber: 64512, awsAccount: 123456789012 }],
    ['awshostedconnection', 'London', { asNumber: 64512, awsAccount: 123456789012, portSpeed: '200Mbps' }],
    ['azure', 'Paris', { azureServiceKey: 'b7c6a1f0-52de-4a51-9c3e-0f6d8b2a7e11' }],
    ['gcp', 'Zurich', { med: 2147483648, bandwidth: 'BPS_50M', pairingKey: '9e1d2c3b/zurich/1' }],
  ] as const;

  test('checks a connector before creation, with branded names in request and response', async () => {
    const [group] = (await terraform.get('/groups')).body;
    const cloudDestinationID = await destination('aws', 'Frankfurt');
    const { used } = await room('aws', 'europe');
    const ask = (aws: object) =>
      terraform.post('/flow/connector/check', { name: 'checked', groupId: group.id, csp: { cloudDestinationID, aws } });
    const right = await ask({ asNumber: 64710, awsAccount: 123456789012 });
    assert.equal(right.status, 200, right.text);
    assert.deepEqual(right.body.takes, { family: 'aws', region: 'europe', total: 50, used, spare: 50 - used });
    assert.deepEqual(Object.keys(right.body.filledIn.csp), ['aws']);
    const wrong = await ask({ asNumber: 64710, awsAccount: 'x' });
    assert.deepEqual([wrong.status, wrong.body.details[0].path], [400, 'csp.aws.awsAccount']);
  });

  test('reads its configuration, destinations and families', async () => {
    const me = (await terraform.get('/me/info')).body;
    for (const key of ['id', 'firstname', 'lastname', 'email', 'role', 'organisationId'])
      assert.equal(typeof me[key], 'string', key);
    const known = (await terraform.get('/cloud-destination-families')).body.cloudDestinationFamilies;
    assert.deepEqual(
      known.map((one: { shortName: string }) => one.shortName).sort(),
      families.map(([name]) => name).sort(),
    );
    assert.ok(Array.isArray((await terraform.get('/organisations')).body));
    assert.equal((await terraform.get(`/organisations/${atlas}`)).body.id, atlas);
  });

  test('applies a plan with a group, a connector of each family and a link, and destroys it', async () => {
    const group = await terraform.post('/groups', { OrganizationID: atlas, name: 'tf-group', description: '' });
    assert.ok(group.status >= 200 && group.status < 300, group.text);
    const groupID = group.body.id;
    const read = (await terraform.get(`/groups/${groupID}`)).body;
    assert.deepEqual(
      [read.name, read.description, read.organisationId, read.allocatedCapacity],
      ['tf-group', '', atlas, null],
    );
    const made: string[] = [];
    const documented = f.document.paths['/flow/connector/auto-deploy']?.post?.requestBody?.content['application/json'];
    const isDocumented = f.checker.ajv.compile(f.checker.absolute(documented?.schema ?? {}));
    for (const [family, city, fields] of families) {
      await room(family, 'europe');
      const cloudDestinationID = await destination(family, city);
      const body = { name: `tf-${family}`, description: 'd', groupID, csp: { cloudDestinationID, [family]: fields } };
      assert.ok(isDocumented(body), `${family}: ${f.checker.ajv.errorsText(isDocumented.errors)}`);
      const response = await terraform.post('/flow/connector/auto-deploy', body);
      assert.equal(response.status, 200, response.text);
      const model = (await terraform.get(`/flow/connector/${response.body.id}`)).body;
      assert.deepEqual([model.read.name, model.read.groupID, model.state], [body.name, groupID, 'delivered']);
      assert.match(model.read.irn, /^irn:connectors:/);
      assert.equal(model.read.csp.cloudDestinationID, cloudDestinationID);
      assert.deepEqual(Object.keys(model.read.csp), ['cloudDestinationID', family]);
      for (const [key, value] of Object.entries(fields)) assert.equal(model.read.csp[family][key], value, key);
      made.push(response.body.id);
    }
    const link = await terraform.post('/flow/link/set-registered', {
      OrganizationID: atlas,
      name: 'tf-link',
      description: 'd',
      from: made[0],
      to: made[1],
    });
    assert.equal(link.status, 200, link.text);
    const deployed = await terraform.call('POST', `/flow/link/${link.body.id}/set-in-deployment`);
    assert.equal(deployed.status, 200, deployed.text);
    await deploy(terraform, 'link', link.body.id);
    const body = { ID: link.body.id, OrganizationID: atlas };
    const flat = (await terraform.call('GET', `/flow/link/${link.body.id}`, { body })).body;
    assert.deepEqual([flat.from, flat.to, flat.state], [made[0], made[1], 'delivered']);
    assert.equal((await terraform.delete(`/flow/link/${link.body.id}`)).status, 200);
    for (const id of made) {
      assert.equal((await terraform.delete(`/flow/connector/${id}`)).status, 200);
      assert.equal((await terraform.get(`/flow/connector/${id}`)).status, 404);
    }
    assert.equal((await terraform.delete(`/groups/${groupID}`)).status, 204);
    assert.equal((await terraform.get(`/groups/${groupID}`)).status, 404);
    assert.equal((await terraform.get(`/flow/link/${link.body.id}`)).status, 404);
  });

  test('gets an error that it can show for an empty pool', async () => {
    const [known] = (await terraform.get('/groups')).body;
    const csp = { cloudDestinationID: await destination('aws', 'Ashburn'), aws: { asNumber: 64512, awsAccount: 1 } };
    const response = await terraform.post('/flow/connector/auto-deploy', {
      name: 'tf-none-left',
      groupID: known.id,
      csp,
    });
    assert.deepEqual([response.status, response.body.code], [402, 'NotEnoughSpareProducts']);
    assert.equal(typeof response.body.error, 'string');
  });
});

describe('branded names', () => {
  test('replace the neutral names in every response and in the API document', async () => {
    const scoped = (client: Client, id: string) => client.with({ headers: { 'intercloud-scope': id } });
    const child = scoped(admin, atlas);
    const [connectors, groups, appliances] = await Promise.all(
      ['/connectors?limit=100', '/groups', '/cloud-appliances'].map(async (path) => (await child.get(path)).body),
    );
    const paths = [
      '/cloud-gateways-types',
      '/cloud-destination-families',
      `/organisations/${atlas}/products`,
      `/organisations/${atlas}/products/aws/europe`,
      `/cloud-appliances/${appliances[0].id}`,
      `/link/group/${groups[0].id}`,
      ...connectors.map(({ id }: { id: string }) => `/flow/connector/${id}`),
    ];
    for (const path of paths) {
      const response = await child.get(path);
      assert.equal(response.status, 200, path);
      assert.ok(
        !/provider[A-C]|"serviceRegion"|serviceCloudApplianceASN/.test(response.text),
        `${path}: ${response.text}`,
      );
    }
    assert.equal((await child.get(`/organisations/${atlas}/products/aws/europe`)).body.intercloudRegion, 'europe');
    const document = (await f.client.get('/openapi.json')).text;
    assert.ok(!/provider[A-C]/.test(document.replace(/"description":"[^"]*"/g, '')), 'the document is branded');
    assert.match(document, /"awsAccount"/);
    assert.match(document, /"Intercloud-Scope"/);
  });
  test('of the scope header are allowed by preflights, beside the neutral name', async () => {
    const response = await f.client.call('OPTIONS', '/groups', {
      headers: { origin: 'https://portal.example', 'access-control-request-headers': 'service-scope' },
    });
    const allowed = (response.headers['access-control-allow-headers'] ?? '').split(', ');
    for (const name of ['Service-Scope', 'Intercloud-Scope']) assert.ok(allowed.includes(name), allowed.join());
  });
  test('are accepted in paths and filters, and links to further pages keep them', async () => {
    const child = admin.with({ headers: { 'intercloud-scope': atlas } });
    const [byBrand, byNeutral] = [
      await child.get('/connectors?family=aws&limit=1'),
      await child.get('/connectors?family=providerA&limit=1'),
    ];
    assert.ok(byBrand.body.length === 1);
    assert.deepEqual(byBrand.body, byNeutral.body);
    assert.match(byBrand.headers.link ?? '', /family=aws&page=2/);
    assert.match(byNeutral.headers.link ?? '', /family=aws&page=2/);
  });
  test('are accepted in bodies, as are the neutral names, but not both at once', async () => {
    await room('providerB', 'europe');
    const child = admin.with({ headers: { 'intercloud-scope': atlas } });
    const [group] = (await child.get('/groups')).body;
    const cloudDestinationID = await destination('azure', 'Amsterdam');
    const serviceKey = 'b7c6a1f0-52de-4a51-9c3e-0f6d8b2a7e12';
    const bodies = [
      { azure: { azureServiceKey: serviceKey } },
      { azure: { serviceKey } },
      { providerB: { providerBServiceKey: serviceKey } },
      { providerB: { azureServiceKey: serviceKey } },
    ];
    for (const [index, csp] of bodies.entries()) {
      const input = { name: `both-${index}`, groupId: group.id, csp: { cloudDestinationID, ...csp } };
      const response = await child.post('/flow/connector/set-registered', input);
      assert.equal(response.status, 200, response.text);
      const model = (await child.get(`/flow/connector/${response.body.id}`)).body;
      assert.equal(model.write.csp.azure.serviceKey, serviceKey);
      assert.equal((await child.put(`/flow/connector/${response.body.id}`, model.read)).status, 200);
      assert.deepEqual((await child.get(`/flow/connector/${response.body.id}`)).body, model, 'a read sent back');
    }
    for (const csp of [
      { azure: { serviceKey }, providerB: { serviceKey } },
      { azure: { azureServiceKey: serviceKey, providerBServiceKey: serviceKey } },
    ]) {
      const input = { name: 'both-at-once', groupId: group.id, csp: { cloudDestinationID, ...csp } };
      const response = await child.post('/flow/connector/set-registered', input);
      assert.deepEqual([response.status, response.body.code], [400, 'InvalidInput'], response.text);
      assert.match(response.body.details[0].message, /another spelling/);
    }
  });
  test('replace the neutral names in paths and messages of problems, also of repeated responses', async () => {
    const child = admin.with({ headers: { 'intercloud-scope': atlas } });
    const [group] = (await child.get('/groups')).body;
    const cloudDestinationID = await destination('aws', 'Milan');
    const ask = (aws: object, key?: string) =>
      child.post(
        '/flow/connector/set-registered',
        { name: 'wrong', groupId: group.id, csp: { cloudDestinationID, aws } },
        key ? { headers: { 'intercloud-scope': atlas, 'idempotency-key': key } } : {},
      );
    const wrong = { asNumber: 0, awsAccount: 1 };
    for (const response of [await ask(wrong), await ask(wrong, 'k'), await ask(wrong, 'k')])
      assert.deepEqual([response.status, response.body.details[0].path], [400, 'csp.aws.asNumber'], response.text);
    const pair = { asNumber: 1, awsAccount: 1, awsAddress: '10.0.0.1/30', customerAddress: '10.0.0.9/30' };
    assert.deepEqual((await ask(pair)).body.details, [
      { path: 'csp.aws.customerAddress', message: 'must lie in the same subnet as awsAddress' },
    ]);
  });
  test('include the unit of a group’s capacity, rounded down', async () => {
    const child = admin.with({ headers: { 'intercloud-scope': atlas } });
    const group = (await child.post('/groups', { name: 'kbps' })).body;
    const { body: capacity } = await admin.post(`/organisations/${atlas}/capacities`, {
      capacity: 1_000_000,
      duration: 1,
      region1Id: (await admin.get('/regions')).body[0].id,
    });
    await child.post(`/groups/${group.id}/capacities`, { capacityId: capacity.id, allocation: 5999 });
    assert.equal((await child.get(`/groups/${group.id}`)).body.allocatedCapacity, 5);
    assert.equal((await child.get(`/groups/${group.id}/capacities`)).body[0].allocation, 5999);
  });
  test('are unknown to a service without a brand file', async () => {
    const client = await neutral.as('admin@atlas.example');
    const document = JSON.stringify(neutral.document);
    assert.ok(!/aws|azure|gcp|intercloud/i.test(document));
    const products = (await client.get(`/organisations/${neutral.organisations.atlas}/products`)).body;
    assert.ok(products.some((one: { family: string }) => one.family === 'providerA'));
    assert.deepEqual((await client.get('/connectors?family=aws')).body, []);
    assert.equal((await client.get(`/organisations/${neutral.organisations.atlas}/products/aws/europe`)).status, 404);
  });
});

describe('a brand file with single fields', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pbfields-'));
  const file = join(folder, 'brand.json');
  const fields = { username: 'login_name', expires_in: 'lifetime', groupId: 'group_id' };
  await writeFile(file, JSON.stringify({ fields }));
  const renamed = await fixture(['--brand', file]);
  after(() => rm(folder, { recursive: true }));
  test('applies to sign-in, too', async () => {
    const input = { grant_type: 'password', scope: 'everything', password: demoPassword };
    const response = await renamed.client.post(
      '/auth/token',
      { ...input, login_name: 'admin@atlas.example' },
      { basic },
    );
    assert.deepEqual(
      [response.status, response.body.lifetime, response.body.expires_in],
      [200, 3600, undefined],
      response.text,
    );
    assert.equal(
      (await renamed.client.post('/auth/token', { ...input, username: 'admin@atlas.example' }, { basic })).status,
      200,
    );
  });
  test('accepts a response as the next request, with keys in any order', async () => {
    const child = await renamed.as('admin@atlas.example');
    const [{ id }] = (await child.get('/connectors')).body;
    const { read } = (await child.get(`/flow/connector/${id}`)).body;
    assert.ok(read.group_id && read.groupID);
    const entries = Object.entries(read);
    for (const order of [entries, entries.toReversed(), entries.toSorted()]) {
      const response = await child.put(`/flow/connector/${id}`, Object.fromEntries(order));
      assert.equal(response.status, 200, response.text);
    }
  });
});

describe('a brand file', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'pbbrand-'));
  after(() => rm(folder, { recursive: true }));
  const load = async (content: unknown) => {
    const file = join(folder, 'brand.json');
    await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
    const brand = await loadBrand(file, providers);
    rejectAmbiguousBrand(brand, new Set(['providerA', 'providerAAccount', 'serviceRegion', 'region', 'name']));
    return brand;
  };
  const faults: [unknown, RegExp][] = [
    ['{', /is not valid JSON/],
    [[], /must contain one JSON object/],
    [
      { colour: 'red' },
      /unknown keys: colour \(known: scopeHeader, families, fields, groupCapacityUnit, portal, mail\)/,
    ],
    [{ scopeHeader: 'a b' }, /name of an HTTP header/],
    [{ families: { providerZ: 'zed' } }, /unknown families: providerZ \(known: providerA, /],
    [{ families: { providerA: 'a b' } }, /families as an object from name to name/],
    [{ families: [] }, /families as an object from name to name/],
    [{ scopeHeader: 'Authorization' }, /that has no other meaning/],
    [{ fields: { providerA: 'alpha' } }, /renames providerA under fields, which is a family/],
    [{ groupCapacityUnit: 'Mbps' }, /bps or kbps/],
    [{ fields: { nothing: 'x' } }, /renames nothing, which is not a field/],
    [{ fields: { serviceRegion: 'region' } }, /renames serviceRegion to region, which is a field of the API/],
    [
      { fields: { serviceRegion: 'same', name: 'same' } },
      /renames name to same, which is also the name of serviceRegion/,
    ],
  ];
  for (const [content, reason] of faults)
    test(`that is invalid is rejected with a reason: ${JSON.stringify(content)}`, async () => {
      await assert.rejects(load(content), reason);
    });
  test('that is missing is named in the error', async () => {
    await assert.rejects(loadBrand(join(folder, 'nowhere.json'), providers), /nowhere\.json cannot be read/);
  });
  test('in the examples renames providers, their fields, and single fields', async () => {
    const brand = await loadBrand(brandFile, providers);
    const names = JSON.parse(await readFile(brandFile, 'utf8')).families;
    assert.deepEqual(brand.values, names);
    assert.equal(brand.keys.providerAAccount, 'awsAccount');
    assert.equal(brand.keys.providerAPeerIP, 'awsPeerIP');
    assert.equal(brand.keys.providerBServiceKey, 'azureServiceKey');
    assert.equal(brand.keys.providerAHostedConnection, 'awshostedconnection');
  });
});
