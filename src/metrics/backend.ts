// The seam between the API and whatever keeps the samples. An engine answers "these subjects, this time" and "the latest"; buckets are made
// of samples by one shared function (tallies.ts), so that engines cannot differ. Where an engine can add up by itself and is proven to give
// the same, it may take over.

import type { Database, Scope } from '../store/database.ts';
import type { BucketSums } from './buckets.ts';
import type { Points } from './point-columns.ts';
import type { Quantity } from './quantities.ts';
import type { Latest, ReportedStatus, SampleOrigin, Series, Span, Subject, WriteOrigin } from './samples.ts';
import type { Range } from './time-range.ts';
import type { HourlyUsage } from './usage.ts';

export interface Backend {
  name: string;
  /** What time it is; the machine's own clock decides over no sample. */
  nowMs(): number;
  /** How far back it has anything, and takes anything. */
  reachMs: number;
  /** All samples from `fromMs` on and before `toMs`; of counters also those that the first rates are made of (see tallies.ts). */
  samples(subjects: Subject[], quantities: Quantity[], span: Span): Promise<Series[]>;
  latest(subject: Subject, quantities: Quantity[]): Promise<Map<Quantity, Latest>>;
  /** One subject by the buckets of a range, unless it would rather give samples. */
  bucketSums?(
    subject: Subject,
    quantity: Quantity,
    range: Range,
  ): Promise<{ isTaken: false } | { isTaken: true; found: { tally: BucketSums; origin: SampleOrigin } | undefined }>;
  /** What each of these connectors used in each hour of the span, which is whole hours; by id. */
  usage?(subjects: Subject[], span: Span): Promise<Map<string, { usage: HourlyUsage; origin: SampleOrigin }>>;
  /** Whether it takes points from here. */
  takesPoints: boolean;
  /** Keeps points for good, or throws. */
  write(points: Points, origin: WriteOrigin): Promise<void>;
  /** The same within a transaction of the service, whose scope it is; false when that cannot be, and nothing was done. */
  writeWithin?(database: Database, scope: Scope, points: Points, origin: WriteOrigin): Promise<boolean>;
  /** Throws the problem that a caller is told when the engine cannot be asked. */
  check(): Promise<void>;
  /** The last statuses of the last quarter of an hour: of these connectors, or of all. */
  reportedStatuses(connectorIds: string[] | 'all'): Promise<ReportedStatus[]>;
  /** Agents can write past the service, which has to look for what they said. */
  isOutside: boolean;
  close(): Promise<void>;
}
