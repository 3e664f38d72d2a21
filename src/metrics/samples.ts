// The types that metric engines share: what is measured, and the samples of it.
import { formatIrn } from '../values/irn.ts';
import type { Form, Quantity, SubjectKind } from './quantities.ts';

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

/** Parallel columns in order of time. */
export interface Samples {
  times: ArrayLike<number>;
  values: ArrayLike<number>;
}

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
