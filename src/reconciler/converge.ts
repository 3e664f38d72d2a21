// The only code that changes a fabric: acquires the lease of the group, reads the records, observes, plans and applies.
import { setTimeout as pause } from 'node:timers/promises';
import { type ChangeFailure, type Driver, FencedError, type Lease, type Plan, planFor } from '../fabric/driver.ts';
import type { Keys } from '../host/key-file.ts';
import { annotateSpan, inSpan } from '../host/tracing.ts';
import {
  addReconcileRequest,
  deleteReconcileRequests,
  listReconcileRequests,
} from '../resources/deployments/reconcile-request-store.ts';
import { allTenants, type Store } from '../store/database.ts';
import { buildDesiredState, type GroupDesiredState } from './build-desired-state.ts';
import { type GroupRows, readGroupRows } from './group-store.ts';
import { acquireLease, deleteLease, releaseLease, renewLease } from './lease-store.ts';

export interface ConvergenceTools {
  store: Store;
  keys: Keys;
  driver: Driver;
}

export interface Planned extends GroupDesiredState {
  rows: GroupRows;
  plan: Plan;
}

export interface Converged extends Planned {
  failures: ChangeFailure[];
}

export interface Convergence {
  planned: Promise<Planned>;
  applied: Promise<Converged>;
}

/** A lease expires after this time unless it is renewed. */
const leaseSeconds = 10;
const renewAfterMs = 2000;
const acquireTimeoutMs = 20_000;
const acquireRetryMs = 50;
/** The jobs of a link and its connectors start together; after this delay they share one plan. */
const gatherMs = 15;

async function waitForLease(store: Store, groupId: string): Promise<Lease> {
  const deadline = performance.now() + acquireTimeoutMs;
  for (;;) {
    const requestedAt = performance.now();
    const token = await store.write(allTenants, (database) =>
      acquireLease(database, allTenants, groupId, leaseSeconds),
    );
    if (token !== undefined) return leaseOf(store, groupId, token, requestedAt);
    if (performance.now() > deadline)
      throw new FencedError(`No lease on the fabric of group ${groupId} within ${acquireTimeoutMs / 1000} s.`);
    await pause(acquireRetryMs);
  }
}

function leaseOf(store: Store, groupId: string, token: number, acquiredAt: number): Lease {
  let renewedAt = acquiredAt;
  return {
    token,
    async renew() {
      // Reads the clock instead of using a timer: a process that was suspended notices before the next change.
      if (performance.now() - renewedAt < renewAfterMs) return;
      const requestedAt = performance.now();
      const isRenewed = await store.write(allTenants, (database) =>
        renewLease(database, allTenants, groupId, token, leaseSeconds),
      );
      if (!isRenewed) throw new FencedError(`The lease on the fabric of group ${groupId} was lost.`);
      renewedAt = requestedAt;
    },
  };
}

async function convergeNow(
  { store, keys, driver }: ConvergenceTools,
  groupId: string,
  onPlanned: (planned: Planned) => void,
): Promise<Converged> {
  const lease = await waitForLease(store, groupId);
  let outcome: 'unchanged' | 'changed' | 'empty' = 'unchanged';
  let fulfilled: string[] = [];
  try {
    // Read before the records: a request that arrives later may concern a record that this plan does not contain.
    const requests = await store.read(allTenants, (database) => listReconcileRequests(database, allTenants, groupId));
    const rows = await store.read(allTenants, (database) => readGroupRows(database, allTenants, groupId));
    const built = buildDesiredState(keys, groupId, rows);
    const desiredItems = driver.compile(built.desiredState);
    const plan = planFor(groupId, desiredItems, await driver.observe(groupId));
    const planned = { ...built, rows, plan };
    onPlanned(planned);
    if (plan.changes.length) outcome = 'changed';
    const failures = await applyPlan(driver, planned, lease);
    if (failures.length === 0) fulfilled = requests;
    if (desiredItems.length === 0) outcome = 'empty';
    return { ...planned, failures };
  } finally {
    // One transaction: a request that was deleted first would leave the lease of a killed process to the next sweep.
    await store.write(allTenants, async (database) => {
      if (fulfilled.length) await deleteReconcileRequests(database, allTenants, fulfilled);
      if (outcome === 'empty') await deleteLease(database, allTenants, groupId, lease.token);
      else await releaseLease(database, allTenants, groupId, lease.token, outcome === 'changed');
    });
  }
}

async function applyPlan(driver: Driver, { desiredState, plan }: Planned, lease: Lease): Promise<ChangeFailure[]> {
  const { groupId, connectors } = desiredState;
  if (connectors.length > 0 && plan.changes.length === 0) return [];
  const describe = () => ({
    name: 'change fabric',
    attributes: {
      'patchbay.group.id': groupId,
      'patchbay.fabric.origin': driver.origin,
      'patchbay.fabric.changes': plan.changes.length,
    },
  });
  return inSpan(describe, async () => {
    // Called even if nothing was observed: a driver may hold state of its own for the group.
    if (connectors.length === 0) {
      await driver.remove(groupId, lease);
      return [];
    }
    const failures = await driver.apply(desiredState, plan, lease);
    if (failures.length) annotateSpan({ 'patchbay.fabric.failures': failures.length }, 'ChangeFailed');
    return failures;
  });
}

/** Removes a group from the fabric. The records stay, and the reconcile request makes the next service rebuild it. */
export async function tearDown({ store, driver }: ConvergenceTools, groupId: string): Promise<void> {
  const lease = await waitForLease(store, groupId);
  try {
    await driver.remove(groupId, lease);
  } finally {
    await store.write(allTenants, async (database) => {
      await addReconcileRequest(database, allTenants, groupId);
      await releaseLease(database, allTenants, groupId, lease.token, true);
    });
  }
}

/**
 * Returns a function that converges a group. Within the process, a group converges once at a time; calls that arrive
 * before a waiting convergence has started join it, because it has not read the records yet.
 */
export function createConvergence(
  tools: ConvergenceTools,
  isStopping: () => boolean,
): (groupId: string) => Convergence {
  const running = new Map<string, Promise<unknown>>();
  const waiting = new Map<string, Convergence>();
  return (groupId) => {
    const joined = waiting.get(groupId);
    if (joined) return joined;
    const planned = Promise.withResolvers<Planned>();
    const previous = running.get(groupId) ?? Promise.resolve();
    const applied = Promise.all([previous.catch(() => undefined), pause(gatherMs)])
      .then(() => {
        waiting.delete(groupId);
        running.set(groupId, applied);
        if (isStopping()) throw new FencedError('The service is stopping.');
        return convergeNow(tools, groupId, planned.resolve);
      })
      .finally(() => {
        if (running.get(groupId) === applied) running.delete(groupId);
      });
    // A failure before the plan rejects both promises. Callers may ignore `planned`.
    applied.catch(planned.reject);
    planned.promise.catch(() => undefined);
    const convergence = { planned: planned.promise, applied };
    waiting.set(groupId, convergence);
    return convergence;
  };
}
