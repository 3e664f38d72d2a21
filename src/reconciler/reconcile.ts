// Looking after what is deployed: whatever drifted from the records comes back by itself.
import { setTimeout as pause } from 'node:timers/promises';
import { planFor } from '../fabric/driver.ts';
import { allTenants } from '../store/database.ts';
import { buildDesiredState } from './build-desired-state.ts';
import type { Converged } from './converge.ts';
import type { RunTools } from './deployment-run.ts';
import { readGroupRows } from './group-store.ts';
import { markReconciled } from './lease-store.ts';
import { provisionMissing } from './provision.ts';
import { createStatusRecorder } from './record-status.ts';

/** A repair that failed is tried again at once a few times: what stood in its way is often gone a moment later. */
const attempts = 10;
const attemptPauseMs = 300;
/** What was just changed may need a moment to come up before it is judged. */
const comeUpMs = 6000;
const lookAgainMs = 100;

export function createReconciler(tools: RunTools) {
  const { store, keys, driver, converge } = tools;
  const assess = createStatusRecorder(tools);

  /** Everything that was planned had to be done; what is left after some attempts has failed. */
  async function convergeAtLast(groupId: string): Promise<Converged> {
    let last = await converge(groupId).applied;
    const changes = new Map(last.plan.changes.map((change) => [change.item.key, change]));
    for (let attempt = 1; last.failures.length && attempt < attempts && !tools.isStopping(); attempt++) {
      await pause(attemptPauseMs);
      last = await converge(groupId).applied;
      for (const change of last.plan.changes) changes.set(change.item.key, change);
    }
    return { ...last, plan: { ...last.plan, changes: [...changes.values()] } };
  }

  async function comeUp({ plan, desiredState: blueprint, failures }: Converged): Promise<void> {
    if (plan.changes.length === 0 || failures.length) return;
    for (
      const until = performance.now() + comeUpMs;
      performance.now() < until && !tools.isStopping();
      await pause(lookAgainMs)
    )
      if ([...(await driver.health(blueprint)).values()].every(({ isUp }) => isUp)) return;
  }

  const read = (groupId: string) => store.read(allTenants, (database) => readGroupRows(database, allTenants, groupId));

  const mark = async (groupId: string): Promise<void> =>
    void (await store.write(allTenants, (database) => markReconciled(database, allTenants, groupId)));

  return {
    /** Goes to a group because something was taken away, came from elsewhere or shall be looked at. */
    async visit(groupId: string): Promise<void> {
      await provisionMissing(tools, await read(groupId));
      const converged = await convergeAtLast(groupId);
      await comeUp(converged);
      await assess({ ...converged, isRepair: false });
      await mark(groupId);
      if (converged.failures[0]) throw new Error(converged.failures[0].cause);
    },
    /** Compares a group with its records, and repairs what drifted. */
    async sweep(groupId: string): Promise<void> {
      const rows = await read(groupId);
      const drawing = buildDesiredState(keys, groupId, rows);
      const plan = planFor(groupId, driver.compile(drawing.desiredState), await driver.observe(groupId));
      if (plan.changes.length === 0) {
        await assess({ ...drawing, rows, plan, failures: [], isRepair: false });
        return mark(groupId);
      }
      const converged = await convergeAtLast(groupId);
      await comeUp(converged);
      // What somebody asked for meanwhile is no drift.
      const { hasErrands, connectors, links } = converged.rows;
      const isAsked = hasErrands || [...connectors, ...links].some(({ is_open }) => is_open);
      await assess({ ...converged, isRepair: !isAsked });
      await mark(groupId);
    },
  };
}
