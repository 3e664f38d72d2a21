// Work that outlives the request: jobs in the same database, enqueued in the request's own transaction, taken up again
// after a crash, and told about at once instead of at the next poll.
import { CompiledQuery } from 'kysely';
import type pg from 'pg';
import { PgBoss, systemClock } from 'pg-boss';
import { appRole, type Database } from '../store/database.ts';

export interface Queue<Data extends object> {
  name: string;
  /** Who does the work in this process; a queue without one keeps its jobs for a process that has it. */
  handle?: (data: Data) => Promise<void>;
  /** One that waits is enough for each key: whoever takes it up sees everything that was decided until then. */
  onePerKey?: true;
}

export interface Jobs {
  /** Within a transaction: the job is there if and only if the transaction is. */
  send(database: Database, queue: string, data: object, key?: string): Promise<void>;
  stop(): Promise<void>;
}

const retries = { retryLimit: 12, retryDelay: 2, retryBackoff: true, retryDelayMax: 300, expireInSeconds: 60 };

// A NOTIFY wakes the workers; jobs that became due by themselves (a retry) or whose NOTIFY was missed wait for the next look.
const polling = { pollingIntervalSeconds: 0.5, notifyPollingIntervalSeconds: 1, localConcurrency: 2 };

// A connection that says nothing any more is given up: who waited for it for ever would never look for jobs again.
const driver = { query_timeout: 20_000, connectionTimeoutMillis: 10_000, keepAlive: true };

// Its workers pause for so long less what the work took: by a clock that is set back meanwhile they would pause for as long as that.
const clock = { ...systemClock, now: () => performance.timeOrigin + performance.now() };

export async function startJobs<Data extends object>(
  url: string,
  asOwner: <T>(work: (client: pg.Client) => Promise<T>) => Promise<T>,
  queues: Queue<Data>[],
  onError: (error: Error) => void,
): Promise<Jobs> {
  const boss = new PgBoss({
    ...driver,
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
    if (!(await boss.getQueue(queue.name)))
      await boss.createQueue(queue.name, {
        ...retries,
        notify: true,
        ...(queue.onePerKey ? { policy: 'short' } : {}),
      });
    const { handle } = queue;
    if (!handle) continue;
    await boss.work(queue.name, polling, async (jobs) => {
      for (const job of jobs) await handle(job.data as Data);
    });
  }
  await asOwner(async (client) => {
    // Its only clock. Jobs that wait for a moment, or for a worker that is gone, would otherwise wait as long as the clock was set back.
    await client.query(
      `create or replace function pgboss.job_now() returns timestamptz language sql stable as 'select moment from public.present'`,
    );
    await client.query(`grant usage on schema pgboss to ${appRole}`);
    await client.query(`grant select, insert, update on all tables in schema pgboss to ${appRole}`);
    await client.query(`grant execute on all functions in schema pgboss to ${appRole}`);
  });
  return {
    async send(database, queue, data, key) {
      const executeSql = async (text: string, values: unknown[] = []) => {
        const { rows } = await database.executeQuery(CompiledQuery.raw(text, values));
        return { rows: rows as unknown[] };
      };
      await boss.send(queue, data, { db: { executeSql }, ...(key ? { singletonKey: key } : {}) });
    },
    stop: () => boss.stop({ graceful: true, timeout: 5000 }),
  };
}
