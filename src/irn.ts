// Resource names: irn:<family>:<owner>:<qualifier>:<unique_id>. The unique id is the record's UUID written in base 36,
// so that a name needs no column and no look-up table of its own, and leads back to exactly one record.

export interface Irn {
  family: string;
  owner: string;
  qualifier: string;
  id: string;
}

const pattern = /^irn:([a-z]+):([0-9a-z]{12}):([a-z]*):([0-9a-z]{7,25})$/;
const plurals: Record<string, string> = { connector: 'connectors', link: 'links' };

export function formatIrn(family: string, owner: string, id: string, qualifier = ''): string {
  return `irn:${plurals[family] ?? family}:${owner}:${qualifier}:${BigInt(`0x${id.replaceAll('-', '')}`)
    .toString(36)
    .padStart(7, '0')}`;
}

/** The parts of a name, with the plural family, or undefined when it is not one. */
export function parseIrn(text: string): Irn | undefined {
  const [, family, owner, qualifier, unique] = pattern.exec(text) ?? [];
  if (family === undefined || owner === undefined || qualifier === undefined || unique === undefined) return undefined;
  let value = 0n;
  // As many digits at once as a number holds exactly: adding them one by one would be most of the work of reading a name.
  for (let at = 0; at < unique.length; at += 10) {
    const some = unique.slice(at, at + 10);
    value = value * 36n ** BigInt(some.length) + BigInt(Number.parseInt(some, 36));
  }
  const hex = value.toString(16).padStart(32, '0');
  // One record has one name: what does not write back the same (superfluous zeros, more than 128 bits) is none.
  if (hex.length > 32 || value.toString(36).padStart(7, '0') !== unique) return undefined;
  const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  return { family: plurals[family] ?? family, owner, qualifier, id };
}
