// Tenant isolation on every route. The routes come from the API document, so that new ones are included; a new path
// parameter needs a value in tenant-fixture.ts.
import assert from 'node:assert/strict';
import { untilDeployed } from '../test/harness/bulk-data.ts';
import type { ApiResponse, Client } from '../test/harness/client.ts';
import type { Fixture } from '../test/harness/service.ts';
import { type Log, noLog } from './helpers.ts';
import {
  absentId,
  comparable,
  fillPath,
  type Operation,
  operationsOf,
  prepareTenant,
  stateOf,
  type Tenant,
} from './tenant-fixture.ts';
import { absentValues, type Call, type IsolationContext, parents, recordsOf } from './tenants/context.ts';
import { extendTree } from './tenants/organisation-tree.ts';
import { type Pair, type Send, sendReferences } from './tenants/references.ts';
import { withForeignScope, withoutPermission, withoutToken, withResetToken } from './tenants/refusals.ts';

export interface IsolationResult {
  requests: number;
  routes: number;
  /** References to other tenants outside of paths. */
  references: number;
}

/** The status of a request for a record that the caller cannot see. */
function refusalOf({ method, path }: Operation, { body }: ApiResponse): number {
  // Deleting a group that does not exist succeeds.
  if (`${method} ${path}` === 'DELETE /groups/{groupId}') return 204;
  // The refusal of a personal token, and that of a tenant's own subscriptions, do not depend on the record.
  if (body.code === 'NotWithPersonalToken') return 403;
  return /\/(capacities|products)/.test(path) && body.code === 'NotParent' ? 403 : 404;
}

/** Sends each path parameter with the victim's records, and with ids that no tenant has. */
async function attack(
  { call, operations }: IsolationContext,
  attacker: Tenant,
  client: Client,
  victim: Tenant,
  isParent: boolean,
): Promise<void> {
  for (const operation of operations) {
    for (const parameter of operation.parameters) {
      // A parent may read and change a direct child's own record; everything else of it needs the scope header.
      if (parameter === 'organisationId' && isParent) continue;
      for (const value of victim.records[parameter] ?? []) {
        const absentValue = /^\d+$/.test(value) ? '999999999' : (absentValues[parameter] as string);
        const [foreign, absent] = await Promise.all([
          call(client, operation, { ...recordsOf(attacker), [parameter]: value }),
          call(client, operation, { ...recordsOf(attacker), [parameter]: absentValue }),
        ]);
        const where = `${attacker.name} ${operation.method} ${operation.path} of ${victim.name}`;
        assert.equal(foreign.status, refusalOf(operation, foreign), `${where}: ${foreign.text}`);
        assert.equal(
          comparable(foreign),
          comparable(absent),
          `${where} distinguishes other tenants' records from missing ones`,
        );
      }
    }
    if (operation.method !== 'GET' || isParent) continue;
    const response = await call(client, operation, recordsOf(attacker));
    assert.ok(!response.text.includes(victim.canary), `${attacker.name} sees ${victim.name} at ${operation.path}`);
  }
}

/** All tenants against all others: directly, with a personal token, and as a reseller that acts for a child. */
async function attackRecords(context: IsolationContext, size: 'small' | 'full', withParents = true): Promise<void> {
  const { f, tenants } = context;
  const all = Object.values(tenants);
  const shared = context.operations.filter(({ permission }) => !permission.endsWith(':own'));
  const before = new Map<string, string>();
  await untilDeployed(f.owner);
  for (const tenant of all) before.set(tenant.name, await stateOf(f, tenant));
  const stride = withParents ? 3 : 7;
  const attackVictim = async (attacker: Tenant, victim: Tenant, isScripted: boolean): Promise<void> => {
    const isParent = parents[victim.name] === attacker.name;
    if (isParent && !withParents) return;
    await attack(context, attacker, isScripted ? attacker.scripted : attacker.admin, victim, isParent);
    const parent = tenants[parents[attacker.name] as keyof typeof tenants];
    // Acting for the attacker, its parent reaches no more than the attacker (its own profile and tokens apart).
    if (parent)
      await attack(
        { ...context, operations: shared },
        attacker,
        parent.admin.with({ scope: attacker.id }),
        victim,
        false,
      );
  };
  for (const isScripted of size === 'full' ? [false, true] : [false])
    for (const [number, attacker] of all.entries()) {
      const victims = all.filter(
        (victim, other) => victim !== attacker && (size === 'full' || (number + other) % stride === 0),
      );
      await Promise.all(victims.map((victim) => attackVictim(attacker, victim, isScripted)));
    }
  for (const tenant of all)
    assert.equal(await stateOf(f, tenant), before.get(tenant.name), `${tenant.name} was changed`);
}

/** Sends requests with the scope of the victim for the victim's records. */
async function withVictimScope(
  { attacker, client, victim, operations, every, offset }: Pair,
  call: Call,
): Promise<void> {
  for (const operation of operations.filter((_, index) => index % every === offset)) {
    const foreign = await call(client, operation, recordsOf(victim), { scope: victim.id });
    const absent = await call(client, operation, absentValues, { scope: absentId });
    const where = `${attacker.name} ${operation.method} ${operation.path} for ${victim.name}`;
    assert.equal(foreign.body.code, 'ForbiddenScope', `${where}: ${foreign.text}`);
    assert.equal(
      comparable(foreign),
      comparable(absent),
      `${where} distinguishes other tenants' records from missing ones`,
    );
  }
}

/** Sends references to others in bodies, resource names, filters and headers, and the scope of others. */
async function withReferences(context: IsolationContext, every: number, send: Send, log: Log): Promise<number> {
  const { f, call, tenants } = context;
  const all = Object.values(tenants);
  const operations = context.operations.filter(({ permission }) => !permission.endsWith(':own'));
  let sent = 0;
  for (const attacker of all) {
    const others = all.filter((tenant) => tenant !== attacker);
    const before = new Map<string, string>();
    for (const victim of others) before.set(victim.name, await stateOf(f, victim));
    const pairs = others.map((victim, number) => ({
      ...{ attacker, client: attacker.admin, victim, operations, every },
      isParent: parents[victim.name] === attacker.name,
      offset: (all.indexOf(attacker) + number) % every,
    }));
    for (const by of ['reading', 'writing'] as const)
      for (const count of await Promise.all(pairs.map((pair) => sendReferences(pair, by, send)))) sent += count;
    await Promise.all(pairs.filter(({ isParent }) => !isParent).map((pair) => withVictimScope(pair, call)));
    for (const victim of others)
      assert.equal(await stateOf(f, victim), before.get(victim.name), `${attacker.name} changed ${victim.name}`);
    log(`${attacker.name} against all others: ${sent} references so far`);
  }
  return sent;
}

interface Opened {
  context: IsolationContext;
  send: Send;
  requests: () => number;
}

/** Prepares the tenants, and the function that counts and checks every request. */
async function openContext(f: Fixture): Promise<Opened> {
  let requests = 0;
  const send: Send = async (client, method, path, options) => {
    requests++;
    const response = await client.call(method, path, options);
    assert.ok(response.status < 500, `${method} ${path}: ${response.text}`);
    return response;
  };
  const call: Call = (client, operation, values, options = {}) => {
    const body = operation.body ? { body: operation.body } : {};
    return send(client, operation.method, fillPath(operation.path, values) + operation.query, { ...body, ...options });
  };
  const { organisations: o } = f;
  const deep = await extendTree(f, await f.as('admin@meridian.example'), o.cobalt, await f.as('admin@cobalt.example'));
  const tenants = {
    meridian: await prepareTenant(f, 'meridian', o.meridian, 'admin@meridian.example'),
    atlas: await prepareTenant(f, 'atlas', o.atlas, 'admin@atlas.example'),
    boreal: await prepareTenant(f, 'boreal', o.boreal, 'admin@boreal.example'),
    cobalt: await prepareTenant(f, 'cobalt', o.cobalt, 'admin@cobalt.example'),
    labs: await prepareTenant(f, 'labs', o.labs, 'admin@labs.example'),
    delta: await prepareTenant(f, 'delta', deep.delta.id, '', deep.delta.admin),
    echo: await prepareTenant(f, 'echo', deep.echo.id, '', deep.echo.admin),
  };
  return { context: { f, call, operations: operationsOf(f), tenants }, send, requests: () => requests };
}

/** Only attacks on records, which row-level security alone must stop. (It lets a parent see more of its children.) */
export async function attackRecordsOnly(f: Fixture, size: 'small' | 'full'): Promise<number> {
  const { context, requests } = await openContext(f);
  await attackRecords(context, size, false);
  return requests();
}

export async function testIsolation(
  f: Fixture,
  size: 'small' | 'full',
  log: Log = noLog,
  /** Only every n-th reference outside of paths is sent. */
  every = size === 'full' ? 1 : 60,
): Promise<IsolationResult> {
  const { context, send, requests } = await openContext(f);
  const { operations } = context;
  log('no token, malformed, expired and refresh tokens');
  await withoutToken(context);
  log('a reset token');
  await withResetToken({
    ...context,
    operations: operations.filter(({ method, path }) => `${method} ${path}` !== 'PUT /me/info'),
  });
  log('a role without policies, and each built-in role');
  await withoutPermission(context);
  log('the scope of another tenant');
  await withForeignScope(context);
  log('records of another tenant in paths');
  await attackRecords(context, size);
  log('references to another tenant in bodies, resource names, filters and headers');
  const references = await withReferences(context, every, send, log);
  return { requests: requests(), routes: operations.length, references };
}
