// Brand files rename headers, fields and families for clients that were written for other names. Requests may use both
// the neutral and the brand's names. No other module contains brand names.
import { readFile } from 'node:fs/promises';
import type { ConnectorKind } from './connector-kinds/connector-kind.ts';
import { OperatorError } from './errors/operator-error.ts';
import type { FieldNameMap } from './http/request/field-names.ts';

export interface Brand {
  /** The name of the scope header in the documentation. */
  scopeHeader: string;
  /** All accepted names of the scope header. */
  scopeHeaders: string[];
  /** Renamed fields of bodies, responses and parameters. */
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

const isNameMap = (value: unknown): value is Record<string, string> =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.values(value).every((name) => typeof name === 'string' && fieldName.test(name));

const reservedHeader =
  /^(authorization|content-.*|cookie|host|idempotency-key|if-.*|gateway-request-id|x-forwarded-.*|forwarded)$/i;
/** Returns the first error in the content of a brand file. */
function findError(content: unknown, providers: ConnectorKind[]): string | undefined {
  if (typeof content !== 'object' || content === null || Array.isArray(content)) return 'must contain one JSON object';
  const unknown = Object.keys(content).filter((key) => !(key in neutral));
  if (unknown.length) return `has unknown keys: ${unknown.join(', ')} (known: ${Object.keys(neutral).join(', ')})`;
  const { scopeHeader, families, fields, groupCapacityUnit } = { ...neutral, ...content };
  if (typeof scopeHeader !== 'string' || !headerName.test(scopeHeader) || reservedHeader.test(scopeHeader))
    return 'must give scopeHeader as the name of an HTTP header that has no other meaning';
  if (!isNameMap(families) || !isNameMap(fields)) return 'must give families and fields as objects from name to name';
  const familyNames = providers.map(({ name }) => name);
  const unknownFamilies = Object.keys(families).filter((name) => !familyNames.includes(name));
  if (unknownFamilies.length)
    return `renames unknown families: ${unknownFamilies.join(', ')} (known: ${familyNames.join(', ')})`;
  const misplaced = Object.keys(fields).filter((name) => familyNames.includes(name));
  if (misplaced.length) return `renames ${misplaced.join(', ')} under fields, which is a family`;
  if (groupCapacityUnit !== 'bps' && groupCapacityUnit !== 'kbps') return 'must give groupCapacityUnit as bps or kbps';
  return undefined;
}

/** `providerAAccount` with the brand's name for providerA; the longest family that matches counts. */
function renameField(name: string, families: Record<string, string>): string | undefined {
  const match = Object.keys(families)
    .filter((family) => name.startsWith(family) && name.length > family.length)
    .sort((a, b) => b.length - a.length)[0];
  return match && `${families[match]}${name.slice(match.length)}`;
}

function createBrand(content: BrandFile, providers: ConnectorKind[]): Brand {
  const keys: Record<string, string> = { ...content.families };
  for (const kind of providers)
    for (const { name, writeName } of kind.fields)
      for (const field of [name, writeName]) {
        const renamed = renameField(field, content.families);
        if (renamed) keys[field] = renamed;
      }
  return {
    scopeHeader: content.scopeHeader,
    scopeHeaders:
      content.scopeHeader.toLowerCase() === neutral.scopeHeader.toLowerCase()
        ? [content.scopeHeader]
        : [neutral.scopeHeader, content.scopeHeader],
    keys: { ...keys, ...content.fields },
    values: content.families,
    groupCapacityUnit: content.groupCapacityUnit,
  };
}

export const neutralBrand = createBrand(neutral, []);

export async function loadBrand(file: string | undefined, providers: ConnectorKind[]): Promise<Brand> {
  if (!file) return createBrand(neutral, providers);
  const reject = (reason: string): never => {
    throw new OperatorError(`The brand file ${file} ${reason}.`);
  };
  const text = await readFile(file, 'utf8').catch((error) => reject(`cannot be read: ${error.message}`));
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    return reject(`is not valid JSON: ${(error as Error).message}`);
  }
  const error = findError(content, providers);
  if (error) return reject(error);
  return createBrand({ ...neutral, ...(content as Partial<BrandFile>) }, providers);
}

/** Renaming must be reversible: every key must be a field of the API, and every new name must be unique. */
export function rejectAmbiguousBrand(brand: Brand, names: Set<string>): void {
  const reject = (reason: string): never => {
    throw new OperatorError(`The brand file ${reason}.`);
  };
  const internalNames = new Map<string, string>();
  for (const [internal, wire] of Object.entries(brand.keys)) {
    if (!names.has(internal)) reject(`renames ${internal}, which is not a field of the API`);
    const other = internalNames.get(wire) ?? (names.has(wire) && wire !== internal ? wire : undefined);
    if (other === wire) reject(`renames ${internal} to ${wire}, which is a field of the API`);
    if (other) reject(`renames ${internal} to ${wire}, which is also the name of ${other}`);
    internalNames.set(wire, internal);
  }
}
