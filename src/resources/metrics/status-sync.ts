// Keeps the status of connectors in line with their metrics: at once for points written to this service, and within a
// minute for points that agents write to an external engine.
import { TimeSlices } from '../../concurrency/time-slices.ts';
import type { Backend } from '../../metrics/backend.ts';
import { fieldByIndex, type PointColumns, pointAt } from '../../metrics/point-columns.ts';
import { isStatus, worseStatus } from '../../metrics/quantities.ts';
import type { Point, ReportedStatus } from '../../metrics/samples.ts';
import { allTenants, type Store } from '../../store/database.ts';
import { saveReportedStatuses } from '../connectors/status-store.ts';
import { listConnectorsByIdOrInterface } from './store.ts';

export interface StatusSync {
  /** Updates the connectors whose status is among points that were just written. */
  applyPoints(parts: PointColumns[]): Promise<void>;
  close(): Promise<void>;
}

const pollIntervalMs = 60_000;
const batchSize = 1000;

/** Session and host statuses that are both younger than this need no comparison with stored ones. */
const currentMs = 60_000;

/**
 * The statuses that are certainly the latest, and the connectors whose latest statuses must be read from the engine.
 */
async function latestStatuses(
  parts: PointColumns[],
  nowMs: number,
): Promise<{ current: ReportedStatus[]; uncertainIds: string[] }> {
  const latest = new Map<string, Map<string, Point>>();
  const slices = new TimeSlices();
  for (const points of parts) {
    if (slices.isOver) await slices.next();
    for (let row = 0; row < points.count; row++) {
      if (!isStatus(fieldByIndex(points.fieldIndexes[row] ?? 0).quantity)) continue;
      const point = pointAt(points, row);
      const byQuantity = latest.get(point.subject.id) ?? new Map<string, Point>();
      if (point.atMs >= (byQuantity.get(point.quantity)?.atMs ?? 0)) byQuantity.set(point.quantity, point);
      latest.set(point.subject.id, byQuantity);
    }
  }
  const current: ReportedStatus[] = [];
  const uncertainIds: string[] = [];
  for (const [recordId, byQuantity] of latest) {
    const statuses = [...byQuantity.values()];
    if (statuses.length === 2 && statuses.every(({ atMs }) => atMs >= nowMs - currentMs))
      for (const { quantity, value } of statuses)
        current.push({ recordId, quantity: quantity as ReportedStatus['quantity'], value });
    else uncertainIds.push(recordId);
  }
  return { current, uncertainIds };
}

async function saveBatch(store: Store, batch: ReportedStatus[]): Promise<void> {
  await store.write(allTenants, async (database) => {
    const ids = [...new Set(batch.map(({ recordId }) => recordId))];
    const connectorIds = new Map<string, string>();
    for (const { id, interface_id } of await listConnectorsByIdOrInterface(database, allTenants, ids)) {
      connectorIds.set(id, id);
      if (interface_id) connectorIds.set(interface_id, id);
    }
    const statuses = new Map<string, number>();
    for (const { recordId, value } of batch) {
      const id = connectorIds.get(recordId);
      if (id) statuses.set(id, worseStatus(statuses.get(id) ?? value, value));
    }
    if (statuses.size) await saveReportedStatuses(database, allTenants, [...statuses.keys()].sort(), statuses);
  });
}

export function startStatusSync(
  store: Store,
  backend: Backend,
  onError: (error: Error, activity: string) => void,
): StatusSync {
  async function save(statuses: ReportedStatus[]): Promise<void> {
    for (let start = 0; start < statuses.length; start += batchSize)
      await saveBatch(store, statuses.slice(start, start + batchSize));
  }

  let polling: Promise<void> = Promise.resolve();
  const poll = (): void => {
    polling = polling
      .then(() => backend.reportedStatuses('all'))
      .then(save)
      .catch((error) => onError(error, 'polling statuses from the metric engine'));
  };
  const timer = backend.isExternal ? setInterval(poll, pollIntervalMs) : undefined;
  timer?.unref();
  if (timer) poll();
  return {
    async applyPoints(parts) {
      const { current, uncertainIds } = await latestStatuses(parts, backend.nowMs());
      if (current.length) await save(current);
      if (uncertainIds.length) await save(await backend.reportedStatuses(uncertainIds));
    },
    async close() {
      clearInterval(timer);
      await polling;
    },
  };
}
