// InfluxDB's line protocol, as agents write it: measurement,tag=value field=value,field=value timestamp. Pure. A line that cannot be read is
// told with its reason, and the others are taken. Agents write tens of thousands of lines at once: values go into columns, and nothing is
// copied out of the text that does not have to be.

import {
  blank,
  comma,
  createDigits,
  createLineEnds,
  endOf,
  endOfValue,
  equals,
  everyTime,
  hash,
  irnIn,
  numberIn,
  type Precision,
  timeIn,
  unescaped,
} from './line-lexer.ts';
import { fieldNames, fieldNumber } from './point-columns.ts';
import { refusalOf } from './quantities.ts';

export interface BadLine {
  /** From 1. */
  number: number;
  reason: string;
}

/** What was read: a value in each row, with its line, resource, field and time. */
export interface Parsed {
  count: number;
  /** The resources that are named, each once. */
  names: string[];
  lineAt: Uint32Array;
  nameAt: Uint32Array;
  fieldAt: Uint8Array;
  times: Float64Array;
  values: Float64Array;
  /** The first of them; a body of nothing but bad lines has millions. */
  bad: BadLine[];
  badCount: number;
  /** Of the last line. */
  lines: number;
}

export const maxReportedBadLines = 1000;

const fieldsByName = new Map<string, number>(fieldNames.map((name, index) => [name, index]));

/** More in one request would be somebody else's list. */
const mostNames = 10_000;

/** Lines without a timestamp are of now. */
export function parseLines(text: string, precision: Precision, nowMs: number, window = everyTime): Parsed {
  let room = 1024;
  const parsed: Parsed = {
    count: 0,
    names: [],
    lineAt: new Uint32Array(room),
    nameAt: new Uint32Array(room),
    fieldAt: new Uint8Array(room),
    times: new Float64Array(room),
    values: new Float64Array(room),
    bad: [],
    badCount: 0,
    lines: 0,
  };
  function grow(): void {
    room *= 2;
    const wider = <T extends Uint32Array | Uint8Array | Float64Array>(column: T): T => {
      const made = new (column.constructor as new (length: number) => T)(room);
      made.set(column);
      return made;
    };
    parsed.lineAt = wider(parsed.lineAt);
    parsed.nameAt = wider(parsed.nameAt);
    parsed.fieldAt = wider(parsed.fieldAt);
    parsed.times = wider(parsed.times);
    parsed.values = wider(parsed.values);
  }

  // Without escapes the end of a key is found by the machine, which looks at many characters at once.
  const isPlain = !text.includes('\\');
  let nextBlank = -1;
  const plainEnd = (from: number): number => {
    if (nextBlank < from) {
      const found = text.indexOf(' ', from);
      nextBlank = found < 0 ? text.length : found;
    }
    return nextBlank;
  };

  // Agents write the same resources again and again, by what stands before the first blank, and mostly in the same order: the next one is
  // guessed, and only looked up where the guess was wrong.
  const keys: string[] = [];
  const namesOfKeys: (number | { reason: string })[] = [];
  const places = new Map<string, number>();
  let guessed = 0;
  const numbers = new Map<string, number>();
  function nameOf(key: string): number | { reason: string } {
    const before = places.get(key);
    if (before !== undefined) {
      guessed = before + 1;
      return namesOfKeys[before] ?? 0;
    }
    const irn = irnIn(key);
    let found: number | { reason: string };
    if (typeof irn === 'string') {
      if (!numbers.has(irn) && numbers.size === mostNames)
        return { reason: `is of one resource too many: ${mostNames} can be named in one request` };
      found = numbers.get(irn) ?? parsed.names.push(irn) - 1;
      numbers.set(irn, found);
    } else found = irn;
    if (keys.length < 2 * mostNames) {
      places.set(key, keys.push(key) - 1);
      namesOfKeys.push(found);
      guessed = keys.length;
    }
    return found;
  }
  /** Whether the line begins with the key that followed the last one when it was seen before. */
  function isGuessed(from: number, limit: number): boolean {
    if (guessed >= keys.length) guessed = 0;
    const key = keys[guessed];
    if (key === undefined) return false;
    const end = from + key.length;
    // Five times as fast as startsWith.
    return end < limit && text.charCodeAt(end) === blank && text.slice(from, end) === key;
  }

  const digits = createDigits(text);

  // The fields of a line are mostly those of the line before, in the same order: each with its sign, and what it is.
  const signed: string[] = [];
  const fieldsOfSigned: (number | undefined)[] = [];

  /** Adds the known fields of a line; answers where they end, or what is wrong. */
  function addFields(from: number, limit: number): number | { reason: string } {
    for (let at = from, place = 0; ; place++) {
      let valueAt: number;
      const guess = signed[place];
      if (guess !== undefined && text.slice(at, at + guess.length) === guess) valueAt = at + guess.length;
      else {
        const sign = endOf(text, at, limit, equals, blank, comma);
        if (sign === limit || text.charCodeAt(sign) !== equals || sign === at)
          return { reason: 'has a field without name or value' };
        valueAt = sign + 1;
        signed[place] = text.slice(at, valueAt);
        fieldsOfSigned[place] = fieldsByName.get(unescaped(text.slice(at, sign)));
      }
      const field = fieldsOfSigned[place];
      const digitsEnd = digits.endOf(valueAt, limit);
      const end = digitsEnd < 0 ? endOfValue(text, valueAt, limit) : digitsEnd;
      if (end < 0) return { reason: 'has a text that does not end' };
      if (end === valueAt) return { reason: 'has a field without name or value' };
      if (field !== undefined) {
        const value = digitsEnd < 0 ? numberIn(text, valueAt, end) : digits.value;
        const name = fieldNames[field];
        if (Number.isNaN(value)) return { reason: `has ${name}, which must be a number` };
        if (!Number.isFinite(value)) return { reason: `has ${name}, which is too large a number` };
        const refusal = refusalOf(fieldNumber(field), value);
        if (refusal) return { reason: `has ${name}, which ${refusal}` };
        if (parsed.count === room) grow();
        parsed.fieldAt[parsed.count] = field;
        parsed.values[parsed.count++] = value;
      }
      if (end === limit || text.charCodeAt(end) !== comma) return end;
      at = end + 1;
    }
  }

  let lastTimeText: string | undefined;
  let lastMs = 0;

  /** Adds the values of a line, or answers what is wrong with it. */
  function addLine(number: number, from: number, limit: number): { reason: string } | undefined {
    let keyEnd: number;
    let name: number | { reason: string };
    if (isGuessed(from, limit)) {
      keyEnd = from + (keys[guessed] ?? '').length;
      name = namesOfKeys[guessed++] ?? 0;
    } else {
      keyEnd = isPlain ? Math.min(plainEnd(from), limit) : endOf(text, from, limit, blank);
      name = nameOf(text.slice(from, keyEnd));
    }
    if (typeof name !== 'number') return name;
    if (keyEnd === limit) return { reason: 'has no fields' };
    let fieldsAt = keyEnd;
    while (fieldsAt < limit && text.charCodeAt(fieldsAt) === blank) fieldsAt++;
    const first = parsed.count;
    const fieldsEnd = addFields(fieldsAt, limit);
    if (typeof fieldsEnd !== 'number') return fieldsEnd;
    if (parsed.count === first) return { reason: `has none of the fields ${fieldNames.join(', ')}` };
    // What was measured together has one time.
    const timeText = text.slice(fieldsEnd, limit);
    const atMs = timeText === lastTimeText ? lastMs : timeIn(timeText, precision, nowMs, window);
    if (typeof atMs !== 'number') return atMs;
    lastTimeText = timeText;
    lastMs = atMs;
    for (let row = first; row < parsed.count; row++) {
      parsed.lineAt[row] = number;
      parsed.nameAt[row] = name;
      parsed.times[row] = atMs;
    }
    return undefined;
  }

  let number = 0;
  const endOfLine = createLineEnds(text);
  for (let start = 0; start < text.length; ) {
    number++;
    const newline = endOfLine(start);
    const limit = newline > start && text.charCodeAt(newline - 1) === 13 ? newline - 1 : newline;
    const firstCode = text.charCodeAt(start);
    const isNothing =
      limit === start || firstCode === hash || (firstCode <= blank && text.slice(start, limit).trim() === '');
    if (!isNothing) {
      const before = parsed.count;
      const wrong = addLine(number, start, limit);
      if (wrong) {
        // Of a bad line nothing is kept.
        parsed.count = before;
        parsed.badCount++;
        if (parsed.bad.length < maxReportedBadLines) parsed.bad.push({ number, reason: wrong.reason });
      }
    }
    start = newline + 1;
  }
  parsed.lines = number;
  return parsed;
}
