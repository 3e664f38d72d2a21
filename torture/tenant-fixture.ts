// What the walk over all routes works with: the operations of the API document, and tenants that have something of everything.
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
  /** What must stand behind the path. */
  query: string;
  /** What else may stand there. */
  filters: string[];
  body: unknown;
}

/** A tenant with something of everything, each thing carrying its canary. */
export interface Tenant {
  name: string;
  id: string;
  admin: Client;
  /** The same admin with a personal token. */
  scripted: Client;
  canary: string;
  records: Record<string, string[]>;
}

/** The parameters that must be given, each with the first value that it can have. */
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

/** A path with these values; without one of them it would lead nowhere, for everybody alike. */
export const fill = (path: string, values: Record<string, string>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(values[name] || assert.fail(`There is nothing to put into ${path} for ${name}`)),
  );

/** What must be equal between a foreign and an absent record: everything but the request id and the clock. */
export function essence(answer: ApiResponse): string {
  const { 'gateway-request-id': _id, date: _date, ...headers } = answer.headers;
  const body = answer.body?.requestId ? { ...answer.body, requestId: '' } : answer.text;
  return JSON.stringify([answer.status, headers, body]);
}

/** Gives a tenant that has something of everything its canary; `signedIn` is its admin, where that is nobody of the demo world. */
export async function settle(f: Fixture, name: string, id: string, email: string, signedIn?: Client): Promise<Tenant> {
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
  // Of the inventory everybody has something since the beginning; it gets the canary as its description.
  const first = async (path: string): Promise<{ id: string; irn: string }> => {
    const [record] = (await admin.get(path)).body;
    assert.ok(record, `${name} has nothing at ${path}`);
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
  // A name that is taken, by somebody else.
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
      // Words of the catalogue, which are nobody's.
      shortname: [],
      serviceRegion: [],
    },
  };
}

/** Everything a victim has, as the database sees it. */
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
  // What the fabric measures goes on by itself.
  const written = await f.owner.query(
    `select id from metric_series where organisation_id = $1 and origin = 2 order by 1`,
    [tenant.id],
  );
  return JSON.stringify([parts, rows, written.rows]);
}
