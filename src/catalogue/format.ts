// The catalogue as a file: what it may say, every fault it can have, and how it is written. Nothing here asks the database; what the
// service knows (its regions and families) is handed in.
import { Ajv, type ErrorObject } from 'ajv';
import { type Static, type TSchema, Type } from 'typebox';
import { invisibleCharacters } from '../resources/schemas.ts';
import { parseSpeed } from '../values/ip.ts';

const longest = 255;
const largest = 2 ** 31 - 1;

// No spaces at the ends and no half characters: names are what records are recognised by, so they must come back from the database
// exactly as they went in. Every message is the end of a sentence that begins with the path.
const lineShape = {
  minLength: 1,
  maxLength: longest,
  pattern: `^(?=\\S)[^${invisibleCharacters}\\ud800-\\udfff]*(?<=\\S)$`,
};
const lineMessage = `one line of text of 1 to ${longest} characters, with no space at its ends`;
const line = () => Type.String({ ...lineShape, message: `must be ${lineMessage}` });
const lineOrNull = () =>
  Type.Unsafe<string | null>({ type: ['string', 'null'], ...lineShape, message: `must be ${lineMessage}, or null` });
const whole = (minimum: number) =>
  Type.Integer({ minimum, maximum: largest, message: `must be a whole number from ${minimum} to ${largest}` });
const degrees = (most: number) =>
  Type.Number({ minimum: -most, maximum: most, message: `must be a number from -${most} to ${most}` });
const edgeCode = () =>
  Type.String({
    pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$',
    message: 'must be 1 to 32 letters, digits and inner signs of . _ -, such as AMS1',
  });
const locode = () =>
  Type.String({ pattern: '^[A-Z]{2}[A-Z2-9]{3}$', message: 'must be a UN/LOCODE without its space, such as NLAMS' });
const closed = { additionalProperties: false, message: 'must be an object' };

const city = Type.Object(
  {
    locode: locode(),
    name: line(),
    country: line(),
    state: Type.Optional(lineOrNull()),
    zipcode: whole(0),
    slacity: Type.String({
      maxLength: longest,
      pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
      message: 'must be small letters and digits, with single hyphens between, such as frankfurt-am-main',
    }),
    region: line(),
    latitude: degrees(90),
    longitude: degrees(180),
    edgeCode: edgeCode(),
  },
  closed,
);
const destination = Type.Object({ family: line(), cspCity: line(), locode: locode(), edgeCode: edgeCode() }, closed);
const model = Type.Object(
  {
    modelName: line(),
    vendor: line(),
    type: line(),
    maxCapacity: Type.String({ format: 'speed', message: 'must be a speed such as 500Mbps or 10Gbps' }),
    connectorsNumber: whole(1),
    dualPowered: Type.Boolean({ message: 'must be true or false' }),
    flowtypes: line(),
    uplinkMedia: line(),
  },
  closed,
);
const list = <T extends TSchema>(item: T) => Type.Array(item, { message: 'must be a list' });
const file = Type.Object(
  { cities: list(city), destinations: list(destination), models: list(model) },
  { ...closed, message: 'must be an object with the lists cities, destinations and models' },
);

export type City = Static<typeof city> & { state: string | null };
export type Destination = Static<typeof destination>;
export type Model = Static<typeof model>;
export interface Catalogue {
  cities: City[];
  destinations: Destination[];
  models: Model[];
}
export type Section = keyof Catalogue;
export const sections: Section[] = ['cities', 'destinations', 'models'];

/** What a record is recognised by. No text of the catalogue holds a line break. */
export const keyOf: { [S in Section]: (row: Catalogue[S][number]) => string } = {
  cities: (row) => row.locode,
  destinations: (row) => `${row.family}\n${row.cspCity}`,
  models: (row) => row.modelName,
};

/** What the service knows and the file can only name. */
export interface Known {
  regions: string[];
  families: string[];
}

interface Fault {
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
const validate = ajv.compile(file);

const unseenCharacters = new RegExp(`[${invisibleCharacters}\\ud800-\\udfff]`, 'gu');
const escaped = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A value as it is shown in a terminal: short, and with nothing that a terminal would obey. */
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? '';
  const short = text.length > 60 ? `${text.slice(0, 57)}…` : text;
  return short.replace(unseenCharacters, escaped);
}

const inner = (path: string, key: string): string =>
  /^\w+$/.test(key) ? (path ? `${path}.${key}` : key) : `${path}[${shown(key)}]`;
const pathOf = ({ instancePath }: ErrorObject): string =>
  instancePath
    .split('/')
    .slice(1)
    .reduce((path, part) => (/^\d+$/.test(part) ? `${path}[${part}]` : inner(path, part)), '');

function faultOf(error: ErrorObject): Fault {
  const path = pathOf(error);
  if (error.keyword === 'required')
    return { path: inner(path, String(error.params.missingProperty)), message: 'is missing' };
  if (error.keyword === 'additionalProperties')
    return { path: inner(path, String(error.params.additionalProperty)), message: 'is not known' };
  const { message = 'is not valid' } = error.parentSchema as { message?: string };
  return { path: path || 'The file', message: `${message}, not ${shown(error.data)}` };
}

type Loose = Record<string, unknown>;
interface Row {
  row: Loose;
  path: string;
}
const isLoose = (value: unknown): value is Loose =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The rows of a list as far as they are rows: whatever else is wrong with them, what they name can be looked at. */
function rowsOf(given: unknown, section: Section): Row[] {
  const rows = isLoose(given) ? given[section] : undefined;
  if (!Array.isArray(rows)) return [];
  return rows.flatMap((row, index) => (isLoose(row) ? [{ row, path: `${section}[${index}]` }] : []));
}

/** Faults of rows that say the same in these fields as a row before them. */
function repeated(rows: Row[], ...fields: string[]): Fault[] {
  const first = new Map<string, string>();
  return rows.flatMap(({ row, path }) => {
    const values = fields.map((field) => row[field]);
    if (!values.every((value) => typeof value === 'string')) return [];
    const key = values.join('\n');
    const before = first.get(key);
    if (before === undefined) first.set(key, path);
    const message = `is the same as in ${before}: ${fields.join(' and ')} must be unique${fields.length > 1 ? ' together' : ''}`;
    return before === undefined ? [] : [{ path: `${path}.${fields.at(-1)}`, message }];
  });
}

/** Faults of rows that name something that is not there. */
function astray(rows: Row[], field: string, known: Iterable<unknown>, message: string): Fault[] {
  const names = new Set(known);
  return rows.flatMap(({ row, path }) => {
    const name = row[field];
    if (typeof name !== 'string' || names.has(name)) return [];
    return [{ path: `${path}.${field}`, message: `${message}, not ${shown(name)}` }];
  });
}

function crossFaults(given: unknown, known: Known): Fault[] {
  const [cities, destinations, models] = [
    rowsOf(given, 'cities'),
    rowsOf(given, 'destinations'),
    rowsOf(given, 'models'),
  ];
  // Without a list of cities every destination would be astray, and that list is the one thing to mend.
  const hasCities = isLoose(given) && Array.isArray(given.cities);
  return [
    ...repeated(cities, 'locode'),
    ...repeated(cities, 'slacity'),
    ...repeated(cities, 'edgeCode'),
    ...astray(cities, 'region', known.regions, `must be one of ${known.regions.join(', ')}`),
    ...repeated(destinations, 'family', 'cspCity'),
    ...astray(destinations, 'family', known.families, `must be one of ${known.families.join(', ')}`),
    ...(hasCities
      ? astray(
          destinations,
          'locode',
          cities.map(({ row }) => row.locode),
          'must be the locode of a city in this file',
        )
      : []),
    ...repeated(models, 'modelName'),
  ];
}

const byNumbers = new Intl.Collator('en', { numeric: true });

/** What the file says, or everything that is wrong with it: a line for each place, in the order of their paths. */
export function checkCatalogue(given: unknown, known: Known): { catalogue: Catalogue } | { faults: string[] } {
  const wrong = validate(given) ? [] : (validate.errors ?? []).map(faultOf);
  const told = new Map<string, string>();
  // A value that breaks several rules is told once; its own shape comes before what it refers to.
  for (const { path, message } of [...wrong, ...crossFaults(given, known)])
    if (!told.has(path)) told.set(path, message);
  const faults = [...told].sort(([a], [b]) => byNumbers.compare(a, b)).map(([path, message]) => `${path} ${message}`);
  if (faults.length) return { faults };
  const { cities, destinations, models } = given as Static<typeof file>;
  return { catalogue: { cities: cities.map((row) => ({ ...row, state: row.state ?? null })), destinations, models } };
}

/** The words of a file. A byte order mark, which some editors write, is no fault. */
export function parseCatalogue(bytes: Uint8Array): { value: unknown } | { fault: string } {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return { fault: 'is not text in UTF-8' };
  }
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    return { fault: `is not valid JSON: ${(error as Error).message.replace(unseenCharacters, escaped)}` };
  }
}

const formatRow = (row: object): string =>
  `    { ${Object.entries(row)
    .map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`)
    .join(', ')} }`;

function formatSection<S extends Section>(section: S, rows: Catalogue[S][number][]): string {
  const sorted = rows
    .map((row) => ({ row, key: keyOf[section](row) }))
    .sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  const lines = sorted.map(({ row }) => formatRow(row)).join(',\n');
  return `  ${JSON.stringify(section)}: [${lines ? `\n${lines}\n  ` : ''}]`;
}

/** One record a line and in one order, whatever the database's: two exports can be compared line by line. */
export function formatCatalogue({ cities, destinations, models }: Catalogue): string {
  const parts = [
    formatSection('cities', cities),
    formatSection('destinations', destinations),
    formatSection('models', models),
  ];
  return `{\n${parts.join(',\n')}\n}\n`;
}
