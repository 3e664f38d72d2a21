// The interface of a metric engine. Engines return samples, and buckets.ts aggregates them, so that all engines give
// the same result; an engine may aggregate on its own only where the tests prove its result equal.
import type { Database, Scope } from '../store/database.ts';
import type { AggregatedSeries } from './buckets.ts';
import type { PointColumns } from './point-columns.ts';
import type { Quantity } from './quantities.ts';
import type { LatestSample, ReportedStatus, Series, Subject, WriteOrigin } from './samples.ts';
import type { BucketedRange, TimeRange } from './time-range.ts';
import type { SubjectUsage } from './usage.ts';

/** A result for each origin, the best first. */
export type AggregationResult = { isSupported: false } | { isSupported: true; results: AggregatedSeries[] };

export interface Backend {
  readonly name: string;
  /** Database time. The clock of this machine may be wrong and never decides about samples. */
  nowMs(): number;
  /** Older samples are neither accepted nor queried. */
  readonly retentionMs: number;
  /** Samples within the range; for counters also the earlier ones that the first rates need (`maxGapMs`). */
  samples(subjects: Subject[], quantities: Quantity[], range: TimeRange): Promise<Series[]>;
  latest(subject: Subject, quantities: Quantity[]): Promise<Map<Quantity, LatestSample>>;
  /** Aggregates one series inside the engine, if it can for this range. */
  bucketSums?(subject: Subject, quantity: Quantity, range: BucketedRange): Promise<AggregationResult>;
  /** Usage of each connector by hour, keyed by connector id. The range consists of whole hours. */
  hourlyUsage?(subjects: Subject[], range: TimeRange): Promise<Map<string, SubjectUsage>>;
  readonly acceptsWrites: boolean;
  /** Resolves when the points are durable. */
  write(points: PointColumns, origin: WriteOrigin): Promise<void>;
  /** Writes in the caller's transaction. Returns false, without any effect, where that is impossible. */
  writeInTransaction?(database: Database, scope: Scope, points: PointColumns, origin: WriteOrigin): Promise<boolean>;
  /** Throws the problem that callers get when the engine is unavailable. */
  checkHealth(): Promise<void>;
  /** The latest statuses of the last 15 minutes, of these connectors or of all. */
  reportedStatuses(connectorIds: string[] | 'all'): Promise<ReportedStatus[]>;
  /** Agents can write to an external engine directly, so its statuses are polled. */
  readonly isExternal: boolean;
  close(): Promise<void>;
}
