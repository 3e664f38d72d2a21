// The job queue: jobs are stored in the same database, enqueued in the request's transaction, retried after a crash,
// and announced with NOTIFY.
import { CompiledQuery, sql } from 'kysely';
import type pg from 'pg';
import { type JobWithMetadata, PgBoss, systemClock } from 'pg-boss';
import { OperatorError } from '../errors/operator-error.ts';
import { currentTraceparent, inSpan, type SpanDescription } from '../host/tracing.ts';
import { type AllTenants, appRole, type Database } from '../store/database.ts';

export interface JobQueue<Data extends object> {
  name: string;
  /** A queue without a handler stores its jobs for another process. */
  handle?: (data: Data) => Promise<unknown>;
  /** At most one job per key waits, because a job handles everything that was requested until it starts. */
  onePerKey?: true;
}

/** An attempt to run a job that threw or took too long. */
export interface FailedAttempt {
  queue: string;
  jobId: string;
  /** From 1 to `attempts`; the job is given up after the last one. */
  attempt: number;
  attempts: number;
  error: Error;
}

export interface JobObserver {
  /** The queue itself fails, for example because its connection is lost. */
  onError: (error: Error) => void;
  onFailedAttempt: (failed: FailedAttempt) => void;
}

export interface Jobs {
  /** Enqueues a job in the caller's transaction. */
  send(database: Database, queue: string, data: object, key?: string): Promise<void>;
  stop(): Promise<void>;
}

const retryPolicy = { retryLimit: 12, retryDelay: 2, retryBackoff: true, retryDelayMax: 300, expireInSeconds: 60 };

// NOTIFY wakes the workers. Polling finds retries that became due, and jobs whose NOTIFY was lost.
const polling = { pollingIntervalSeconds: 0.5, notifyPollingIntervalSeconds: 1, localConcurrency: 2 };

// Timeouts for a connection that no longer responds: without them, polling would stop for good.
const connectionOptions = { query_timeout: 20_000, connectionTimeoutMillis: 10_000, keepAlive: true };

// pg-boss subtracts the duration of the work from its pause. With a wall clock that is set back, the pause would grow
// by that amount.
const clock = { ...systemClock, now: () => performance.timeOrigin + performance.now() };

/** pg-boss aborts the signal when the job expires or the service stops, and abandons the work. */
const untilAborted = (signal: AbortSignal, seconds: number): Promise<never> =>
  new Promise((_, reject) => {
    const error = new OperatorError(`It took longer than ${seconds} s, or the service was stopped`);
    signal.addEventListener('abort', () => reject(error), { once: true });
  });

/** pg-boss stores why a job failed, but reports it to nobody. */
async function runJob<Data extends object>(
  { id, name, data, retryCount, retryLimit, expireInSeconds, signal }: JobWithMetadata<Data>,
  handle: (data: Data) => Promise<unknown>,
  onFailedAttempt: JobObserver['onFailedAttempt'],
): Promise<void> {
  try {
    await Promise.race([handleTraced(name, data, (own) => handle(own as Data)), untilAborted(signal, expireInSeconds)]);
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    onFailedAttempt({ queue: name, jobId: id, attempt: retryCount + 1, attempts: retryLimit + 1, error });
    throw error;
  }
}

const describeJob = (operation: 'send' | 'process', queue: string): SpanDescription => ({
  name: `${operation} ${queue}`,
  kind: operation === 'send' ? 'producer' : 'consumer',
  attributes: {
    'messaging.system': 'pg-boss',
    'messaging.destination.name': queue,
    'messaging.operation.name': operation,
    'messaging.operation.type': operation,
  },
});

/** The data of a job as it is stored: with the trace context of its sender, which the worker continues. */
const withTraceparent = (data: object): object => {
  const traceparent = currentTraceparent();
  return traceparent ? { ...data, traceparent } : data;
};

/** Handles a job in a span of the sender's trace. */
function handleTraced(queue: string, stored: object, handle: (data: object) => Promise<unknown>): Promise<unknown> {
  const { traceparent, ...data } = stored as { traceparent?: string };
  const describe = () => ({ ...describeJob('process', queue), remote: { traceparent } });
  return inSpan(describe, () => handle(data));
}

async function createQueue<Data extends object>(boss: PgBoss, { name, onePerKey }: JobQueue<Data>): Promise<void> {
  if (await boss.getQueue(name)) return;
  await boss.createQueue(name, { ...retryPolicy, notify: true, ...(onePerKey ? { policy: 'short' } : {}) });
}

async function prepareSchema(client: pg.Client): Promise<void> {
  // pg-boss reads the time only through this function. With now(), jobs would wait for as long as the clock was set
  // back.
  await client.query(
    `create or replace function pgboss.job_now() returns timestamptz language sql stable
     as 'select moment from public.present'`,
  );
  await client.query(`grant usage on schema pgboss to ${appRole}`);
  await client.query(`grant select, insert, update on all tables in schema pgboss to ${appRole}`);
  await client.query(`grant execute on all functions in schema pgboss to ${appRole}`);
}

export async function startJobs<Data extends object>(
  url: string,
  asOwner: <T>(work: (client: pg.Client) => Promise<T>) => Promise<T>,
  queues: JobQueue<Data>[],
  { onError, onFailedAttempt }: JobObserver,
): Promise<Jobs> {
  const boss = new PgBoss({
    ...connectionOptions,
    connectionString: url,
    application_name: 'patchbay-jobs',
    max: 4,
    useListenNotify: true,
    clock,
    schedule: false,
  });
  boss.on('error', onError);
  await boss.start();
  for (const queue of queues) {
    await createQueue(boss, queue);
    const { name, handle } = queue;
    if (!handle) continue;
    await boss.work(name, { ...polling, includeMetadata: true }, async (jobs: JobWithMetadata<Data>[]) => {
      for (const job of jobs) await runJob(job, handle, onFailedAttempt);
    });
  }
  await asOwner(prepareSchema);
  return {
    async send(database, queue, data, key) {
      const executeSql = async (text: string, values: unknown[] = []) => {
        const { rows } = await database.executeQuery(CompiledQuery.raw(text, values));
        return { rows: rows as unknown[] };
      };
      const options = { db: { executeSql }, ...(key ? { singletonKey: key } : {}) };
      await inSpan(
        () => describeJob('send', queue),
        () => boss.send(queue, withTraceparent(data), options),
      );
    },
    stop: () => boss.stop({ graceful: true, timeout: 5000 }),
  };
}

export interface QueueDepth {
  queue: string;
  waiting: number;
  oldestSeconds: number;
}

/** The jobs that wait for a worker or for their next attempt. The conditions are those of the index job_i11. */
export async function readQueueDepths(database: Database, _scope: AllTenants): Promise<QueueDepth[]> {
  const { rows } = await sql<QueueDepth>`select name as queue, count(*)::int as waiting,
      greatest(0, extract(epoch from pgboss.job_now() - min(created_on)))::float8 as "oldestSeconds"
    from pgboss.job where state < 'active' and not blocked group by name`.execute(database);
  return rows;
}
