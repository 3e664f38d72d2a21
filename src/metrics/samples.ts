// The types that metric engines share: what is measured, and its samples.
import { formatIrn } from '../values/irn.ts';
import type { Quantity, SampleType, SubjectKind } from './quantities.ts';

/** A measured record. A virtual interface is its connector seen from the site, and has the same samples. */
export interface Subject {
  kind: SubjectKind;
  id: string;
  organisationId: string;
  organisationCode: string;
  /** The virtual interface of a connector to a site. */
  interfaceId?: string;
}

/** The IRN qualifier of virtual interfaces. */
export const interfaceQualifier = 'entreprise';

/** The IRNs under which agents may report a subject, its own first. */
export function irnsOf({ kind, id, organisationCode, interfaceId }: Subject): string[] {
  const own = formatIrn(kind, organisationCode, id);
  return interfaceId ? [own, formatIrn('cloudgateway', organisationCode, interfaceId, interfaceQualifier)] : [own];
}

/** Where samples come from; external engines use their own name. Simulated samples are never shown as measured ones. */
export type SampleOrigin = WriteOrigin | (string & {});
export type WriteOrigin = 'simulated' | 'lab' | 'written';

/** Two parallel columns in ascending order of time. */
export interface Samples {
  times: ArrayLike<number>;
  values: ArrayLike<number>;
}

/** The samples of one quantity of one subject from one origin. */
export interface Series extends Samples {
  subjectId: string;
  quantity: Quantity;
  type: SampleType;
  origin: SampleOrigin;
}

export interface LatestSample {
  atMs: number;
  value: number;
}

export interface Point {
  subject: Subject;
  quantity: Quantity;
  type: SampleType;
  atMs: number;
  value: number;
}

/** A status that an agent wrote to the engine. */
export interface ReportedStatus {
  /** The id of a connector or of its virtual interface. */
  recordId: string;
  quantity: 'bgp_status' | 'host_status';
  value: number;
}
