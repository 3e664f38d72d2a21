// The small parts of line protocol: where an element ends, and what a name, a number or a time says. Pure.

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

const backslash = 92;
export const blank = 32;
export const comma = 44;
export const equals = 61;
export const hash = 35;
const quote = 34;
const newlineCode = 10;
const zero = 48;
const nine = 57;
const letterI = 105;
const letterU = 117;

/** The end of an element: the first of these characters that is not escaped, or the limit. Most of the work is done here. */
export function endOf(text: string, from: number, limit: number, stop: number, second = stop, third = stop): number {
  for (let index = from; index < limit; index++) {
    const code = text.charCodeAt(index);
    if (code === stop || code === second || code === third) return index;
    if (code === backslash) index++;
  }
  return limit;
}

export const unescaped = (text: string): string => (text.includes('\\') ? text.replace(/\\([,= \\"])/g, '$1') : text);

/** Which resource a line speaks of, by its measurement and tags, or why that cannot be told. */
export function irnIn(key: string): string | { reason: string } {
  const { length } = key;
  const measured = endOf(key, 0, length, comma);
  if (measured === 0) return { reason: 'has no measurement' };
  let irn: string | undefined;
  for (let at = measured; at < length; ) {
    const sign = endOf(key, at + 1, length, equals, comma);
    const end = endOf(key, sign + 1, length, comma);
    if (key.charCodeAt(sign) !== equals || sign === at + 1 || end === sign + 1)
      return { reason: 'has a tag without name or value' };
    if (unescaped(key.slice(at + 1, sign)) === 'irn') {
      if (irn !== undefined) return { reason: 'has the tag irn twice' };
      irn = unescaped(key.slice(sign + 1, end));
    }
    at = end;
  }
  return irn ?? { reason: 'has no tag irn, which names the resource' };
}

/** The end of a field's value, or -1: text in quotes may hold anything, and must end. */
export function endOfValue(text: string, from: number, limit: number): number {
  if (text.charCodeAt(from) !== quote) return endOf(text, from, limit, comma, blank);
  for (let index = from + 1; index < limit; index++) {
    const code = text.charCodeAt(index);
    if (code === backslash) index++;
    else if (code === quote) return endOf(text, index + 1, limit, comma, blank);
  }
  return -1;
}

const numeric = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?[iu]?$/;
const exactDigits = 15;

/** A number as the protocol writes it; NaN when it is none. */
export function numberIn(text: string, from: number, to: number): number {
  const last = text.charCodeAt(to - 1);
  const end = last === letterI || last === letterU ? to - 1 : to;
  return numeric.test(text.slice(from, to)) ? Number(text.slice(from, end)) : Number.NaN;
}

/** Reads values that are digits alone, few enough to be exact, perhaps with an i or u behind them: most are. */
export function createDigits(text: string) {
  return {
    /** Of the last one that was read. */
    value: 0,
    /** Where the value ends that begins here; -1 when it is another kind. */
    endOf(from: number, limit: number): number {
      let value = 0;
      let index = from;
      for (; index < limit; index++) {
        const code = text.charCodeAt(index);
        if (code < zero || code > nine) break;
        value = value * 10 + (code - zero);
      }
      if (index === from || index - from > exactDigits) return -1;
      const unit = index < limit ? text.charCodeAt(index) : blank;
      if (unit === letterI || unit === letterU) index++;
      const stop = index < limit ? text.charCodeAt(index) : blank;
      if (stop !== comma && stop !== blank) return -1;
      this.value = value;
      return index;
    },
  };
}

const dateOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export function timeIn(
  text: string,
  precision: Precision,
  nowMs: number,
  { earliestMs, latestMs }: Window,
): number | { reason: string } {
  const given = text.trim();
  if (given === '') return nowMs;
  if (!/^\d{1,19}$/.test(given)) return { reason: 'has a timestamp that is not a whole number from 0 on' };
  // Whole milliseconds are kept. Nanoseconds are more than a double can count.
  const isNanoseconds = precision === 'n' || precision === 'ns';
  const atMs = isNanoseconds ? Number(given.slice(0, -6) || '0') : Math.floor(Number(given) * precisions[precision]);
  if (!(atMs >= earliestMs && atMs < latestMs))
    return {
      reason: `has a timestamp that is not from ${dateOf(earliestMs)} to ${dateOf(latestMs)} (is the precision right?)`,
    };
  return atMs;
}

/** Finds the end of each line. Text in quotes may hold line breaks; a quote that never ends spoils its own line only. */
export function createLineEnds(text: string): (from: number) => number {
  // The next ones are looked for once, not for every line: most texts have no quotes at all.
  let nextQuote = text.indexOf('"');
  /** Characters that were looked at for quotes that never end. Who has many of them has no more line breaks in quotes. */
  let inVain = 0;
  return (from) => {
    const newline = text.indexOf('\n', from);
    if (newline < 0) return text.length;
    if (nextQuote >= 0 && nextQuote < from) nextQuote = text.indexOf('"', from);
    if (nextQuote < 0 || nextQuote > newline || inVain > text.length) return newline;
    let isQuoted = false;
    for (let index = from; index < text.length; index++) {
      const code = text.charCodeAt(index);
      if (code === backslash && isQuoted) index++;
      else if (code === quote) isQuoted = !isQuoted;
      else if (code === newlineCode && !isQuoted) return index;
    }
    if (!isQuoted) return text.length;
    inVain += text.length - from;
    return newline;
  };
}

/** The times that are taken. */
export interface Window {
  earliestMs: number;
  latestMs: number;
}

/** The years that a database and a calendar can both speak of. */
export const everyTime: Window = { earliestMs: 0, latestMs: Date.UTC(2262, 0, 1) };
