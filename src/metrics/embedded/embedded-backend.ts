// The default engine: samples in the service's own PostgreSQL.
import { allTenants, asTenant, type Database, type Scope, type Store } from '../../store/database.ts';
import type { AggregationResult, Backend } from '../backend.ts';
import { choosePoints, type PointColumns } from '../point-columns.ts';
import { type Quantity, statusUnknown } from '../quantities.ts';
import type { LatestSample, ReportedStatus, Series, Subject, WriteOrigin } from '../samples.ts';
import { type BucketedRange, dayMs, hourMs, minuteMs, type TimeRange } from '../time-range.ts';
import type { SubjectUsage } from '../usage.ts';
import { encodeBatches } from './batch-codec.ts';
import { readBucketSums, readLatest, readSamples } from './query.ts';
import { originCodeOf } from './series-codes.ts';
import { SeriesIdCache, seriesPosition } from './series-ids.ts';
import { insertBatches } from './store.ts';
import { readUsage } from './usage-query.ts';

/** How long a reported status stays valid. */
const statusValidityMs = 15 * minuteMs;
/** Up to this length, reading samples is as fast as reading hourly sums. */
const maxSampledMs = 2 * dayMs;

const scopeOf = (organisationId: string): Scope => ({ organisationId, organisationCode: '' });
/** Subjects of one organisation are read in its scope; only those of several need the internal scope. */
const readScopeOf = (subjects: Subject[]): Scope | typeof allTenants => {
  const [first, ...others] = new Set(subjects.map(({ organisationId }) => organisationId));
  return first !== undefined && others.length === 0 ? scopeOf(first) : allTenants;
};
const idsOf = (subjects: Subject[]): string[] => subjects.map(({ id }) => id);

/** The points of one organisation. */
interface TenantPoints {
  scope: Scope;
  points: PointColumns;
}

function groupByTenant(points: PointColumns): TenantPoints[] {
  const owners = [...new Set(points.subjects.map(({ organisationId }) => organisationId))];
  if (owners.length === 1) return owners.map((owner) => ({ scope: scopeOf(owner), points }));
  // One pass over the rows: a reseller may write for thousands of children.
  const rowsByOwner = new Map<string, number[]>();
  for (let row = 0; row < points.count; row++) {
    const owner = points.subjects[points.subjectIndexes[row] ?? 0]?.organisationId ?? '';
    const rows = rowsByOwner.get(owner);
    if (rows) rows.push(row);
    else rowsByOwner.set(owner, [row]);
  }
  return [...rowsByOwner].map(([owner, rows]) => ({ scope: scopeOf(owner), points: choosePoints(points, rows) }));
}

async function insertPoints(database: Database, scope: Scope, points: PointColumns, ids: Float64Array): Promise<void> {
  const seriesIds = new Float64Array(points.count);
  for (let row = 0; row < points.count; row++) seriesIds[row] = ids[seriesPosition(points, row)] ?? 0;
  const batches = encodeBatches({ seriesIds, times: points.times, values: points.values });
  await insertBatches(database, scope, scope.organisationId, batches);
}

export class EmbeddedBackend implements Backend {
  readonly name = 'embedded';
  readonly isExternal = false;
  readonly acceptsWrites = true;
  readonly retentionMs: number;
  readonly nowMs: () => number;
  private readonly store: Store;
  private readonly seriesIds: SeriesIdCache;
  private readonly compaction: { stop(): Promise<void> } | undefined;

  /** Closing the backend stops its compaction, if it has one. */
  constructor(store: Store, retentionDays: number, nowMs: () => number, compaction?: { stop(): Promise<void> }) {
    this.store = store;
    this.retentionMs = retentionDays * dayMs;
    this.nowMs = nowMs;
    this.compaction = compaction;
    this.seriesIds = new SeriesIdCache(store);
  }

  samples(subjects: Subject[], quantities: Quantity[], range: TimeRange): Promise<Series[]> {
    const scope = readScopeOf(subjects);
    return this.store.read(scope, (database) => readSamples(database, scope, idsOf(subjects), quantities, range));
  }

  async bucketSums(subject: Subject, quantity: Quantity, range: BucketedRange): Promise<AggregationResult> {
    const isHourly = range.fromMs % hourMs === 0 && range.intervalMs % hourMs === 0;
    if (!isHourly || range.toMs - range.fromMs <= maxSampledMs) return { isSupported: false };
    const scope = readScopeOf([subject]);
    const results = await this.store.read(scope, (database) =>
      readBucketSums(database, scope, subject.id, quantity, range),
    );
    return { isSupported: true, results };
  }

  hourlyUsage(subjects: Subject[], range: TimeRange): Promise<Map<string, SubjectUsage>> {
    const scope = readScopeOf(subjects);
    return this.store.read(scope, (database) => readUsage(database, scope, idsOf(subjects), range));
  }

  latest(subject: Subject, quantities: Quantity[]): Promise<Map<Quantity, LatestSample>> {
    const scope = readScopeOf([subject]);
    return this.store.read(scope, (database) => readLatest(database, scope, subject.id, quantities));
  }

  async reportedStatuses(connectorIds: string[] | 'all'): Promise<ReportedStatus[]> {
    if (connectorIds === 'all') return [];
    const range = { fromMs: this.nowMs() - statusValidityMs, toMs: this.nowMs() + dayMs };
    const series = await this.store.read(allTenants, (database) =>
      readSamples(database, allTenants, connectorIds, ['bgp_status', 'host_status'], range),
    );
    return series
      .filter(({ origin }) => origin === 'written')
      .map(({ subjectId, quantity, values }) => ({
        recordId: subjectId,
        quantity: quantity as ReportedStatus['quantity'],
        value: values[values.length - 1] ?? statusUnknown,
      }));
  }

  async write(points: PointColumns, origin: WriteOrigin): Promise<void> {
    for (const { scope, points: own } of groupByTenant(points)) {
      const ids = await this.seriesIds.ensure(scope, own, originCodeOf(origin));
      await this.store.write(scope, (database) => insertPoints(database, scope, own, ids));
    }
  }

  async writeInTransaction(
    database: Database,
    scope: Scope,
    points: PointColumns,
    origin: WriteOrigin,
  ): Promise<boolean> {
    const tenants = groupByTenant(points).map((tenant) => ({
      ...tenant,
      ...this.seriesIds.lookUp(tenant.scope.organisationId, tenant.points, originCodeOf(origin)),
    }));
    // New series need a transaction of their own: this one may still roll back, and the cache would keep their ids.
    if (tenants.some(({ missing }) => missing.length > 0)) return false;
    for (const { scope: owner, points: own, ids } of tenants) {
      const insert = () => insertPoints(database, owner, own, ids);
      if (owner.organisationId === scope.organisationId) await insert();
      else await asTenant(database, scope, owner, insert);
    }
    return true;
  }

  async checkHealth(): Promise<void> {
    await this.store.read(allTenants, async () => undefined);
  }

  async close(): Promise<void> {
    await this.compaction?.stop();
  }
}
