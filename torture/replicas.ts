// Two replicas behind a load balancer, under load. One is killed, or both are restarted or upgraded one after the other.
// No acknowledged write is lost or applied twice, the other replica takes over, a rolling restart or upgrade cuts no
// request, and a change at one replica is visible at the other within a second.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../test/harness/client.ts';
import { createSeededRandom } from '../test/harness/seeded-random.ts';
import { mailsTo } from '../test/harness/service.ts';
import { type BalancedReplicas, openReplicas } from './balanced-replicas.ts';
import { replicaNames } from './balancer.ts';
import { changes, maxStaleMs, measurePropagation, revokeWhileDisconnected } from './change-propagation.ts';
import { destinationOf, type Log, listAll, mustSucceed, signIn } from './helpers.ts';
import { matchesState } from './ledger.ts';
import { ReplicaLedger, ReplicaLoad } from './replica-load.ts';

export interface ReplicaResult {
  kills: number;
  restarts: number;
  ledger: ReplicaLedger;
  lost: string[];
  /** Records that were created twice. */
  duplicates: string[];
  /** The longest time from a kill until the other replica has finished the open deployments. */
  takeoverMilliseconds: number;
  /** For each change, the longest time the other replica served the old state. */
  stale: Record<string, number>;
}

interface Context extends BalancedReplicas {
  result: ReplicaResult;
}

/** The time under load before and after an upgrade. */
const loadBetweenMs = 5000;

/** Measures how long each kind of change at one replica stays invisible at the other. */
async function checkPropagation({ replicas, result }: Context, token: string, isAfterKill: boolean, cycle: number) {
  const [here, there] = cycle % 2 ? replicas : replicas.toReversed();
  assert.ok(here && there);
  const [near, far] = [here.client.with({ token }), there.client.with({ token })];
  const note = (name: string, milliseconds: number): void => {
    result.stale[name] = Math.max(result.stale[name] ?? 0, milliseconds);
    assert.ok(milliseconds < maxStaleMs, `${name}: the other replica served the old state for ${milliseconds} ms`);
  };
  const measured = Object.keys(changes).map(async (name) => note(name, await measurePropagation(name, near, far)));
  await Promise.all(measured);
  if (!isAfterKill) return;
  const { proxy, running } = there;
  const cut = { begin: () => proxy.setFault('cut'), end: () => proxy.setFault('none') };
  note('database connection cut', await revokeWhileDisconnected('cut', near, far, cut, true));
  const silent = { begin: () => proxy.setFault('silent'), end: () => proxy.setFault('none') };
  note('database silent', await revokeWhileDisconnected('silent', near, far, silent, true));
  const signal = (name: 'SIGSTOP' | 'SIGCONT') => () => void running.child.kill(name);
  const stopped = { begin: signal('SIGSTOP'), end: signal('SIGCONT') };
  note('process stopped', await revokeWhileDisconnected('stopped', near, far, stopped, false));
}

async function killOne(context: Context, which: number): Promise<void> {
  const { replicas, balancer, owner, result } = context;
  const [victim, survivor] = which ? replicas : replicas.toReversed();
  assert.ok(victim && survivor);
  const running = 'select from deployments where is_open and run is not null';
  for (const until = performance.now() + 5000; performance.now() < until; await pause(5))
    if ((await owner.query(running)).rowCount) break;
  victim.running.child.kill('SIGKILL');
  const killedMs = performance.now();
  await victim.running.exited;
  const { rows } = await owner.query('select id, wish from deployments where is_open');
  const stillOpen = `select count(*)::int as open from deployments d
    join unnest($1::uuid[], $2::bigint[]) as requested (id, wish) on d.id = requested.id and d.wish = requested.wish
    where d.is_open`;
  const generations = [rows.map(({ id }) => id), rows.map(({ wish }) => wish)];
  while ((await owner.query(stillOpen, generations)).rows[0].open) {
    assert.ok(performance.now() - killedMs < 60_000, 'the other replica does not take over the open deployments');
    await pause(50);
  }
  result.takeoverMilliseconds = Math.max(result.takeoverMilliseconds, Math.round(performance.now() - killedMs));
  await balancer.untilUp([survivor.name]);
  await victim.restart();
  await balancer.untilUp([...replicaNames]);
  result.kills++;
}

async function restartAll({ replicas, balancer, result }: Context, load: ReplicaLoad): Promise<void> {
  load.mayCut = false;
  for (const replica of replicas) {
    replica.running.child.kill('SIGTERM');
    const { code } = await replica.running.exited;
    assert.equal(code, 0, replica.running.output().slice(-3000));
    await replica.restart();
    await balancer.untilUp([...replicaNames]);
  }
  load.mayCut = true;
  result.restarts++;
}

interface Target {
  organisationId: string;
  groupId: string;
  destinationId: string;
}

/** Compares all records with the ledger, and waits until connectors are delivered and mails have arrived. */
async function verify({ replicas, owner, result }: Context, child: Client, target: Target): Promise<void> {
  const { ledger } = result;
  const { organisationId, groupId } = target;
  type Listed = { id: string; name: string; state: string };
  const listConnectors = () => listAll<Listed>(child, `/connectors/group/${groupId}`);
  const listGroups = async () =>
    (await listAll<Listed>(child, '/groups')).filter(({ name }) => name.startsWith('group '));
  for (const [kind, list] of Object.entries({ group: listGroups, connector: listConnectors })) {
    const found = (await list()).map(({ id, name }) => ({ id, name, state: name }));
    const compared = ledger.compare(
      kind,
      found,
      matchesState((name, acknowledged) => name === acknowledged),
    );
    result.lost.push(...compared.lost);
    result.duplicates.push(...compared.unexpected.map(({ id, name }) => `${kind} ${name} (${id})`));
  }
  const until = performance.now() + 180_000;
  const waitFor = async (failure: string, isDone: () => Promise<boolean>): Promise<void> => {
    while (!(await isDone())) {
      assert.ok(performance.now() < until, failure);
      await pause(200);
    }
  };
  await waitFor('some connectors are never delivered', async () =>
    (await listConnectors()).every(({ state }) => state === 'delivered'),
  );
  const { used } = (await mustSucceed(child.get(`/organisations/${organisationId}/products/providerC/europe`))).body;
  const { rows } = await owner.query(
    `select count(*)::int as total from connectors join families on families.id = family_id
     where organisation_id = $1 and short_name = 'providerC'`,
    [organisationId],
  );
  assert.equal(used, rows[0].total, 'products and connectors disagree');
  await waitFor('some mails never arrive', async () => {
    for (const email of ledger.mailed) {
      const mails = await Promise.all(replicas.map(({ data }) => mailsTo(data, email)));
      if (mails.flat().length === 0) return false;
    }
    return true;
  });
}

/** Creates a child organisation with a group and a pool. */
async function prepareTarget(admin: Client): Promise<Target> {
  const { id: organisationId } = (await mustSucceed(admin.post('/organisations', { name: 'Replicated' }))).body;
  await mustSucceed(admin.put(`/organisations/${organisationId}/products/providerC/europe`, { total: 100_000 }));
  const child = admin.with({ scope: organisationId });
  const { id: groupId } = (await mustSucceed(child.post('/groups', { name: 'replica load' }))).body;
  return { organisationId, groupId, destinationId: await destinationOf(child, 'providerC') };
}

interface Session {
  context: Context;
  load: ReplicaLoad;
}

/** Runs `work` on two replicas under load, and compares all records afterwards. */
async function underLoad(
  project: string | undefined,
  work: (session: Session) => Promise<void>,
): Promise<ReplicaResult> {
  const home = await mkdtemp(join(tmpdir(), 'pbreplicas-'));
  await using opened = new AsyncDisposableStack();
  opened.defer(() => rm(home, { recursive: true, force: true }));
  const result: ReplicaResult = {
    ...{ kills: 0, restarts: 0, ledger: new ReplicaLedger(), lost: [], duplicates: [] },
    ...{ takeoverMilliseconds: 0, stale: {} },
  };
  const context = { ...(await openReplicas(home, opened, project)), result };
  const { balanced } = context;
  const tokenBody = { name: 'replicas', expiresIn: 86_400 };
  const session = await signIn(balanced);
  const created = await mustSucceed(balanced.post('/personal/tokens', tokenBody, { token: session }));
  const token: string = created.body.access_token;
  const admin = balanced.with({ token });
  const target = await prepareTarget(admin);
  const child = admin.with({ scope: target.organisationId });
  const load = new ReplicaLoad({ admin, child, ...target }, result.ledger);
  try {
    await work({ context, load });
  } finally {
    await load.stop();
  }
  await verify(context, child, target);
  return result;
}

export function stressReplicas(
  size: { kills: number; restarts: number; seed: string },
  log: Log,
): Promise<ReplicaResult> {
  const random = createSeededRandom(`replicas ${size.seed}`);
  return underLoad(undefined, async ({ context, load }) => {
    const { result, balanced } = context;
    for (let cycle = 0; cycle < size.kills + size.restarts; cycle++) {
      const isKill = cycle % 2 === 0 ? result.kills < size.kills : result.restarts >= size.restarts;
      await pause(300 + random.below(1000));
      if (isKill) await killOne(context, random.below(2));
      else await restartAll(context, load);
      await checkPropagation(context, await signIn(balanced), isKill, cycle);
      const { acknowledged, retried, cut } = result.ledger;
      log(
        `${result.kills} kills, ${result.restarts} rolling restarts, ${acknowledged} writes acknowledged, ` +
          `${retried} requests retried, ${cut.length} cut`,
      );
    }
  });
}

/** Upgrades both replicas, one after the other, from the version in the folder `from` to this one. */
export function upgradeReplicas(from: string): Promise<ReplicaResult> {
  return underLoad(from, async ({ context, load }) => {
    await pause(loadBetweenMs);
    for (const replica of context.replicas) replica.project = undefined;
    await restartAll(context, load);
    await pause(loadBetweenMs);
  });
}
