// Resource names: irn:<family>:<owner>:<qualifier>:<unique_id>. The unique id is the record's UUID in base 36, so that
// a name needs no column and identifies exactly one record.

export interface Irn {
  family: string;
  owner: string;
  qualifier: string;
  id: string;
}

const minDigits = 7;
const maxDigits = 25;
const pattern = /^irn:([a-z]+):([0-9a-z]{12}):([a-z]*):([0-9a-z]{7,25})$/;
const plurals: Record<string, string> = { connector: 'connectors', link: 'links' };

export function formatIrn(family: string, owner: string, id: string, qualifier = ''): string {
  return `irn:${plurals[family] ?? family}:${owner}:${qualifier}:${BigInt(`0x${id.replaceAll('-', '')}`)
    .toString(36)
    .padStart(minDigits, '0')}`;
}

/** Converts ten digits at a time, which a number holds exactly; one at a time would dominate the cost of parsing. */
function fromBase36(digits: string): bigint {
  let value = 0n;
  for (let at = 0; at < digits.length; at += 10) {
    const chunk = digits.slice(at, at + 10);
    value = value * 36n ** BigInt(chunk.length) + BigInt(Number.parseInt(chunk, 36));
  }
  return value;
}

const highestId = 2n ** 128n - 1n;

function formatUuid(value: bigint): string {
  const hex = value.toString(16).padStart(32, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Returns the parts of a name, with the plural family, or undefined for anything else. */
export function parseIrn(text: string): Irn | undefined {
  const [, family, owner, qualifier, unique] = pattern.exec(text) ?? [];
  if (family === undefined || owner === undefined || qualifier === undefined || unique === undefined) return undefined;
  const value = fromBase36(unique);
  // One record has one name: extra zeros and more than 128 bits are rejected.
  if (value > highestId || value.toString(36).padStart(minDigits, '0') !== unique) return undefined;
  return { family: plurals[family] ?? family, owner, qualifier, id: formatUuid(value) };
}

/** The id ranges whose base-36 form starts with these digits, one for each possible length. */
function rangesForDigits(digits: string): [string, string][] {
  const ranges: [string, string][] = [];
  const value = fromBase36(digits);
  // Only names of minimal length are zero-padded.
  const longest = digits.startsWith('0') ? minDigits : maxDigits;
  for (let length = Math.max(minDigits, digits.length); length <= longest; length++) {
    const width = 36n ** BigInt(length - digits.length);
    const [low, high] = [value * width, (value + 1n) * width - 1n];
    if (low <= highestId) ranges.push([formatUuid(low), formatUuid(high < highestId ? high : highestId)]);
  }
  return ranges;
}

/** The inclusive id ranges whose names, without qualifier, start with this prefix in a family of an owner. */
export function idRangesForPrefix(prefix: string, family: string, owner: string): [string, string][] {
  const text = prefix.toLowerCase();
  if (!text.startsWith('irn:')) return [];
  const heads = [plurals[family] ?? family, family].map((word) => `irn:${word}:${owner}::`);
  if (heads.some((head) => head.startsWith(text))) return [[formatUuid(0n), formatUuid(highestId)]];
  const head = heads.find((one) => text.startsWith(one));
  const digits = head && text.slice(head.length);
  return digits && /^[0-9a-z]{1,25}$/.test(digits) ? rangesForDigits(digits) : [];
}
