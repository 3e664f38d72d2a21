// The only module that knows brand words. Neutral words are the default; a brand file renames them for an operator whose
// clients were written for another name. Both spellings are understood on input.
import { readFile } from 'node:fs/promises';
import type { ConnectorKind } from './connector-kinds/connector-kind.ts';
import { OperatorError } from './errors/operator-error.ts';
import type { FieldNameMap } from './http/request/field-names.ts';

export interface Brand {
  /** The scope header as it is documented and offered to browsers. */
  scopeHeader: string;
  /** Every spelling that is understood, in lower case. */
  scopeHeaders: string[];
  /** What is renamed in bodies, answers and parameters. */
  keys: Record<string, string>;
  values: FieldNameMap['values'];
  /** The unit of a group's allocatedCapacity. */
  groupCapacityUnit: 'bps' | 'kbps';
}

interface BrandFile {
  scopeHeader: string;
  families: Record<string, string>;
  fields: Record<string, string>;
  groupCapacityUnit: 'bps' | 'kbps';
}

const neutral: BrandFile = { scopeHeader: 'Service-Scope', families: {}, fields: {}, groupCapacityUnit: 'bps' };
const headerName = /^[A-Za-z][A-Za-z0-9-]{0,62}$/;
const fieldName = /^[A-Za-z][A-Za-z0-9_]{0,62}$/;

const isWords = (value: unknown): value is Record<string, string> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((word) => typeof word === 'string' && fieldName.test(word));

const reserved =
  /^(authorization|content-.*|cookie|host|idempotency-key|if-.*|gateway-request-id|x-forwarded-.*|forwarded)$/i;
const isReserved = (header: string): boolean => reserved.test(header);

/** The first thing that is wrong with the content of a brand file. */
function faultOf(content: unknown, providers: ConnectorKind[]): string | undefined {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return 'must hold one JSON object';
  const unknown = Object.keys(content).filter((key) => !(key in neutral));
  if (unknown.length)
    return `has keys that are not known: ${unknown.join(', ')} (known: ${Object.keys(neutral).join(', ')})`;
  const { scopeHeader, families, fields, groupCapacityUnit } = { ...neutral, ...content };
  if (typeof scopeHeader !== 'string' || !headerName.test(scopeHeader) || isReserved(scopeHeader))
    return 'must give scopeHeader as the name of an HTTP header that has no other meaning';
  if (!isWords(families) || !isWords(fields)) return 'must give families and fields as objects from name to name';
  const strangers = Object.keys(families).filter((name) => !providers.some((kind) => kind.name === name));
  if (strangers.length)
    return `renames families that are not there: ${strangers.join(', ')} (there are: ${providers.map(({ name }) => name).join(', ')})`;
  const doubled = Object.keys(fields).filter((name) => providers.some((kind) => kind.name === name));
  if (doubled.length) return `renames ${doubled.join(', ')} among the fields; it is a family`;
  if (groupCapacityUnit !== 'bps' && groupCapacityUnit !== 'kbps') return 'must give groupCapacityUnit as bps or kbps';
  return undefined;
}

/** `providerAAccount` with the brand's word for providerA; the longest name counts. */
function renamedField(name: string, families: Record<string, string>): string | undefined {
  const owner = Object.keys(families)
    .filter((family) => name.startsWith(family) && name.length > family.length)
    .sort((a, b) => b.length - a.length)[0];
  return owner && `${families[owner]}${name.slice(owner.length)}`;
}

function brandOf(content: BrandFile, providers: ConnectorKind[]): Brand {
  const keys: Record<string, string> = { ...content.families };
  for (const kind of providers)
    for (const { name, writeName } of kind.fields)
      for (const one of [name, writeName]) {
        const renamed = renamedField(one, content.families);
        if (renamed) keys[one] = renamed;
      }
  return {
    scopeHeader: content.scopeHeader,
    scopeHeaders: [...new Set([neutral.scopeHeader, content.scopeHeader].map((name) => name.toLowerCase()))],
    keys: { ...keys, ...content.fields },
    values: content.families,
    groupCapacityUnit: content.groupCapacityUnit,
  };
}

export const neutralBrand = brandOf(neutral, []);

export async function loadBrand(file: string | undefined, providers: ConnectorKind[]): Promise<Brand> {
  if (!file) return brandOf(neutral, providers);
  const refuse = (reason: string): never => {
    throw new OperatorError(`The brand file ${file} ${reason}.`);
  };
  const text = await readFile(file, 'utf8').catch((error) => refuse(`cannot be read: ${error.message}`));
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    return refuse(`is not valid JSON: ${(error as Error).message}`);
  }
  const fault = faultOf(content, providers);
  if (fault) return refuse(fault);
  return brandOf({ ...neutral, ...(content as Partial<BrandFile>) }, providers);
}

/** Renaming must stay reversible: every name is one of the API's, and every new one is nobody else's. */
export function rejectAmbiguousBrand(brand: Brand, names: Set<string>): void {
  const refuse = (reason: string): never => {
    throw new OperatorError(`The brand file ${reason}.`);
  };
  const outside = new Map<string, string>();
  for (const [inside, word] of Object.entries(brand.keys)) {
    if (!names.has(inside)) refuse(`renames ${inside}, which is no field of the API`);
    const other = outside.get(word) ?? (names.has(word) && word !== inside ? word : undefined);
    if (other)
      refuse(
        `renames ${inside} to ${word}, which ${other === word ? 'is a field of the API' : `${other} is renamed to`}`,
      );
    outside.set(word, inside);
  }
}
