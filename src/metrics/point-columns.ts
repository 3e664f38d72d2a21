// Points in columns: an agent's request has tens of thousands, and one object for each would dominate the cost of a
// write.
import { type Field, type FieldName, fields } from './quantities.ts';
import type { Point, Subject } from './samples.ts';

export const fieldNames = Object.keys(fields) as FieldName[];
const fieldList: Field[] = fieldNames.map((name) => fields[name]);

/** The first `count` rows of each column are valid. */
export interface PointColumns {
  count: number;
  subjects: Subject[];
  /** Indexes into `subjects`. */
  subjectIndexes: Uint32Array;
  /** Indexes into `fieldNames`. */
  fieldIndexes: Uint8Array;
  times: Float64Array;
  values: Float64Array;
}

export const fieldByIndex = (index: number): Field => fieldList[index] as Field;

export function toPointColumns(list: Point[]): PointColumns {
  const indexes = new Map<Subject, number>();
  const points: PointColumns = {
    count: list.length,
    subjects: [],
    subjectIndexes: new Uint32Array(list.length),
    fieldIndexes: new Uint8Array(list.length),
    times: Float64Array.from(list, ({ atMs }) => atMs),
    values: Float64Array.from(list, ({ value }) => value),
  };
  for (const [row, { subject, quantity, type }] of list.entries()) {
    if (!indexes.has(subject)) indexes.set(subject, points.subjects.push(subject) - 1);
    points.subjectIndexes[row] = indexes.get(subject) ?? 0;
    points.fieldIndexes[row] = fieldList.findIndex((field) => field.quantity === quantity && field.type === type);
  }
  return points;
}

export function pointAt(points: PointColumns, row: number): Point {
  const { quantity, type } = fieldByIndex(points.fieldIndexes[row] ?? 0);
  const subject = points.subjects[points.subjectIndexes[row] ?? 0] as Subject;
  return { subject, quantity, type, atMs: points.times[row] ?? 0, value: points.values[row] ?? 0 };
}

export const toPoints = (points: PointColumns): Point[] =>
  Array.from({ length: points.count }, (_, row) => pointAt(points, row));

/** A copy with these rows, in this order, and with the subjects that they use. */
export function choosePoints(points: PointColumns, rows: number[]): PointColumns {
  const count = rows.length;
  const chosen: PointColumns = {
    count,
    subjects: [],
    subjectIndexes: new Uint32Array(count),
    fieldIndexes: new Uint8Array(count),
    times: new Float64Array(count),
    values: new Float64Array(count),
  };
  const newIndexes = new Map<number, number>();
  for (const [to, row] of rows.entries()) {
    const index = points.subjectIndexes[row] ?? 0;
    if (!newIndexes.has(index)) newIndexes.set(index, chosen.subjects.push(points.subjects[index] as Subject) - 1);
    chosen.subjectIndexes[to] = newIndexes.get(index) ?? 0;
    chosen.fieldIndexes[to] = points.fieldIndexes[row] ?? 0;
    chosen.times[to] = points.times[row] ?? 0;
    chosen.values[to] = points.values[row] ?? 0;
  }
  return chosen;
}
