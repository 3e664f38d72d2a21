// Fixtures of tests over all routes: the operations of the API document, and tenants with a record of every kind.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { ApiResponse, Client } from '../test/harness/client.ts';
import type { Fixture } from '../test/harness/service.ts';

export const secret = 'tidal lantern orbit cedar';
export const absentId = '0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10';

export interface Operation {
  method: string;
  path: string;
  permission: string;
  parameters: string[];
  /** The required query parameters. */
  query: string;
  /** The names of optional query parameters. */
  filters: string[];
  body: unknown;
}

/** A tenant with a record of every kind. Each record contains the tenant's canary. */
export interface Tenant {
  name: string;
  id: string;
  admin: Client;
  /** The same admin with a personal token. */
  scripted: Client;
  canary: string;
  records: Record<string, string[]>;
}

/** The required query parameters, each with its first allowed value. */
function queryOf(parameters: NonNullable<Fixture['document']['paths'][string][string]['parameters']>): string {
  const needed = parameters.filter((one) => one.in === 'query' && one.required);
  const pairs = needed.map(({ name, schema }) => `${name}=${schema.anyOf?.[0]?.const}`);
  return pairs.length ? `?${pairs.join('&')}` : '';
}

export function operationsOf(f: Fixture): Operation[] {
  return Object.entries(f.document.paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) =>
      operation['x-permission']
        ? [
            {
              method: method.toUpperCase(),
              path,
              permission: operation['x-permission'],
              parameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? ''),
              query: queryOf(operation.parameters ?? []),
              filters: (operation.parameters ?? [])
                .filter((one) => one.in === 'query' && !one.required && !['page', 'limit', 'offset'].includes(one.name))
                .map(({ name }) => name),
              body: operation.requestBody?.content['application/json']?.example,
            },
          ]
        : [],
    ),
  );
}

/** Fills the parameters of a path. */
export const fillPath = (path: string, values: Record<string, string>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(values[name] || assert.fail(`${path} has no value for ${name}`)),
  );

/** A response without request id and date: it must be equal for another tenant's record and a missing one. */
export function comparable(response: ApiResponse): string {
  const { 'gateway-request-id': _id, date: _date, ...headers } = response.headers;
  const body = response.body?.requestId ? { ...response.body, requestId: '' } : response.text;
  return JSON.stringify([response.status, headers, body]);
}

/** Writes the canary into records of every kind. `signedIn` is the admin of a tenant outside of the demo world. */
export async function prepareTenant(
  f: Fixture,
  name: string,
  id: string,
  email: string,
  signedIn?: Client,
): Promise<Tenant> {
  const admin = signedIn ?? (await f.as(email));
  const canary = `canary-${createHash('sha256').update(name).digest('hex').slice(0, 12)}`;
  const user = await admin.post('/users', {
    email: `${canary}@canary.example`,
    firstName: canary,
    lastName: canary,
    password: secret,
  });
  assert.equal(user.status, 201, user.text);
  await admin.post('/acl/roles', { role: canary, policies: [] });
  const token = await admin.post('/personal/tokens', { name: canary, expiresIn: 3600 });
  // Every tenant has an inventory. The canary becomes its description.
  const first = async (path: string): Promise<{ id: string; irn: string }> => {
    const [record] = (await admin.get(path)).body;
    assert.ok(record, `${name} has no record at ${path}`);
    return record;
  };
  const group = await first('/groups');
  const connector = await first('/connectors');
  const capacity = await first(`/organisations/${id}/capacities`);
  const appliance = await first('/cloud-appliances');
  const tag = await first('/tags');
  const link = await first(`/link/group/${group.id}`);
  const virtual = await first(`/cloud-appliances/${appliance.id}/cloud-virtual-interfaces`);
  for (const path of [
    `/groups/${group.id}`,
    `/tags/${tag.id}`,
    `/cloud-appliances/${appliance.id}`,
    `/flow/connector/${connector.id}`,
    `/flow/link/${link.id}`,
  ])
    assert.equal((await admin.put(path, { description: canary })).status, 200, path);
  // A unique name, for checks by other tenants.
  assert.equal((await admin.put(`/flow/connector/${connector.id}`, { name: canary })).status, 200);
  return {
    name,
    id,
    admin,
    scripted: f.client.with({ token: token.body.accessToken }),
    canary,
    records: {
      userId: [user.body.id, String(user.body.number)],
      id: [user.body.id],
      tokenId: [token.body.id],
      roleName: [canary],
      organisationId: [id],
      groupId: [group.id],
      groupid: [group.id],
      capacityId: [capacity.id],
      subscribedCapacityId: [capacity.id],
      allocationId: [(await first(`/groups/${group.id}/capacities`)).id],
      tagId: [tag.id],
      connid: [connector.id],
      linkid: [link.id],
      cloudAppliancesId: [appliance.id],
      cloudVirtualInterfacesId: [virtual.id],
      irn: [group, connector, link, virtual, appliance, tag, capacity].flatMap((one) => one.irn ?? []),
      // The catalogue belongs to no tenant.
      shortname: [],
      serviceRegion: [],
    },
  };
}

/** All rows of a tenant. */
export async function stateOf(f: Fixture, tenant: Tenant): Promise<string> {
  const tables = [
    ...['organisations', 'addresses', 'invoices', 'roles', 'users', 'audit', 'product_pools', 'subscribed_capacities'],
    ...['tags', 'groups', 'allocations', 'appliances', 'routers', 'connectors', 'connector_secrets', 'links'],
    ...['group_tags', 'appliance_tags', 'connector_tags', 'link_tags'],
  ];
  const parts = [];
  for (const table of tables) {
    const column = table === 'organisations' ? 'id' : 'organisation_id';
    const { rows } = await f.owner.query(`select t::text as row from ${table} t where ${column} = $1 order by 1`, [
      tenant.id,
    ]);
    parts.push(rows);
  }
  const { rows } = await f.owner.query(
    `select id, name, expires_at::text from tokens where organisation_id = $1 and kind = 'personal' order by 1`,
    [tenant.id],
  );
  // Only written series: the fabric measures all the time.
  const written = await f.owner.query(
    `select id from metric_series where organisation_id = $1 and origin = 2 order by 1`,
    [tenant.id],
  );
  return JSON.stringify([parts, rows, written.rows]);
}
