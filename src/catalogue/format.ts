// The file format of the catalogue: schema, validation with all violations, and output. The database is not read; the
// caller passes the known regions and families.
import { Ajv, type ErrorObject } from 'ajv';
import { type Static, type TSchema, Type } from 'typebox';
import { invisibleCharacters } from '../resources/schemas.ts';
import { parseSpeed } from '../values/speed.ts';

const maxLength = 255;
const maxInteger = 2 ** 31 - 1;

// Names identify records, so they must survive the database unchanged: no outer spaces and no lone surrogates. Every
// message completes a sentence that begins with the path.
const linePattern = {
  minLength: 1,
  maxLength,
  pattern: `^(?=\\S)[^${invisibleCharacters}\\ud800-\\udfff]*(?<=\\S)$`,
};
const lineMessage = `one line of text of 1 to ${maxLength} characters, with no space at its ends`;
const line = () => Type.String({ ...linePattern, message: `must be ${lineMessage}` });
const lineOrNull = () =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], ...linePattern, message: `must be ${lineMessage}, or null` });
const integer = (minimum: number) =>
  Type.Integer({ minimum, maximum: maxInteger, message: `must be a whole number from ${minimum} to ${maxInteger}` });
const degrees = (limit: number) =>
  Type.Number({ minimum: -limit, maximum: limit, message: `must be a number from -${limit} to ${limit}` });
const edgeCode = () =>
  Type.String({
    pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$',
    message: 'must be 1 to 32 letters, digits and inner signs of . _ -, such as AMS1',
  });
const locode = () =>
  Type.String({ pattern: '^[A-Z]{2}[A-Z2-9]{3}$', message: 'must be a UN/LOCODE without its space, such as NLAMS' });
const closedObject = { additionalProperties: false, message: 'must be an object' };

const citySchema = Type.Object(
  {
    locode: locode(),
    name: line(),
    country: line(),
    state: Type.Optional(lineOrNull()),
    zipcode: integer(0),
    slacity: Type.String({
      maxLength,
      pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
      message: 'must be small letters and digits, with single hyphens between, such as frankfurt-am-main',
    }),
    region: line(),
    latitude: degrees(90),
    longitude: degrees(180),
    edgeCode: edgeCode(),
  },
  closedObject,
);
const destinationSchema = Type.Object(
  { family: line(), cspCity: line(), locode: locode(), edgeCode: edgeCode() },
  closedObject,
);
const modelSchema = Type.Object(
  {
    modelName: line(),
    vendor: line(),
    type: line(),
    maxCapacity: Type.String({ format: 'speed', message: 'must be a speed such as 500Mbps or 10Gbps' }),
    connectorsNumber: integer(1),
    dualPowered: Type.Boolean({ message: 'must be true or false' }),
    flowtypes: line(),
    uplinkMedia: line(),
  },
  closedObject,
);
const list = <T extends TSchema>(item: T) => Type.Array(item, { message: 'must be a list' });
const fileSchema = Type.Object(
  { cities: list(citySchema), destinations: list(destinationSchema), models: list(modelSchema) },
  { ...closedObject, message: 'must be an object with the lists cities, destinations and models' },
);

export type City = Static<typeof citySchema> & { state: string | null };
export type Destination = Static<typeof destinationSchema>;
export type Model = Static<typeof modelSchema>;
export interface Catalogue {
  cities: City[];
  destinations: Destination[];
  models: Model[];
}
export type Section = keyof Catalogue;
export const sections: Section[] = ['cities', 'destinations', 'models'];

/** Identifies a record. No text of the catalogue contains a line break. */
export const recordKey: { [S in Section]: (row: Catalogue[S][number]) => string } = {
  cities: (row) => row.locode,
  destinations: (row) => `${row.family}\n${row.cspCity}`,
  models: (row) => row.modelName,
};

/** Names that the file can refer to but not define. */
export interface KnownNames {
  regions: string[];
  families: string[];
}

interface Violation {
  path: string;
  message: string;
}

const isSpeed = (text: string): boolean => text.endsWith('bps') && parseSpeed(text) !== undefined;
const ajv = new Ajv({
  strict: false,
  allErrors: true,
  verbose: true,
  ownProperties: true,
  formats: { speed: isSpeed },
});
const validate = ajv.compile(fileSchema);

const unprintableCharacters = new RegExp(`[${invisibleCharacters}\\ud800-\\udfff]`, 'gu');
const escapeCharacter = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** Formats a value for a terminal: shortened, and without control sequences. */
function formatValue(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  const short = text.length > 60 ? `${text.slice(0, 57)}…` : text;
  return short.replace(unprintableCharacters, escapeCharacter);
}

const joinPath = (path: string, key: string): string =>
  /^\w+$/.test(key) ? (path ? `${path}.${key}` : key) : `${path}[${formatValue(key)}]`;
const pathOf = ({ instancePath }: ErrorObject): string =>
  instancePath
    .split('/')
    .slice(1)
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : joinPath(path, part)), '');

function toViolation(error: ErrorObject): Violation {
  const path = pathOf(error);
  if (error.keyword === 'required')
    return { path: joinPath(path, String(error.params.missingProperty)), message: 'is missing' };
  if (error.keyword === 'additionalProperties')
    return { path: joinPath(path, String(error.params.additionalProperty)), message: 'is not known' };
  const { message = 'is not valid' } = error.parentSchema as { message?: string };
  return { path: path || 'The file', message: `${message}, not ${formatValue(error.data)}` };
}

type UnknownRecord = Record<string, unknown>;
interface UnknownRow {
  row: UnknownRecord;
  path: string;
}
const isRecord = (value: unknown): value is UnknownRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The objects in a list. Their references are checked even if they violate the schema otherwise. */
function rowsOf(given: unknown, section: Section): UnknownRow[] {
  const rows = isRecord(given) ? given[section] : undefined;
  if (!Array.isArray(rows)) return [];
  return rows.flatMap((row, index) => (isRecord(row) ? [{ row, path: `${section}[${index}]` }] : []));
}

/** Rows that repeat the values of an earlier row in these fields. */
function findDuplicates(rows: UnknownRow[], ...fields: string[]): Violation[] {
  const first = new Map<string, string>();
  return rows.flatMap(({ row, path }) => {
    const values = fields.map((field) => row[field]);
    if (!values.every((value) => typeof value === 'string')) return [];
    const key = values.join('\n');
    const earlier = first.get(key);
    if (earlier === undefined) {
      first.set(key, path);
      return [];
    }
    const together = fields.length > 1 ? ' together' : '';
    const message = `is the same as in ${earlier}: ${fields.join(' and ')} must be unique${together}`;
    return [{ path: `${path}.${fields.at(-1)}`, message }];
  });
}

/** Rows whose field is not among the known names. */
function findUnknownNames(rows: UnknownRow[], field: string, known: Iterable<unknown>, message: string): Violation[] {
  const names = new Set(known);
  return rows.flatMap(({ row, path }) => {
    const name = row[field];
    if (typeof name !== 'string' || names.has(name)) return [];
    return [{ path: `${path}.${field}`, message: `${message}, not ${formatValue(name)}` }];
  });
}

function referenceViolations(given: unknown, known: KnownNames): Violation[] {
  const [cities, destinations, models] = [
    rowsOf(given, 'cities'),
    rowsOf(given, 'destinations'),
    rowsOf(given, 'models'),
  ];
  // Without a list of cities, every destination would be reported too; the missing list is the only real violation.
  const hasCities = isRecord(given) && Array.isArray(given.cities);
  return [
    ...findDuplicates(cities, 'locode'),
    ...findDuplicates(cities, 'slacity'),
    ...findDuplicates(cities, 'edgeCode'),
    ...findUnknownNames(cities, 'region', known.regions, `must be one of ${known.regions.join(', ')}`),
    ...findDuplicates(destinations, 'family', 'cspCity'),
    ...findUnknownNames(destinations, 'family', known.families, `must be one of ${known.families.join(', ')}`),
    ...(hasCities
      ? findUnknownNames(
          destinations,
          'locode',
          cities.map(({ row }) => row.locode),
          'must be the locode of a city in this file',
        )
      : []),
    ...findDuplicates(models, 'modelName'),
  ];
}

const naturalOrder = new Intl.Collator('en', { numeric: true });

/** The catalogue, or all violations: one line per path, sorted by path. */
export function validateCatalogue(
  given: unknown,
  known: KnownNames,
): { catalogue: Catalogue } | { violations: string[] } {
  const schemaViolations = validate(given) ? [] : (validate.errors ?? []).map(toViolation);
  const messages = new Map<string, string>();
  // One message per path; schema violations take precedence over references.
  for (const { path, message } of [...schemaViolations, ...referenceViolations(given, known)])
    if (!messages.has(path)) messages.set(path, message);
  const violations = [...messages]
    .sort(([a], [b]) => naturalOrder.compare(a, b))
    .map(([path, message]) => `${path} ${message}`);
  if (violations.length) return { violations };
  const { cities, destinations, models } = given as Static<typeof fileSchema>;
  return { catalogue: { cities: cities.map((row) => ({ ...row, state: row.state ?? null })), destinations, models } };
}

/** Decodes and parses a file. A byte order mark is accepted. */
export function parseCatalogue(bytes: Uint8Array): { value: unknown } | { error: string } {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { error: 'is not text in UTF-8' };
  }
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { error: `is not valid JSON: ${(error as Error).message.replace(unprintableCharacters, escapeCharacter)}` };
  }
}

const formatRow = (row: object): string =>
  `    { ${Object.entries(row)
    .map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`)
    .join(', ')} }`;

function formatSection<S extends Section>(section: S, rows: Catalogue[S][number][]): string {
  const sorted = rows
    .map((row) => ({ row, key: recordKey[section](row) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const lines = sorted.map(({ row }) => formatRow(row)).join(',\n');
  return `  ${JSON.stringify(section)}: [${lines ? `\n${lines}\n  ` : ''}]`;
}

/** One record per line in a fixed order, so that two exports can be compared with diff. */
export function formatCatalogue({ cities, destinations, models }: Catalogue): string {
  const parts = [
    formatSection('cities', cities),
    formatSection('destinations', destinations),
    formatSection('models', models),
  ];
  return `{\n${parts.join(',\n')}\n}\n`;
}
