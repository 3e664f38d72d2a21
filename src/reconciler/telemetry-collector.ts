// Measures the groups in the fabric at fixed intervals and writes the points to the metrics backend once a minute.
import { setTimeout as pause } from 'node:timers/promises';
import { createSemaphore } from '../concurrency/semaphore.ts';
import type { Driver } from '../fabric/driver.ts';
import type { Keys } from '../host/key-file.ts';
import type { Backend } from '../metrics/backend.ts';
import { toPointColumns } from '../metrics/point-columns.ts';
import { fields } from '../metrics/quantities.ts';
import type { Point } from '../metrics/samples.ts';
import { allTenants, type Store } from '../store/database.ts';
import { buildDesiredState } from './build-desired-state.ts';
import { findOwner, readGroupRows } from './group-store.ts';
import { claimForTelemetry } from './lease-store.ts';

export interface TelemetryTools {
  store: Store;
  keys: Keys;
  driver: Driver;
  backend: Backend;
  onError: (error: Error, task: string) => void;
}

const writeIntervalMs = 60_000;
const concurrentGroups = 4;
const claimSize = 50;
/** While the backend is unavailable, the latest points wait for it, up to this number. */
const maxBufferedPoints = 200_000;

export class TelemetryCollector {
  readonly #tools: TelemetryTools;
  readonly #stopping = new AbortController();
  #buffer: Point[] = [];
  #writtenMs = 0;
  #loop: Promise<void> = Promise.resolve();

  constructor(tools: TelemetryTools) {
    this.#tools = tools;
  }

  start(): void {
    this.#loop = this.#run();
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#loop;
    await this.#writeBuffer().catch(() => undefined);
  }

  async #run(): Promise<void> {
    const { driver, backend, onError } = this.#tools;
    const { signal } = this.#stopping;
    const intervalMs = driver.measureSeconds * 1000;
    while (!signal.aborted) {
      const nextMs = Math.ceil((backend.nowMs() + 1) / intervalMs) * intervalMs;
      await pause(nextMs - backend.nowMs(), undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      await this.#collect(nextMs).catch((error) => onError(error, 'collecting telemetry'));
    }
  }

  async #collect(atMs: number): Promise<void> {
    const { store, driver } = this.#tools;
    for (;;) {
      // Half an interval, because clocks of several processes differ slightly. No group is measured twice per interval.
      const groupIds = await store.write(allTenants, (database) =>
        claimForTelemetry(database, allTenants, driver.measureSeconds / 2, claimSize),
      );
      await this.#measureGroups(groupIds, atMs);
      if (groupIds.length < claimSize || this.#stopping.signal.aborted) break;
    }
    if (atMs - this.#writtenMs < writeIntervalMs) return;
    this.#writtenMs = atMs;
    await this.#writeBuffer();
  }

  async #measureGroups(groupIds: string[], atMs: number): Promise<void> {
    const withPermit = createSemaphore(concurrentGroups);
    const results = await Promise.allSettled(
      groupIds.map((groupId) =>
        withPermit(async () => (this.#stopping.signal.aborted ? undefined : this.#measureGroup(groupId, atMs))),
      ),
    );
    for (const result of results)
      if (result.status === 'rejected') this.#tools.onError(result.reason, 'measuring the fabric');
  }

  async #measureGroup(groupId: string, atMs: number): Promise<void> {
    const { store, keys, driver } = this.#tools;
    const { owner, rows } = await store.read(allTenants, async (database) => ({
      owner: await findOwner(database, allTenants, groupId),
      rows: await readGroupRows(database, allTenants, groupId),
    }));
    if (!owner) return;
    const readings = await driver.measure(buildDesiredState(keys, groupId, rows).desiredState, atMs);
    const points = readings.map(({ kind, recordId, field, value }) => ({
      subject: { kind, id: recordId, organisationId: owner.id, organisationCode: owner.code },
      ...fields[field],
      atMs,
      value,
    }));
    this.#buffer.push(...points);
  }

  async #writeBuffer(): Promise<void> {
    const points = this.#buffer;
    this.#buffer = [];
    if (points.length === 0) return;
    try {
      await this.#tools.backend.write(toPointColumns(points), this.#tools.driver.origin);
    } catch (error) {
      this.#buffer = [...points, ...this.#buffer].slice(-maxBufferedPoints);
      throw error;
    }
  }
}
