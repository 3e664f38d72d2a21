// The engine that needs nothing: samples in the service's own PostgreSQL.
import { allTenants, asTenant, type Database, type Scope, type Store } from '../../store/database.ts';
import type { Backend } from '../backend.ts';
import { choose, fieldNames, fieldNumber, type Points } from '../point-columns.ts';
import { type Quantity, unknown } from '../quantities.ts';
import type { ReportedStatus, Span, Subject } from '../samples.ts';
import { dayMs, hourMs, minuteMs, type Range } from '../time-range.ts';
import { packBatches } from './batch-codec.ts';
import { readBucketSums, readLatest, readSamples, readUsage } from './query.ts';
import { codeOf, originCode } from './series-codes.ts';
import { ensureSeries, insertBatches, type NewSeries } from './store.ts';

const knownSeriesAtMost = 200_000;
/** In the place of a series that is yet to be found. */
const wantedId = -1;
/** What a connector is said to be counts for so long. */
const heardMs = 15 * minuteMs;

const scopeOf = (organisationId: string): Scope => ({ organisationId, organisationCode: '' });
/** Those of one organisation are read as that organisation; the service itself reads what several have. */
const readerOf = (subjects: Subject[]): Scope | typeof allTenants => {
  const [first, ...others] = new Set(subjects.map(({ organisationId }) => organisationId));
  return first !== undefined && others.length === 0 ? scopeOf(first) : allTenants;
};
const idsOf = (subjects: Subject[]): string[] => subjects.map(({ id }) => id);
const isWhole = (ms: number, grid: number): boolean => ms % grid === 0;

export function openEmbeddedBackend(store: Store, keepDays: number, nowMs: () => number): Backend {
  /** By origin, subject and field. Series never change; those that were made in a transaction that failed are not remembered. */
  let knownSeries: Map<string, number[]>[] = [];
  let knownCount = 0;

  function remember({ subjectId, field, origin }: NewSeries, id: number): void {
    if (++knownCount > knownSeriesAtMost) {
      knownSeries = [];
      knownCount = 1;
    }
    const ofOrigin = knownSeries[origin] ?? new Map<string, number[]>();
    knownSeries[origin] = ofOrigin;
    const own = ofOrigin.get(subjectId) ?? [];
    own[field] = id;
    ofOrigin.set(subjectId, own);
  }

  /** The series of each subject and field of some points, by the number of both, and those that are not known. */
  function seriesOf(organisationId: string, points: Points, origin: number) {
    const width = fieldNames.length;
    const ids = new Float64Array(points.subjects.length * width);
    for (let index = 0; index < points.count; index++)
      ids[(points.subjectAt[index] ?? 0) * width + (points.fieldAt[index] ?? 0)] = wantedId;
    const missing: { at: number; series: NewSeries }[] = [];
    for (const [number, subject] of points.subjects.entries()) {
      const known = knownSeries[origin]?.get(subject.id);
      for (let at = number * width; at < (number + 1) * width; at++) {
        if (ids[at] !== wantedId) continue;
        const field = codeOf(fieldNumber(at - number * width));
        ids[at] = known?.[field] ?? wantedId;
        if (ids[at] !== wantedId) continue;
        missing.push({ at, series: { organisationId, subjectId: subject.id, field, origin } });
      }
    }
    return { ids, missing };
  }

  /** The same, with those that are not known found or made first. */
  async function ensuredSeriesOf(scope: Scope, points: Points, origin: number): Promise<Float64Array> {
    const { ids, missing } = seriesOf(scope.organisationId, points, origin);
    if (missing.length === 0) return ids;
    // Two names of one field are one series.
    const nameOf = ({ subjectId, field }: NewSeries): string => `${subjectId} ${field}`;
    const wanted = [...new Map(missing.map(({ series }) => [nameOf(series), series])).values()];
    const found = await store.write(scope, (database) => ensureSeries(database, scope, wanted));
    const made = new Map(wanted.map((series, index) => [nameOf(series), Number(found[index])]));
    // Points of a series that is none would be kept nowhere.
    for (const [name, id] of made) if (!(id >= 1 && id < 2 ** 32)) throw new Error(`There is no series for ${name}`);
    for (const series of wanted) remember(series, made.get(nameOf(series)) as number);
    for (const { at, series } of missing) ids[at] = made.get(nameOf(series)) as number;
    return ids;
  }

  async function insert(database: Database, scope: Scope, points: Points, ids: Float64Array): Promise<void> {
    const seriesIds = new Float64Array(points.count);
    for (let index = 0; index < points.count; index++)
      seriesIds[index] = ids[(points.subjectAt[index] ?? 0) * fieldNames.length + (points.fieldAt[index] ?? 0)] ?? 0;
    await insertBatches(
      database,
      scope,
      scope.organisationId,
      packBatches({ seriesIds, times: points.times, values: points.values }),
    );
  }

  /** The points of each organisation. */
  function byOwner(points: Points): { scope: Scope; own: Points }[] {
    const owners = [...new Set(points.subjects.map(({ organisationId }) => organisationId))];
    if (owners.length === 1) return owners.map((owner) => ({ scope: scopeOf(owner), own: points }));
    return owners.map((owner) => ({
      scope: scopeOf(owner),
      own: choose(points, (index) => points.subjects[points.subjectAt[index] ?? 0]?.organisationId === owner),
    }));
  }

  return {
    name: 'embedded',
    reachMs: keepDays * dayMs,
    isOutside: false,
    nowMs,
    takesPoints: true,
    samples: (subjects: Subject[], quantities: Quantity[], span: Span) => {
      const reader = readerOf(subjects);
      return store.read(reader, (database) => readSamples(database, reader, idsOf(subjects), quantities, span));
    },
    async bucketSums(subject: Subject, quantity: Quantity, range: Range) {
      // Sums of hours make up whole hours; a range of a day or two is as quickly read from samples.
      if (
        !isWhole(range.fromMs, hourMs) ||
        !isWhole(range.intervalMs, hourMs) ||
        range.toMs - range.fromMs <= 2 * dayMs
      )
        return { isTaken: false };
      const reader = readerOf([subject]);
      const found = await store.read(reader, (database) =>
        readBucketSums(database, reader, subject.id, quantity, range),
      );
      return { isTaken: true, found };
    },
    usage: (subjects: Subject[], span: Span) => {
      const reader = readerOf(subjects);
      return store.read(reader, (database) => readUsage(database, reader, idsOf(subjects), span));
    },
    async latest(subject: Subject, quantities: Quantity[]) {
      const reader = readerOf([subject]);
      return store.read(reader, (database) => readLatest(database, reader, subject.id, quantities));
    },
    async reportedStatuses(connectorIds): Promise<ReportedStatus[]> {
      if (connectorIds === 'all') return [];
      const span = { fromMs: nowMs() - heardMs, toMs: nowMs() + dayMs };
      const traces = await store.read(allTenants, (database) =>
        readSamples(database, allTenants, connectorIds, ['bgp_status', 'host_status'], span),
      );
      return traces
        .filter(({ origin }) => origin === 'written')
        .map(({ subjectId, quantity, values }) => ({
          recordId: subjectId,
          quantity: quantity as ReportedStatus['quantity'],
          value: values[values.length - 1] ?? unknown,
        }));
    },
    async write(points, origin) {
      for (const { scope, own } of byOwner(points)) {
        const ids = await ensuredSeriesOf(scope, own, originCode(origin));
        await store.write(scope, (database) => insert(database, scope, own, ids));
      }
    },
    async writeWithin(database, scope, points, origin) {
      const portions = byOwner(points).map((portion) => ({
        ...portion,
        ...seriesOf(portion.scope.organisationId, portion.own, originCode(origin)),
      }));
      // Series are made in a transaction of their own: whether this one succeeds is not known yet, and they would be remembered.
      if (portions.some(({ missing }) => missing.length > 0)) return false;
      for (const { scope: owner, own, ids } of portions) {
        const keep = () => insert(database, owner, own, ids);
        if (owner.organisationId === scope.organisationId) await keep();
        else await asTenant(database, scope, owner, keep);
      }
      return true;
    },
    check: async () => {
      await store.read(allTenants, async () => undefined);
    },
    close: async () => undefined,
  };
}
