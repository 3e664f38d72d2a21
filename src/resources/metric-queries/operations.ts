// From a resource name to what is measured of it, and from lines to points.

import { invalid, problem } from '../../errors/problems.ts';
import type { Backend } from '../../metrics/backend.ts';
import { type Metric, metricsOf } from '../../metrics/catalogue.ts';
import { type BadLine, maxReportedBadLines, type Parsed } from '../../metrics/line-protocol.ts';
import { choose, fieldNames, fieldNumber, type Points } from '../../metrics/point-columns.ts';
import { fits } from '../../metrics/quantities.ts';
import { days, means, type QueryResult, usage } from '../../metrics/queries.ts';
import { interfaceQualifier, type Subject } from '../../metrics/samples.ts';
import { daysOf, intervalOf, type RangeInput, rangeOf, spanOf } from '../../metrics/time-range.ts';
import { asTenant, type Database, type Scope } from '../../store/database.ts';
import { type Irn, parseIrn } from '../../values/irn.ts';
import {
  type ConnectorNames,
  findMeasuredConnector,
  listChildrenByCode,
  listInRegion,
  listMeasured,
  type MeasuredRow,
  recordExists,
} from './store.ts';

/** A resource that a name leads to. */
export interface Target {
  family: string;
  id: string;
  connector: ConnectorNames | undefined;
}

export const subjectOfConnector = (
  { id, organisation_id, interface_id }: MeasuredRow,
  organisationCode: string,
): Subject => ({
  kind: 'connector',
  id,
  organisationId: organisation_id,
  organisationCode,
  ...(interface_id ? { interfaceId: interface_id } : {}),
});

const subjectOfLink = (id: string, { organisationId, organisationCode }: Scope): Subject => ({
  kind: 'link',
  id,
  organisationId,
  organisationCode,
});

/** The resource of this name within the scope; what lies outside is as what does not exist. */
export async function findTarget(database: Database, scope: Scope, name: string): Promise<Target> {
  const irn = parseIrn(name);
  const isInterface = irn?.family === 'cloudgateway';
  if (!irn || irn.owner !== scope.organisationCode || irn.qualifier !== (isInterface ? interfaceQualifier : ''))
    throw problem('NotFound');
  const { family, id } = irn;
  const isConnector = isInterface || family === 'connectors';
  const connector = isConnector
    ? await findMeasuredConnector(database, scope, isInterface ? 'interface_id' : 'id', id)
    : undefined;
  if (isConnector ? !connector : !(await recordExists(database, scope, family, id))) throw problem('NotFound');
  return { family, id, connector };
}

export type MetricQuery =
  | { metric: Metric & { type: 'status' }; connector: ConnectorNames; subject: Subject }
  | { metric: Metric & { type: 'timeserie' }; ask: (backend: Backend) => Promise<QueryResult> };

/** What is asked for, checked in the order that the answers promise: the query, the name, the metric. */
export async function buildMetricQuery(
  database: Database,
  scope: Scope,
  name: string,
  metricName: string,
  asked: RangeInput & { region?: string },
  nowMs: number,
): Promise<MetricQuery> {
  spanOf(asked, nowMs);
  intervalOf(asked);
  const { family, id, connector } = await findTarget(database, scope, name);
  const known = metricsOf(family);
  const metric = known.find((one) => one.name === metricName);
  if (!metric)
    throw invalid(
      'metricType',
      known.length ? `must be one of ${known.map((one) => one.name).join(', ')}` : 'cannot be had: it has no metrics',
      'UnknownMetric',
    );
  if (asked.region !== undefined && asked.region !== metric.name)
    throw invalid(
      'region',
      family === 'group' ? `must be ${metric.name}, as the metric` : 'is for the metrics of groups alone',
    );
  const subject = connector && subjectOfConnector(connector, scope.organisationCode);
  if (metric.type === 'status') {
    if (!connector || !subject) throw problem('NotFound');
    return { metric, connector, subject };
  }
  if (metric.how === 'usage') {
    const range = rangeOf(asked, nowMs);
    const rows = await listInRegion(database, scope, id, metric.name);
    const subjects = rows.map((row) => subjectOfConnector(row, scope.organisationCode));
    return { metric, ask: (backend) => usage(backend, subjects, range) };
  }
  const measured = subject ?? subjectOfLink(id, scope);
  if (metric.how === 'days') {
    const whole = daysOf(asked, nowMs);
    return { metric, ask: (backend) => days(backend, measured, metric.quantity, whole) };
  }
  const range = rangeOf(asked, nowMs);
  return { metric, ask: (backend) => means(backend, measured, metric.quantity, range) };
}

/** Agents write for the same resources all day: their names are read once. */
const namesRead = new Map<string, Irn>();
const mostNames = 20_000;

function readName(name: string): Irn | undefined {
  const known = namesRead.get(name);
  if (known) return known;
  const irn = parseIrn(name);
  if (!irn) return undefined;
  if (namesRead.size >= mostNames) namesRead.clear();
  // A copy: a part of a text keeps the whole of it, which is the body of a request.
  namesRead.set(Buffer.from(name, 'latin1').toString('latin1'), irn);
  return irn;
}

interface Taken {
  points: Points;
  /** The first of the lines that were refused here, and how many there are. */
  bad: BadLine[];
  badCount: number;
}

/** Which of the lines speak of what the caller may write for, as points; the others are told as bad, foreign and absent alike. */
export async function writePoints(
  database: Database,
  scope: Scope,
  mayWriteForChildren: boolean,
  parsed: Parsed,
): Promise<Taken> {
  const irns = parsed.names.map(readName);
  const byOwner = Map.groupBy(
    irns.filter((irn) => irn !== undefined),
    ({ owner }) => owner,
  );
  const scopes: Scope[] = byOwner.has(scope.organisationCode) ? [scope] : [];
  const others = [...byOwner.keys()].filter((owner) => owner !== scope.organisationCode);
  if (mayWriteForChildren && others.length)
    for (const { id, code } of await listChildrenByCode(database, scope, others))
      scopes.push({ organisationId: id, organisationCode: code });
  const subjects = {
    connectors: new Map<string, Subject>(),
    interfaces: new Map<string, Subject>(),
    links: new Map<string, Subject>(),
  };
  for (const own of scopes) {
    const ids = { connectors: [] as string[], interfaces: [] as string[], links: [] as string[] };
    for (const irn of byOwner.get(own.organisationCode) ?? []) {
      const table = tableOf(irn);
      if (table) ids[table].push(irn.id);
    }
    const find = () => listMeasured(database, own, ids);
    const found = own === scope ? await find() : await asTenant(database, scope, own, find);
    for (const row of found.connectors) {
      const subject = subjectOfConnector(row, own.organisationCode);
      subjects.connectors.set(row.id, subject);
      if (row.interface_id) subjects.interfaces.set(row.interface_id, subject);
    }
    for (const { id } of found.links) subjects.links.set(id, subjectOfLink(id, own));
  }
  const found = irns.map((irn) => {
    const table = irn && tableOf(irn);
    const subject = table && subjects[table].get(irn.id);
    // A name says whose it is: under another's it is the name of nothing.
    return subject?.organisationCode === irn?.owner ? subject : undefined;
  });
  return sorted(parsed, found);
}

/** Where the record of a name is, if lines can speak of it. */
function tableOf({ family, qualifier }: Irn): 'connectors' | 'interfaces' | 'links' | undefined {
  if (qualifier === interfaceQualifier && family === 'cloudgateway') return 'interfaces';
  return qualifier === '' && (family === 'connectors' || family === 'links') ? family : undefined;
}

/** What is wrong with a value of a resource, if anything is. */
function refusalOf(subject: Subject | undefined, field: number): string | undefined {
  if (!subject) return 'has an irn that names no connector, virtual interface or link of yours';
  if (fits(subject.kind, fieldNumber(field).quantity)) return undefined;
  return `has ${fieldNames[field]}, which a ${subject.kind} does not have`;
}

/** A line of which one value is refused is bad as a whole. */
function sorted(parsed: Parsed, found: (Subject | undefined)[]): Taken {
  const isRefused = new Uint8Array(parsed.lines + 1);
  const bad: BadLine[] = [];
  let badCount = 0;
  // The same for all values of a resource and field, of which there are few.
  const known = new Map<number, string | undefined>();
  for (let row = 0; row < parsed.count; row++) {
    const name = parsed.nameAt[row] ?? 0;
    const field = parsed.fieldAt[row] ?? 0;
    const key = name * fieldNames.length + field;
    if (!known.has(key)) known.set(key, refusalOf(found[name], field));
    const reason = known.get(key);
    const number = parsed.lineAt[row] ?? 0;
    if (reason === undefined || isRefused[number]) continue;
    isRefused[number] = 1;
    badCount++;
    if (bad.length < maxReportedBadLines) bad.push({ number, reason });
  }
  const all: Points = {
    count: parsed.count,
    // Those of refused lines are not looked at.
    subjects: found as Subject[],
    subjectAt: parsed.nameAt,
    fieldAt: parsed.fieldAt,
    times: parsed.times,
    values: parsed.values,
  };
  // A name may stand in lines alone that could not be read.
  if (badCount === 0 && !found.includes(undefined)) return { points: all, bad, badCount };
  const kept = choose(all, (row) => !isRefused[parsed.lineAt[row] ?? 0]);
  return { points: withoutStrangers(kept), bad, badCount };
}

/** The same points, with those subjects alone that have some. */
function withoutStrangers(points: Points): Points {
  const numbers = new Map<number, number>();
  const subjects: Subject[] = [];
  for (let row = 0; row < points.count; row++) {
    const before = points.subjectAt[row] ?? 0;
    if (!numbers.has(before)) numbers.set(before, subjects.push(points.subjects[before] as Subject) - 1);
    points.subjectAt[row] = numbers.get(before) ?? 0;
  }
  return { ...points, subjects };
}
