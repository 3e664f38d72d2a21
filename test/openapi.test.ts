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
