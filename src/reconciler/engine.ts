// Deployments at work in this process: carries out what is asked for, looks after what stands, and takes up what others left behind.
import { EventEmitter, once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { createSemaphore } from '../concurrency/semaphore.ts';
import type { Driver } from '../fabric/driver.ts';
import type { Keys } from '../host/key-file.ts';
import { forgetReports, forgetStatus } from '../resources/connectors/status-store.ts';
import type { ReconcileRequest } from '../resources/deployments/enqueue.ts';
import { listAbandoned } from '../resources/deployments/store.ts';
import { allTenants, type Database, type Store } from '../store/database.ts';
import type { DeploymentState } from '../store/tables.ts';
import { createConvergence, tearDown } from './converge.ts';
import { type DeploymentRecord, executeDeployment, type RunTools } from './deployment-run.ts';
import { listOrphanedGroups } from './group-store.ts';
import {
  addReconcileRequest,
  listConnectorsWithStaleStatus,
  listDueGroups,
  listReconcileRequests,
  markDue,
  postponeReconcileRequests,
} from './lease-store.ts';
import { createReconciler } from './reconcile.ts';

export interface EngineTools {
  store: Store;
  keys: Keys;
  driver: Driver;
  onTrouble: RunTools['onTrouble'];
}

/** Deployments that this process carries out at once; they mostly wait. */
const runsAtOnce = 24;
const sweepsAtOnce = 4;
const tickMs = 1000;
const errandPatienceSeconds = 3;
const errandPauseSeconds = 10;
const ticksPerRareLook = 60;
/** A deploy call answers by then, whatever the state. */
const answerWithinMs = 5000;
const lookAgainMs = 300;

export type Engine = ReturnType<typeof startEngine>;

export function startEngine({ store, keys, driver, onTrouble }: EngineTools) {
  const stopping = new AbortController();
  const settled = new EventEmitter().setMaxListeners(0);
  const slots = createSemaphore(runsAtOnce);
  const sweepSlots = createSemaphore(sweepsAtOnce);
  const base = { store, keys, driver };
  const isStopping = (): boolean => stopping.signal.aborted;
  const tools: RunTools = { ...base, converge: createConvergence(base, isStopping), isStopping, onTrouble };
  const { visit, sweep } = createReconciler(tools);
  const atWork = new Set<Promise<void>>();

  /** Runs beside everything else. What fails is told; the next tick finds what is left to do. */
  function beside(what: string, work: () => Promise<unknown>): void {
    const run: Promise<void> = work()
      .then(() => undefined)
      .catch((error) => onTrouble(error, what))
      .finally(() => atWork.delete(run));
    atWork.add(run);
  }

  const running = new Set<string>();
  /** Resolves when the run has a slot, so that a queue hands out no more than can be done. */
  async function begin(record: DeploymentRecord): Promise<void> {
    if (running.has(record.id) || isStopping()) return;
    running.add(record.id);
    await new Promise<void>((started) =>
      beside(`deploying the ${record.kind} ${record.id}`, () =>
        slots(async () => {
          started();
          if (!isStopping()) await executeDeployment(tools, record);
        }).finally(() => {
          running.delete(record.id);
          settled.emit(record.id);
        }),
      ),
    );
  }

  const visiting = new Set<string>();
  async function runErrand(groupId: string): Promise<void> {
    if (isStopping()) return;
    try {
      await visit(groupId);
    } catch (error) {
      await store.write(allTenants, (database) =>
        postponeReconcileRequests(database, allTenants, groupId, errandPauseSeconds),
      );
      throw error;
    }
  }
  function look(groupId: string, what: string, work: (groupId: string) => Promise<unknown>): void {
    if (visiting.has(groupId)) return;
    visiting.add(groupId);
    beside(`${what} the fabric of group ${groupId}`, () =>
      sweepSlots(async () => (isStopping() ? undefined : work(groupId))).finally(() => visiting.delete(groupId)),
    );
  }

  const read = <T>(work: (database: Database) => Promise<T>): Promise<T> => store.read(allTenants, work);

  /** Groups that the fabric holds something of, and the records nothing. */
  async function findLeftovers(): Promise<void> {
    const held = await driver.groups();
    const left = await read((database) => listOrphanedGroups(database, allTenants, held));
    for (const groupId of left)
      await store.write(allTenants, (database) => addReconcileRequest(database, allTenants, groupId));
  }

  /** Before any group is looked at: what nobody was heard of for long is not known, until somebody looks. */
  async function lookRarely(): Promise<void> {
    await findLeftovers();
    await store.write(allTenants, async (database) => {
      const unheard = await listConnectorsWithStaleStatus(database, allTenants);
      if (unheard.length) await forgetStatus(database, allTenants, unheard);
      const silent = await forgetReports(database, allTenants);
      if (silent.length) await markDue(database, allTenants, silent);
    });
  }

  async function tick(count: number): Promise<void> {
    if (count % ticksPerRareLook === 0) await lookRarely();
    for (const record of await read((database) => listAbandoned(database, allTenants, 2 * runsAtOnce)))
      if (!running.has(record.id)) void begin(record);
    for (const groupId of await read((database) => listReconcileRequests(database, allTenants, errandPatienceSeconds)))
      look(groupId, 'clearing up', runErrand);
    for (const groupId of await read((database) => listDueGroups(database, allTenants, driver.reconcileSeconds, 50)))
      look(groupId, 'looking after', sweep);
  }

  async function keepTicking(): Promise<void> {
    for (let count = 0; !isStopping(); count++) {
      await tick(count).catch((error) => onTrouble(error, 'looking for work'));
      await pause(tickMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }
  const ticking = keepTicking();

  return {
    begin,
    /** Whoever asks hears of a failure, and may ask again. */
    async errand({ groupId }: ReconcileRequest): Promise<void> {
      const work = runErrand(groupId);
      beside('an errand', () => work.catch(() => undefined));
      await work;
    },
    /** The first of these records when its deployment has ended, here or in another process; or as it is when one has waited long enough. */
    async untilSettled<T extends { state: DeploymentState }>(
      asked: DeploymentRecord[],
      read: () => Promise<T>,
    ): Promise<T> {
      const end = performance.now() + answerWithinMs;
      // The job would wake somebody soon; whoever waits does it now.
      for (const record of asked) void begin(record);
      const id = asked[0]?.id ?? '';
      for (;;) {
        // Listening begins before the look: what ends in between is heard.
        const heard = once(settled, id, { signal: AbortSignal.timeout(lookAgainMs) }).catch(() => undefined);
        const record = await read();
        if (record.state !== 'in-deployment' || performance.now() > end || isStopping()) return record;
        await heard;
      }
    },
    async stop(wish: { tearDown: boolean }): Promise<void> {
      stopping.abort();
      await ticking;
      // The wait itself keeps no process alive: there is mostly nothing to wait for.
      await Promise.race([Promise.allSettled(atWork), pause(10_000, undefined, { ref: false })]);
      if (wish.tearDown)
        await Promise.allSettled((await driver.groups()).map((groupId) => sweepSlots(() => tearDown(base, groupId))));
    },
  };
}
