// Counts of records for the metrics endpoint. They are counted on a connection of their own, so that no tenant waits for a
// scrape, and at most one count runs at a time, however many scrapers ask.
import { setTimeout as pause } from 'node:timers/promises';
import { readLastBackupTime } from '../backups/last-backup.ts';
import { type QueueDepth, readQueueDepths } from '../jobs/job-queue.ts';
import { countConnectorsByState, type StateCount } from '../resources/connectors/status-store.ts';
import { type OpenDeployments, summarizeOpenDeployments } from '../resources/deployments/store.ts';
import { countLinksByStatus, type LinkStatusCount } from '../resources/links/store.ts';
import { allTenants, type Store } from '../store/database.ts';
import { PostgresStore } from '../store/postgres-store.ts';

export interface Figures {
  connectors: StateCount[];
  links: LinkStatusCount[];
  deployments: OpenDeployments;
  queues: QueueDepth[];
  /** Seconds since 1970; undefined if there is no recorded backup. */
  lastBackup: number | undefined;
}

const minAgeMs = 5000;
/** Counting takes at most this share of the time, whatever the size of the tables. */
const maxShare = 0.01;
/** A failure may take long and yet cost nothing, for example while the database is not reachable. */
const failurePauseMs = 30_000;
const countTimeoutMs = 10_000;
/** A scrape waits this long for a count, then it gets the figures of the last one. */
const scrapePatienceMs = 1000;

const readFigures = (store: Store): Promise<Figures> =>
  store.read(allTenants, async (database) => ({
    connectors: await countConnectorsByState(database, allTenants),
    links: await countLinksByStatus(database, allTenants),
    deployments: await summarizeOpenDeployments(database, allTenants),
    queues: await readQueueDepths(database, allTenants),
    lastBackup: await readLastBackupTime(database),
  }));

export class DatabaseFigures {
  readonly #store: Store;
  readonly #onError: (error: unknown, task: string) => void;
  #counting: Promise<void> | undefined;
  #figures: Figures | undefined;
  #dueMs = 0;

  constructor(databaseUrl: string, onError: (error: unknown, task: string) => void) {
    // The store of the requests reports lost connections already.
    this.#store = new PostgresStore(databaseUrl, () => undefined, countTimeoutMs, 1);
    this.#onError = onError;
  }

  /** Undefined while the database is not available. Never rejects. */
  async current(): Promise<Figures | undefined> {
    if (performance.now() >= this.#dueMs) this.#counting ??= this.#count();
    if (this.#counting) {
      const counted = new AbortController();
      const timeout = pause(scrapePatienceMs, undefined, { signal: counted.signal }).catch(() => undefined);
      await Promise.race([this.#counting, timeout]);
      counted.abort();
    }
    return this.#figures;
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  async #count(): Promise<void> {
    const startedMs = performance.now();
    let maxPauseMs = Number.POSITIVE_INFINITY;
    try {
      this.#figures = await readFigures(this.#store);
    } catch (error) {
      // Outdated figures would hide the failure.
      this.#figures = undefined;
      maxPauseMs = failurePauseMs;
      this.#onError(error, 'counting records for the metrics');
    }
    const endedMs = performance.now();
    this.#dueMs = endedMs + Math.max(minAgeMs, Math.min(maxPauseMs, (endedMs - startedMs) / maxShare));
    this.#counting = undefined;
  }
}
