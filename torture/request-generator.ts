// Requests made from the API document: as it asks for them, nearly so, and wild. Dice decide, so that a seed brings a failure back.
import { gzipSync } from 'node:zlib';
import type { ApiDocument, CallOptions } from '../test/harness/client.ts';
import type { SeededRandom } from '../test/harness/seeded-random.ts';

export interface Wish {
  method: string;
  path: string;
  options: CallOptions;
}

/** Values for path parameters and for fields that name records, by the parameter's name. */
export type Pool = Record<string, string[]>;

interface Schema {
  $ref?: string;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  const?: unknown;
  enum?: unknown[];
  type?: string | string[];
  format?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  example?: unknown;
  examples?: unknown[];
}

export type Mood = 'valid' | 'nearly' | 'wild';
const moods: Mood[] = ['valid', 'valid', 'nearly', 'nearly', 'nearly', 'wild'];

const oddTexts = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '𝔘𝔫𝔦 é ß 漢字 🙂',
  '%00',
  '..%2f..%2fetc',
  "' or 1=1 --",
  '$1',
  '{{7*7}}',
  '<script>',
  'null',
  'NaN',
  '-0',
  '1e309',
  '../../',
  'x'.repeat(300),
  'y'.repeat(70_000),
  '__proto__',
  'constructor',
  '00000000-0000-0000-0000-000000000000',
  '2026-02-30T00:00:00Z',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999Z',
  'irn:group:0123456789ab::',
];
const oddNumbers = [-1, 0, 1, 0.1, 2 ** 31, 2 ** 53, -(2 ** 63), 1e21, 1e308, Number.MIN_VALUE];
const oddHeaders: [string, string[]][] = [
  ['if-match', ['*', '"x"', 'W/"x"', '""', 'x'.repeat(4000)]],
  ['if-none-match', ['*', '"x"', ',', 'x'.repeat(4000)]],
  ['idempotency-key', ['', 'k', 'k'.repeat(300), 'ключ'.normalize('NFD').replace(/[^ -~]/g, 'k')]],
  ['gateway-request-id', ['', 'my-id.1', 'x y', 'x'.repeat(200)]],
  ['accept', ['*/*', 'text/csv', 'application/xml', ';;', 'text/csv;q=0']],
  ['accept-encoding', ['gzip', 'br;q=1', '*']],
  ['range', ['bytes=0-1', 'items=0-']],
  ['content-encoding', ['identity', 'gzip', 'br', 'gzip, gzip']],
  ['x-forwarded-for', ['127.0.0.1', "'"]],
  ['x-http-method-override', ['DELETE']],
  ['origin', ['https://evil.example']],
];
const oddTypes = [
  'application/json',
  'application/json; charset=latin1',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'text/plain',
  'application/merge-patch+json',
  '/',
  '',
];
const oddBodies = [
  '',
  '{',
  '[]',
  'null',
  '"x"',
  '1',
  '{"a":1}{',
  '{"__proto__":{"x":1}}',
  `${'['.repeat(5000)}`,
  '\ufeff{}',
  'a=b&a=c',
];

export function createWishes(document: ApiDocument, pool: Pool) {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );

  return function wish(
    dice: SeededRandom,
    turn: number,
    scopes: { own: string[]; odd: string[] },
    basic: string,
  ): Wish {
    const pick = <T>(list: readonly T[]): T => list[dice.below(list.length)] as T;
    const chance = (part: number): boolean => dice.next() < part;
    const unique = (): string => dice.below(2 ** 31).toString(36);

    function resolve(schema: Schema): Schema {
      const name = schema.$ref?.split('/').at(-1);
      return name ? resolve((document.components.schemas[name] ?? {}) as Schema) : schema;
    }

    function made(given: Schema, name: string, depth = 0): unknown {
      const schema = resolve(given);
      if (schema.const !== undefined) return schema.const;
      if (schema.enum) return pick(schema.enum);
      const choices = schema.anyOf ?? schema.oneOf;
      if (choices) return made(pick(choices), name, depth);
      if (schema.allOf) return Object.assign({}, ...schema.allOf.map((one) => made(one, name, depth)));
      const known = pool[name];
      if (known?.length && chance(0.8)) return pick(known);
      const type = Array.isArray(schema.type) ? pick(schema.type) : schema.type;
      if (schema.example !== undefined && chance(0.6)) return schema.example;
      switch (type) {
        case 'object': {
          const object: Record<string, unknown> = {};
          for (const [key, inner] of Object.entries(schema.properties ?? {}))
            if (schema.required?.includes(key) || (depth < 4 && chance(0.5))) object[key] = made(inner, key, depth + 1);
          return object;
        }
        case 'array':
          return Array.from({ length: dice.below(3) }, () => made(schema.items ?? {}, name, depth + 1));
        case 'integer':
        case 'number':
          return (
            (schema.minimum ?? 0) + dice.below(Math.min((schema.maximum ?? 1000) - (schema.minimum ?? 0), 2 ** 31) + 1)
          );
        case 'boolean':
          return chance(0.5);
        case 'null':
          return null;
        default:
          return schema.format === 'date-time'
            ? '2026-11-01T10:00:00Z'
            : `fuzz ${unique()}`.padEnd(schema.minLength ?? 0, 'x');
      }
    }

    const oddValue = (): unknown =>
      pick([
        () => pick(oddTexts),
        () => pick(oddNumbers),
        () => null,
        () => true,
        () => [],
        () => ({}),
        () => [[[{}]]],
      ])();

    /** Changes one place somewhere in a value. */
    function bend(value: unknown): unknown {
      if (typeof value !== 'object' || value === null || chance(0.1)) return oddValue();
      if (Array.isArray(value)) {
        if (value.length === 0 || chance(0.3)) return [...value, oddValue()];
        const at = dice.below(value.length);
        return value.map((one, index) => (index === at ? bend(one) : one));
      }
      const keys = Object.keys(value);
      const key = keys.length ? pick(keys) : 'x';
      const rest = { ...value } as Record<string, unknown>;
      const deed = dice.below(4);
      if (deed === 0) delete rest[key];
      else if (deed === 1) rest[pick([...oddTexts.slice(0, 16), `${key}s`, key.toUpperCase()])] = oddValue();
      else rest[key] = bend(rest[key]);
      return rest;
    }

    /** Names that are taken are told so; mostly there should be more to say. */
    const renamed = (value: unknown): unknown =>
      typeof value !== 'object' || value === null || Array.isArray(value)
        ? value
        : Object.fromEntries(
            Object.entries(value).map(([key, inner]) => [
              key,
              /^(name|role)$/.test(key) && typeof inner === 'string' && chance(0.7)
                ? `fuzz ${unique()}`
                : key === 'email' && chance(0.8)
                  ? `fuzz-${unique()}@fuzz.example`
                  : renamed(inner),
            ]),
          );

    const { method, path, operation } = operations[turn % operations.length] as (typeof operations)[number];
    const mood = pick(moods);
    const times = mood === 'valid' ? 0 : mood === 'nearly' ? 1 + dice.below(2) : 2 + dice.below(6);

    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const known = pool[name] ?? [];
      if (known.length && (mood === 'valid' || chance(0.6))) return encodeURIComponent(pick(known));
      const odd = chance(0.5) ? pick(Object.values(pool).flat()) : pick(oddTexts);
      return encodeURIComponent(odd.toWellFormed()) || '%20';
    });
    const query = new URLSearchParams();
    for (const one of operation.parameters ?? []) {
      if (one.in !== 'query' || !(one.required || chance(0.3))) continue;
      const value = mood !== 'valid' && chance(0.4) ? oddValue() : made(one.schema as Schema, one.name);
      query.append(one.name, String(value));
      if (mood === 'wild' && chance(0.2)) query.append(one.name, String(value));
    }
    if (mood === 'wild' && chance(0.3)) query.append(pick(oddTexts).slice(0, 50), pick(oddTexts).slice(0, 500));

    const headers: Record<string, string> = {};
    if (chance(mood === 'valid' ? 0.2 : 0.4))
      headers['service-scope'] = pick(chance(mood === 'valid' ? 1 : 0.85) ? scopes.own : scopes.odd);
    for (let count = mood === 'wild' ? dice.below(4) : Number(chance(0.15)); count > 0; count--) {
      const [name, values] = pick(oddHeaders);
      headers[name] = pick(values);
    }
    if (mood === 'valid') delete headers['content-encoding'];
    if (mood === 'wild' && chance(0.02)) headers.expect = '200-ok';
    const options: CallOptions = { headers };
    if (!operation['x-permission'] && chance(0.8)) options.basic = basic;

    const content = Object.entries(operation.requestBody?.content ?? {});
    if (content.length && !(mood !== 'valid' && chance(0.05))) {
      const [type, { schema, example }] = pick(content);
      headers['content-type'] = type;
      if (typeof example === 'string') {
        let text = example;
        for (let count = times; count > 0; count--) {
          const at = dice.below(text.length + 1);
          text = `${text.slice(0, at)}${pick(oddTexts).slice(0, 400)}${text.slice(at + dice.below(5))}`;
        }
        options.raw = headers['content-encoding'] === 'gzip' ? gzipSync(text) : text;
      } else {
        let value = renamed(example !== undefined && chance(0.6) ? example : made(schema as Schema, ''));
        for (let count = times; count > 0; count--) value = bend(value);
        options.raw = type.includes('form')
          ? new URLSearchParams(Object.entries(Object(value)).map(([key, one]) => [key, String(one)])).toString()
          : (JSON.stringify(value) ?? '');
      }
      if (mood === 'wild' && chance(0.2)) options.raw = pick(oddBodies);
      if (mood === 'wild' && chance(0.15)) headers['content-type'] = pick(oddTypes);
    } else if (mood === 'wild' && chance(0.3)) {
      options.raw = pick(oddBodies);
      headers['content-type'] = pick(oddTypes);
    }
    const text = query.toString();
    const target = text ? `${filled}?${text}` : filled;
    // A HEAD that is too long to be read cannot be known for one, and is answered with a body.
    const strange =
      target.length < 8000 ? ['PATCH', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'] : ['PATCH', 'TRACE'];
    const verb = mood === 'wild' && chance(0.05) ? pick(strange) : method;
    return { method: verb, path: target, options };
  };
}
