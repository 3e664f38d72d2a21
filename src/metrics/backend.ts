// The seam between the API and whatever keeps the samples. An engine answers "these subjects, this time" and "the latest"; buckets are made
// of samples by one shared function (tallies.ts), so that engines cannot differ. Where an engine can add up by itself and is proven to give
// the same, it may take over.

import type { Database, Scope } from '../store/database.ts';
import { formatIrn } from '../values/irn.ts';
import type { BucketSums } from './buckets.ts';
import type { Points } from './point-columns.ts';
import type { Form, Quantity, SubjectKind } from './quantities.ts';
import type { Range } from './time-range.ts';
import type { HourlyUsage } from './usage.ts';

/** What is measured: a connector (its virtual interface is the same thing, seen from the site) or a link. */
export interface Subject {
  kind: SubjectKind;
  id: string;
  organisationId: string;
  organisationCode: string;
  /** Of a connector to a site. */
  interfaceId?: string;
}

/** What stands in the names of virtual interfaces. */
export const interfaceQualifier = 'entreprise';

/** The names under which agents may report it, the usual one first. */
export function namesOf({ kind, id, organisationCode, interfaceId }: Subject): string[] {
  const own = formatIrn(kind, organisationCode, id);
  return interfaceId ? [own, formatIrn('cloudgateway', organisationCode, interfaceId, interfaceQualifier)] : [own];
}

/** Where samples come from. Nothing simulated passes as measured. */
export type SampleOrigin = 'simulated' | 'lab' | 'written' | (string & {});

/** Samples of one subject in the order of time. */
export interface Series {
  subjectId: string;
  quantity: Quantity;
  form: Form;
  origin: SampleOrigin;
  times: ArrayLike<number>;
  values: ArrayLike<number>;
}

export interface Latest {
  atMs: number;
  value: number;
}

export interface Point {
  subject: Subject;
  quantity: Quantity;
  form: Form;
  atMs: number;
  value: number;
}

/** A status that somebody reported to the engine directly. */
export interface ReportedStatus {
  /** A connector, or its virtual interface. */
  recordId: string;
  quantity: 'bgp_status' | 'host_status';
  value: number;
}

export interface Span {
  fromMs: number;
  toMs: number;
}

export type WriteOrigin = 'simulated' | 'lab' | 'written';

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
