// Parser of InfluxDB's line protocol: measurement,tag=value field=value,field=value timestamp. Pure. Bad lines are
// reported with a reason, and the others are accepted. Requests have tens of thousands of lines: values go into
// columns, and text is copied only where it must be.
import {
  anyTime,
  commaCode,
  endOfFieldValue,
  equalsCode,
  findUnescaped,
  hashCode,
  IntegerScanner,
  LineSplitter,
  type Precision,
  parseIrnTag,
  parseNumber,
  parseTimestamp,
  type Rejection,
  returnCode,
  spaceCode,
  unescapeName,
} from './line-lexer.ts';
import { fieldByIndex, fieldNames } from './point-columns.ts';
import { invalidValueReason } from './quantities.ts';
import type { TimeRange } from './time-range.ts';

export interface BadLine {
  /** From 1. */
  number: number;
  reason: string;
}

/** One row for each value. The first `count` rows of each column are valid. */
export interface ParsedLines {
  count: number;
  /** The distinct resources. */
  irns: string[];
  lineNumbers: Uint32Array;
  /** Indexes into `irns`. */
  irnIndexes: Uint32Array;
  /** Indexes into `fieldNames`. */
  fieldIndexes: Uint8Array;
  times: Float64Array;
  values: Float64Array;
  /** At most `maxReportedBadLines`: a body can have millions. */
  badLines: BadLine[];
  badLineCount: number;
  lineCount: number;
}

export const maxReportedBadLines = 1000;
const maxIrns = 10_000;
const initialRows = 1024;

const fieldIndexByName = new Map<string, number>(fieldNames.map((name, index) => [name, index]));

/** Lines without a timestamp get `nowMs`; timestamps outside `accepted` are rejected. */
export const parseLines = (text: string, precision: Precision, nowMs: number, accepted = anyTime): ParsedLines =>
  new LineParser(text, precision, nowMs, accepted).parse();

/**
 * Resolves series keys (measurement and tags) to resources. Agents repeat the same keys in the same order, so the
 * next key is predicted from the previous one and looked up only where the prediction fails.
 */
class SeriesKeys {
  readonly irns: string[] = [];
  private readonly text: string;
  private readonly keys: string[] = [];
  private readonly resources: (number | Rejection)[] = [];
  private readonly positions = new Map<string, number>();
  private readonly irnIndexes = new Map<string, number>();
  private predicted = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** The end of the predicted key if the line begins with it, otherwise -1. */
  endOfPredicted(from: number, limit: number): number {
    if (this.predicted >= this.keys.length) this.predicted = 0;
    const key = this.keys[this.predicted];
    if (key === undefined) return -1;
    const end = from + key.length;
    // Comparing slices is five times as fast as startsWith.
    return end < limit && this.text.charCodeAt(end) === spaceCode && this.text.slice(from, end) === key ? end : -1;
  }

  takePredicted(): number | Rejection {
    return this.resources[this.predicted++] ?? 0;
  }

  /** The index of the resource in `irns`. */
  resolve(key: string): number | Rejection {
    const position = this.positions.get(key);
    if (position !== undefined) {
      this.predicted = position + 1;
      return this.resources[position] ?? 0;
    }
    const irn = parseIrnTag(key);
    const resource = typeof irn === 'string' ? this.indexOf(irn) : irn;
    if (resource === undefined)
      return { reason: `is of one resource too many: ${maxIrns} can be named in one request` };
    if (this.keys.length < 2 * maxIrns) {
      this.positions.set(key, this.keys.push(key) - 1);
      this.resources.push(resource);
      this.predicted = this.keys.length;
    }
    return resource;
  }

  private indexOf(irn: string): number | undefined {
    const known = this.irnIndexes.get(irn);
    if (known !== undefined) return known;
    if (this.irnIndexes.size === maxIrns) return undefined;
    const index = this.irns.push(irn) - 1;
    this.irnIndexes.set(irn, index);
    return index;
  }
}

function widen<T extends Uint32Array | Uint8Array | Float64Array>(column: T, length: number): T {
  const wider = new (column.constructor as new (length: number) => T)(length);
  wider.set(column);
  return wider;
}

class LineParser {
  private readonly text: string;
  private readonly precision: Precision;
  private readonly nowMs: number;
  private readonly accepted: TimeRange;
  private readonly keys: SeriesKeys;
  private readonly integers: IntegerScanner;
  private readonly parsed: ParsedLines;
  private capacity = initialRows;

  /** In a text without escapes the next space is the end of a key, and indexOf is faster than a loop. */
  private readonly hasEscapes: boolean;
  private nextSpace = -1;

  /**
   * By position in a line: the field with its equals sign, and its index. Most lines have the same fields as the
   * previous one.
   */
  private readonly fieldPrefixes: string[] = [];
  private readonly fieldsByPosition: (number | undefined)[] = [];

  /** Samples that were taken together have the same timestamp. */
  private lastTimeText: string | undefined;
  private lastMs = 0;

  constructor(text: string, precision: Precision, nowMs: number, accepted: TimeRange) {
    this.text = text;
    this.precision = precision;
    this.nowMs = nowMs;
    this.accepted = accepted;
    this.keys = new SeriesKeys(text);
    this.integers = new IntegerScanner(text);
    this.hasEscapes = text.includes('\\');
    this.parsed = {
      count: 0,
      irns: this.keys.irns,
      lineNumbers: new Uint32Array(initialRows),
      irnIndexes: new Uint32Array(initialRows),
      fieldIndexes: new Uint8Array(initialRows),
      times: new Float64Array(initialRows),
      values: new Float64Array(initialRows),
      badLines: [],
      badLineCount: 0,
      lineCount: 0,
    };
  }

  parse(): ParsedLines {
    const { text, parsed } = this;
    const splitter = new LineSplitter(text);
    for (let start = 0; start < text.length; ) {
      const number = ++parsed.lineCount;
      const newline = splitter.endOfLine(start);
      const limit = newline > start && text.charCodeAt(newline - 1) === returnCode ? newline - 1 : newline;
      if (!this.isBlankOrComment(start, limit)) {
        const rowsBefore = parsed.count;
        const rejection = this.addLine(number, start, limit);
        if (rejection) {
          parsed.count = rowsBefore;
          parsed.badLineCount++;
          if (parsed.badLines.length < maxReportedBadLines) parsed.badLines.push({ number, reason: rejection.reason });
        }
      }
      start = newline + 1;
    }
    return parsed;
  }

  private isBlankOrComment(start: number, limit: number): boolean {
    if (limit === start) return true;
    const first = this.text.charCodeAt(start);
    return first === hashCode || (first <= spaceCode && this.text.slice(start, limit).trim() === '');
  }

  /** On a rejection the caller drops the rows that were already added. */
  private addLine(number: number, from: number, limit: number): Rejection | undefined {
    const { text, keys, parsed } = this;
    let keyEnd = keys.endOfPredicted(from, limit);
    let resource: number | Rejection;
    if (keyEnd >= 0) resource = keys.takePredicted();
    else {
      keyEnd = this.endOfKey(from, limit);
      resource = keys.resolve(text.slice(from, keyEnd));
    }
    if (typeof resource !== 'number') return resource;
    if (keyEnd === limit) return { reason: 'has no fields' };
    let fieldsStart = keyEnd;
    while (fieldsStart < limit && text.charCodeAt(fieldsStart) === spaceCode) fieldsStart++;
    const firstRow = parsed.count;
    const fieldsEnd = this.addFields(fieldsStart, limit);
    if (typeof fieldsEnd !== 'number') return fieldsEnd;
    if (parsed.count === firstRow) return { reason: `has none of the fields ${fieldNames.join(', ')}` };
    const atMs = this.timestampOf(text.slice(fieldsEnd, limit));
    if (typeof atMs !== 'number') return atMs;
    for (let row = firstRow; row < parsed.count; row++) {
      parsed.lineNumbers[row] = number;
      parsed.irnIndexes[row] = resource;
      parsed.times[row] = atMs;
    }
    return undefined;
  }

  private endOfKey(from: number, limit: number): number {
    if (this.hasEscapes) return findUnescaped(this.text, from, limit, spaceCode);
    if (this.nextSpace < from) {
      const found = this.text.indexOf(' ', from);
      this.nextSpace = found < 0 ? this.text.length : found;
    }
    return Math.min(this.nextSpace, limit);
  }

  /** Adds the known fields of a line and returns where the fields end. */
  private addFields(from: number, limit: number): number | Rejection {
    const { text, integers, fieldPrefixes } = this;
    for (let at = from, position = 0; ; position++) {
      const prefix = fieldPrefixes[position];
      let valueStart: number;
      if (prefix !== undefined && text.slice(at, at + prefix.length) === prefix) valueStart = at + prefix.length;
      else {
        const sign = findUnescaped(text, at, limit, equalsCode, spaceCode, commaCode);
        if (sign === limit || text.charCodeAt(sign) !== equalsCode || sign === at)
          return { reason: 'has a field without name or value' };
        valueStart = sign + 1;
        fieldPrefixes[position] = text.slice(at, valueStart);
        this.fieldsByPosition[position] = fieldIndexByName.get(unescapeName(text.slice(at, sign)));
      }
      const field = this.fieldsByPosition[position];
      const integerEnd = integers.scan(valueStart, limit);
      const end = integerEnd < 0 ? endOfFieldValue(text, valueStart, limit) : integerEnd;
      if (end < 0) return { reason: 'has a text that does not end' };
      if (end === valueStart) return { reason: 'has a field without name or value' };
      if (field !== undefined) {
        const value = integerEnd < 0 ? parseNumber(text, valueStart, end) : integers.value;
        const rejection = this.addValue(field, value);
        if (rejection) return rejection;
      }
      if (end === limit || text.charCodeAt(end) !== commaCode) return end;
      at = end + 1;
    }
  }

  private addValue(field: number, value: number): Rejection | undefined {
    const name = fieldNames[field];
    if (Number.isNaN(value)) return { reason: `has ${name}, which must be a number` };
    if (!Number.isFinite(value)) return { reason: `has ${name}, which is too large a number` };
    const reason = invalidValueReason(fieldByIndex(field), value);
    if (reason) return { reason: `has ${name}, which ${reason}` };
    const { parsed } = this;
    if (parsed.count === this.capacity) this.grow();
    parsed.fieldIndexes[parsed.count] = field;
    parsed.values[parsed.count++] = value;
    return undefined;
  }

  private timestampOf(timeText: string): number | Rejection {
    if (timeText === this.lastTimeText) return this.lastMs;
    const atMs = parseTimestamp(timeText, this.precision, this.nowMs, this.accepted);
    if (typeof atMs === 'number') {
      this.lastTimeText = timeText;
      this.lastMs = atMs;
    }
    return atMs;
  }

  private grow(): void {
    const { parsed } = this;
    this.capacity *= 2;
    parsed.lineNumbers = widen(parsed.lineNumbers, this.capacity);
    parsed.irnIndexes = widen(parsed.irnIndexes, this.capacity);
    parsed.fieldIndexes = widen(parsed.fieldIndexes, this.capacity);
    parsed.times = widen(parsed.times, this.capacity);
    parsed.values = widen(parsed.values, this.capacity);
  }
}
