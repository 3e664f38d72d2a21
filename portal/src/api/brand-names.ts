// A brand renames fields and providers on the wire, and may count the capacity of groups in another unit. The portal thinks in the neutral words and in bits
// per second, and shows the brand's words.
interface Words {
  keys: Record<string, string>;
  values: Record<string, string>;
  groupCapacityUnit: 'bps' | 'kbps';
}

function readWords(): Words {
  const content = document.querySelector('meta[name="patchbay-words"]')?.getAttribute('content') ?? '';
  return content.startsWith('{') ? JSON.parse(content) : { keys: {}, values: {}, groupCapacityUnit: 'bps' };
}

const words = readWords();
const inverse = (names: Record<string, string>) =>
  new Map(Object.entries(names).map(([inside, outside]) => [outside, inside]));
const keysInside = inverse(words.keys);
const valuesInside = inverse(words.values);
const familyKeys = new Set(['shortName', 'family', 'shortname']);
const groupUnit = words.groupCapacityUnit === 'kbps' ? 1000 : 1;
const isNeutral = keysInside.size === 0 && valuesInside.size === 0 && groupUnit === 1;

/** An answer in the neutral words. */
export function toNeutral(value: unknown, key = ''): unknown {
  if (key === 'allocatedCapacity' && typeof value === 'number') return value * groupUnit;
  if (typeof value === 'string') return familyKeys.has(key) ? (valuesInside.get(value) ?? value) : value;
  if (Array.isArray(value)) return value.map((item) => toNeutral(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [keysInside.get(name) ?? name, toNeutral(inner, name)]),
  );
}

/** The answer itself where there is nothing to rename. */
export async function neutral(response: Response): Promise<Response> {
  if (isNeutral || !response.headers.get('content-type')?.includes('json')) return response;
  const body = JSON.stringify(toNeutral(await response.json()));
  return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers });
}

const titles: Record<string, string> = {
  providerA: 'Provider A',
  providerAHostedConnection: 'Provider A hosted connection',
  providerB: 'Provider B',
  providerC: 'Provider C',
  entreprise: 'Enterprise site',
};

/** What people call a family of destinations. */
export const familyTitle = (family: string): string => words.values[family] ?? titles[family] ?? family;

/** What the operator calls a field. */
export const fieldTitle = (field: string): string => words.keys[field] ?? field;
