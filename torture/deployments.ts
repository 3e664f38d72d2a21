// kill -9 during deployments: every deployment is finished or explained, and the fabric matches the records.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { RunningService } from '../test/harness/process.ts';
import {
  countExplainedErrors,
  countRecovered,
  countStates,
  findItemDifferences,
  findUnfinishedWork,
  plannedChanges,
} from './fabric-invariants.ts';
import { asOwner, countEach, type Log, noLog, range } from './helpers.ts';
import { findLabRemains, findLabViolations, instanceOf, killRandomDaemon, removeLab } from './lab-inspector.ts';
import {
  clientOf,
  deployAndWait,
  type Fabric,
  type NetworkFixture,
  openNetwork,
  type Ring,
  registerRing,
  startWithFabric,
} from './network-fixture.ts';
import { compareWithLedger, type LoadSize, NetworkLedger, work } from './network-load.ts';
import { random } from './seed.ts';

const settleWithinMs = 30_000;
const warmUpMs = 3000;

/** How to inspect a fabric and inject faults, independently of its driver. */
interface Inspection {
  size: LoadSize & { regions: number };
  killsPerCheck: number;
  /** Removes something from the fabric, so that kills also hit repairs. */
  injectFault(data: string): Promise<void>;
  /** Makes the reconciler verify the ring again: a verification in progress may have missed the fault. */
  requestVerification(data: string): Promise<void>;
  findViolations(data: string): Promise<string[]>;
}

const verifyRing = `update fabric_groups set swept_at = '-infinity'
  where group_id in (select id from groups where name like 'ring %')`;
const deleteItems = `delete from simulated_items where (group_id, key) in (select i.group_id, i.key
  from simulated_items i join groups g on g.id = i.group_id where g.name like 'ring %' order by random() limit 4)`;

const inspections: Record<Fabric, Inspection> = {
  simulated: {
    // Many groups: the lease of a killed run blocks its group for ten seconds, and the load continues in others.
    size: { regions: 5, groups: 12, connectorsPerGroup: 8, workers: 10 },
    killsPerCheck: 50,
    injectFault: (data) => asOwner(data, async (owner) => void (await owner.query(`${deleteItems}; ${verifyRing}`))),
    requestVerification: (data) => asOwner(data, async (owner) => void (await owner.query(verifyRing))),
    findViolations: (data) => asOwner(data, findItemDifferences),
  },
  lab: {
    size: { regions: 3, groups: 5, connectorsPerGroup: 4, workers: 5 },
    killsPerCheck: 10,
    injectFault: killRandomDaemon,
    // The reconciler verifies a lab every few seconds anyway.
    requestVerification: async () => undefined,
    findViolations: findLabViolations,
  },
};

interface Context {
  fabric: Fabric;
  data: string;
  network: NetworkFixture;
  ledger: NetworkLedger;
}

/** Runs load until the service is killed in the middle of it. */
async function killUnderLoad(
  { fabric, data, network, ledger }: Context,
  running: RunningService,
  warmUpMs = 0,
): Promise<void> {
  const client = await clientOf(running, network.organisationId);
  const { size, injectFault } = inspections[fabric];
  let isOver = false;
  const load = Promise.all(range(size.workers).map(() => work({ client, network, ledger, size }, () => isOver)));
  await pause(warmUpMs);
  const killAt = Date.now() + 50 + random.next() * 850;
  if (random.next() < 0.4) await injectFault(data);
  await pause(Math.max(0, killAt - Date.now()));
  running.child.kill('SIGKILL');
  await running.exited;
  isOver = true;
  await load;
  client.close();
  if (ledger.faults.length) throw ledger.faults[0];
}

/** Waits until the fabric matches the records. Returns the time since the last start. */
async function settle({ fabric, data }: Context, startedAt: number): Promise<number> {
  await inspections[fabric].requestVerification(data);
  let violations: string[] = [];
  do {
    violations = await asOwner(data, findUnfinishedWork);
    if (violations.length === 0) violations = await inspections[fabric].findViolations(data);
    if (violations.length === 0) violations = await plannedChanges(data);
    if (violations.length === 0) return Date.now() - startedAt;
    await pause(100);
  } while (Date.now() < startedAt + settleWithinMs);
  return assert.fail(`after ${settleWithinMs / 1000} s without load:\n${violations.slice(0, 40).join('\n')}`);
}

async function verify({ data, network: { organisationId } }: Context, running: RunningService) {
  const client = await clientOf(running, organisationId);
  const counts = await asOwner(data, async (owner) => ({
    errors: await countExplainedErrors(owner, client, organisationId),
    recovered: await countRecovered(owner),
    states: await countStates(owner),
  }));
  assert.ok(counts.states['delivered link'], 'no link was delivered: nothing was tested');
  client.close();
  return counts;
}

/** What the killed service was doing: the last step of its runs, and leases of groups without an open deployment. */
const runningWork = `
  select coalesce(steps -> -1 ->> 'name', 'order') as what, run::text as token
    from deployments where is_open and alive_at is not null
  union all select 'reconcile or repair', token::text from fabric_groups g where held_until > clock_timestamp()
    and not exists (select from deployments d where d.group_id = g.group_id and is_open)`;

async function noteInterrupted(owner: pg.Client, interrupted: Map<string, string>): Promise<void> {
  for (const { what, token } of (await owner.query(runningWork)).rows) interrupted.set(token, what);
}

export interface DeploymentResult {
  kills: number;
  acknowledged: number;
  worstSettleMs: number;
  checks: number;
  errors: number;
  recovered: number;
  /** The number of records in each state, at the last check. */
  states: Record<string, number>;
  /** The number of interrupted steps of each kind. */
  interrupted: Record<string, number>;
  outcomes: Record<string, number>;
}

interface Options {
  log?: Log;
  /** Runs after the last kill, on the service and its deployed ring. */
  afterKills?: (data: string, ring: Ring) => Promise<void>;
}

/** Deploys a ring that no worker changes. Faults hit only this ring, so that repairs hide no lost request elsewhere. */
async function deployRing(running: RunningService, { network }: Context): Promise<Ring> {
  const client = await clientOf(running, network.organisationId);
  const ring = await registerRing(client, network, network.places);
  await Promise.all(ring.links.map((link) => deployAndWait(client, 'link', link)));
  client.close();
  return ring;
}

export async function killDeployments(
  fabric: Fabric,
  kills: number,
  { log = noLog, afterKills = async () => undefined }: Options = {},
): Promise<DeploymentResult> {
  const data = await mkdtemp(join(tmpdir(), 'pbdeploy-'));
  const result: DeploymentResult = {
    ...{ kills, acknowledged: 0, worstSettleMs: 0, checks: 0, errors: 0, recovered: 0 },
    ...{ states: {}, interrupted: {}, outcomes: {} },
  };
  const interrupted = new Map<string, string>();
  let running = await startWithFabric(fabric, data);
  try {
    if (fabric === 'lab') await instanceOf(data);
    const network = await openNetwork(running, inspections[fabric].size.regions);
    const ledger = new NetworkLedger();
    const context = { fabric, data, network, ledger };
    const ring = await deployRing(running, context);
    for (let kill = 1; kill <= kills; kill++) {
      await killUnderLoad(context, running, kill === 1 ? warmUpMs : 0);
      const startedAt = Date.now();
      running = await startWithFabric(fabric, data);
      await asOwner(data, async (owner) => {
        await noteInterrupted(owner, interrupted);
        assert.deepEqual(await compareWithLedger(owner, network.organisationId, ledger), [], `after kill ${kill}`);
      });
      if (kill % inspections[fabric].killsPerCheck === 0 || kill === kills) {
        result.worstSettleMs = Math.max(result.worstSettleMs, await settle(context, startedAt));
        const { errors, recovered, states } = await verify(context, running);
        result.checks++;
        result.errors += errors;
        result.recovered += recovered;
        result.states = states;
      }
      const settledIn = `longest time to settle ${(result.worstSettleMs / 1000).toFixed(1)} s`;
      if (kill % 10 === 0) log(`${fabric}: ${kill} kills, ${ledger.acknowledged} writes acknowledged, ${settledIn}`);
    }
    await afterKills(data, ring);
    running.child.kill('SIGTERM');
    assert.equal((await running.exited).code, 0, running.output().slice(-3000));
    if (fabric === 'lab') assert.deepEqual(await findLabRemains(data), [], 'the stopped lab left something behind');
    const { acknowledged, outcomes } = ledger;
    return { ...result, acknowledged, outcomes, interrupted: countEach(interrupted.values()) };
  } finally {
    running.child.kill('SIGTERM');
    await running.exited;
    if (fabric === 'lab') await removeLab(data);
    await rm(data, { recursive: true, force: true });
  }
}
