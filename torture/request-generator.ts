// Generates requests from the API document: valid, nearly valid and random ones. A seed repeats them.
import { gzipSync } from 'node:zlib';
import type { ApiDocument, CallOptions } from '../test/harness/client.ts';
import type { SeededRandom } from '../test/harness/seeded-random.ts';

export interface GeneratedRequest {
  method: string;
  path: string;
  options: CallOptions;
}

/** Values for path parameters and for fields that refer to records, by name. */
export type KnownValues = Record<string, string[]>;

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

type Validity = 'valid' | 'nearly' | 'random';
const validities: Validity[] = ['valid', 'valid', 'nearly', 'nearly', 'nearly', 'random'];

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

type Operations = { method: string; path: string; operation: ApiDocument['paths'][string][string] }[];

export class RequestGenerator {
  readonly #document: ApiDocument;
  readonly #operations: Operations;
  readonly #values: KnownValues;
  readonly #random: SeededRandom;
  readonly #scopes: { own: string[]; odd: string[] };
  readonly #basic: string;

  constructor(
    document: ApiDocument,
    values: KnownValues,
    random: SeededRandom,
    scopes: { own: string[]; odd: string[] },
    basic: string,
  ) {
    this.#document = document;
    this.#operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
    );
    this.#values = values;
    this.#random = random;
    this.#scopes = scopes;
    this.#basic = basic;
  }

  /** Generates a request for one operation after the other. */
  generate(index: number): GeneratedRequest {
    const { method, path, operation } = this.#operations[index % this.#operations.length] as Operations[number];
    const validity = this.#pick(validities);
    const filled = this.#fillPath(path, validity);
    const query = this.#query(operation, validity).toString();
    const headers = this.#headers(validity);
    const options: CallOptions = { headers };
    if (!operation['x-permission'] && this.#chance(0.8)) options.basic = this.#basic;
    const raw = this.#body(operation, validity, headers);
    if (raw !== undefined) options.raw = raw;
    const target = query ? `${filled}?${query}` : filled;
    // The server cannot parse the method of a request line that is too long, and sends a body even to HEAD.
    const unusual =
      target.length < 8000 ? ['PATCH', 'HEAD', 'OPTIONS', 'TRACE', 'PROPFIND', 'QUERY'] : ['PATCH', 'TRACE'];
    const verb = validity === 'random' && this.#chance(0.05) ? this.#pick(unusual) : method;
    return { method: verb, path: target, options };
  }

  #pick<T>(list: readonly T[]): T {
    return list[this.#random.below(list.length)] as T;
  }

  #chance(probability: number): boolean {
    return this.#random.next() < probability;
  }

  #unique(): string {
    return this.#random.below(2 ** 31).toString(36);
  }

  #resolve(schema: Schema): Schema {
    const name = schema.$ref?.split('/').at(-1);
    return name ? this.#resolve((this.#document.components.schemas[name] ?? {}) as Schema) : schema;
  }

  /** A value that matches the schema. */
  #valueFor(given: Schema, name: string, depth = 0): unknown {
    const schema = this.#resolve(given);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return this.#pick(schema.enum);
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices) return this.#valueFor(this.#pick(choices), name, depth);
    if (schema.allOf)
      return Object.assign(
        this.#objectFor(schema, depth),
        ...schema.allOf.map((one) => this.#valueFor(one, name, depth)),
      );
    const known = this.#values[name];
    if (known?.length && this.#chance(0.8)) return this.#pick(known);
    const type = Array.isArray(schema.type) ? this.#pick(schema.type) : schema.type;
    if (schema.example !== undefined && this.#chance(0.6)) return schema.example;
    switch (type) {
      case 'object':
        return this.#objectFor(schema, depth);
      case 'array':
        return Array.from({ length: this.#random.below(3) }, () => this.#valueFor(schema.items ?? {}, name, depth + 1));
      case 'integer':
      case 'number': {
        const minimum = schema.minimum ?? 0;
        return minimum + this.#random.below(Math.min((schema.maximum ?? 1000) - minimum, 2 ** 31) + 1);
      }
      case 'boolean':
        return this.#chance(0.5);
      case 'null':
        return null;
      default:
        return schema.format === 'date-time'
          ? '2026-11-01T10:00:00Z'
          : `fuzz ${this.#unique()}`.padEnd(schema.minLength ?? 0, 'x');
    }
  }

  #objectFor(schema: Schema, depth: number): Record<string, unknown> {
    const object: Record<string, unknown> = {};
    for (const [key, inner] of Object.entries(schema.properties ?? {}))
      if (schema.required?.includes(key) || (depth < 4 && this.#chance(0.5)))
        object[key] = this.#valueFor(inner, key, depth + 1);
    return object;
  }

  #oddValue(): unknown {
    return this.#pick([
      () => this.#pick(oddTexts),
      () => this.#pick(oddNumbers),
      () => null,
      () => true,
      () => [],
      () => ({}),
      () => [[[{}]]],
    ])();
  }

  /** Changes one place in a value. */
  #mutate(value: unknown): unknown {
    if (typeof value !== 'object' || value === null || this.#chance(0.1)) return this.#oddValue();
    if (Array.isArray(value)) {
      if (value.length === 0 || this.#chance(0.3)) return [...value, this.#oddValue()];
      const at = this.#random.below(value.length);
      return value.map((one, index) => (index === at ? this.#mutate(one) : one));
    }
    const keys = Object.keys(value);
    const key = keys.length ? this.#pick(keys) : 'x';
    const changed = { ...value } as Record<string, unknown>;
    const kind = this.#random.below(4);
    if (kind === 0) delete changed[key];
    else if (kind === 1)
      changed[this.#pick([...oddTexts.slice(0, 16), `${key}s`, key.toUpperCase()])] = this.#oddValue();
    else changed[key] = this.#mutate(changed[key]);
    return changed;
  }

  /** Replaces most unique values, as requests refused as duplicates test little. */
  #withUniqueNames(value: unknown): unknown {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const entries = Object.entries(value).map(([key, inner]): [string, unknown] => {
      if (/^(name|role)$/.test(key) && typeof inner === 'string' && this.#chance(0.7))
        return [key, `fuzz ${this.#unique()}`];
      if (key === 'email' && this.#chance(0.8)) return [key, `fuzz-${this.#unique()}@fuzz.example`];
      return [key, this.#withUniqueNames(inner)];
    });
    return Object.fromEntries(entries);
  }

  #mutations(validity: Validity): number {
    if (validity === 'valid') return 0;
    return validity === 'nearly' ? 1 + this.#random.below(2) : 2 + this.#random.below(6);
  }

  #fillPath(path: string, validity: Validity): string {
    return path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const known = this.#values[name] ?? [];
      if (known.length && (validity === 'valid' || this.#chance(0.6))) return encodeURIComponent(this.#pick(known));
      const odd = this.#chance(0.5) ? this.#pick(Object.values(this.#values).flat()) : this.#pick(oddTexts);
      return encodeURIComponent(odd.toWellFormed()) || '%20';
    });
  }

  #query(operation: Operations[number]['operation'], validity: Validity): URLSearchParams {
    const query = new URLSearchParams();
    for (const one of operation.parameters ?? []) {
      if (one.in !== 'query' || !(one.required || this.#chance(0.3))) continue;
      const isOdd = validity !== 'valid' && this.#chance(0.4);
      const value = isOdd ? this.#oddValue() : this.#valueFor(one.schema as Schema, one.name);
      query.append(one.name, String(value));
      if (validity === 'random' && this.#chance(0.2)) query.append(one.name, String(value));
    }
    if (validity === 'random' && this.#chance(0.3))
      query.append(this.#pick(oddTexts).slice(0, 50), this.#pick(oddTexts).slice(0, 500));
    return query;
  }

  #headers(validity: Validity): Record<string, string> {
    const headers: Record<string, string> = {};
    const isValid = validity === 'valid';
    if (this.#chance(isValid ? 0.2 : 0.4))
      headers['service-scope'] = this.#pick(this.#chance(isValid ? 1 : 0.85) ? this.#scopes.own : this.#scopes.odd);
    const count = validity === 'random' ? this.#random.below(4) : Number(this.#chance(0.15));
    for (let left = count; left > 0; left--) {
      const [name, values] = this.#pick(oddHeaders);
      headers[name] = this.#pick(values);
    }
    if (isValid) delete headers['content-encoding'];
    if (validity === 'random' && this.#chance(0.02)) headers.expect = '200-ok';
    return headers;
  }

  /** Generates the body, and sets the content type. */
  #body(
    operation: Operations[number]['operation'],
    validity: Validity,
    headers: Record<string, string>,
  ): string | Buffer | undefined {
    const content = Object.entries(operation.requestBody?.content ?? {});
    const isRandom = validity === 'random';
    if (content.length === 0 || (validity !== 'valid' && this.#chance(0.05))) {
      if (!isRandom || !this.#chance(0.3)) return undefined;
      headers['content-type'] = this.#pick(oddTypes);
      return this.#pick(oddBodies);
    }
    const [type, { schema, example }] = this.#pick(content);
    headers['content-type'] = type;
    let raw: string | Buffer;
    if (typeof example === 'string') {
      const text = this.#mutateText(example, this.#mutations(validity));
      raw = headers['content-encoding'] === 'gzip' ? gzipSync(text) : text;
    } else raw = this.#structuredBody(type, schema as Schema, example, this.#mutations(validity));
    if (isRandom && this.#chance(0.2)) raw = this.#pick(oddBodies);
    if (isRandom && this.#chance(0.15)) headers['content-type'] = this.#pick(oddTypes);
    return raw;
  }

  #mutateText(example: string, mutations: number): string {
    let text = example;
    for (let left = mutations; left > 0; left--) {
      const at = this.#random.below(text.length + 1);
      const odd = this.#pick(oddTexts).slice(0, 400);
      text = `${text.slice(0, at)}${odd}${text.slice(at + this.#random.below(5))}`;
    }
    return text;
  }

  #structuredBody(type: string, schema: Schema, example: unknown, mutations: number): string {
    const isExample = example !== undefined && this.#chance(0.6);
    let value = this.#withUniqueNames(isExample ? example : this.#valueFor(schema, ''));
    for (let left = mutations; left > 0; left--) value = this.#mutate(value);
    if (!type.includes('form')) return JSON.stringify(value) ?? '';
    const fields = Object.entries(Object(value)).map(([key, one]) => [key, String(one)]);
    return new URLSearchParams(fields).toString();
  }
}
