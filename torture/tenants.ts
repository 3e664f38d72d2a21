// Every route, asked by everybody who must not have an answer. The walk is made from the API document, so that a new route is
// walked without being named here; what it must be told is how to fill a path parameter with somebody else's record.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { Answer, Client } from '../test/harness/client.ts';
import type { Fixture } from '../test/harness/service.ts';

const secret = 'tidal lantern orbit cedar';
const absentId = '0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10';

interface Operation {
  method: string;
  path: string;
  permission: string;
  parameters: string[];
  body: unknown;
  status: number;
}

/** A tenant with something of everything, each thing carrying its canary. */
interface Tenant {
  name: string;
  id: string;
  admin: Client;
  canary: string;
  records: Record<string, string[]>;
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
              body: operation.requestBody?.content['application/json']?.example,
              status: Number(Object.keys(operation.responses).find((status) => status.startsWith('2'))),
            },
          ]
        : [],
    ),
  );
}

const fill = (path: string, values: Record<string, string>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? ''));

/** What must be equal between a foreign and an absent record: everything but the request id and the clock. */
export function essence(answer: Answer): string {
  const { 'gateway-request-id': _id, date: _date, ...headers } = answer.headers;
  const body = answer.body?.requestId ? { ...answer.body, requestId: '' } : answer.text;
  return JSON.stringify([answer.status, headers, body]);
}

async function settle(f: Fixture, name: string, id: string, email: string): Promise<Tenant> {
  const admin = await f.as(email);
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
  return {
    name,
    id,
    admin,
    canary,
    records: {
      userId: [user.body.id, String(user.body.number)],
      id: [user.body.id],
      tokenId: [token.body.id],
      roleName: [canary],
      organisationId: [id],
    },
  };
}

/** Everything a victim has, as the database sees it. */
async function stateOf(f: Fixture, tenant: Tenant): Promise<string> {
  const tables = ['organisations', 'addresses', 'invoices', 'roles', 'users', 'audit'];
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
  return JSON.stringify([parts, rows]);
}

export interface Walk {
  requests: number;
  routes: number;
}

export async function walkTenants(
  f: Fixture,
  size: 'small' | 'full',
  log: (line: string) => void = () => undefined,
): Promise<Walk> {
  const operations = operationsOf(f);
  let requests = 0;
  const call = async (
    client: Client,
    operation: Operation,
    values: Record<string, string>,
    options = {},
  ): Promise<Answer> => {
    requests++;
    const answer = await client.call(operation.method, fill(operation.path, values), {
      ...(operation.body ? { body: operation.body } : {}),
      ...options,
    });
    assert.ok(answer.status < 500, `${operation.method} ${operation.path}: ${answer.text}`);
    return answer;
  };
  const { organisations: o } = f;
  const tenants = [
    await settle(f, 'meridian', o.meridian, 'admin@meridian.example'),
    await settle(f, 'atlas', o.atlas, 'admin@atlas.example'),
    await settle(f, 'boreal', o.boreal, 'admin@boreal.example'),
    await settle(f, 'cobalt', o.cobalt, 'admin@cobalt.example'),
    await settle(f, 'labs', o.labs, 'admin@labs.example'),
  ];
  const parentOf: Record<string, string> = {
    atlas: 'meridian',
    boreal: 'meridian',
    cobalt: 'meridian',
    labs: 'cobalt',
  };
  const own = (tenant: Tenant): Record<string, string> =>
    Object.fromEntries(Object.entries(tenant.records).map(([name, values]) => [name, values[0] ?? '']));
  const absent = {
    userId: absentId,
    id: absentId,
    tokenId: absentId,
    roleName: 'no-such-role',
    organisationId: absentId,
  };
  const [meridian, atlas] = tenants as [Tenant, Tenant, ...Tenant[]];

  log('without a token, with a broken, an expired, a refresh and a reset token');
  const spare = await f.signIn('viewer@meridian.example');
  const { rows } = await f.owner.query(
    `select id from tokens where kind = 'access' and user_id = (select id from users where email = 'viewer@meridian.example') order by created_at desc limit 1`,
  );
  await f.owner.query(`update tokens set expires_at = now() where id = $1`, [rows[0].id]);
  const broken = [
    `${spare.access_token.slice(0, -1)}x`,
    'Bearer',
    spare.access_token,
    spare.refresh_token,
    'a'.repeat(5000),
  ];
  for (const operation of operations) {
    const none = await call(f.client, operation, absent);
    assert.deepEqual([none.status, none.body.code], [401, 'Unauthenticated'], operation.path);
    const refused = [];
    for (const token of broken) refused.push(essence(await call(f.client, operation, absent, { token })));
    assert.equal(new Set(refused).size, 1, `${operation.path} tells broken tokens apart`);
    assert.ok(refused[0]?.includes('InvalidToken'));
  }

  log('with a role that allows nothing, and as each shipped role');
  await meridian.admin.post('/acl/roles', { role: 'nothing', policies: [] });
  await meridian.admin.post('/users', {
    email: 'nothing@canary.example',
    lastName: 'Nothing',
    password: secret,
    role: 'nothing',
  });
  const nothing = f.client.with({ token: (await f.signIn('nothing@canary.example', secret)).access_token });
  const baseline = /^(me|tokens|places):/;
  for (const operation of operations) {
    const answer = await call(nothing, operation, absent);
    if (baseline.test(operation.permission)) assert.notEqual(answer.status, 403, operation.path);
    else assert.deepEqual([answer.status, answer.body.code], [403, 'Forbidden'], operation.path);
  }
  for (const role of ['viewer', 'billing', 'operator']) {
    const client = await f.as(`${role}@meridian.example`);
    for (const operation of operations.filter(({ permission }) =>
      /^(users|roles|organisations):write/.test(permission),
    ))
      assert.equal((await call(client, operation, own(meridian))).body.code, 'Forbidden', `${role} ${operation.path}`);
  }

  log('for an organisation that one must not act for');
  for (const operation of operations) {
    const seen = new Set<string>();
    const foreign: [Client, string][] = [
      [atlas.admin, o.boreal],
      [atlas.admin, o.meridian],
      [atlas.admin, o.labs],
      [meridian.admin, o.labs],
      [meridian.admin, absentId],
      [meridian.admin, '00000000-0000-0000-0000-000000000000'],
      [(tenants[4] as Tenant).admin, o.cobalt],
    ];
    for (const [client, scope] of foreign) seen.add(essence(await call(client, operation, absent, { scope })));
    assert.equal(seen.size, 1, `${operation.path} tells foreign scopes apart`);
    assert.ok([...seen][0]?.includes('ForbiddenScope'));
    for (const scope of ['x', `${o.atlas},${o.atlas}`, ` ${o.atlas}x`])
      assert.equal((await call(meridian.admin, operation, absent, { scope })).body.code, 'InvalidScopeHeader');
    assert.equal(
      (await call(meridian.admin, operation, absent, { headers: { 'service-scope': [o.atlas, o.atlas] } })).body.code,
      'InvalidScopeHeader',
      'sent twice',
    );
  }

  log('for records of another tenant');
  const states = new Map<string, string>();
  for (const tenant of tenants) states.set(tenant.name, await stateOf(f, tenant));
  const rounds = size === 'full' ? 12 : 1;
  for (let round = 0; round < rounds; round++)
    for (const attacker of tenants)
      for (const victim of tenants) {
        if (victim === attacker) continue;
        // A parent may read and change a direct child's own record; everything else of it needs the scope header.
        const isParent = parentOf[victim.name] === attacker.name;
        for (const operation of operations) {
          for (const parameter of operation.parameters) {
            if (parameter === 'organisationId' && isParent) continue;
            for (const value of victim.records[parameter] ?? []) {
              const target =
                parameter === 'userId' && /^\d+$/.test(value)
                  ? '999999999'
                  : (absent as Record<string, string>)[parameter];
              const [theirs, nobodys] = await Promise.all([
                call(attacker.admin, operation, { ...own(attacker), [parameter]: value }),
                call(attacker.admin, operation, { ...own(attacker), [parameter]: target ?? '' }),
              ]);
              assert.equal(
                theirs.status,
                404,
                `${attacker.name} ${operation.method} ${operation.path} of ${victim.name}: ${theirs.text}`,
              );
              assert.equal(essence(theirs), essence(nobodys), `${operation.path} tells foreign from absent`);
            }
          }
          if (operation.method === 'GET' && !isParent) {
            const answer = await call(attacker.admin, operation, own(attacker));
            assert.ok(
              !answer.text.includes(victim.canary),
              `${attacker.name} sees ${victim.name} at ${operation.path}`,
            );
          }
        }
      }
  for (const tenant of tenants)
    assert.equal(await stateOf(f, tenant), states.get(tenant.name), `${tenant.name} was changed`);
  return { requests, routes: operations.length };
}
