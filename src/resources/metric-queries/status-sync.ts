// How a connector is follows what is said of it: by who writes to this service at once, by who writes to an engine elsewhere within a minute.
import type { Backend } from '../../metrics/backend.ts';
import { fieldNumber, type Points, pointAt } from '../../metrics/point-columns.ts';
import { isStatus, worse } from '../../metrics/quantities.ts';
import type { Point, ReportedStatus } from '../../metrics/samples.ts';
import { allTenants, type Store } from '../../store/database.ts';
import { saveReportedStatuses } from '../connectors/status-store.ts';
import { listConnectorsBehind } from './store.ts';

export interface StatusSync {
  /** Somebody has just written these points. */
  follow(points: Points): Promise<void>;
  close(): Promise<void>;
}

const lookMs = 60_000;
const atOnce = 1000;

/** What was said just now about both session and host is the last word. */
const justNowMs = 60_000;

/** Of the statuses among some points: those that are the last word, and the connectors of which one has to look what else was said. */
function statusesIn(points: Points, nowMs: number): { told: ReportedStatus[]; unsure: string[] } {
  const latest = new Map<string, Map<string, Point>>();
  for (let index = 0; index < points.count; index++) {
    if (!isStatus(fieldNumber(points.fieldAt[index] ?? 0).quantity)) continue;
    const point = pointAt(points, index);
    const own = latest.get(point.subject.id) ?? new Map<string, Point>();
    if (point.atMs >= (own.get(point.quantity)?.atMs ?? 0)) own.set(point.quantity, point);
    latest.set(point.subject.id, own);
  }
  const told: ReportedStatus[] = [];
  const unsure: string[] = [];
  for (const [recordId, own] of latest) {
    const both = [...own.values()];
    if (both.length === 2 && both.every(({ atMs }) => atMs >= nowMs - justNowMs))
      for (const { quantity, value } of both)
        told.push({ recordId, quantity: quantity as ReportedStatus['quantity'], value });
    else unsure.push(recordId);
  }
  return { told, unsure };
}

export function startStatusSync(
  store: Store,
  backend: Backend,
  onTrouble: (error: Error, what: string) => void,
): StatusSync {
  async function tell(heard: ReportedStatus[]): Promise<void> {
    for (let start = 0; start < heard.length; start += atOnce) {
      const some = heard.slice(start, start + atOnce);
      await store.write(allTenants, async (database) => {
        const ids = [...new Set(some.map(({ recordId }) => recordId))];
        const owners = new Map<string, string>();
        for (const { id, interface_id } of await listConnectorsBehind(database, allTenants, ids)) {
          owners.set(id, id);
          if (interface_id) owners.set(interface_id, id);
        }
        const statuses = new Map<string, number>();
        for (const { recordId, value } of some) {
          const id = owners.get(recordId);
          if (id) statuses.set(id, worse(statuses.get(id) ?? value, value));
        }
        if (statuses.size) await saveReportedStatuses(database, allTenants, [...statuses.keys()].sort(), statuses);
      });
    }
  }

  let looking: Promise<void> = Promise.resolve();
  const look = (): void => {
    looking = looking
      .then(() => backend.reportedStatuses('all'))
      .then(tell)
      .catch((error) => onTrouble(error, 'asking the metric engine for statuses'));
  };
  const timer = backend.isOutside ? setInterval(look, lookMs) : undefined;
  timer?.unref();
  if (timer) look();
  return {
    async follow(points) {
      const { told, unsure } = statusesIn(points, backend.nowMs());
      if (told.length) await tell(told);
      if (unsure.length) await tell(await backend.reportedStatuses(unsure));
    },
    async close() {
      clearInterval(timer);
      await looking;
    },
  };
}
