// The only door to PostgreSQL for the service at work. Whoever comes through says for whom: a scope (one organisation), or
// `everywhere` (the service itself, before it knows the caller). Row-level security holds every statement to that.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { type IsolationLevel, type Kysely, sql } from 'kysely';
import pg from 'pg';
import { AcquireTimeout, createKeyedSemaphore } from '../concurrency/keyed-semaphore.ts';
import { isUuid } from '../values/uuid.ts';
import { createEpochs, type Epochs } from './epochs.ts';
import { createQueryBuilder, isFollowUpError, type StatementMonitor } from './pipelined-driver.ts';
import type { Tables } from './tables.ts';

export type Database = Kysely<Tables>;

/** The organisation a piece of work is for. Its code is the owner in resource names. */
export interface Scope {
  organisationId: string;
  organisationCode: string;
}

export const allTenants = Symbol('everywhere');
export type AllTenants = typeof allTenants;

export interface Store {
  /** One consistent snapshot, read only. Whoever wants to know what it was made of is told the statements. */
  read<T>(
    scope: Scope | AllTenants,
    work: (database: Database) => Promise<T>,
    onStatement?: (text: string) => void,
  ): Promise<T>;
  /** One transaction, tried again when it lost a race (serialisation failure or deadlock). */
  write<T>(scope: Scope | AllTenants, work: (database: Database) => Promise<T>, isolation?: IsolationLevel): Promise<T>;
  isReachable(): Promise<boolean>;
  /** Moved by everything that is written here, before whoever wrote it hears of it. */
  epochs: Epochs;
  /** What the database calls this process when it tells the others of a change. */
  processName: string;
  close(): Promise<void>;
}

export const appRole = 'patchbay_app';

// Timestamps stay text: see timestamps.ts. Numbers of 8 bytes stay text too; who needs them says how.
const textTypes = new Set([pg.types.builtins.TIMESTAMPTZ, pg.types.builtins.INT8]);
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    textTypes.has(oid) ? (value: string) => value : pg.types.getTypeParser(oid, format as 'text'),
};

const sessionOptions = [
  `role=${appRole}`,
  'timezone=UTC',
  'datestyle=ISO',
  // Every list has an index in its order. The planner, which takes an organisation and its groups for independent, would often rather
  // fetch all that matches and sort it; and compiling costs more than any of these queries.
  'enable_sort=off',
  'jit=off',
  // Statements are planned once for everybody (statements.ts): the best plan of each is the same for whatever is asked, along the index of its order.
  'plan_cache_mode=force_generic_plan',
  'idle_in_transaction_session_timeout=15000',
];

/** What a statement may take when nobody has said otherwise. */
const usualPatienceMs = 4000;
/** Whoever asks is told, also when the database says nothing at all: so much later than it gives up a statement itself. */
const graceMs = 500;

/** Within a transaction: whatever follows is for this scope. */
export async function setTenant(database: Database, scope: Scope | AllTenants): Promise<void> {
  const organisation = scope === allTenants ? '' : scope.organisationId;
  const all = scope === allTenants ? 'on' : 'off';
  await sql`select set_config('patchbay.organisation', ${organisation}, true), set_config('patchbay.everywhere', ${all}, true)`.execute(
    database,
  );
}

/**
 * What begins a transaction for a scope, in one message: nothing of it comes from outside but an id that is one. Role, time zone and patience are set each
 * time: what lies between (a pooler, options in the address) may have dropped those of the session. Row-level security holds nobody who owns the
 * tables, and times on the wire are of UTC.
 */
function beginning(scope: Scope | AllTenants, kind: string, patienceMs: number): string {
  const organisation = scope === allTenants ? '' : scope.organisationId;
  if (organisation !== '' && !isUuid(organisation)) throw new Error('The scope is no organisation');
  const settings = {
    role: appRole,
    'patchbay.organisation': organisation,
    'patchbay.everywhere': scope === allTenants ? 'on' : 'off',
    timezone: 'UTC',
    statement_timeout: String(patienceMs),
  };
  // Statements of their own need no plan, and answer without a row.
  const set = Object.entries(settings).map(([name, value]) => `set local ${name} = '${value}'`);
  return [`begin isolation level ${kind}`, ...set].join('; ');
}

/** Within a transaction: a piece of work for another scope, after which it is this one's again. */
export async function asTenant<T>(
  database: Database,
  scope: Scope | AllTenants,
  own: Scope | AllTenants,
  work: () => Promise<T>,
): Promise<T> {
  await setTenant(database, own);
  const result = await work();
  await setTenant(database, scope);
  return result;
}

/**
 * Within a transaction: a piece of work of which only what it found out stays. What it holds is let go at once, and with what it wrote goes what others
 * would have been told of it (patchbay.touched, the notifications). Sequences alone are never taken back.
 */
export async function rolledBack<T>(database: Database, work: () => Promise<T>): Promise<T> {
  await sql`savepoint undone`.execute(database);
  const result = await work();
  await sql`rollback to savepoint undone`.execute(database);
  return result;
}

/** Within a transaction: whether nobody else is doing the same thing; nobody will until it has ended. Who waits asks again: statements end in time. */
export async function tryAdvisoryLock(database: Database, what: string): Promise<boolean> {
  const { rows } = await sql<{ taken: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${what}, 0)) as taken`.execute(database);
  return rows[0]?.taken === true;
}

/** Within a transaction: the records that follow were made at this moment of the past. */
export async function backdate(database: Database, moment: Date): Promise<void> {
  await sql`select set_config('patchbay.retold_time', ${moment.toISOString()}, true)`.execute(database);
}

/** The end of a writing: what it touched, as the database has kept it, and the commit, in one message. */
const lastWords = `select current_setting('patchbay.touched', true) as touched; commit`;

/** More than there are connections: each may have to be replaced. */
const attempts = 16;
const mostConnections = 12;
/** Of which one organisation's writings take no more than these. */
const mostOfOne = mostConnections / 2;

/** A statement that the connection keeps was planned for a table that has other columns since (a migration): a new connection plans anew. */
const isOutdated = (error: unknown): boolean => (error as { code?: string }).code === '0A000';

const done = (): void => undefined;

/** Another transaction was first (serialisation failure, deadlock): run again. */
export function isSerializationFailure(error: unknown): boolean {
  const { code } = error as { code?: string };
  return code === '40001' || code === '40P01';
}

async function repeatedly<T>(work: () => Promise<T>, isWorthIt: (error: unknown) => boolean): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isWorthIt(error) || attempt === attempts) throw error;
      await pause(Math.random() * 15 * attempt);
    }
  }
}

export function openStore(url: string, onError: (error: Error) => void, patienceMs = usualPatienceMs): Store {
  const answerWithinMs = patienceMs + graceMs;
  const epochs = createEpochs();
  const turns = createKeyedSemaphore(mostOfOne);
  const processName = randomUUID();
  const pool = new pg.Pool({
    connectionString: url,
    options: [...sessionOptions, `statement_timeout=${patienceMs}`, `patchbay.process=${processName}`]
      .map((option) => `-c ${option}`)
      .join(' '),
    application_name: 'patchbay',
    max: mostConnections,
    connectionTimeoutMillis: patienceMs,
    query_timeout: answerWithinMs,
    pipeline: true,
    types,
  });
  // A connection that dies (the database was restarted) is replaced by the pool; it must not end the process, neither while
  // it is idle nor between two statements of a transaction, when only the connection itself can tell.
  pool.on('error', onError);
  const builders = new WeakMap<pg.PoolClient, { database: Database; watch: StatementMonitor }>();
  const equip = (client: pg.PoolClient): void => {
    const watch: StatementMonitor = { onStatement: undefined, failure: undefined, isOver: false };
    builders.set(client, { database: createQueryBuilder(client, watch), watch });
  };
  pool.on('connect', (client) => {
    client.on('error', () => undefined);
    equip(client);
  });

  /** The pool's own patience is the whole; of who has waited for a turn before, less is left. */
  async function connect(withinMs: number): Promise<pg.PoolClient> {
    const connecting = pool.connect();
    if (withinMs > patienceMs - graceMs) return connecting;
    const waited = new AbortController();
    const late = pause(withinMs, undefined, { signal: waited.signal }).then(() => {
      connecting.then((client) => client.release()).catch(() => undefined);
      throw new AcquireTimeout('No connection was free in time');
    });
    return Promise.race([connecting, late]).finally(() => waited.abort());
  }

  /** What was written stands from here on, and what was remembered of it is over before anybody is told so. */
  async function commitWriting(client: pg.PoolClient): Promise<void> {
    const ended = await client.query(lastWords).catch((error) => {
      // A transaction in which a statement failed ends as if it had been asked to: nothing of it is kept.
      if (error.code === '25P02') throw new Error('The database has undone what was written', { cause: error });
      // It may have been written nevertheless.
      if (!isSerializationFailure(error)) epochs.moveAll();
      throw error;
    });
    const [told] = ended as unknown as [pg.QueryResult<{ touched: string | null }>];
    epochs.move(told.rows[0]?.touched ?? '');
  }

  async function transact<T>(
    kind: string,
    scope: Scope | AllTenants,
    work: (database: Database) => Promise<T>,
    isWriting: boolean,
    onStatement?: (text: string) => void,
  ): Promise<T> {
    const text = beginning(scope, kind, patienceMs);
    const askedMs = performance.now();
    const giveBack = isWriting && scope !== allTenants ? await turns.take(scope.organisationId, patienceMs) : done;
    const client = await connect(patienceMs - (performance.now() - askedMs)).catch((error) => {
      giveBack();
      throw error;
    });
    // What was spent on waiting is not given to a connection that says nothing.
    const leftMs = Math.max(graceMs, answerWithinMs - (performance.now() - askedMs));
    // What is asked first travels with the beginning: nobody waits for an answer that says nothing.
    const first: pg.QueryConfig & { query_timeout: number } = { text, query_timeout: leftMs };
    const begun = client.query(first);
    begun.catch(() => undefined);
    const { database, watch } = builders.get(client) as { database: Database; watch: StatementMonitor };
    watch.onStatement = onStatement;
    let isLost = false;
    try {
      const result = await work(database);
      await begun;
      if (isWriting) await commitWriting(client);
      // Nor for that of a reading, which the next one follows on the same way.
      else client.query('commit').catch(() => undefined);
      return result;
    } catch (error) {
      watch.isOver = true;
      equip(client);
      await client.query('rollback').catch(() => {
        isLost = true;
      });
      // Whatever followed a beginning that failed says less than that, and what followed a statement less than that one.
      await begun;
      const cause = isFollowUpError(error) ? (watch.failure ?? error) : error;
      isLost ||= isOutdated(cause);
      throw cause;
    } finally {
      Object.assign(watch, { onStatement: undefined, failure: undefined });
      client.release(isLost);
      giveBack();
    }
  }

  return {
    epochs,
    processName,
    read: (scope, work, onStatement) =>
      repeatedly(() => transact('repeatable read read only', scope, work, false, onStatement), isOutdated),
    write: (scope, work, isolation = 'read committed') =>
      repeatedly(
        () => transact(isolation, scope, work, true),
        (error) => isSerializationFailure(error) || isOutdated(error),
      ),
    isReachable: () =>
      pool.query('select 1').then(
        () => true,
        () => false,
      ),
    close: () => pool.end(),
  };
}
