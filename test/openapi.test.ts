import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { formsOf, typesOf } from '../client/generate.ts';
import { problemTable } from '../src/errors/problems.ts';
import { fixture } from './harness/service.ts';

const f = await fixture();
const { document } = f;

const expected = `
POST /auth/token; POST /auth/reset; GET /me/info; PUT /me/info; GET /me/permissions; GET /organisations;
POST /organisations; GET /organisations/{organisationId}; PUT /organisations/{organisationId}; GET /audit; GET /users;
POST /users; GET /users/{userId}; PUT /users/{userId}; DELETE /users/{userId};
GET /users/{userId}/tokens; DELETE /users/{userId}/tokens/{tokenId}; GET /personal/tokens;
POST /personal/tokens; DELETE /personal/tokens; DELETE /personal/tokens/{tokenId}; GET /acl/roles; POST /acl/roles;
GET /acl/roles/{roleName}; PUT /acl/roles/{roleName}; DELETE /acl/roles/{roleName}; GET /acl/users/{id}/policies;
GET /cities; GET /regions; GET /health; GET /ready; GET /openapi.json; GET /docs; GET /cloud-gateways-types;
GET /cloud-destination-families; GET /cloud-appliance-models; GET /organisations/{organisationId}/products;
GET /organisations/{organisationId}/products/{shortname}/{serviceRegion};
PUT /organisations/{organisationId}/products/{shortname}/{serviceRegion};
GET /organisations/{organisationId}/capacities; POST /organisations/{organisationId}/capacities;
GET /organisations/{organisationId}/capacities/{capacityId};
PUT /organisations/{organisationId}/capacities/{capacityId};
DELETE /organisations/{organisationId}/capacities/{capacityId}; GET /capacities/available;
GET /capacities/available/{subscribedCapacityId}; GET /groups; POST /groups; GET /groups/{groupId};
PUT /groups/{groupId}; DELETE /groups/{groupId}; GET /groups/{groupId}/capacities; POST /groups/{groupId}/capacities;
PUT /groups/{groupId}/capacities/{allocationId}; DELETE /groups/{groupId}/capacities/{allocationId}; GET /tags;
POST /tags; GET /tags/{tagId}; PUT /tags/{tagId}; DELETE /tags/{tagId}; GET /connectors;
GET /connectors/group/{groupid}; GET /connectors/{connid}; GET /connectors/{connid}/prefixes;
GET /connectors/{connid}/looking-glass; GET /flow/connector/{connid}/deployment; GET /flow/link/{linkid}/deployment;
POST /flow/connector/auto-deploy; POST /flow/connector/set-registered;
POST /flow/connector/{connid}/set-in-deployment; POST /flow/connector/check-name; POST /flow/connector/check;
GET /flow/connector/{connid}; PUT /flow/connector/{connid}; DELETE /flow/connector/{connid};
POST /flow/link/set-registered; POST /flow/link/{linkid}/set-in-deployment; GET /flow/link/{linkid};
PUT /flow/link/{linkid}; DELETE /flow/link/{linkid}; GET /links; GET /link/group/{groupId}; GET /cloud-appliances;
POST /cloud-appliances; GET /cloud-appliances/{cloudAppliancesId}; PUT /cloud-appliances/{cloudAppliancesId};
DELETE /cloud-appliances/{cloudAppliancesId}; GET /cloud-appliances/{cloudAppliancesId}/cloud-virtual-interfaces;
GET /cloud-appliances/{cloudAppliancesId}/cloud-virtual-interfaces/{cloudVirtualInterfacesId};
GET /metrics/query/irn/{irn}; GET /metrics/query/irn/{irn}/{metricType}/run; GET /metrics/capacities/{region};
POST /metrics/write; POST /write; POST /query; GET /ping; GET /health/metrics; POST /portal/session;
POST /portal/session/renew; POST /portal/session/end; POST /portal/session/reset`
  .split(';')
  .map((name) => name.trim());

const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    method,
    path,
    operation,
  })),
);

test('the document lists exactly the operations of the service', () => {
  assert.deepEqual(operations.map(({ name }) => name).sort(), [...expected].sort());
});

test('each operation has a summary, a 2xx response with schema and example, errors, and its permission', () => {
  for (const { name, operation } of operations) {
    assert.ok(operation.summary, name);
    const [status, response] =
      Object.entries(operation.responses).find(([code]) => code.startsWith('2')) ?? assert.fail(`${name} has no 2xx`);
    const content = response.content && Object.values(response.content)[0];
    if (status !== '204') assert.ok(content?.schema, `${name} has no schema`);
    if (status !== '204' && !['GET /openapi.json', 'GET /docs'].includes(name))
      assert.ok(content?.example !== undefined, `${name} has no example`);
    if (!/GET \/(health|ready|ping|openapi\.json|docs)/.test(name))
      assert.ok(
        Object.keys(operation.responses).some((code) => code.startsWith('4')),
        name,
      );
    const open = /\/auth\/|\/portal\/|\/health$|\/ready|\/ping|\/openapi\.json|\/docs/.test(name);
    assert.equal(operation['x-permission'] === undefined, open, name);
    if (!open) assert.match(operation['x-permission'] ?? '', /^[a-z]+:(read|write|deploy):(own|organisation)$/);
  }
});

test('every example matches its schema', () => {
  for (const { name, operation } of operations) {
    const places = [
      operation.requestBody?.content['application/json'],
      ...Object.values(operation.responses).map((response) => response.content?.['application/json']),
    ];
    for (const place of places) {
      if (place?.example === undefined) continue;
      const validate = f.checker.ajv.compile(f.checker.absolute(place.schema));
      assert.ok(validate(place.example), `${name}: ${f.checker.ajv.errorsText(validate.errors)}`);
    }
  }
});

test('every reference resolves, and every error code is in the table', () => {
  const text = JSON.stringify(document);
  for (const [, name] of text.matchAll(/"#\/components\/schemas\/([\w.]+)"/g))
    assert.ok(name && name in document.components.schemas, String(name));
  const table = (document as unknown as { 'x-problems': { code: string; status: number; sentence: string }[] })[
    'x-problems'
  ];
  assert.deepEqual(
    table,
    Object.entries(problemTable).map(([code, { status, sentence }]) => ({ code, status, sentence })),
  );
});

interface Schema {
  $ref?: string;
  type?: string;
  format?: string;
  anyOf?: Schema[];
  allOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
}

/** Every object in the document, with its place. */
function objectsIn(schema: Schema | undefined, place: string): { place: string; properties: Record<string, Schema> }[] {
  if (!schema) return [];
  const { properties = {}, anyOf = [], allOf = [], items } = schema;
  return [
    ...(schema.properties ? [{ place, properties }] : []),
    ...Object.entries(properties).flatMap(([name, inner]) => objectsIn(inner, `${place}.${name}`)),
    ...[...anyOf, ...allOf].flatMap((inner) => objectsIn(inner, place)),
    ...objectsIn(items, `${place}[]`),
  ];
}

const objects = [
  ...Object.entries(document.components.schemas).flatMap(([name, schema]) => objectsIn(schema, name)),
  ...operations.flatMap(({ name, operation }) => [
    ...objectsIn(operation.requestBody?.content['application/json']?.schema, name),
    ...Object.values(operation.responses).flatMap(({ content }) =>
      objectsIn(content?.['application/json']?.schema, name),
    ),
  ]),
];

test('a generated client reads every time as a time', () => {
  const isTime = (name: string): boolean => /(At|Since|requestDate)$|^(start|end)-d$/.test(name);
  const described = [
    ...objects.flatMap(({ place, properties }) =>
      Object.entries(properties).map(([name, schema]) => ({ place: `${place}.${name}`, name, schema })),
    ),
    ...operations.flatMap(({ name: place, operation }) =>
      (operation.parameters ?? []).map(({ name, schema }) => ({
        place: `${place} ${name}`,
        name,
        schema: schema as Schema,
      })),
    ),
  ].filter(({ name }) => isTime(name));
  assert.ok(described.length > 40);
  for (const { place, schema } of described) assert.equal((schema.anyOf?.[0] ?? schema).format, 'date-time', place);
});

test('a generated client compiles: names that generators fold into one share a schema or need no name', () => {
  const fold = (name: string): string => name.replaceAll(/[^a-z0-9]/gi, '').toLowerCase();
  const isNameless = ({ type, anyOf }: Schema): boolean => anyOf === undefined && type !== 'object' && type !== 'array';
  for (const { place, properties } of objects)
    for (const [name, twins] of Map.groupBy(Object.entries(properties), ([key]) => fold(key))) {
      const references = new Set(twins.map(([, { $ref }]) => $ref ?? name));
      const isShared = references.size === 1 && !references.has(name);
      assert.ok(twins.length === 1 || isShared || twins.every(([, schema]) => isNameless(schema)), `${place}.${name}`);
    }
  const { parentId, parent_id } = (document.components.schemas.Organisation as Schema).properties ?? {};
  assert.deepEqual(parentId, { $ref: '#/components/schemas/ParentId' });
  assert.deepEqual(parent_id, parentId);
});

test('both spellings of a field are in the schemas of requests, and a required field needs one of them', () => {
  const schemaOf = (name: string) =>
    operations.find((one) => one.name === name)?.operation.requestBody?.content['application/json']?.schema ?? {};
  const create = f.checker.ajv.compile(f.checker.absolute(schemaOf('POST /flow/connector/set-registered')));
  const id = '6b1f2c52-2f51-4d0e-8a55-1f0d8f9d5b21';
  const body = (group: object, key: object) => ({
    name: 'x',
    ...group,
    csp: { cloudDestinationID: id, providerB: { primarySubnet: '192.0.2.0/30', ...key } },
  });
  for (const group of [{ groupId: id }, { groupID: id }])
    for (const key of [{ serviceKey: 'service key' }, { providerBServiceKey: 'service key' }])
      assert.ok(create(body(group, key)), f.checker.ajv.errorsText(create.errors));
  assert.ok(!create(body({}, { serviceKey: 'service key' })), 'without a group');
  assert.ok(!create(body({ groupID: id }, {})), 'without a key');
  assert.ok(!create(body({ groupID: 'x' }, { serviceKey: 'service key' })), 'the other spelling is validated too');
  const site = { cloudApplianceID: id, vlan: 1, customerASN: 64710 };
  assert.ok(create({ name: 'x', groupID: id, enterprise: site }));
  assert.ok(!create({ name: 'x', groupID: id, enterprise: { ...site, vlan: 0 } }));
  assert.ok(
    !JSON.stringify(formsOf(JSON.stringify(document))).includes('providerBServiceKey'),
    'a form has one of them',
  );
});

test('linters are satisfied: every tag is described, there is a contact, and no schema is unused', () => {
  const { tags, info } = document as unknown as { tags: { name: string; description?: string }[]; info: object };
  for (const { name, description } of tags) assert.match(description ?? '', /^[A-Z].*\.$/, name);
  assert.ok('contact' in info);
  const text = JSON.stringify(document);
  for (const name of Object.keys(document.components.schemas))
    assert.ok(text.includes(`"#/components/schemas/${name}"`), `${name} is unused`);
});

test('a URL matches two paths only where one of them is a name that no id can be', () => {
  const ambiguous = (a: string[], b: string[]): boolean =>
    a.length === b.length && a.every((part, at) => part === b[at] || part.startsWith('{') || b[at]?.startsWith('{'));
  const parameters = (parts: string[]): number => parts.filter((part) => part.startsWith('{')).length;
  const paths = Object.keys(document.paths).map((path) => path.split('/'));
  const found = paths.flatMap((a, index) =>
    paths
      .slice(index + 1)
      .filter((b) => ambiguous(a, b) && parameters(a) === parameters(b))
      .map((b) => [a, b].map((parts) => parts.join('/'))),
  );
  // The specification gives these paths, and connectors have UUIDs: "group" is the id of none.
  assert.deepEqual(found, [
    ['/connectors/group/{groupid}', '/connectors/{connid}/prefixes'],
    ['/connectors/group/{groupid}', '/connectors/{connid}/looking-glass'],
  ]);
});

test('the document is OpenAPI 3.1 and needs no token', async () => {
  const response = await f.client.get('/openapi.json');
  assert.equal(response.body.openapi, '3.1.0');
  assert.deepEqual(response.body, document);
});

test('the client in the repository matches the document (npm run client generates it)', async () => {
  const home = join(import.meta.dirname, '../client');
  const text = JSON.stringify(document);
  assert.equal(await readFile(join(home, 'schema.d.ts'), 'utf8'), await typesOf(text));
  assert.equal(await readFile(join(home, 'forms.ts'), 'utf8'), formsOf(text));
});
