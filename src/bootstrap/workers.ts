// The background workers of the service. Each is put on the stack `opened`, which stops them in reverse order.
import { join } from 'node:path';
import type { Logger } from 'pino';
import { ChangeFeed } from '../cache/change-feed.ts';
import type { Driver } from '../fabric/driver.ts';
import { deleteExpiredRecords } from '../http/pipeline/idempotency.ts';
import { type JobQueue, type Jobs, startJobs } from '../jobs/job-queue.ts';
import { createMailer, type Mail } from '../mail/mailer.ts';
import type { Backend } from '../metrics/backend.ts';
import { Engine } from '../reconciler/engine.ts';
import { createLookingGlass } from '../reconciler/looking-glass.ts';
import { TelemetryCollector } from '../reconciler/telemetry-collector.ts';
import { deployQueue, type ReconcileRequest, reconcileQueue } from '../resources/deployments/enqueue.ts';
import type { LookingGlass } from '../resources/deployments/ports.ts';
import type { DeploymentRecord } from '../resources/deployments/store.ts';
import { type StatusSync, startStatusSync } from '../resources/metrics/status-sync.ts';
import { type ResetJob, readResetRequest, sendResetMail } from '../resources/sessions/password-reset.ts';
import { deleteExpiredTokens } from '../resources/tokens/store.ts';
import { deleteForgottenNetworks } from '../resources/users/login-store.ts';
import type { Settings } from '../settings.ts';
import { allTenants } from '../store/database.ts';
import { type Clock, startClock } from '../store/database-clock.ts';
import type { Foundation } from './foundation.ts';
import { openManagedFabric } from './open-fabric.ts';
import { openMetrics } from './open-metrics.ts';

export const resetQueue = 'reset-mail';
export const mailQueue = 'mail';

const housekeepingMs = 10 * 60_000;

export interface WorkerContext {
  settings: Settings;
  foundation: Foundation;
  logger: Logger;
  opened: AsyncDisposableStack;
}

const logFailure =
  (logger: Logger) =>
  (error: unknown, task: string): void =>
    logger.warn({ err: error }, `${task} failed; retrying`);

export async function startDatabaseClock({ foundation, logger, opened }: WorkerContext): Promise<Clock> {
  const clock = await startClock(foundation.store, {
    setBack: (seconds) =>
      logger.warn(
        `the database clock was set back by ${Math.round(seconds)} s; expiry continues from the latest known time`,
      ),
    error: logFailure(logger),
  });
  opened.defer(() => clock.stop());
  return clock;
}

export async function startReconciler({ settings, foundation, logger, opened }: WorkerContext): Promise<{
  engine: Engine;
  lookingGlass: LookingGlass;
  driver: Driver;
  fabric: string;
}> {
  const { store, keys } = foundation;
  const driver = await openManagedFabric(settings, foundation, (text) => logger.warn(text), opened);
  const engine = new Engine({ store, keys, driver, onError: logFailure(logger) });
  engine.start();
  // A lab ends with its service. After a kill, the next start adopts it.
  opened.defer(() => engine.stop({ tearDown: settings.fabric === 'lab' }));
  return { engine, lookingGlass: createLookingGlass({ keys, driver }), driver, fabric: await driver.describe() };
}

/** The workers of the job queue. `baseUrl` resolves when the service listens: mails contain links to it. */
export async function startJobWorkers(
  { settings, foundation, logger, opened }: WorkerContext,
  engine: Engine,
  baseUrl: Promise<string>,
): Promise<Jobs> {
  const { keys, store, databaseUrl, asOwner } = foundation;
  const outbox = join(settings.data, 'outbox');
  const mailer = createMailer({ smtpUrl: settings.smtpUrl, outbox, from: settings.mailFrom });
  opened.defer(() => mailer.close());
  const reset: JobQueue<ResetJob> = {
    name: resetQueue,
    handle: async (data) =>
      sendResetMail(store, keys, mailer, await baseUrl, await readResetRequest(store, keys, data)),
  };
  const mail: JobQueue<Mail> = { name: mailQueue, handle: (data) => mailer.send(data) };
  const deploy: JobQueue<DeploymentRecord> = {
    name: deployQueue,
    handle: (record) => engine.deploy(record),
    onePerKey: true,
  };
  const reconcile: JobQueue<ReconcileRequest> = {
    name: reconcileQueue,
    handle: (request) => engine.reconcile(request),
    onePerKey: true,
  };
  const queues = [reset, mail, deploy, reconcile] as JobQueue<object>[];
  const onError = (error: Error) => logger.warn({ err: error }, 'job queue error');
  const jobs = await startJobs(databaseUrl, asOwner, queues, onError);
  opened.defer(() => jobs.stop());
  return jobs;
}

/** The metric backend, the collector that feeds it, and the statuses that are derived from it. */
export async function startMetrics(
  { settings, foundation, logger, opened }: WorkerContext,
  driver: Driver,
  clock: Clock,
): Promise<{ backend: Backend; statusSync: StatusSync }> {
  const { store, keys } = foundation;
  const onError = logFailure(logger);
  const backend = await openMetrics(settings, store, clock.nowMs, onError);
  opened.defer(() => backend.close());
  // A backend that only reads gets its samples from elsewhere.
  if (backend.acceptsWrites) {
    const collector = new TelemetryCollector({ store, keys, driver, backend, onError });
    collector.start();
    opened.defer(() => collector.stop());
  }
  const statusSync = startStatusSync(store, backend, onError);
  opened.defer(() => statusSync.close());
  return { backend, statusSync };
}

export function startHousekeeping({ foundation: { store }, logger, opened }: WorkerContext): void {
  const deleteAllExpired = (): void => {
    store
      .write(allTenants, async (database) => {
        await deleteExpiredTokens(database, allTenants);
        await deleteExpiredRecords(database, allTenants);
        await deleteForgottenNetworks(database, allTenants);
      })
      .catch((error) => logger.warn({ err: error }, 'housekeeping failed; retrying in ten minutes'));
  };
  const timer = setInterval(deleteAllExpired, housekeepingMs).unref();
  opened.defer(() => clearInterval(timer));
}

export function startChangeFeedWorker({ foundation, logger, opened }: WorkerContext): ChangeFeed {
  const { databaseUrl, store } = foundation;
  const feed = new ChangeFeed({
    url: databaseUrl,
    processName: store.processName,
    epochs: store.epochs,
    onError: (error) => logger.warn({ err: error }, 'change feed lost; response cache disabled'),
  });
  opened.defer(() => feed.close());
  return feed;
}
