// Points in columns: a request of an agent has tens of thousands, and an object for each would cost more than everything else that is done with it.

import { type Field, type FieldName, fields } from './quantities.ts';
import type { Point, Subject } from './samples.ts';

export const fieldNames = Object.keys(fields) as FieldName[];
const fieldList: Field[] = fieldNames.map((name) => fields[name]);

export interface Points {
  count: number;
  subjects: Subject[];
  /** By point: which of the subjects, which of the field names, when and what. */
  subjectAt: Uint32Array;
  fieldAt: Uint8Array;
  times: Float64Array;
  values: Float64Array;
}

export const fieldNumber = (index: number): Field => fieldList[index] as Field;

/** A few points, one by one, as columns. */
export function pointsOf(list: Point[]): Points {
  const numbers = new Map<Subject, number>();
  const points: Points = {
    count: list.length,
    subjects: [],
    subjectAt: new Uint32Array(list.length),
    fieldAt: new Uint8Array(list.length),
    times: Float64Array.from(list, ({ atMs }) => atMs),
    values: Float64Array.from(list, ({ value }) => value),
  };
  for (const [index, { subject, quantity, form }] of list.entries()) {
    if (!numbers.has(subject)) numbers.set(subject, points.subjects.push(subject) - 1);
    points.subjectAt[index] = numbers.get(subject) ?? 0;
    points.fieldAt[index] = fieldList.findIndex((field) => field.quantity === quantity && field.form === form);
  }
  return points;
}

export function pointAt({ subjects, subjectAt, fieldAt, times, values }: Points, index: number): Point {
  const { quantity, form } = fieldNumber(fieldAt[index] ?? 0);
  const subject = subjects[subjectAt[index] ?? 0] as Subject;
  return { subject, quantity, form, atMs: times[index] ?? 0, value: values[index] ?? 0 };
}

/** One by one, for those who are in no hurry. */
export const listOf = (points: Points): Point[] =>
  Array.from({ length: points.count }, (_, index) => pointAt(points, index));

/** These points of some, in their order. */
export function choose(points: Points, isChosen: (index: number) => boolean): Points {
  const chosen: Points = { ...points, count: 0 };
  // In place would change what others hold: these are copies.
  for (const column of ['subjectAt', 'fieldAt', 'times', 'values'] as const)
    (chosen[column] as Float64Array) = points[column].slice(0, points.count) as Float64Array;
  for (let index = 0; index < points.count; index++) {
    if (!isChosen(index)) continue;
    const at = chosen.count++;
    chosen.subjectAt[at] = points.subjectAt[index] ?? 0;
    chosen.fieldAt[at] = points.fieldAt[index] ?? 0;
    chosen.times[at] = points.times[index] ?? 0;
    chosen.values[at] = points.values[index] ?? 0;
  }
  return chosen;
}
