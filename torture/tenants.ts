// Every route, asked by everybody who must not have an answer. The walk is made from the API document, so that a new route is
// walked without being named here; what it must be told (in stage.ts) is how to fill a path parameter with somebody else's record.
import assert from 'node:assert/strict';
import { untilDeployed } from '../test/harness/bulk-data.ts';
import type { Client } from '../test/harness/client.ts';
import type { Fixture } from '../test/harness/service.ts';
import { absentId, essence, fill, operationsOf, settle, stateOf, type Tenant } from './tenant-fixture.ts';
import { absent, type Call, parents, recordsOf, type Stage } from './tenants/context.ts';
import { deepen } from './tenants/organisation-tree.ts';
import { type Pair, type Send, tryReferences } from './tenants/references.ts';
import { withForeignScope, withoutPermission, withoutToken, withResetToken } from './tenants/refusals.ts';

export interface Walk {
  requests: number;
  routes: number;
  /** How many names of others were tried where a path has no place for them. */
  names: number;
}

/** One attacker against one victim: each id slot with the victim's records, beside ids that nobody has. */
async function attack(
  { call, operations }: Stage,
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
        const nobody = /^\d+$/.test(value) ? '999999999' : (absent[parameter] as string);
        const [theirs, nobodys] = await Promise.all([
          call(client, operation, { ...recordsOf(attacker), [parameter]: value }),
          call(client, operation, { ...recordsOf(attacker), [parameter]: nobody }),
        ]);
        const where = `${attacker.name} ${operation.method} ${operation.path} of ${victim.name}`;
        // What one's own organisation has subscribed to, nobody decides, whatever else is asked.
        const expected = /\/(capacities|products)/.test(operation.path) && theirs.body.code === 'NotParent' ? 403 : 404;
        assert.equal(theirs.status, expected, `${where}: ${theirs.text}`);
        assert.equal(essence(theirs), essence(nobodys), `${where} tells foreign from absent`);
      }
    }
    if (operation.method !== 'GET' || isParent) continue;
    const answer = await call(client, operation, recordsOf(attacker));
    assert.ok(!answer.text.includes(victim.canary), `${attacker.name} sees ${victim.name} at ${operation.path}`);
  }
}

/** Everybody against everybody: directly, with a personal token, and as a reseller acting for one child against all others. */
async function againstRecords(stage: Stage, size: 'small' | 'full', alsoByParents = true): Promise<void> {
  const { f, tenants } = stage;
  const all = Object.values(tenants);
  const shared = stage.operations.filter(({ permission }) => !permission.endsWith(':own'));
  const before = new Map<string, string>();
  await untilDeployed(f.owner);
  for (const tenant of all) before.set(tenant.name, await stateOf(f, tenant));
  const few = alsoByParents ? 3 : 7;
  const assail = async (attacker: Tenant, victim: Tenant, isScripted: boolean): Promise<void> => {
    const isParent = parents[victim.name] === attacker.name;
    if (isParent && !alsoByParents) return;
    await attack(stage, attacker, isScripted ? attacker.scripted : attacker.admin, victim, isParent);
    const parent = tenants[parents[attacker.name] as keyof typeof tenants];
    // Acting for this attacker, its parent must reach no more than the attacker does (its own profile and tokens apart).
    if (parent)
      await attack(
        { ...stage, operations: shared },
        attacker,
        parent.admin.with({ scope: attacker.id }),
        victim,
        false,
      );
  };
  for (const isScripted of size === 'full' ? [false, true] : [false])
    for (const [number, attacker] of all.entries()) {
      const victims = all.filter(
        (victim, other) => victim !== attacker && (size === 'full' || (number + other) % few === 0),
      );
      await Promise.all(victims.map((victim) => assail(attacker, victim, isScripted)));
    }
  for (const tenant of all)
    assert.equal(await stateOf(f, tenant), before.get(tenant.name), `${tenant.name} was changed`);
}

/** The scope of others, for their own records. */
async function withTheirScope(
  { attacker, client, victim, operations, every, offset }: Pair,
  call: Call,
): Promise<void> {
  for (const operation of operations.filter((_, index) => index % every === offset)) {
    const theirs = await call(client, operation, recordsOf(victim), { scope: victim.id });
    const nobodys = await call(client, operation, absent, { scope: absentId });
    const where = `${attacker.name} ${operation.method} ${operation.path} for ${victim.name}`;
    assert.equal(theirs.body.code, 'ForbiddenScope', `${where}: ${theirs.text}`);
    assert.equal(essence(theirs), essence(nobodys), `${where} tells foreign from absent`);
  }
}

/** Names of others in bodies, resource names, filters and headers, and the scope of others with their own records. */
async function withReferences(stage: Stage, every: number, send: Send, log: (line: string) => void): Promise<number> {
  const { f, call, tenants } = stage;
  const all = Object.values(tenants);
  const operations = stage.operations.filter(({ permission }) => !permission.endsWith(':own'));
  let tried = 0;
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
      for (const count of await Promise.all(pairs.map((pair) => tryReferences(pair, by, send)))) tried += count;
    await Promise.all(pairs.filter(({ isParent }) => !isParent).map((pair) => withTheirScope(pair, call)));
    for (const victim of others)
      assert.equal(await stateOf(f, victim), before.get(victim.name), `${attacker.name} changed ${victim.name}`);
    log(`${attacker.name} has tried all others: ${tried} names`);
  }
  return tried;
}

interface Opened {
  stage: Stage;
  send: Send;
  requests: () => number;
}

/** The tenants, each with its canary, and what counts and judges every request. */
async function openStage(f: Fixture): Promise<Opened> {
  let requests = 0;
  const send: Send = async (client, method, path, options) => {
    requests++;
    const answer = await client.call(method, path, options);
    assert.ok(answer.status < 500, `${method} ${path}: ${answer.text}`);
    return answer;
  };
  const call: Call = (client, operation, values, options = {}) => {
    const body = operation.body ? { body: operation.body } : {};
    return send(client, operation.method, fill(operation.path, values) + operation.query, { ...body, ...options });
  };
  const { organisations: o } = f;
  const deep = await deepen(f, await f.as('admin@cobalt.example'));
  const tenants = {
    meridian: await settle(f, 'meridian', o.meridian, 'admin@meridian.example'),
    atlas: await settle(f, 'atlas', o.atlas, 'admin@atlas.example'),
    boreal: await settle(f, 'boreal', o.boreal, 'admin@boreal.example'),
    cobalt: await settle(f, 'cobalt', o.cobalt, 'admin@cobalt.example'),
    labs: await settle(f, 'labs', o.labs, 'admin@labs.example'),
    delta: await settle(f, 'delta', deep.delta.id, '', deep.delta.admin),
    echo: await settle(f, 'echo', deep.echo.id, '', deep.echo.admin),
  };
  return { stage: { f, call, operations: operationsOf(f), tenants }, send, requests: () => requests };
}

/** Everybody against everybody's records, and nothing else: what must hold also when only the second wall stands. A parent sees more behind it. */
export async function assailRecords(f: Fixture, size: 'small' | 'full'): Promise<number> {
  const { stage, requests } = await openStage(f);
  await againstRecords(stage, size, false);
  return requests();
}

export async function walkTenants(
  f: Fixture,
  size: 'small' | 'full',
  log: (line: string) => void = () => undefined,
  /** Every how many-th name is tried where no path has a place for it. */
  every = size === 'full' ? 1 : 60,
): Promise<Walk> {
  const { stage, send, requests } = await openStage(f);
  const { operations } = stage;
  log('without a token, with broken, expired and refresh tokens');
  await withoutToken(stage);
  log('with a reset token');
  await withResetToken({
    ...stage,
    operations: operations.filter(({ method, path }) => `${method} ${path}` !== 'PUT /me/info'),
  });
  log('with a role that allows nothing, and as each shipped role');
  await withoutPermission(stage);
  log('for an organisation that one must not act for');
  await withForeignScope(stage);
  log('for records of another tenant');
  await againstRecords(stage, size);
  log('with names of another tenant in bodies, resource names, filters and headers');
  const names = await withReferences(stage, every, send, log);
  return { requests: requests(), routes: operations.length, names };
}
