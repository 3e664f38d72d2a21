// The service's connection pool and its transactions.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { IsolationLevel } from 'kysely';
import pg from 'pg';
import { createKeyedSemaphore } from '../concurrency/keyed-semaphore.ts';
import { AcquireTimeout } from '../errors/acquire-timeout.ts';
import { inSpan, type SpanDescription } from '../host/tracing.ts';
import { isUuid } from '../values/uuid.ts';
import type { Availability, PoolFigures, Store } from './database.ts';
import { type AllTenants, allTenants, appRole, type Database, isSerializationFailure, type Scope } from './database.ts';
import { createEpochs } from './epochs.ts';
import { createQueryBuilder, isFollowUpError, type StatementMonitor } from './pipelined-driver.ts';

// Timestamps stay text (values/timestamps.ts). 8-byte integers stay text too, since a number cannot hold all of them.
const textTypes = new Set([pg.types.builtins.TIMESTAMPTZ, pg.types.builtins.INT8]);
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    textTypes.has(oid) ? (value: string) => value : pg.types.getTypeParser(oid, format as 'text'),
};

const sessionOptions = [
  `role=${appRole}`,
  'timezone=UTC',
  'datestyle=ISO',
  // Every list has an index in its sort order, but the planner assumes that an organisation and its groups are
  // independent and often prefers to sort all matches. JIT compilation costs more than any of these queries.
  'enable_sort=off',
  'jit=off',
  // The best plan of a statement follows the index of its order, whatever its parameters are.
  'plan_cache_mode=force_generic_plan',
  'idle_in_transaction_session_timeout=15000',
];

const defaultTimeoutMs = 4000;
/** The client gives up on a statement this much later than the server's statement_timeout. */
const graceMs = 500;
const defaultConnections = 12;
/** Connections that the writes of one organisation may occupy. */
const maxConnectionsPerTenant = defaultConnections / 2;
/** More than the pool has connections: each of them may have to be replaced. */
const maxAttempts = 16;

/** Reads the tables that a write has touched, then commits, in one message. */
const commitStatement = `select current_setting('patchbay.touched', true) as touched; commit`;

/** A migration changed the columns of a table that a cached plan uses; a new connection has no such plan. */
const isCachedPlanOutdated = (error: unknown): boolean => (error as { code?: string }).code === '0A000';

async function withRetries<T>(work: () => Promise<T>, isRetryable: (error: unknown) => boolean): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isRetryable(error) || attempt === maxAttempts) throw error;
      await pause(Math.random() * 15 * attempt);
    }
  }
}

/**
 * Begins a transaction for a scope, in one message. The only outside value is the organisation's id, which is checked.
 * Role, time zone and timeout are set in each transaction, since a pooler or options in the URL may have dropped those
 * of the session: row-level security does not apply to the owner of the tables, and the wire format assumes UTC.
 */
function beginStatement(scope: Scope | AllTenants, mode: string, timeoutMs: number): string {
  const organisation = scope === allTenants ? '' : scope.organisationId;
  if (organisation !== '' && !isUuid(organisation)) throw new Error('The scope is no organisation');
  const settings = {
    role: appRole,
    'patchbay.organisation': organisation,
    'patchbay.everywhere': scope === allTenants ? 'on' : 'off',
    timezone: 'UTC',
    statement_timeout: String(timeoutMs),
  };
  // SET LOCAL needs no plan and returns no row, unlike set_config().
  const set = Object.entries(settings).map(([name, value]) => `set local ${name} = '${value}'`);
  return [`begin isolation level ${mode}`, ...set].join('; ');
}

/** Statements are not described: their text would double the size of a trace. */
const transactionSpan = (name: string) => {
  const description: SpanDescription = {
    name,
    kind: 'client',
    attributes: { 'db.system.name': 'postgresql' },
    isDetail: true,
  };
  return () => description;
};
const describeRead = transactionSpan('read transaction');
const describeWrite = transactionSpan('write transaction');

interface Session {
  database: Database;
  monitor: StatementMonitor;
}

interface Transaction<T> {
  scope: Scope | AllTenants;
  mode: string;
  isWrite: boolean;
  /** The organisation whose connections a write occupies; undefined for the service's own work. */
  occupant?: string | undefined;
  work: (database: Database) => Promise<T>;
  onStatement?: ((text: string) => void) | undefined;
}

export class PostgresStore implements Store {
  readonly epochs = createEpochs();
  readonly processName = randomUUID();
  readonly #timeoutMs: number;
  readonly #pool: pg.Pool;
  readonly #writePermits = createKeyedSemaphore(maxConnectionsPerTenant);
  readonly #sessions = new WeakMap<pg.PoolClient, Session>();
  #isClosed = false;

  /** `onError` receives the errors of idle connections. */
  constructor(
    url: string,
    onError: (error: Error) => void,
    timeoutMs = defaultTimeoutMs,
    maxConnections = defaultConnections,
  ) {
    this.#timeoutMs = timeoutMs;
    this.#pool = new pg.Pool({
      connectionString: url,
      options: [...sessionOptions, `statement_timeout=${timeoutMs}`, `patchbay.process=${this.processName}`]
        .map((option) => `-c ${option}`)
        .join(' '),
      application_name: 'patchbay',
      max: maxConnections,
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs + graceMs,
      pipeline: true,
      types,
    });
    // Without these handlers a lost connection would end the process: the pool reports idle connections, and only the
    // connection itself reports a loss between two statements of a transaction.
    this.#pool.on('error', (error) => {
      // The pool's end does not wait for the sockets, so the embedded server's shutdown may reset them.
      if (!this.#isClosed) onError(error);
    });
    this.#pool.on('connect', (client) => {
      client.on('error', () => undefined);
      this.#openSession(client);
    });
  }

  read<T>(
    scope: Scope | AllTenants,
    work: (database: Database) => Promise<T>,
    onStatement?: (text: string) => void,
  ): Promise<T> {
    const mode = 'repeatable read read only';
    const transaction: Transaction<T> = { scope, mode, isWrite: false, work, onStatement };
    return withRetries(() => inSpan(describeRead, () => this.#transact(transaction)), isCachedPlanOutdated);
  }

  write<T>(
    scope: Scope | AllTenants,
    work: (database: Database) => Promise<T>,
    isolation: IsolationLevel = 'read committed',
  ): Promise<T> {
    const occupant = scope === allTenants ? undefined : scope.organisationId;
    return this.#writeWithRetries({ scope, mode: isolation, isWrite: true, occupant, work });
  }

  writeOnBehalf<T>(organisationId: string, work: (database: Database) => Promise<T>): Promise<T> {
    const mode = 'read committed';
    return this.#writeWithRetries({ scope: allTenants, mode, isWrite: true, occupant: organisationId, work });
  }

  checkAvailability(): Promise<Availability> {
    // The setting is on in every transaction of a standby, and where default_transaction_read_only is on.
    return this.#pool.query(`select current_setting('transaction_read_only') as read_only`).then(
      ({ rows }) => (rows[0].read_only === 'on' ? 'read-only' : 'available'),
      () => 'unreachable',
    );
  }

  connections(): PoolFigures {
    const { totalCount, idleCount, waitingCount, options } = this.#pool;
    return {
      inUse: totalCount - idleCount,
      idle: idleCount,
      limit: options.max,
      waiting: waitingCount + this.#writePermits.waiting,
    };
  }

  close(): Promise<void> {
    this.#isClosed = true;
    return this.#pool.end();
  }

  #writeWithRetries<T>(transaction: Transaction<T>): Promise<T> {
    return withRetries(
      () => inSpan(describeWrite, () => this.#transact(transaction)),
      (error) => isSerializationFailure(error) || isCachedPlanOutdated(error),
    );
  }

  #openSession(client: pg.PoolClient): void {
    const monitor: StatementMonitor = { onStatement: undefined, firstError: undefined, isClosed: false };
    this.#sessions.set(client, { database: createQueryBuilder(client, monitor), monitor });
  }

  /** The pool's own timeout is the full one; time spent waiting for a permit counts against it. */
  async #connect(timeoutMs: number): Promise<pg.PoolClient> {
    const connecting = this.#pool.connect();
    if (timeoutMs > this.#timeoutMs - graceMs) return connecting;
    const connected = new AbortController();
    const timeout = pause(timeoutMs, undefined, { signal: connected.signal }).then(() => {
      connecting.then((client) => client.release()).catch(() => undefined);
      throw new AcquireTimeout('No connection was free in time');
    });
    return Promise.race([connecting, timeout]).finally(() => connected.abort());
  }

  async #transact<T>(transaction: Transaction<T>): Promise<T> {
    const { scope, mode, occupant } = transaction;
    const begin = beginStatement(scope, mode, this.#timeoutMs);
    const startedMs = performance.now();
    const elapsedMs = (): number => performance.now() - startedMs;
    const release = occupant ? await this.#writePermits.acquire(occupant, this.#timeoutMs) : () => undefined;
    try {
      const client = await this.#connect(this.#timeoutMs - elapsedMs());
      const leftMs = Math.max(graceMs, this.#timeoutMs + graceMs - elapsedMs());
      return await this.#run(client, transaction, { text: begin, query_timeout: leftMs });
    } finally {
      release();
    }
  }

  async #run<T>(
    client: pg.PoolClient,
    { isWrite, work, onStatement }: Transaction<T>,
    begin: pg.QueryConfig & { query_timeout: number },
  ): Promise<T> {
    // The first statement follows without waiting for the result of BEGIN.
    const begun = client.query(begin);
    begun.catch(() => undefined);
    const { database, monitor } = this.#sessions.get(client) as Session;
    monitor.onStatement = onStatement;
    let isBroken = false;
    try {
      const result = await work(database);
      await begun;
      if (isWrite) await this.#commitWrite(client);
      // The next transaction on this connection follows the commit of a read without waiting for it.
      else client.query('commit').catch(() => undefined);
      return result;
    } catch (error) {
      monitor.isClosed = true;
      this.#openSession(client);
      await client.query('rollback').catch(() => {
        isBroken = true;
      });
      // Report the first failure, not those that it caused: a failed BEGIN, then the statement that failed first.
      await begun;
      const cause = isFollowUpError(error) ? (monitor.firstError ?? error) : error;
      isBroken ||= isCachedPlanOutdated(cause);
      throw cause;
    } finally {
      Object.assign(monitor, { onStatement: undefined, firstError: undefined });
      client.release(isBroken);
    }
  }

  /** Advances the epochs before the write is acknowledged, so that no later read gets an outdated cache entry. */
  async #commitWrite(client: pg.PoolClient): Promise<void> {
    const results = await client.query(commitStatement).catch((error) => {
      // COMMIT rolls back a transaction in which a statement failed, although `work` ignored that failure.
      if (error.code === '25P02') throw new Error('The database has rolled back the transaction', { cause: error });
      // The commit may have succeeded nevertheless.
      if (!isSerializationFailure(error)) this.epochs.advanceAll();
      throw error;
    });
    const [{ rows }] = results as unknown as [pg.QueryResult<{ touched: string | null }>];
    this.epochs.advance(rows[0]?.touched ?? '');
  }
}
