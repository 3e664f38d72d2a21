// The fabric feeds the metrics: what stands is measured again and again, and what was measured is written each minute.
import { setTimeout as pause } from 'node:timers/promises';
import { createSemaphore } from '../concurrency/semaphore.ts';
import type { Driver, TelemetryReading } from '../fabric/driver.ts';
import type { Keys } from '../host/key-file.ts';
import type { Backend } from '../metrics/backend.ts';
import { pointsOf } from '../metrics/point-columns.ts';
import { fields } from '../metrics/quantities.ts';
import type { Point } from '../metrics/samples.ts';
import { allTenants, type Store } from '../store/database.ts';
import { buildDesiredState } from './build-desired-state.ts';
import { findOwner, readGroupRows } from './group-store.ts';
import { claimForTelemetry } from './lease-store.ts';

interface CollectionTools {
  store: Store;
  keys: Keys;
  driver: Driver;
  backend: Backend;
  onTrouble: (error: Error, what: string) => void;
}

const writeMs = 60_000;
const groupsAtOnce = 4;
const groupsTaken = 50;
/** While an engine is away, so much is kept for it. */
const mostWaiting = 200_000;

export function startTelemetryCollector({ store, keys, driver, backend, onTrouble }: CollectionTools) {
  const stopping = new AbortController();
  const stepMs = driver.measureSeconds * 1000;
  let waiting: Point[] = [];
  let writtenMs = 0;

  const pointOf =
    (owner: { id: string; code: string }, atMs: number) =>
    ({ kind, recordId, field, value }: TelemetryReading): Point => ({
      subject: { kind, id: recordId, organisationId: owner.id, organisationCode: owner.code },
      ...fields[field],
      atMs,
      value,
    });

  async function measure(groupId: string, atMs: number): Promise<void> {
    const { owner, rows } = await store.read(allTenants, async (database) => ({
      owner: await findOwner(database, allTenants, groupId),
      rows: await readGroupRows(database, allTenants, groupId),
    }));
    if (!owner) return;
    const readings = await driver.measure(buildDesiredState(keys, groupId, rows).desiredState, atMs);
    waiting.push(...readings.map(pointOf(owner, atMs)));
  }

  async function write(): Promise<void> {
    const points = waiting;
    waiting = [];
    if (points.length === 0) return;
    try {
      await backend.write(pointsOf(points), driver.origin);
    } catch (error) {
      waiting = [...points, ...waiting].slice(-mostWaiting);
      throw error;
    }
  }

  async function step(atMs: number): Promise<void> {
    for (;;) {
      // Half a step: clocks of services differ a little, and nobody shall measure twice in one.
      const groupIds = await store.write(allTenants, (database) =>
        claimForTelemetry(database, allTenants, driver.measureSeconds / 2, groupsTaken),
      );
      await measureAll(groupIds, atMs);
      if (groupIds.length < groupsTaken || stopping.signal.aborted) break;
    }
    if (atMs - writtenMs < writeMs) return;
    writtenMs = atMs;
    await write();
  }

  async function measureAll(groupIds: string[], atMs: number): Promise<void> {
    const slots = createSemaphore(groupsAtOnce);
    const work = groupIds.map((groupId) =>
      slots(async () => (stopping.signal.aborted ? undefined : measure(groupId, atMs))),
    );
    for (const outcome of await Promise.allSettled(work))
      if (outcome.status === 'rejected') onTrouble(outcome.reason, 'measuring the fabric');
  }

  async function keepStepping(): Promise<void> {
    while (!stopping.signal.aborted) {
      const nextMs = Math.ceil((backend.nowMs() + 1) / stepMs) * stepMs;
      await pause(nextMs - backend.nowMs(), undefined, { signal: stopping.signal }).catch(() => undefined);
      if (stopping.signal.aborted) return;
      await step(nextMs).catch((error) => onTrouble(error, 'writing what the fabric measured'));
    }
  }
  const stepping = keepStepping();

  return {
    async stop(): Promise<void> {
      stopping.abort();
      await stepping;
      await write().catch(() => undefined);
    },
  };
}
