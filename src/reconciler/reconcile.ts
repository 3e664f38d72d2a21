// Reconciles the fabric of a group with its records, on request or periodically.
import { setTimeout as pause } from 'node:timers/promises';
import { planFor } from '../fabric/driver.ts';
import { allTenants } from '../store/database.ts';
import { buildDesiredState } from './build-desired-state.ts';
import type { Converged } from './converge.ts';
import { type GroupRows, readGroupRows } from './group-store.ts';
import { markReconciled } from './lease-store.ts';
import { provisionMissing } from './provision.ts';
import { type ReconciledGroup, StatusRecorder } from './record-status.ts';
import type { RunTools } from './run-tools.ts';

/** The cause of a failed change is often gone a moment later. */
const maxAttempts = 10;
const retryDelayMs = 300;
/** Changed sessions may take this long to come up before their status is recorded. */
const settleMs = 6000;
const pollMs = 100;

export class Reconciler {
  readonly #tools: RunTools;
  readonly #statusRecorder: StatusRecorder;

  constructor(tools: RunTools) {
    this.#tools = tools;
    this.#statusRecorder = new StatusRecorder(tools);
  }

  /** Throws if a change failed, so that the reconcile request is retried. */
  async reconcileOnRequest(groupId: string): Promise<void> {
    await provisionMissing(this.#tools, await this.#readRows(groupId));
    const converged = await this.#converge(groupId);
    await this.#record({ ...converged, isRepair: false });
    if (converged.failures[0]) throw new Error(converged.failures[0].cause);
  }

  /** Detects and repairs drift. */
  async reconcilePeriodically(groupId: string): Promise<void> {
    const { keys, driver, onRepair } = this.#tools;
    const rows = await this.#readRows(groupId);
    const built = buildDesiredState(keys, groupId, rows);
    const plan = planFor(groupId, driver.compile(built.desiredState), await driver.observe(groupId));
    // Without drift no lease is needed.
    if (plan.changes.length === 0) return this.#record({ ...built, rows, plan, failures: [], isRepair: false });
    const converged = await this.#converge(groupId);
    const { hasReconcileRequests, connectors, links } = converged.rows;
    const isRequested = hasReconcileRequests || [...connectors, ...links].some(({ is_open }) => is_open);
    // Another process may have repaired it meanwhile.
    if (!isRequested && converged.plan.changes.length) onRepair(converged.failures.length ? 'failed' : 'repaired');
    await this.#record({ ...converged, isRepair: !isRequested });
  }

  #readRows(groupId: string): Promise<GroupRows> {
    return this.#tools.store.read(allTenants, (database) => readGroupRows(database, allTenants, groupId));
  }

  /** Retries failed changes. Returns the last result, with the changes of all attempts. */
  async #converge(groupId: string): Promise<Converged> {
    const { converge, isStopping } = this.#tools;
    let last = await converge(groupId).applied;
    const changes = new Map(last.plan.changes.map((change) => [change.item.key, change]));
    for (let attempt = 1; last.failures.length && attempt < maxAttempts && !isStopping(); attempt++) {
      await pause(retryDelayMs);
      last = await converge(groupId).applied;
      for (const change of last.plan.changes) changes.set(change.item.key, change);
    }
    const converged = { ...last, plan: { ...last.plan, changes: [...changes.values()] } };
    if (changes.size && converged.failures.length === 0) await this.#waitUntilUp(converged);
    return converged;
  }

  async #waitUntilUp({ desiredState }: Converged): Promise<void> {
    const { driver, isStopping } = this.#tools;
    const deadline = performance.now() + settleMs;
    while (performance.now() < deadline && !isStopping()) {
      if ([...(await driver.health(desiredState)).values()].every(({ isUp }) => isUp)) return;
      await pause(pollMs);
    }
  }

  async #record(group: ReconciledGroup): Promise<void> {
    await this.#statusRecorder.record(group);
    await this.#tools.store.write(allTenants, (database) =>
      markReconciled(database, allTenants, group.desiredState.groupId),
    );
  }
}
