// Parser of InfluxDB's line protocol: measurement,tag=value field=value,field=value timestamp. Pure. Bad lines are
// reported with a reason, and the others are accepted. Requests have tens of thousands of lines: values go into
// columns, and text is copied only where it must be. Long texts are parsed in slices.
import { TimeSlices } from '../concurrency/time-slices.ts';
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

/** One row for each value. The first `count` rows of each column are valid. The rows of a line are adjacent. */
export interface ParsedRows {
  count: number;
  lineNumbers: Uint32Array;
  /** Indexes into `irns` of the parsed lines. */
  irnIndexes: Uint32Array;
  /** Indexes into `fieldNames`. */
  fieldIndexes: Uint8Array;
  times: Float64Array;
  values: Float64Array;
}

export interface ParsedLines {
  /** The distinct resources. */
  irns: string[];
  /** The rows in parts that are small enough to be processed without a pause. No line is divided. */
  parts: ParsedRows[];
  /** At most `maxReportedBadLines`: a body can have millions. */
  badLines: BadLine[];
  badLineCount: number;
}

export const maxReportedBadLines = 100;
/** InfluxDB's own limit of a key. A line is parsed in one piece, so its length is bounded. */
export const maxLineLength = 65_536;
const maxIrns = 10_000;
const initialRows = 1024;
/** A part ends with the line that reaches this many rows. */
const rowsPerPart = 16_384;

const fieldIndexByName = new Map<string, number>(fieldNames.map((name, index) => [name, index]));

/** Lines without a timestamp get `nowMs`; timestamps outside `accepted` are rejected. */
export const parseLines = (
  text: string,
  precision: Precision,
  nowMs: number,
  accepted = anyTime,
): Promise<ParsedLines> => new LineParser(text, precision, nowMs, accepted).parse();

/** The parser looks at the clock after this many characters or lines. */
const lookAfter = { characters: 32_768, lines: 128 };

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

const tooLong: Rejection = { reason: `has more than ${maxLineLength} characters` };

function widen<T extends Uint32Array | Uint8Array | Float64Array>(column: T, length: number): T {
  const wider = new (column.constructor as new (length: number) => T)(length);
  wider.set(column);
  return wider;
}

const createRows = (): ParsedRows => ({
  count: 0,
  lineNumbers: new Uint32Array(initialRows),
  irnIndexes: new Uint32Array(initialRows),
  fieldIndexes: new Uint8Array(initialRows),
  times: new Float64Array(initialRows),
  values: new Float64Array(initialRows),
});

class LineParser {
  private readonly text: string;
  private readonly precision: Precision;
  private readonly nowMs: number;
  private readonly accepted: TimeRange;
  private readonly keys: SeriesKeys;
  private readonly integers: IntegerScanner;
  private readonly parsed: ParsedLines;
  private lineCount = 0;
  private rows = createRows();

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
    this.parsed = { irns: this.keys.irns, parts: [this.rows], badLines: [], badLineCount: 0 };
  }

  async parse(): Promise<ParsedLines> {
    const slices = new TimeSlices();
    const splitter = new LineSplitter(this.text, maxLineLength);
    for (let start = 0; start < this.text.length; ) {
      start = this.parseSome(splitter, start);
      if (slices.isOver) await slices.next();
    }
    return this.parsed;
  }

  /** Parses lines from here on until it is time to look at the clock. Returns where the next line begins. */
  private parseSome(splitter: LineSplitter, from: number): number {
    const { text, parsed } = this;
    const end = Math.min(text.length, from + lookAfter.characters);
    const lastNumber = this.lineCount + lookAfter.lines;
    const maxWasted = splitter.wastedScans + lookAfter.characters;
    let start = from;
    while (start < end && this.lineCount < lastNumber && splitter.wastedScans < maxWasted) {
      const number = ++this.lineCount;
      const newline = splitter.endOfLine(start);
      const limit = newline > start && text.charCodeAt(newline - 1) === returnCode ? newline - 1 : newline;
      if (!this.isBlankOrComment(start, limit)) {
        const { rows } = this;
        const rowsBefore = rows.count;
        const rejection = limit - start > maxLineLength ? tooLong : this.addLine(number, start, limit);
        if (rejection) {
          rows.count = rowsBefore;
          parsed.badLineCount++;
          if (parsed.badLines.length < maxReportedBadLines) parsed.badLines.push({ number, reason: rejection.reason });
        }
      }
      start = newline + 1;
    }
    if (this.rows.count >= rowsPerPart) {
      this.rows = createRows();
      parsed.parts.push(this.rows);
    }
    return start;
  }

  private isBlankOrComment(start: number, limit: number): boolean {
    if (limit === start) return true;
    const first = this.text.charCodeAt(start);
    if (first === hashCode) return true;
    return first <= spaceCode && limit - start <= maxLineLength && this.text.slice(start, limit).trim() === '';
  }

  /** On a rejection the caller drops the rows that were already added. */
  private addLine(number: number, from: number, limit: number): Rejection | undefined {
    const { text, keys, rows } = this;
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
    const firstRow = rows.count;
    const fieldsEnd = this.addFields(fieldsStart, limit);
    if (typeof fieldsEnd !== 'number') return fieldsEnd;
    if (rows.count === firstRow) return { reason: `has none of the fields ${fieldNames.join(', ')}` };
    const atMs = this.timestampOf(text.slice(fieldsEnd, limit));
    if (typeof atMs !== 'number') return atMs;
    for (let row = firstRow; row < rows.count; row++) {
      rows.lineNumbers[row] = number;
      rows.irnIndexes[row] = resource;
      rows.times[row] = atMs;
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
    const { rows } = this;
    if (rows.count === rows.values.length) this.grow();
    rows.fieldIndexes[rows.count] = field;
    rows.values[rows.count++] = value;
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
    const { rows } = this;
    const capacity = 2 * rows.count;
    rows.lineNumbers = widen(rows.lineNumbers, capacity);
    rows.irnIndexes = widen(rows.irnIndexes, capacity);
    rows.fieldIndexes = widen(rows.fieldIndexes, capacity);
    rows.times = widen(rows.times, capacity);
    rows.values = widen(rows.values, capacity);
  }
}
