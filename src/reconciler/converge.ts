// The one way in which a fabric is changed: take the group's turn, read what should be, look at what is, plan, apply. Whoever wants a group
// changed while another waits for its turn joins that one: it has not read the records yet.
import { setTimeout as pause } from 'node:timers/promises';
import { type ChangeFailure, type Driver, Fenced, type Lease, type Plan, planFor } from '../fabric/driver.ts';
import type { Keys } from '../host/key-file.ts';
import { allTenants, type Store } from '../store/database.ts';
import { buildDesiredState, type GroupDesiredState } from './build-desired-state.ts';
import { type GroupRows, readGroupRows } from './group-store.ts';
import {
  acquireLease,
  addReconcileRequest,
  deleteLease,
  deleteReconcileRequests,
  listReconcileRequestsOf,
  releaseLease,
  renewLease,
} from './lease-store.ts';

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

export interface ConvergenceTools {
  store: Store;
  keys: Keys;
  driver: Driver;
}

/** A turn that is not prolonged for so long is over, whatever became of its holder. */
const turnSeconds = 10;
const prolongAfterMs = 2000;
const patienceMs = 20_000;
/** A link and its connectors are asked for together: they are one plan, if the first one waits for the others. */
const gatherMs = 15;

async function takeTurn(store: Store, groupId: string): Promise<Lease> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const asked = performance.now();
    const token = await store.write(allTenants, (database) => acquireLease(database, allTenants, groupId, turnSeconds));
    if (token !== undefined) return turnOf(store, groupId, token, asked);
    if (performance.now() > until)
      throw new Fenced(`Somebody else has changed the fabric of group ${groupId} for ${patienceMs / 1000} s.`);
    await pause(50);
  }
}

function turnOf(store: Store, groupId: string, token: number, since: number): Lease {
  let known = since;
  return {
    token,
    async renew() {
      // The clock is asked each time: a process that was stopped for a while finds out before it touches anything.
      if (performance.now() - known < prolongAfterMs) return;
      const asked = performance.now();
      const isOurs = await store.write(allTenants, (database) =>
        renewLease(database, allTenants, groupId, token, turnSeconds),
      );
      if (!isOurs) throw new Fenced(`The turn to change the fabric of group ${groupId} was lost.`);
      known = asked;
    },
  };
}

async function convergeNow(
  { store, keys, driver }: ConvergenceTools,
  groupId: string,
  onPlanned: (planned: Planned) => void,
): Promise<Converged> {
  const turn = await takeTurn(store, groupId);
  let outcome: 'same' | 'changed' | 'gone' = 'same';
  try {
    // Errands are noted before the records are read: one that comes later than that is for the next time.
    const errands = await store.read(allTenants, (database) => listReconcileRequestsOf(database, allTenants, groupId));
    const rows = await store.read(allTenants, (database) => readGroupRows(database, allTenants, groupId));
    const drawing = buildDesiredState(keys, groupId, rows);
    const wanted = driver.compile(drawing.desiredState);
    const plan = planFor(groupId, wanted, await driver.observe(groupId));
    const planned = { ...drawing, rows, plan };
    onPlanned(planned);
    if (plan.changes.length) outcome = 'changed';
    const failures = await carryOut(driver, drawing, plan, turn);
    if (errands.length && failures.length === 0)
      await store.write(allTenants, (database) => deleteReconcileRequests(database, allTenants, errands));
    if (wanted.length === 0) outcome = 'gone';
    return { ...planned, failures };
  } finally {
    await store.write(allTenants, async (database) => {
      if (outcome === 'gone') await deleteLease(database, allTenants, groupId, turn.token);
      else await releaseLease(database, allTenants, groupId, turn.token, outcome === 'changed');
    });
  }
}

async function carryOut(
  driver: Driver,
  { desiredState: blueprint }: GroupDesiredState,
  plan: Plan,
  turn: Lease,
): Promise<ChangeFailure[]> {
  // Asked for even if nothing was seen: a driver may remember what is not there any more.
  if (blueprint.connectors.length === 0) await driver.remove(blueprint.groupId, turn);
  else if (plan.changes.length) return driver.apply(blueprint, plan, turn);
  return [];
}

/** Takes everything of a group out of the fabric; the records stay, and whoever goes to the group next builds it again. */
export async function tearDown({ store, driver }: ConvergenceTools, groupId: string): Promise<void> {
  const turn = await takeTurn(store, groupId);
  try {
    await driver.remove(groupId, turn);
  } finally {
    await store.write(allTenants, async (database) => {
      await addReconcileRequest(database, allTenants, groupId);
      await releaseLease(database, allTenants, groupId, turn.token, true);
    });
  }
}

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
    const before = running.get(groupId) ?? Promise.resolve();
    const applied = Promise.all([before.catch(() => undefined), pause(gatherMs)])
      .then(() => {
        waiting.delete(groupId);
        running.set(groupId, applied);
        if (isStopping()) throw new Fenced('The service is about to end.');
        return convergeNow(tools, groupId, planned.resolve);
      })
      .finally(() => {
        if (running.get(groupId) === applied) running.delete(groupId);
      });
    // Who waits for the plan hears of a failure before it, too; nobody has to.
    applied.catch(planned.reject);
    planned.promise.catch(() => undefined);
    const convergence = { planned: planned.promise, applied };
    waiting.set(groupId, convergence);
    return convergence;
  };
}
