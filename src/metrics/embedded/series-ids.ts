// Cache of series ids by origin, subject and field. Series are immutable, so entries are never stale.
import type { Scope, Store } from '../../store/database.ts';
import { fieldByIndex, fieldNames, type PointColumns } from '../point-columns.ts';
import { fieldCodeOf } from './series-codes.ts';
import { ensureSeries, type NewSeries } from './store.ts';

const maxCachedSeries = 200_000;
/** Marks a series whose id is not cached. */
const missingId = -1;

/** By subject index and field index: the id of the series, or 0 where no point needs one. */
export interface SeriesIds {
  ids: Float64Array;
  missing: { at: number; series: NewSeries }[];
}

/** The position of a series in `SeriesIds.ids`. */
export const seriesPosition = (points: PointColumns, row: number): number =>
  (points.subjectIndexes[row] ?? 0) * fieldNames.length + (points.fieldIndexes[row] ?? 0);

// Two field names can stand for one field, and then share a series.
const keyOf = ({ subjectId, field }: NewSeries): string => `${subjectId} ${field}`;

export class SeriesIdCache {
  private readonly store: Store;
  /** By origin code, subject id and field code. */
  private cached: Map<string, number[]>[] = [];
  private size = 0;

  constructor(store: Store) {
    this.store = store;
  }

  /** The cached ids of the series that some points belong to. */
  lookUp(organisationId: string, points: PointColumns, origin: number): SeriesIds {
    const width = fieldNames.length;
    const ids = new Float64Array(points.subjects.length * width);
    for (let row = 0; row < points.count; row++) ids[seriesPosition(points, row)] = missingId;
    const missing: SeriesIds['missing'] = [];
    for (const [index, { id: subjectId }] of points.subjects.entries()) {
      const known = this.cached[origin]?.get(subjectId);
      for (let at = index * width; at < (index + 1) * width; at++) {
        if (ids[at] !== missingId) continue;
        const field = fieldCodeOf(fieldByIndex(at - index * width));
        ids[at] = known?.[field] ?? missingId;
        if (ids[at] === missingId) missing.push({ at, series: { organisationId, subjectId, field, origin } });
      }
    }
    return { ids, missing };
  }

  /** The ids of all series that some points belong to; creates missing series in a transaction of its own. */
  async ensure(scope: Scope, points: PointColumns, origin: number): Promise<Float64Array> {
    const { ids, missing } = this.lookUp(scope.organisationId, points, origin);
    if (missing.length === 0) return ids;
    const wanted = [...new Map(missing.map(({ series }) => [keyOf(series), series])).values()];
    const found = await this.store.write(scope, (database) => ensureSeries(database, scope, wanted));
    const idsByKey = new Map(wanted.map((series, index) => [keyOf(series), Number(found[index])]));
    // Batches store ids in 32 bits; a point with any other id would be lost.
    for (const [key, id] of idsByKey)
      if (!(id >= 1 && id < 2 ** 32)) throw new Error(`The series ${key} has no valid id: ${id}`);
    for (const series of wanted) this.add(series, idsByKey.get(keyOf(series)) as number);
    for (const { at, series } of missing) ids[at] = idsByKey.get(keyOf(series)) as number;
    return ids;
  }

  private add({ subjectId, field, origin }: NewSeries, id: number): void {
    if (++this.size > maxCachedSeries) {
      this.cached = [];
      this.size = 1;
    }
    const subjects = this.cached[origin] ?? new Map<string, number[]>();
    this.cached[origin] = subjects;
    const fields = subjects.get(subjectId) ?? [];
    fields[field] = id;
    subjects.set(subjectId, fields);
  }
}
