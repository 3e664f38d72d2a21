// What goes on beside the requests: deployments, jobs, metrics, and keeping house. Everything started is put on the stack, which ends it.
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Driver } from '../fabric/driver.ts';
import { deleteExpiredRecords } from '../http/pipeline/idempotency.ts';
import { type Jobs, type Queue, startJobs } from '../jobs/jobs.ts';
import { createMailer } from '../mail/mailer.ts';
import type { Backend } from '../metrics/backend.ts';
import { type Engine, startEngine } from '../reconciler/engine.ts';
import { createLookingGlass, type LookingGlass } from '../reconciler/looking-glass.ts';
import { startTelemetryCollector } from '../reconciler/telemetry-collector.ts';
import { deployQueue, reconcileQueue } from '../resources/deployments/enqueue.ts';
import { type StatusSync, startStatusSync } from '../resources/metric-queries/status-sync.ts';
import { mailReset, type ResetJob, readResetRequest } from '../resources/sessions/operations.ts';
import { deleteExpired } from '../resources/tokens/store.ts';
import type { Settings } from '../settings.ts';
import { allTenants, type Store } from '../store/database.ts';
import { type Clock, startClock } from '../store/database-clock.ts';
import type { Foundation } from './foundation.ts';
import { openManagedFabric } from './open-fabric.ts';
import { openMetrics } from './open-metrics.ts';

export const resetQueue = 'reset-mail';

const telling =
  (logger: Logger) =>
  (error: unknown, what: string): void =>
    logger.warn({ err: error }, `${what} failed; it is tried again`);

/** What time it is. */
export async function startDatabaseClock(
  { store }: Foundation,
  logger: Logger,
  opened: AsyncDisposableStack,
): Promise<Clock> {
  const clock = await startClock(store, {
    setBack: (seconds) =>
      logger.warn(
        `The clock of the database was set back by ${Math.round(seconds)} s. What expires goes on as if it had not been.`,
      ),
    trouble: telling(logger),
  });
  opened.defer(() => clock.stop());
  return clock;
}

/** What links are deployed on, and who deploys them. */
export async function startReconciler(
  settings: Settings,
  foundation: Foundation,
  logger: Logger,
  opened: AsyncDisposableStack,
): Promise<{ engine: Engine; looking: LookingGlass; driver: Driver; fabric: string }> {
  const driver = await openManagedFabric(settings, foundation, (text) => logger.warn(text), opened);
  const engine = startEngine({
    store: foundation.store,
    keys: foundation.keys,
    driver,
    onTrouble: telling(logger),
  });
  // A lab ends with the service that keeps it; only a killed one leaves it to the next.
  opened.defer(() => engine.stop({ tearDown: settings.fabric === 'lab' }));
  const looking = createLookingGlass({ keys: foundation.keys, driver });
  return { engine, looking, driver, fabric: await driver.describe() };
}

/** The jobs of this process. Those that send mails wait for the address of the service, which mails name. */
export async function startJobWorkers(
  settings: Settings,
  { keys, store, databaseUrl, asOwner }: Foundation,
  engine: Engine,
  baseUrl: Promise<string>,
  logger: Logger,
  opened: AsyncDisposableStack,
): Promise<Jobs> {
  const outbox = join(settings.data, 'outbox');
  const mailer = createMailer({ smtpUrl: settings.smtpUrl, outbox, from: settings.mailFrom });
  opened.defer(() => mailer.close());
  const reset: Queue<ResetJob> = {
    name: resetQueue,
    handle: async (data) => mailReset(store, keys, mailer, await baseUrl, await readResetRequest(store, keys, data)),
  };
  const onError = (error: Error) => logger.warn({ err: error }, 'jobs are disturbed');
  const queues = [
    reset,
    { name: deployQueue, handle: engine.begin, onePerKey: true as const },
    { name: reconcileQueue, handle: engine.errand, onePerKey: true as const },
  ] as Queue<object>[];
  const jobs = await startJobs(databaseUrl, asOwner, queues, onError);
  opened.defer(() => jobs.stop());
  return jobs;
}

/** The metric engine, what the fabric feeds it, and the statuses that follow from it. */
export async function startMetrics(
  settings: Settings,
  { store, keys }: Foundation,
  driver: Driver,
  clock: Clock,
  logger: Logger,
  opened: AsyncDisposableStack,
): Promise<{ backend: Backend; statuses: StatusSync }> {
  const onTrouble = telling(logger);
  const backend = await openMetrics(settings, store, clock.nowMs, onTrouble);
  opened.defer(() => backend.close());
  // What only reads has its measurements from elsewhere.
  if (backend.takesPoints) {
    const collection = startTelemetryCollector({ store, keys, driver, backend, onTrouble });
    opened.defer(() => collection.stop());
  }
  const statuses = startStatusSync(store, backend, onTrouble);
  opened.defer(() => statuses.close());
  return { backend, statuses };
}

export function startHousekeeping(store: Store, logger: Logger): () => void {
  const sweep = (): void => {
    store
      .write(allTenants, async (database) => {
        await deleteExpired(database, allTenants);
        await deleteExpiredRecords(database, allTenants);
      })
      .catch((error) => logger.warn({ err: error }, 'housekeeping failed; it runs again in ten minutes'));
  };
  const timer = setInterval(sweep, 10 * 60_000);
  timer.unref();
  return () => clearInterval(timer);
}
