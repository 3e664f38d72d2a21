// Receives the changes of other processes through LISTEN/NOTIFY. Caches fail closed when notifications stop: a
// heartbeat notification goes through the database to this process, and its return proves that all earlier changes
// have arrived. A connection that is cut, hangs, or runs through a pooler without notifications returns no heartbeat.
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Epochs } from '../store/epochs.ts';
import { createTableDependencies, type TableDependencies } from './table-dependencies.ts';

const channel = 'patchbay_touched';
const heartbeatIntervalMs = 250;
const validityMs = 900;
/** Without a call of isCurrent() for this long, heartbeats stop and the database rests. */
const idleAfterMs = 3000;
const idleWaitMs = 60_000;
const queryTimeoutMs = 2000;
const disconnectTimeoutMs = 500;
/** Beyond this drift between the database's clock and ours, cached entries that expire at some time are evicted. */
const maxClockDriftMs = 500;

const tablesQuery = `
  select relname,
    exists (select from pg_trigger where tgrelid = pg_class.oid and tgname like 'tells\\_%') as is_notified
  from pg_class where relkind in ('r', 'p', 'v', 'm')
    and relnamespace not in ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)`;

/** Closes a connection; one that hangs is destroyed after a short wait. */
async function disconnect(client: pg.Client): Promise<void> {
  await Promise.race([client.end().catch(() => undefined), pause(disconnectTimeoutMs, undefined, { ref: false })]);
  client.connection.stream.destroy();
}

export interface ChangeFeedOptions {
  url: string;
  /** The process name of our own connections, whose changes the epochs already know. */
  processName: string;
  epochs: Epochs;
  /** Called once for each loss of the connection. */
  onError: (error: Error) => void;
}

/** Listens from its construction until close(). */
export class ChangeFeed {
  readonly #options: ChangeFeedOptions;
  readonly #listening: Promise<void>;
  #isClosed = false;
  #isLossReported = false;
  #abort = (): void => undefined;
  #tableDependencies: TableDependencies | undefined;
  #confirmedMs = Number.NEGATIVE_INFINITY;
  #lastUsedMs = Number.NEGATIVE_INFINITY;
  #heartbeat: { id: string; sentMs: number } | undefined;
  #clock: { databaseMs: number; localMs: number } | undefined;
  #isWoken = false;
  #endWait = (): void => undefined;

  constructor(options: ChangeFeedOptions) {
    this.#options = options;
    this.#listening = this.#keepListening();
  }

  /** Whether all changes up to a second ago have arrived. Calling it keeps the heartbeats going. */
  isCurrent(): boolean {
    const nowMs = performance.now();
    const wasIdle = nowMs - this.#lastUsedMs >= idleAfterMs;
    this.#lastUsedMs = nowMs;
    if (wasIdle) this.#wake();
    return nowMs - this.#confirmedMs < validityMs;
  }

  /** Resolves when all changes made before the call have arrived. */
  async catchUp(): Promise<void> {
    const sinceMs = performance.now();
    while (this.#confirmedMs < sinceMs && !this.#isClosed) {
      this.#lastUsedMs = performance.now();
      this.#wake();
      await pause(2);
    }
  }

  /** Undefined until the first connection has read the catalogue. */
  tableDependencies(): TableDependencies | undefined {
    return this.#tableDependencies;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#abort();
    await this.#listening;
  }

  async #keepListening(): Promise<void> {
    while (!this.#isClosed) {
      await this.#listen().catch((error) => {
        if (!this.#isClosed && !this.#isLossReported) this.#options.onError(error);
        this.#isLossReported = true;
      });
      if (!this.#isClosed) await pause(heartbeatIntervalMs);
    }
  }

  async #listen(): Promise<never> {
    const client = new pg.Client({
      connectionString: this.#options.url,
      application_name: 'patchbay-changes',
      connectionTimeoutMillis: 4000,
      query_timeout: queryTimeoutMs,
      keepAlive: true,
    });
    const { promise: lost, reject } = Promise.withResolvers<never>();
    lost.catch(() => undefined);
    const unlessLost = <T>(work: Promise<T>): Promise<T> => Promise.race([work, lost]);
    this.#abort = () => reject(new Error('The change feed is closed'));
    client.on('error', reject);
    client.on('end', () => reject(new Error('The connection ended')));
    client.on('notification', ({ payload = '' }) => this.#receive(payload));
    try {
      await unlessLost(client.connect());
      // A heartbeat need not survive a crash of the server, since the connection does not either.
      await unlessLost(client.query(`set synchronous_commit = off; listen ${channel}`));
      const { rows } = await unlessLost(client.query(tablesQuery));
      this.#tableDependencies = createTableDependencies(
        new Map(rows.map(({ relname, is_notified }) => [relname, is_notified])),
      );
      this.#isLossReported = false;
      // Changes made while no connection listened were missed.
      this.#options.epochs.advanceAll();
      this.#clock = undefined;
      for (;;) {
        this.#isWoken = false;
        const isInUse = performance.now() - this.#lastUsedMs < idleAfterMs;
        if (isInUse) await unlessLost(this.#sendHeartbeat(client));
        await unlessLost(this.#wait(isInUse ? heartbeatIntervalMs : idleWaitMs));
      }
    } finally {
      this.#confirmedMs = Number.NEGATIVE_INFINITY;
      this.#wake();
      await disconnect(client);
    }
  }

  #receive(payload: string): void {
    const separator = payload.lastIndexOf('|');
    const [content, sender] = [payload.slice(0, separator), payload.slice(separator + 1)];
    if (content === 'beat') {
      if (this.#heartbeat?.id !== sender) return;
      this.#confirmedMs = this.#heartbeat.sentMs;
      this.#heartbeat = undefined;
    } else if (sender !== this.#options.processName || sender === '') this.#options.epochs.advance(content);
  }

  async #sendHeartbeat(client: pg.Client): Promise<void> {
    const sentMs = performance.now();
    this.#heartbeat = { id: randomUUID(), sentMs };
    const { rows } = await client.query(
      'select pg_notify($1, $2), extract(epoch from clock_timestamp())::float8 * 1000 as now',
      [channel, `beat|${this.#heartbeat.id}`],
    );
    this.#checkClock(rows[0].now, sentMs);
  }

  #checkClock(databaseMs: number, sentMs: number): void {
    const localMs = performance.now();
    const driftMs = this.#clock ? databaseMs - this.#clock.databaseMs - (localMs - this.#clock.localMs) : 0;
    if (Math.abs(driftMs) > maxClockDriftMs + (localMs - sentMs)) this.#options.epochs.advanceAll();
    this.#clock = { databaseMs, localMs };
  }

  #wake(): void {
    this.#isWoken = true;
    this.#endWait();
  }

  async #wait(milliseconds: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#endWait = resolve;
    const timer = setTimeout(resolve, this.#isWoken ? 0 : milliseconds);
    await promise;
    clearTimeout(timer);
  }
}
