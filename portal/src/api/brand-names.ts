// A brand renames fields and provider families on the wire and may use another capacity unit. The portal works with
// internal names and bits per second, and shows the brand's names.
import { brand } from './brand.ts';

const inverse = (names: Record<string, string>) =>
  new Map(Object.entries(names).map(([internal, wire]) => [wire, internal]));
const internalKeys = inverse(brand.keys);
const internalValues = inverse(brand.values);
const familyKeys = new Set(['shortName', 'family', 'shortname']);
const groupUnit = brand.groupCapacityUnit === 'kbps' ? 1000 : 1;
const hasNoBrand = internalKeys.size === 0 && internalValues.size === 0 && groupUnit === 1;

/** A response body with internal names and units. */
export function toInternal(value: unknown, key = ''): unknown {
  if (key === 'allocatedCapacity' && typeof value === 'number') return value * groupUnit;
  if (typeof value === 'string') return familyKeys.has(key) ? (internalValues.get(value) ?? value) : value;
  if (Array.isArray(value)) return value.map((item) => toInternal(item));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [internalKeys.get(name) ?? name, toInternal(inner, name)]),
  );
}

/** Returns the response unchanged if there is nothing to rename. */
export async function toInternalResponse(response: Response): Promise<Response> {
  if (hasNoBrand || !response.headers.get('content-type')?.includes('json')) return response;
  const body = JSON.stringify(toInternal(await response.json()));
  return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers });
}

const titles: Record<string, string> = {
  providerA: 'Provider A',
  providerAHostedConnection: 'Provider A hosted connection',
  providerB: 'Provider B',
  providerC: 'Provider C',
  entreprise: 'Enterprise site',
};

/** The display name of a provider family. */
export const familyTitle = (family: string): string => brand.values[family] ?? titles[family] ?? family;

/** The brand's name of a field. */
export const brandedFieldName = (field: string): string => brand.keys[field] ?? field;
