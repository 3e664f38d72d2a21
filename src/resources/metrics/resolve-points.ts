// Resolves the resource names of written lines to metric subjects, and rejects the lines that the caller may not write.
import { type BadLine, maxReportedBadLines, type ParsedLines } from '../../metrics/line-protocol.ts';
import { fieldByIndex, fieldNames, filterPoints, type PointColumns } from '../../metrics/point-columns.ts';
import { hasQuantity } from '../../metrics/quantities.ts';
import { interfaceQualifier, type Subject } from '../../metrics/samples.ts';
import { asTenant, type Database, type Scope } from '../../store/database.ts';
import { type Irn, parseIrn } from '../../values/irn.ts';
import { listChildrenByCode, listMeasuredRecords } from './store.ts';
import { toConnectorSubject, toLinkSubject } from './to-subject.ts';

/** Agents write for the same resources all day, so parsed names are cached. */
const irnCache = new Map<string, Irn>();
const maxCachedIrns = 20_000;

function parseIrnCached(name: string): Irn | undefined {
  const cached = irnCache.get(name);
  if (cached) return cached;
  const irn = parseIrn(name);
  if (!irn) return undefined;
  if (irnCache.size >= maxCachedIrns) irnCache.clear();
  // A copy: a substring would keep the whole request body in memory.
  irnCache.set(Buffer.from(name, 'latin1').toString('latin1'), irn);
  return irn;
}

type SubjectTable = 'connectors' | 'interfaces' | 'links';

function tableOf({ family, qualifier }: Irn): SubjectTable | undefined {
  if (qualifier === interfaceQualifier && family === 'cloudgateway') return 'interfaces';
  return qualifier === '' && (family === 'connectors' || family === 'links') ? family : undefined;
}

/** The scopes among the owners that the caller may write for: its own, and its children where allowed. */
async function writableScopes(
  database: Database,
  scope: Scope,
  mayWriteForChildren: boolean,
  owners: string[],
): Promise<Scope[]> {
  const scopes = owners.includes(scope.organisationCode) ? [scope] : [];
  const others = owners.filter((owner) => owner !== scope.organisationCode);
  if (mayWriteForChildren && others.length)
    for (const { id, code } of await listChildrenByCode(database, scope, others))
      scopes.push({ organisationId: id, organisationCode: code });
  return scopes;
}

type SubjectMaps = Record<SubjectTable, Map<string, Subject>>;

async function addSubjects(
  database: Database,
  scope: Scope,
  ownScope: Scope,
  irns: Irn[],
  subjects: SubjectMaps,
): Promise<void> {
  const ids: Record<SubjectTable, string[]> = { connectors: [], interfaces: [], links: [] };
  for (const irn of irns) {
    const table = tableOf(irn);
    if (table) ids[table].push(irn.id);
  }
  const list = () => listMeasuredRecords(database, ownScope, ids);
  const { connectors, links } = ownScope === scope ? await list() : await asTenant(database, scope, ownScope, list);
  for (const row of connectors) {
    const subject = toConnectorSubject(row, ownScope.organisationCode);
    subjects.connectors.set(row.id, subject);
    if (row.interface_id) subjects.interfaces.set(row.interface_id, subject);
  }
  for (const { id } of links) subjects.links.set(id, toLinkSubject(id, ownScope));
}

export interface ResolvedPoints {
  points: PointColumns;
  /** The first rejected lines, at most `maxReportedBadLines`. */
  badLines: BadLine[];
  badLineCount: number;
}

/**
 * The points that the caller may write. Lines of other tenants are rejected exactly like lines of missing resources.
 */
export async function resolvePoints(
  database: Database,
  scope: Scope,
  mayWriteForChildren: boolean,
  parsed: ParsedLines,
): Promise<ResolvedPoints> {
  const irns = parsed.irns.map(parseIrnCached);
  const byOwner = Map.groupBy(
    irns.filter((irn) => irn !== undefined),
    ({ owner }) => owner,
  );
  const subjects: SubjectMaps = { connectors: new Map(), interfaces: new Map(), links: new Map() };
  for (const ownScope of await writableScopes(database, scope, mayWriteForChildren, [...byOwner.keys()]))
    await addSubjects(database, scope, ownScope, byOwner.get(ownScope.organisationCode) ?? [], subjects);
  const resolved = irns.map((irn) => {
    const table = irn && tableOf(irn);
    const subject = table && subjects[table].get(irn.id);
    // A valid id under another owner's code names no resource.
    return subject?.organisationCode === irn?.owner ? subject : undefined;
  });
  return rejectBadLines(parsed, resolved);
}

function rejectionReason(subject: Subject | undefined, field: number): string | undefined {
  if (!subject) return 'has an irn that names no connector, virtual interface or link of yours';
  if (hasQuantity(subject.kind, fieldByIndex(field).quantity)) return undefined;
  return `has ${fieldNames[field]}, which a ${subject.kind} does not have`;
}

/** One rejected value rejects its whole line. */
function rejectBadLines(parsed: ParsedLines, subjects: (Subject | undefined)[]): ResolvedPoints {
  const isRejected = new Uint8Array(parsed.lineCount + 1);
  const badLines: BadLine[] = [];
  let badLineCount = 0;
  // The reason depends on resource and field only, and there are few such pairs.
  const reasons = new Map<number, string | undefined>();
  for (let row = 0; row < parsed.count; row++) {
    const irnIndex = parsed.irnIndexes[row] ?? 0;
    const field = parsed.fieldIndexes[row] ?? 0;
    const key = irnIndex * fieldNames.length + field;
    if (!reasons.has(key)) reasons.set(key, rejectionReason(subjects[irnIndex], field));
    const reason = reasons.get(key);
    const number = parsed.lineNumbers[row] ?? 0;
    if (reason === undefined || isRejected[number]) continue;
    isRejected[number] = 1;
    badLineCount++;
    if (badLines.length < maxReportedBadLines) badLines.push({ number, reason });
  }
  const points: PointColumns = {
    count: parsed.count,
    // The undefined ones belong to rejected lines.
    subjects: subjects as Subject[],
    subjectIndexes: parsed.irnIndexes,
    fieldIndexes: parsed.fieldIndexes,
    times: parsed.times,
    values: parsed.values,
  };
  // An undefined subject without a bad line here: its name occurs only in lines that the parser rejected.
  if (badLineCount === 0 && !subjects.includes(undefined)) return { points, badLines, badLineCount };
  const accepted = filterPoints(points, (row) => !isRejected[parsed.lineNumbers[row] ?? 0]);
  return { points: withUsedSubjects(accepted), badLines, badLineCount };
}

/** The same points, without subjects that have no point. */
function withUsedSubjects(points: PointColumns): PointColumns {
  const newIndexes = new Map<number, number>();
  const subjects: Subject[] = [];
  for (let row = 0; row < points.count; row++) {
    const index = points.subjectIndexes[row] ?? 0;
    if (!newIndexes.has(index)) newIndexes.set(index, subjects.push(points.subjects[index] as Subject) - 1);
    points.subjectIndexes[row] = newIndexes.get(index) ?? 0;
  }
  return { ...points, subjects };
}
