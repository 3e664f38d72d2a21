// Lexer of InfluxDB's line protocol: boundaries of elements, and values of names, numbers and timestamps. Pure.
import type { TimeRange } from './time-range.ts';

/** Milliseconds in one unit of each precision. */
export const precisions = {
  n: 1e-6,
  ns: 1e-6,
  u: 1e-3,
  µ: 1e-3,
  us: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
} as const;
export type Precision = keyof typeof precisions;

/** Why a line is rejected, as the end of a sentence that begins with the line. */
export interface Rejection {
  reason: string;
}

export const spaceCode = 32;
export const commaCode = 44;
export const equalsCode = 61;
export const hashCode = 35;
export const returnCode = 13;
const backslashCode = 92;
const quoteCode = 34;
const newlineCode = 10;
const zeroCode = 48;
const nineCode = 57;
const letterICode = 105;
const letterUCode = 117;

/** The first of these characters that is not escaped, or the limit. The parser spends most of its time here. */
export function findUnescaped(
  text: string,
  from: number,
  limit: number,
  stop: number,
  second = stop,
  third = stop,
): number {
  for (let index = from; index < limit; index++) {
    const code = text.charCodeAt(index);
    if (code === stop || code === second || code === third) return index;
    if (code === backslashCode) index++;
  }
  return limit;
}

export const unescapeName = (text: string): string =>
  text.includes('\\') ? text.replace(/\\([,= \\"])/g, '$1') : text;

/** The value of the tag `irn` in a series key (measurement and tags). */
export function parseIrnTag(key: string): string | Rejection {
  const { length } = key;
  const measurementEnd = findUnescaped(key, 0, length, commaCode);
  if (measurementEnd === 0) return { reason: 'has no measurement' };
  let irn: string | undefined;
  for (let at = measurementEnd; at < length; ) {
    const sign = findUnescaped(key, at + 1, length, equalsCode, commaCode);
    const end = findUnescaped(key, sign + 1, length, commaCode);
    if (key.charCodeAt(sign) !== equalsCode || sign === at + 1 || end === sign + 1)
      return { reason: 'has a tag without name or value' };
    if (unescapeName(key.slice(at + 1, sign)) === 'irn') {
      if (irn !== undefined) return { reason: 'has the tag irn twice' };
      irn = unescapeName(key.slice(sign + 1, end));
    }
    at = end;
  }
  return irn ?? { reason: 'has no tag irn, which names the resource' };
}

/** The end of a field value, or -1 for a quoted string that does not end. */
export function endOfFieldValue(text: string, from: number, limit: number): number {
  if (text.charCodeAt(from) !== quoteCode) return findUnescaped(text, from, limit, commaCode, spaceCode);
  for (let index = from + 1; index < limit; index++) {
    const code = text.charCodeAt(index);
    if (code === backslashCode) index++;
    else if (code === quoteCode) return findUnescaped(text, index + 1, limit, commaCode, spaceCode);
  }
  return -1;
}

const numberPattern = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?[iu]?$/;
const maxExactDigits = 15;

/** NaN where the text is no number of the protocol. */
export function parseNumber(text: string, from: number, to: number): number {
  const last = text.charCodeAt(to - 1);
  const end = last === letterICode || last === letterUCode ? to - 1 : to;
  return numberPattern.test(text.slice(from, to)) ? Number(text.slice(from, end)) : Number.NaN;
}

/**
 * Fast path for the most common values: non-negative integers with few enough digits to be exact, optionally with the
 * suffix i or u.
 */
export class IntegerScanner {
  /** The value of the last successful scan. */
  value = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** The end of the integer that begins here, or -1 for any other value. */
  scan(from: number, limit: number): number {
    const { text } = this;
    let value = 0;
    let index = from;
    for (; index < limit; index++) {
      const code = text.charCodeAt(index);
      if (code < zeroCode || code > nineCode) break;
      value = value * 10 + (code - zeroCode);
    }
    if (index === from || index - from > maxExactDigits) return -1;
    const suffix = index < limit ? text.charCodeAt(index) : spaceCode;
    if (suffix === letterICode || suffix === letterUCode) index++;
    const stop = index < limit ? text.charCodeAt(index) : spaceCode;
    if (stop !== commaCode && stop !== spaceCode) return -1;
    this.value = value;
    return index;
  }
}

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/** Milliseconds since the epoch; `nowMs` where the text is blank. */
export function parseTimestamp(
  text: string,
  precision: Precision,
  nowMs: number,
  { fromMs, toMs }: TimeRange,
): number | Rejection {
  const digits = text.trim();
  if (digits === '') return nowMs;
  if (!/^\d{1,19}$/.test(digits)) return { reason: 'has a timestamp that is not a whole number from 0 on' };
  // Timestamps are truncated to milliseconds. Nanoseconds exceed the exact range of a double, so their digits are cut
  // off.
  const isNanoseconds = precision === 'n' || precision === 'ns';
  const atMs = isNanoseconds ? Number(digits.slice(0, -6) || '0') : Math.floor(Number(digits) * precisions[precision]);
  if (!(atMs >= fromMs && atMs < toMs))
    return {
      reason: `has a timestamp that is not from ${dateOf(fromMs)} to ${dateOf(toMs)} (is the precision right?)`,
    };
  return atMs;
}

/**
 * Finds the ends of lines. A quoted string may contain line breaks; one that never ends invalidates only its own line.
 */
export class LineSplitter {
  private readonly text: string;
  /** The next quote at or after the current line, so that texts without quotes are not searched for each line. */
  private nextQuote: number;
  /**
   * Characters scanned for strings that never end. Beyond the length of the text, line breaks in quotes are no longer
   * supported.
   */
  wastedScans = 0;

  private readonly maxLength: number;

  /** A quoted string that is longer than `maxLength` counts as one that never ends. */
  constructor(text: string, maxLength: number) {
    this.text = text;
    this.maxLength = maxLength;
    this.nextQuote = text.indexOf('"');
  }

  endOfLine(from: number): number {
    const { text } = this;
    const newline = text.indexOf('\n', from);
    if (newline < 0) return text.length;
    if (this.nextQuote >= 0 && this.nextQuote < from) this.nextQuote = text.indexOf('"', from);
    if (this.nextQuote < 0 || this.nextQuote > newline || this.wastedScans > text.length) return newline;
    const limit = Math.min(text.length, from + this.maxLength);
    let isQuoted = false;
    for (let index = from; index < limit; index++) {
      const code = text.charCodeAt(index);
      if (code === backslashCode && isQuoted) index++;
      else if (code === quoteCode) isQuoted = !isQuoted;
      else if (code === newlineCode && !isQuoted) return index;
    }
    if (!isQuoted) return limit === text.length ? limit : newline;
    this.wastedScans += limit - from;
    return newline;
  }
}

/** From the epoch to the last year that fits 64-bit nanoseconds. */
export const anyTime: TimeRange = { fromMs: 0, toMs: Date.UTC(2262, 0, 1) };
