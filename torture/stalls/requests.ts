// The most expensive requests of every route, accepted or refused: sizes at every limit, deep and wide JSON, long texts in every
// field, filter and header, largest pages.
import { gzipSync } from 'node:zlib';
import type { ApiDocument, CallOptions } from '../../test/harness/client.ts';
import { range } from '../helpers.ts';
import { absentId } from '../tenant-fixture.ts';
import { manyPolicies, type PathValues } from './inventory.ts';

export interface ExpensiveRequest {
  /** Method and template. */
  route: string;
  what: string;
  method: string;
  path: string;
  options: CallOptions;
}

type Json = Record<string, unknown>;
type Operation = ApiDocument['paths'][string][string];

const megabyte = 1024 * 1024;
/** Below the limit of a megabyte, with room for the rest of a body. */
const bodyBytes = megabyte - 64 * 1024;
/** Below the limit of 16 KiB for the request line and headers together. */
const headBytes = 14_000;

const fill = (unit: string, bytes: number): string => unit.repeat(Math.floor(bytes / unit.length));
/** Texts that make expressions backtrack, and parsers copy. */
const units = ['a', ' ', '0', '/', '1.', 'a@', ':', '-', ',', 'é'];

/** Bodies of a megabyte for any route. */
function wholeBodies(): [what: string, body: string][] {
  const depth = 30;
  const nested = `${'['.repeat(depth)}1${']'.repeat(depth)}`;
  const keys = range(bodyBytes / 14).map((index) => `"k${index}":1`);
  return [
    [
      'deep lists',
      `{"x":[${Array(Math.floor(bodyBytes / (nested.length + 1)))
        .fill(nested)
        .join(',')}]}`,
    ],
    ['too deep', fill('[', bodyBytes)],
    ['many keys', `{${keys.join(',')}}`],
    ['many objects', `{"x":[${fill('{"a":1},', bodyBytes)}1]}`],
    ['many numbers', `{"x":[${fill('1,', bodyBytes)}1]}`],
    ['a list', `[${fill('0,', bodyBytes)}0]`],
    ['escapes', `{"x":"${fill('\\u0061', bodyBytes)}"}`],
    ['many strings with escapes', `{"x":[${fill('"\\u0061",', bodyBytes)}""]}`],
    ['blanks', `${fill(' ', bodyBytes)}{}`],
    ['no JSON', fill('"a",', bodyBytes)],
    ['prototypes', `{"x":[${fill('{"a":{}},', bodyBytes)}{"__proto__":1}]}`],
  ];
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Copies of the body with one leaf replaced. */
function* replaceLeaves(
  body: unknown,
  replace: (leaf: unknown) => unknown[],
): Generator<[path: string, body: unknown]> {
  if (!isObject(body)) return;
  for (const [key, value] of Object.entries(body)) {
    if (isObject(value)) {
      for (const [path, inner] of replaceLeaves(value, replace)) yield [`${key}.${path}`, { ...body, [key]: inner }];
      continue;
    }
    for (const replaced of replace(value)) yield [key, { ...body, [key]: replaced }];
  }
}

function* bodiesOf(example: unknown, textUnits: string[]): Generator<[what: string, body: string]> {
  for (const [what, body] of wholeBodies()) yield [what, body];
  const replace = (leaf: unknown): unknown[] => [
    ...textUnits.map((unit) => fill(unit, bodyBytes)),
    Array(Math.floor(bodyBytes / (JSON.stringify(leaf).length + 1))).fill(leaf),
  ];
  for (const [path, body] of replaceLeaves(example, replace)) {
    const value = JSON.stringify(body);
    yield [`${path} of ${value.length} bytes`, value];
  }
}

const texts = (textUnits: string[]): string[] => textUnits.map((unit) => encodeURIComponent(fill(unit, headBytes / 6)));

function* queriesOf(operation: Operation, textUnits: string[]): Generator<[what: string, query: string]> {
  const names = (operation.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => name);
  const page = names.includes('limit') ? 'limit=100' : '';
  yield ['largest page', page];
  if (names.includes('sort')) yield ['sorted page', `${page}&sort=name,DESC`];
  for (const name of names) {
    for (const text of texts(textUnits)) yield [`long ${name}`, `${page}&${name}=${text}`];
    yield [`repeated ${name}`, `${page}&${fill(`${name}=a&`, headBytes)}`];
  }
}

const longHeaders: Record<string, string> = {
  'if-none-match': fill('"a",', headBytes),
  accept: fill('text/csv;q=0.1,', headBytes),
  cookie: fill('a=b; ', headBytes),
  authorization: `Bearer ${fill('a', headBytes)}`,
};

const lineBytes = 10 * megabyte;

/** Bodies of line protocol at the limit. */
export function lineBodies(irn: string): [what: string, body: Buffer][] {
  const now = Date.now();
  const line = (index: number): string => `x,irn=${irn} bits_send=${index} ${now - 300_000 * (index % 90_000)}000000`;
  // Spread over a day, several in each second.
  const millisecondLine = (index: number): string =>
    `x,irn=${irn} bits_send=${index} ${now - 2 * 86_400_000 + ((index * 961) % 86_400_000)}000000`;
  const kinds: [string, string][] = [
    ['bad lines', fill('a\n', lineBytes)],
    ['line breaks', fill('\n', lineBytes)],
    ['open quotes', fill('x,irn=a b="\n', lineBytes)],
    ['fields', `x,irn=a ${fill('b=1,', lineBytes - 20)}c=1`],
    ['other letters', fill('é', lineBytes)],
    ['as many values as fit', fill(`x,irn=${irn} ${fill('bits_send=1,', 60_000)}bits_send=2\n`, lineBytes)],
    ['as many statuses as fit', fill(`x,irn=${irn} ${fill('bgp_status=0,', 60_000)}bgp_status=0\n`, lineBytes)],
    [
      'unknown resources',
      range(100_000)
        .map((index) => `x,irn=${irn.slice(0, -6)}${index + 100_000} jitter=1`)
        .join('\n'),
    ],
    ['a year of points', range(90_000).map(line).join('\n')],
    ['a day of points in milliseconds', range(90_000).map(millisecondLine).join('\n')],
  ];
  return kinds.map(([what, text]) => [what, Buffer.from(text)]);
}

const special: Record<string, (values: PathValues) => [what: string, options: CallOptions, query?: string][]> = {
  'POST /acl/roles': () => [
    ['200 policies', { body: { role: 'viewer', policies: manyPolicies() } }],
    ['200 long policies', { body: { role: 'stalled', policies: longPolicies() } }],
  ],
  'PUT /acl/roles/{roleName}': () => [
    ['200 policies', { body: { policies: manyPolicies(7) } }],
    ['200 long policies', { body: { policies: longPolicies() } }],
  ],
  'POST /query': () => [
    ['blanks', {}, `q=CREATE+DATABASE+x${'+'.repeat(1000)}y`],
    ['4 kB of blanks', {}, `q=CREATE+DATABASE+x${'+'.repeat(4070)}y`],
    [
      'a form',
      {
        raw: range(100_000)
          .map((n) => `k${n}=1`)
          .join('&'),
        headers: formHeader,
      },
    ],
    [
      'a small form',
      {
        raw: range(2000)
          .map((n) => `k${n}=1`)
          .join('&'),
        headers: formHeader,
      },
    ],
  ],
  'POST /auth/token': () => [
    [
      'a form',
      {
        raw: range(2000)
          .map((n) => `k${n}=1`)
          .join('&'),
        headers: formHeader,
      },
    ],
    [
      'a long password',
      { body: { grant_type: 'password', scope: 'x', username: 'a@b.example', password: fill('a', 15_000) } },
    ],
  ],
  'GET /metrics/query/irn/{irn}/{metricType}/run': () => [
    ['1,500 points', {}, rangeOf(5, 5)],
    ['1,500 points as CSV', { headers: { accept: 'text/csv' } }, rangeOf(5, 5)],
    ['a year', {}, rangeOf(365, 360)],
  ],
  'GET /metrics/capacities/{region}': () => [['a year', {}, rangeOf(365)]],
};

const formHeader = { 'content-type': 'application/x-www-form-urlencoded' };

const longPolicies = (): object[] =>
  range(200).map((index) => ({
    act: '*',
    eft: 'deny',
    obj: `/${'a'.repeat(150)}${index}*`,
    res: `${'x'.repeat(80)}${String.fromCharCode(97 + (index % 26))}:read:organisation`,
  }));

function rangeOf(days: number, minutes?: number): string {
  const from = new Date(Date.now() - days * 86_400_000).toISOString();
  return `start-d=${from}${minutes === undefined ? '' : `&interv=${minutes}`}`;
}

const fillPath = (path: string, values: PathValues): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(values[name] ?? absentId));

/** A deletion names a record that does not exist, so that the inventory stays. */
const absentValues = (values: PathValues): PathValues =>
  Object.fromEntries(
    Object.keys(values).map((name) => [name, name === 'organisationId' ? (values[name] ?? '') : absentId]),
  );

function* requestsOf(
  method: string,
  path: string,
  operation: Operation,
  values: PathValues,
  textUnits: string[],
): Generator<ExpensiveRequest> {
  const route = `${method} ${path}`;
  const filled = fillPath(path, method === 'DELETE' ? absentValues(values) : values);
  const request = (what: string, options: CallOptions, query = ''): ExpensiveRequest => ({
    route,
    what,
    method,
    path: query ? `${filled}?${query}` : filled,
    options,
  });
  for (const [what, options, query] of special[route]?.(values) ?? []) yield request(what, options, query);
  for (const [name, value] of Object.entries(longHeaders))
    yield request(`long ${name}`, { headers: { [name]: value } });
  for (const [what, query] of queriesOf(operation, textUnits)) yield request(what, {}, query);
  if (method === 'GET' || method === 'DELETE') return;
  const content = operation.requestBody?.content;
  if (content?.['text/plain']) {
    for (const [what, body] of lineBodies(values.irn ?? '')) {
      yield request(what, { raw: body });
      const headers = { 'content-encoding': 'gzip' };
      yield request(`${what}, compressed`, { raw: gzipSync(body), headers });
    }
    return;
  }
  const headers = { 'content-type': 'application/json' };
  for (const [what, raw] of bodiesOf(content?.['application/json']?.example, textUnits)) {
    yield request(what, { raw, headers });
    if (method === 'POST') yield request(`${what}, once`, { raw, headers: { ...headers, 'idempotency-key': what } });
  }
}

/** All requests of the document's operations; `variety` is the number of different texts for each field. */
export function* expensiveRequests(
  document: ApiDocument,
  values: PathValues,
  variety: number,
): Generator<ExpensiveRequest> {
  for (const [path, item] of Object.entries(document.paths))
    for (const [method, operation] of Object.entries(item))
      yield* requestsOf(method.toUpperCase(), path, operation, values, units.slice(0, variety));
}
