// Executes deployments and reconciliation in this process: work that jobs announce, and work found by polling, such as
// due groups and deployments of crashed processes.
import { EventEmitter, once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { createSemaphore } from '../concurrency/semaphore.ts';
import { type Driver, FencedError } from '../fabric/driver.ts';
import type { Keys } from '../host/key-file.ts';
import { expireReports, resetStatuses } from '../resources/connectors/status-store.ts';
import type { ReconcileRequest } from '../resources/deployments/enqueue.ts';
import type { DeploymentWaiter } from '../resources/deployments/ports.ts';
import {
  addReconcileRequest,
  listRequestedGroups,
  postponeReconcileRequests,
} from '../resources/deployments/reconcile-request-store.ts';
import { type DeploymentRecord, listAbandoned } from '../resources/deployments/store.ts';
import { allTenants, type Database, type Store } from '../store/database.ts';
import type { DeploymentState } from '../store/tables.ts';
import { createConvergence, tearDown } from './converge.ts';
import { executeDeployment } from './deployment-run.ts';
import { listOrphanedGroups } from './group-store.ts';
import { listConnectorsWithStaleStatus, listDueGroups, markDue } from './lease-store.ts';
import { Reconciler } from './reconcile.ts';
import type { RunTools } from './run-tools.ts';

export interface EngineTools {
  store: Store;
  keys: Keys;
  driver: Driver;
  onError: RunTools['onError'];
  onRepair: RunTools['onRepair'];
}

/** Deployments mostly wait, so many may run at once. */
const concurrentDeployments = 24;
const concurrentReconciliations = 4;
const tickMs = 1000;
const ticksPerMaintenance = 60;
const dueGroupsPerTick = 50;
/** Polling leaves younger requests to the job queue. */
const requestGraceSeconds = 3;
const requestRetrySeconds = 10;
/** Limit on how long a deploy call waits for the outcome. */
const waitLimitMs = 5000;
const waitPollMs = 300;
const stopTimeoutMs = 10_000;

export class Engine implements DeploymentWaiter {
  readonly #tools: RunTools;
  readonly #reconciler: Reconciler;
  readonly #stopping = new AbortController();
  /** Emits the id of a record when its deployment has ended in this process. */
  readonly #settled = new EventEmitter().setMaxListeners(0);
  readonly #withDeploymentPermit = createSemaphore(concurrentDeployments);
  readonly #withReconcilePermit = createSemaphore(concurrentReconciliations);
  readonly #tasks = new Set<Promise<void>>();
  /** Records with a deployment, and groups with a reconciliation, that runs or waits for a permit in this process. */
  readonly #deploying = new Set<string>();
  readonly #reconciling = new Set<string>();
  #loop: Promise<void> = Promise.resolve();

  constructor(tools: EngineTools) {
    const isStopping = () => this.#isStopping;
    this.#tools = { ...tools, isStopping, converge: createConvergence(tools, isStopping) };
    this.#reconciler = new Reconciler(this.#tools);
  }

  start(): void {
    this.#loop = this.#run();
  }

  async stop(options: { tearDown: boolean }): Promise<void> {
    const { driver } = this.#tools;
    this.#stopping.abort();
    await this.#loop;
    // The timer is unreferenced, so that it does not delay the exit of the process.
    await Promise.race([Promise.allSettled(this.#tasks), pause(stopTimeoutMs, undefined, { ref: false })]);
    if (options.tearDown) {
      const groupIds = await driver.groups();
      await Promise.allSettled(
        groupIds.map((groupId) => this.#withReconcilePermit(() => tearDown(this.#tools, groupId))),
      );
    }
  }

  /** Starts a deployment. Resolves when it has a permit, so that the job queue hands out no more than can run. */
  async deploy(record: DeploymentRecord): Promise<void> {
    const { kind, id } = record;
    if (this.#deploying.has(id) || this.#isStopping) return;
    this.#deploying.add(id);
    const started = Promise.withResolvers<void>();
    this.#startTask(`deployment of ${kind} ${id}`, () =>
      this.#withDeploymentPermit(async () => {
        started.resolve();
        if (!this.#isStopping) await executeDeployment(this.#tools, record);
      }).finally(() => {
        this.#deploying.delete(id);
        this.#settled.emit(id);
      }),
    );
    await started.promise;
  }

  /** Rejects if the reconciliation fails, so that the job queue retries it. */
  async reconcile({ groupId }: ReconcileRequest): Promise<void> {
    const work = this.#reconcileOnRequest(groupId);
    this.#startTask('reconcile request', () => work.catch(() => undefined));
    await work;
  }

  async untilSettled<T extends { state: DeploymentState }>(
    records: DeploymentRecord[],
    read: () => Promise<T>,
  ): Promise<T> {
    const deadline = performance.now() + waitLimitMs;
    // Starts the deployments now instead of waiting for their jobs.
    for (const record of records) void this.deploy(record);
    const id = records[0]?.id ?? '';
    for (;;) {
      // Listens before it reads, so that no event is missed in between.
      const event = once(this.#settled, id, { signal: AbortSignal.timeout(waitPollMs) }).catch(() => undefined);
      const record = await read();
      if (record.state !== 'in-deployment' || performance.now() > deadline || this.#isStopping) return record;
      await event;
    }
  }

  get #isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Runs work in the background. A failure is only reported: a later tick finds the work again. */
  #startTask(name: string, work: () => Promise<unknown>): void {
    const task: Promise<void> = work()
      .then(() => undefined)
      .catch((error) => {
        // The stop itself fenced the work, which another process continues.
        if (!(this.#isStopping && error instanceof FencedError)) this.#tools.onError(error, name);
      })
      .finally(() => this.#tasks.delete(task));
    this.#tasks.add(task);
  }

  #startReconciliation(groupId: string, work: () => Promise<void>): void {
    if (this.#reconciling.has(groupId)) return;
    this.#reconciling.add(groupId);
    this.#startTask(`reconciliation of group ${groupId}`, () =>
      this.#withReconcilePermit(async () => (this.#isStopping ? undefined : work())).finally(() =>
        this.#reconciling.delete(groupId),
      ),
    );
  }

  async #reconcileOnRequest(groupId: string): Promise<void> {
    if (this.#isStopping) return;
    try {
      await this.#reconciler.reconcileOnRequest(groupId);
    } catch (error) {
      await this.#write((database) => postponeReconcileRequests(database, allTenants, groupId, requestRetrySeconds));
      throw error;
    }
  }

  async #run(): Promise<void> {
    for (let tick = 0; !this.#isStopping; tick++) {
      await this.#tick(tick).catch((error) => this.#tools.onError(error, 'polling for deployments'));
      await pause(tickMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
    }
  }

  async #tick(tick: number): Promise<void> {
    if (tick % ticksPerMaintenance === 0) {
      await this.#requestOrphanRemoval();
      await this.#expireStatuses();
    }
    const abandoned = await this.#read((database) => listAbandoned(database, allTenants, 2 * concurrentDeployments));
    for (const record of abandoned) void this.deploy(record);
    const requested = await this.#read((database) => listRequestedGroups(database, allTenants, requestGraceSeconds));
    for (const groupId of requested) this.#startReconciliation(groupId, () => this.#reconcileOnRequest(groupId));
    const { reconcileSeconds } = this.#tools.driver;
    const due = await this.#read((database) => listDueGroups(database, allTenants, reconcileSeconds, dueGroupsPerTick));
    for (const groupId of due)
      this.#startReconciliation(groupId, () => this.#reconciler.reconcilePeriodically(groupId));
  }

  /** Requests the reconciliation of groups that are in the fabric without records. */
  async #requestOrphanRemoval(): Promise<void> {
    const groupIds = await this.#tools.driver.groups();
    const orphaned = await this.#read((database) => listOrphanedGroups(database, allTenants, groupIds));
    for (const groupId of orphaned) await this.#write((database) => addReconcileRequest(database, allTenants, groupId));
  }

  /** Runs before the groups of the tick are reconciled: an outdated status is unknown until then. */
  #expireStatuses(): Promise<void> {
    return this.#write(async (database) => {
      const connectorIds = await listConnectorsWithStaleStatus(database, allTenants);
      if (connectorIds.length) await resetStatuses(database, allTenants, connectorIds);
      const groupIds = await expireReports(database, allTenants);
      if (groupIds.length) await markDue(database, allTenants, groupIds);
    });
  }

  #read<T>(work: (database: Database) => Promise<T>): Promise<T> {
    return this.#tools.store.read(allTenants, work);
  }

  #write<T>(work: (database: Database) => Promise<T>): Promise<T> {
    return this.#tools.store.write(allTenants, work);
  }
}
