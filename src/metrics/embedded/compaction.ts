// Compaction of the embedded engine: batches become day blocks; expired and orphaned data is deleted. Each step is one
// transaction of a bounded size, so that after a crash every point is in a batch or in a block.
import { allTenants, type Store, tryAdvisoryLock } from '../../store/database.ts';
import { dayOf, minuteMs } from '../time-range.ts';
import { decodeBatches } from './batch-codec.ts';
import { deleteBefore, deleteOrphans, listOrganisationsWithBatches, listSeriesByIds, takeBatches } from './store.ts';
import { storeSamples } from './store-samples.ts';

/** The work of one transaction: 260,000 points, or the batch of one large request. */
const stepLimit = { batches: 64, bytes: 4 * 1024 * 1024 };
const seriesAtOnce = 500;
/** Organisations whose compaction may fail in one run before it ends: then the database is at fault, not their data. */
const maxFailures = 5;
/** Earlier versions take the same lock; do not rename it. */
const compactionLock = 'patchbay metric keeping';

/** Compacts some batches of an organisation. */
async function compactSome(store: Store, organisationId: string): Promise<'is done' | 'has more' | 'is locked'> {
  return store.write(allTenants, async (database) => {
    if (!(await tryAdvisoryLock(database, compactionLock))) return 'is locked';
    const { batches, hasMore } = await takeBatches(database, allTenants, organisationId, stepLimit);
    const samples = [...(await decodeBatches(batches, () => true))];
    for (let start = 0; start < samples.length; start += seriesAtOnce) {
      const added = new Map(samples.slice(start, start + seriesAtOnce).map(([id, own]) => [String(id), own]));
      // Samples of a series that was deleted meanwhile are dropped.
      const series = await listSeriesByIds(database, allTenants, [...added.keys()]);
      await storeSamples(database, series, added);
    }
    return hasMore ? 'has more' : 'is done';
  });
}

/**
 * Compacts a step of each organisation in turn, so that none waits for the backlog of another. An organisation whose
 * step fails is left out until the next run.
 */
export async function compactAll(store: Store): Promise<void> {
  const failures = new Map<string, unknown>();
  for (let hasMore = true; hasMore; ) {
    hasMore = false;
    const organisations = await store.read(allTenants, (database) =>
      listOrganisationsWithBatches(database, allTenants),
    );
    for (const organisationId of organisations.filter((id) => !failures.has(id))) {
      const result = await compactSome(store, organisationId).catch((error: unknown) => {
        failures.set(organisationId, error);
        if (failures.size >= maxFailures) throw error;
      });
      hasMore ||= result === 'has more';
      // Another replica compacts.
      if (result === 'is locked') {
        hasMore = false;
        break;
      }
    }
  }
  for (const error of failures.values()) throw error;
}

export async function deleteExpired(store: Store, nowMs: number, retentionDays: number): Promise<void> {
  const firstDay = dayOf(nowMs) - retentionDays;
  while (await store.write(allTenants, (database) => deleteBefore(database, allTenants, firstDay)));
  while (await store.write(allTenants, (database) => deleteOrphans(database, allTenants)));
}

const compactionIntervalMs = minuteMs;
/** Expired data is deleted in every 60th run. */
const runsPerDeletion = 60;

/** Compacts once a minute until it is stopped. */
export class CompactionWorker {
  private readonly store: Store;
  private readonly retentionDays: number;
  private readonly nowMs: () => number;
  private readonly onError: (error: Error, activity: string) => void;
  private readonly timer: NodeJS.Timeout;
  private running: Promise<void> = Promise.resolve();
  private runs = 0;

  constructor(
    store: Store,
    retentionDays: number,
    nowMs: () => number,
    onError: (error: Error, activity: string) => void,
  ) {
    this.store = store;
    this.retentionDays = retentionDays;
    this.nowMs = nowMs;
    this.onError = onError;
    this.timer = setInterval(() => this.schedule(), compactionIntervalMs);
    this.timer.unref();
    this.schedule();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.running;
  }

  private schedule(): void {
    const isDeleting = this.runs++ % runsPerDeletion === 0;
    this.running = this.running
      .then(() => this.run(isDeleting))
      .catch((error) => this.onError(error, 'compacting metric samples'));
  }

  private async run(isDeleting: boolean): Promise<void> {
    await compactAll(this.store);
    // Data must be expired by both clocks: one that runs ahead would delete everything.
    if (isDeleting) await deleteExpired(this.store, Math.min(this.nowMs(), Date.now()), this.retentionDays);
  }
}
