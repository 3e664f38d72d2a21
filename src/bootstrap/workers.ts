// The background workers of the service. Each is put on the stack `opened`, which stops them in reverse order.
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Brand } from '../brand-file.ts';
import { ChangeFeed } from '../cache/change-feed.ts';
import { OperatorError } from '../errors/operator-error.ts';
import type { Driver } from '../fabric/driver.ts';
import type { FailureLog } from '../host/failure-log.ts';
import type { Keys } from '../host/key-file.ts';
import type { MetricsEndpoint } from '../host/metrics-endpoint.ts';
import { deleteExpiredRecords } from '../http/pipeline/idempotency.ts';
import { type JobObserver, type JobQueue, type Jobs, startJobs } from '../jobs/job-queue.ts';
import { renameSender } from '../mail/header-text.ts';
import { countMails, createMailer, type Mail } from '../mail/mailer.ts';
import type { Backend } from '../metrics/backend.ts';
import { Engine } from '../reconciler/engine.ts';
import { createLookingGlass } from '../reconciler/looking-glass.ts';
import { TelemetryCollector } from '../reconciler/telemetry-collector.ts';
import { deployQueue, type ReconcileRequest, reconcileQueue } from '../resources/deployments/enqueue.ts';
import type { LookingGlass } from '../resources/deployments/ports.ts';
import type { DeploymentRecord } from '../resources/deployments/store.ts';
import { type StatusSync, startStatusSync } from '../resources/metrics/status-sync.ts';
import {
  type ResetJob,
  readResetRequest,
  resetRequestFor,
  sendResetMail,
} from '../resources/sessions/password-reset.ts';
import { deleteExpiredTokens } from '../resources/tokens/store.ts';
import { deleteForgottenNetworks } from '../resources/users/login-store.ts';
import type { Settings } from '../settings.ts';
import { allTenants, type Database } from '../store/database.ts';
import { type Clock, startClock } from '../store/database-clock.ts';
import { DatabaseFigures } from './database-figures.ts';
import type { Foundation } from './foundation.ts';
import { openManagedFabric } from './open-fabric.ts';
import { openMetrics } from './open-metrics.ts';
import { exportServiceMetrics } from './service-metrics.ts';

export const resetQueue = 'reset-mail';
export const mailQueue = 'mail';
/** What enqueues mails in the transaction of a request. */
export const createMailQueues = (jobs: Pick<Jobs, 'send'>, keys: Keys) => ({
  enqueueMail: (database: Database, mail: Mail) => jobs.send(database, mailQueue, mail),
  enqueueResetMail: (database: Database, user: { id: string; email: string } | null) =>
    jobs.send(database, resetQueue, { wish: user && resetRequestFor(keys, user) }),
});

export const queueNames = [resetQueue, mailQueue, deployQueue, reconcileQueue];

const housekeepingMs = 10 * 60_000;

export interface WorkerContext {
  settings: Settings;
  foundation: Foundation;
  logger: Logger;
  failures: FailureLog;
  metrics: MetricsEndpoint;
  opened: AsyncDisposableStack;
}

const logFailure =
  (failures: FailureLog) =>
  (error: unknown, task: string): void =>
    failures.warn(error, `${task} failed; retrying`);

export async function startDatabaseClock({ foundation, logger, failures, opened }: WorkerContext): Promise<Clock> {
  const clock = await startClock(foundation.store, {
    setBack: (seconds) =>
      logger.warn(
        `the database clock was set back by ${Math.round(seconds)} s; expiry continues from the latest known time`,
      ),
    error: logFailure(failures),
  });
  opened.defer(() => clock.stop());
  return clock;
}

export async function startReconciler(context: WorkerContext): Promise<{
  engine: Engine;
  lookingGlass: LookingGlass;
  driver: Driver;
  fabric: string;
}> {
  const { settings, foundation, failures, metrics, opened } = context;
  const { store, keys } = foundation;
  const driver = await openManagedFabric(settings, foundation, failures.warning, opened);
  const onRepair = metrics.createCounter('patchbay_repairs_total', 'Repairs of groups that had drifted', 'result', [
    'repaired',
    'failed',
  ]);
  const engine = new Engine({ store, keys, driver, onError: logFailure(failures), onRepair });
  engine.start();
  // A lab ends with its service. After a kill, the next start adopts it.
  opened.defer(() => engine.stop({ tearDown: settings.fabric === 'lab' }));
  return { engine, lookingGlass: createLookingGlass({ keys, driver }), driver, fabric: await driver.describe() };
}

function createJobObserver({ logger, failures, metrics }: WorkerContext): JobObserver {
  const help = ['Failed attempts to run a job', 'Jobs whose last attempt failed'] as const;
  const countFailed = metrics.createCounter('patchbay_jobs_failed_total', help[0], 'queue', queueNames);
  const countGivenUp = metrics.createCounter('patchbay_jobs_given_up_total', help[1], 'queue', queueNames);
  return {
    onError: (error) => failures.warn(error, 'job queue error'),
    onFailedAttempt: ({ queue, jobId, attempt, attempts, error }) => {
      countFailed(queue);
      const fields = { queue, jobId, attempt, attempts };
      const cause = error instanceof OperatorError ? {} : { err: error };
      const text = `job of queue ${queue} failed, attempt ${attempt} of ${attempts}: ${error.message}`;
      if (attempt === attempts) {
        countGivenUp(queue);
        logger.error({ ...fields, ...cause }, `${text}; given up`);
      } else if (error instanceof OperatorError) logger.warn(fields, `${text}; retrying`);
      else failures.warn(error, `${text}; retrying`, fields);
    },
  };
}

/** The workers of the job queue. `baseUrl` resolves when the service listens: mails contain links to it. */
export async function startJobWorkers(
  context: WorkerContext,
  engine: Engine,
  baseUrl: Promise<string>,
  brand: Brand,
): Promise<Jobs> {
  const { settings, foundation, metrics, opened } = context;
  const { keys, store, databaseUrl, asOwner } = foundation;
  const outbox = join(settings.data, 'outbox');
  const countMail = metrics.createCounter('patchbay_mails_total', 'Attempts to send a mail', 'result', [
    'sent',
    'failed',
  ]);
  const from = renameSender(settings.mailFrom, brand.mailSender);
  const mailer = countMails(createMailer({ smtpUrl: settings.smtpUrl, outbox, from }), countMail);
  opened.defer(() => mailer.close());
  const reset: JobQueue<ResetJob> = {
    name: resetQueue,
    handle: async (data) =>
      sendResetMail(store, keys, mailer, brand.mailTexts, await baseUrl, await readResetRequest(store, keys, data)),
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
  const jobs = await startJobs(databaseUrl, asOwner, queues, createJobObserver(context));
  opened.defer(() => jobs.stop());
  return jobs;
}

/** The metric backend, the collector that feeds it, and the statuses that are derived from it. */
export async function startMetrics(
  { settings, foundation, failures, opened }: WorkerContext,
  driver: Driver,
  clock: Clock,
): Promise<{ backend: Backend; statusSync: StatusSync }> {
  const { store, keys } = foundation;
  const onError = logFailure(failures);
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

export function startHousekeeping({ foundation: { store }, failures, opened }: WorkerContext): void {
  const deleteAllExpired = (): void => {
    store
      .write(allTenants, async (database) => {
        await deleteExpiredTokens(database, allTenants);
        await deleteExpiredRecords(database, allTenants);
        await deleteForgottenNetworks(database, allTenants);
      })
      .catch((error) => failures.warn(error, 'housekeeping failed; retrying in ten minutes'));
  };
  const timer = setInterval(deleteAllExpired, housekeepingMs).unref();
  opened.defer(() => clearInterval(timer));
}

/** What the metrics endpoint reports about the service as a whole. */
export function startServiceMetrics({ foundation, failures, metrics, opened }: WorkerContext): void {
  const figures = new DatabaseFigures(foundation.databaseUrl, logFailure(failures));
  opened.defer(() => figures.close());
  exportServiceMetrics(metrics, { store: foundation.store, figures, queueNames });
}

export function startChangeFeedWorker({ foundation, failures, opened }: WorkerContext): ChangeFeed {
  const { databaseUrl, store } = foundation;
  const feed = new ChangeFeed({
    url: databaseUrl,
    processName: store.processName,
    epochs: store.epochs,
    onError: (error) => failures.warn(error, 'change feed lost; response cache disabled'),
  });
  opened.defer(() => feed.close());
  return feed;
}
