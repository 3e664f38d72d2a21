// Resolves the resource names of written lines to metric subjects, and rejects the lines that the caller may not write.
import { mapInSlices, nextTurn } from '../../concurrency/time-slices.ts';
import { type BadLine, maxReportedBadLines, type ParsedLines, type ParsedRows } from '../../metrics/line-protocol.ts';
import { choosePoints, fieldByIndex, fieldNames, type PointColumns } from '../../metrics/point-columns.ts';
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

/** Agents write for a few resources, or for all of a network: the latter are looked up in several queries. */
const namesAtOnce = 1000;

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

const chunksOf = <T>(list: T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(list.length / size) }, (_, index) => list.slice(index * size, (index + 1) * size));

export interface ResolvedPoints {
  /** In parts that are small enough to be processed without a pause. */
  parts: PointColumns[];
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
  const irns = await mapInSlices(parsed.irns, parseIrnCached);
  const byOwner = Map.groupBy(
    irns.filter((irn) => irn !== undefined),
    ({ owner }) => owner,
  );
  const subjects: SubjectMaps = { connectors: new Map(), interfaces: new Map(), links: new Map() };
  for (const ownScope of await writableScopes(database, scope, mayWriteForChildren, [...byOwner.keys()]))
    for (const own of chunksOf(byOwner.get(ownScope.organisationCode) ?? [], namesAtOnce))
      await addSubjects(database, scope, ownScope, own, subjects);
  const resolved = irns.map((irn) => {
    const table = irn && tableOf(irn);
    const subject = table && subjects[table].get(irn.id);
    // A valid id under another owner's code names no resource.
    return subject?.organisationCode === irn?.owner ? subject : undefined;
  });
  const result: ResolvedPoints = { parts: [], badLines: [], badLineCount: 0 };
  for (const [index, part] of parsed.parts.entries()) {
    if (index > 0) await nextTurn();
    result.parts.push(acceptRows(part, resolved, result));
  }
  return result;
}

function rejectionReason(subject: Subject | undefined, field: number): string | undefined {
  if (!subject) return 'has an irn that names no connector, virtual interface or link of yours';
  if (hasQuantity(subject.kind, fieldByIndex(field).quantity)) return undefined;
  return `has ${fieldNames[field]}, which a ${subject.kind} does not have`;
}

/** The rows of the lines that are accepted. One rejected value rejects its whole line, which is added to `bad`. */
function acceptRows(rows: ParsedRows, subjects: (Subject | undefined)[], bad: Omit<ResolvedPoints, 'parts'>) {
  const rejectedLines = new Set<number>();
  // The reason depends on resource and field only, and there are few such pairs.
  const reasons = new Map<number, string | undefined>();
  for (let row = 0; row < rows.count; row++) {
    const irnIndex = rows.irnIndexes[row] ?? 0;
    const field = rows.fieldIndexes[row] ?? 0;
    const key = irnIndex * fieldNames.length + field;
    if (!reasons.has(key)) reasons.set(key, rejectionReason(subjects[irnIndex], field));
    const reason = reasons.get(key);
    const number = rows.lineNumbers[row] ?? 0;
    if (reason === undefined || rejectedLines.has(number)) continue;
    rejectedLines.add(number);
    bad.badLineCount++;
    if (bad.badLines.length < maxReportedBadLines) bad.badLines.push({ number, reason });
  }
  const points: PointColumns = {
    count: rows.count,
    // The undefined ones belong to rejected lines.
    subjects: subjects as Subject[],
    subjectIndexes: rows.irnIndexes,
    fieldIndexes: rows.fieldIndexes,
    times: rows.times,
    values: rows.values,
  };
  // An undefined subject without a bad line here: its name occurs in other parts, or in lines that the parser rejected.
  if (rejectedLines.size === 0 && !subjects.includes(undefined)) return points;
  const accepted: number[] = [];
  for (let row = 0; row < rows.count; row++) if (!rejectedLines.has(rows.lineNumbers[row] ?? 0)) accepted.push(row);
  return choosePoints(points, accepted);
}
