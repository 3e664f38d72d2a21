// Resource names: irn:<family>:<owner>:<qualifier>:<unique_id>. The unique id is the record's UUID written in base 36,
// so that a name needs no column and no look-up table of its own, and leads back to exactly one record.

export interface Irn {
  family: string;
  owner: string;
  qualifier: string;
  id: string;
}

const shortest = 7;
const longest = 25;
const pattern = /^irn:([a-z]+):([0-9a-z]{12}):([a-z]*):([0-9a-z]{7,25})$/;
const plurals: Record<string, string> = { connector: 'connectors', link: 'links' };

export function formatIrn(family: string, owner: string, id: string, qualifier = ''): string {
  return `irn:${plurals[family] ?? family}:${owner}:${qualifier}:${BigInt(`0x${id.replaceAll('-', '')}`)
    .toString(36)
    .padStart(shortest, '0')}`;
}

/** As many digits at once as a number holds exactly: adding them one by one would be most of the work of reading a name. */
function fromBase36(digits: string): bigint {
  let value = 0n;
  for (let at = 0; at < digits.length; at += 10) {
    const some = digits.slice(at, at + 10);
    value = value * 36n ** BigInt(some.length) + BigInt(Number.parseInt(some, 36));
  }
  return value;
}

const highestId = 2n ** 128n - 1n;

function uuidOf(value: bigint): string {
  const hex = value.toString(16).padStart(32, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** The parts of a name, with the plural family, or undefined when it is not one. */
export function parseIrn(text: string): Irn | undefined {
  const [, family, owner, qualifier, unique] = pattern.exec(text) ?? [];
  if (family === undefined || owner === undefined || qualifier === undefined || unique === undefined) return undefined;
  const value = fromBase36(unique);
  // One record has one name: what does not write back the same (superfluous zeros, more than 128 bits) is none.
  if (value > highestId || value.toString(36).padStart(shortest, '0') !== unique) return undefined;
  return { family: plurals[family] ?? family, owner, qualifier, id: uuidOf(value) };
}

/** The spans of ids whose numbers begin with these digits, one for each length that a name can have. */
function spansOf(digits: string): [string, string][] {
  const spans: [string, string][] = [];
  const value = fromBase36(digits);
  // Only the shortest names are filled up with zeros.
  const most = digits.startsWith('0') ? shortest : longest;
  for (let length = Math.max(shortest, digits.length); length <= most; length++) {
    const width = 36n ** BigInt(length - digits.length);
    const [low, high] = [value * width, (value + 1n) * width - 1n];
    if (low <= highestId) spans.push([uuidOf(low), uuidOf(high < highestId ? high : highestId)]);
  }
  return spans;
}

/** Which ids have, in a family of an owner, a name without qualifier that begins like this: from one to another, both included. */
export function idsBehind(beginning: string, family: string, owner: string): [string, string][] {
  const text = beginning.toLowerCase();
  if (!text.startsWith('irn:')) return [];
  const heads = [plurals[family] ?? family, family].map((word) => `irn:${word}:${owner}::`);
  if (heads.some((head) => head.startsWith(text))) return [[uuidOf(0n), uuidOf(highestId)]];
  const head = heads.find((one) => text.startsWith(one));
  const digits = head && text.slice(head.length);
  return digits && /^[0-9a-z]{1,25}$/.test(digits) ? spansOf(digits) : [];
}
