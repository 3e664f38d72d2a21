// Translates between internal field names and wire names. A brand renames fields and family names in both directions; some
// fields also have an alias that is accepted on input. Keys never come from callers' data, so a key identifies its field
// wherever it occurs; values are renamed only in the fields that hold family names.
import { isDeepStrictEqual } from 'node:util';
import { type Detail, invalid, Problem } from '../../errors/problems.ts';

export interface FieldNameMap {
  /** Wire names of fields and sub-objects by internal name. */
  keys: Record<string, string>;
  /** Wire values by internal value, for the fields in `valueKeys`. */
  values: Record<string, string>;
  valueKeys: string[];
  /** Field names by the alias that bodies may use instead. */
  aliases: Record<string, string>;
}

type Json = Record<string, unknown>;
type Path = (string | number)[];

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const inverse = (names: Map<string, string>): Map<string, string> =>
  new Map([...names].map(([internal, wire]) => [wire, internal]));

const mapObject = (object: Json, rename: (key: string, value: unknown) => [string, unknown]): Json =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => rename(key, value)));

export class FieldNames {
  readonly #wireKeys: Map<string, string>;
  readonly #internalKeys: Map<string, string>;
  readonly #wireValues: Map<string, string>;
  readonly #internalValues: Map<string, string>;
  readonly #aliases: Map<string, string>;
  readonly #valueKeys: Set<string>;
  /** Without a brand, internal names are the wire names. */
  readonly #isIdentity: boolean;

  constructor({ keys, values, valueKeys, aliases }: FieldNameMap) {
    this.#wireKeys = new Map(Object.entries(keys));
    this.#internalKeys = inverse(this.#wireKeys);
    this.#wireValues = new Map(Object.entries(values));
    this.#internalValues = inverse(this.#wireValues);
    this.#aliases = new Map(Object.entries(aliases));
    this.#valueKeys = new Set(valueKeys);
    this.#isIdentity = this.#wireKeys.size === 0 && this.#wireValues.size === 0;
  }

  /** The value of a response body. */
  toWire(value: unknown): unknown {
    if (this.#isIdentity || typeof value !== 'object' || value === null) return value;
    return Array.isArray(value) ? this.#listToWire(value) : this.#objectToWire(value as Json);
  }

  /** Returns the same list where nothing is renamed: most lists hold ids. */
  #listToWire(list: unknown[]): unknown[] {
    let copy: unknown[] | undefined;
    for (let index = 0; index < list.length; index++) {
      const item = this.toWire(list[index]);
      if (item === list[index]) continue;
      copy ??= [...list];
      copy[index] = item;
    }
    return copy ?? list;
  }

  #objectToWire(object: Json): Json {
    const renamed: Json = {};
    let isRenamed = false;
    for (const key of Object.keys(object)) {
      const name = this.#wireKeys.get(key) ?? key;
      const inner = this.toWire(this.#renameValue(key, object[key], this.#wireValues));
      isRenamed ||= name !== key || inner !== object[key];
      renamed[name] = inner;
    }
    return isRenamed ? renamed : object;
  }

  /** The value of a request body. */
  fromWire(body: unknown): unknown {
    return this.#fromWire(body, []);
  }

  /** Parameters of a path or query. */
  parametersToWire<T extends Json>(parameters: T): T {
    return this.#renameParameters(parameters, this.#wireValues, this.#wireKeys);
  }

  parametersFromWire<T extends Json>(parameters: T): T {
    return this.#renameParameters(parameters, this.#internalValues, this.#internalKeys);
  }

  problemToWire(problem: Problem): Problem {
    if (this.#isIdentity) return problem;
    return new Problem(problem.code, {
      sentence: this.textToWire(problem.message),
      headers: problem.headers,
      extra: problem.extra,
      cause: problem.cause,
      ...(problem.details ? { details: this.detailsToWire(problem.details) } : {}),
    });
  }

  detailsToWire(details: Detail[]): Detail[] {
    if (this.#isIdentity) return details;
    const renamePath = (path: string): string =>
      path
        .split('.')
        .map((part) => this.#wireKeys.get(part) ?? part)
        .join('.');
    return details.map(({ path, message }) => ({ path: renamePath(path), message: this.textToWire(message) }));
  }

  /** A sentence that may name fields. Only words in camel or snake case are renamed: a field may be called "from" or "name". */
  textToWire(text: string): string {
    if (this.#isIdentity) return text;
    return text.replace(
      /\b\w*[a-z][A-Z0-9_]\w*\b/g,
      (word) => this.#wireKeys.get(word) ?? this.#wireValues.get(word) ?? word,
    );
  }

  /** The OpenAPI document: names of properties and schemas, examples. */
  documentToWire<T>(document: T): T {
    return this.#isIdentity ? document : (this.#documentToWire(document) as T);
  }

  #renameValue(key: string, value: unknown, names: Map<string, string>): unknown {
    return typeof value === 'string' && this.#valueKeys.has(key) ? (names.get(value) ?? value) : value;
  }

  #internalName(key: string): string {
    const neutral = this.#internalKeys.get(key) ?? key;
    return this.#aliases.get(neutral) ?? neutral;
  }

  /** Returns the same object where nothing is renamed, so that most bodies, and large hostile ones, are not copied. */
  #fromWire(value: unknown, path: Path): unknown {
    if (typeof value !== 'object' || value === null) return value;
    return Array.isArray(value) ? this.#listFromWire(value, path) : this.#objectFromWire(value as Json, path);
  }

  #listFromWire(list: unknown[], path: Path): unknown[] {
    let copy: unknown[] | undefined;
    for (let index = 0; index < list.length; index++) {
      path.push(index);
      const item = this.#fromWire(list[index], path);
      path.pop();
      if (item !== list[index]) {
        copy ??= [...list];
        copy[index] = item;
      }
    }
    return copy ?? list;
  }

  #objectFromWire(object: Json, path: Path): Json {
    let changed: Map<string, unknown> | undefined;
    let isRenamed = false;
    for (const sent in object) {
      const key = this.#internalName(sent);
      path.push(sent);
      const inner = this.#fromWire(this.#renameValue(key, object[sent], this.#internalValues), path);
      path.pop();
      isRenamed ||= key !== sent;
      if (inner !== object[sent]) {
        changed ??= new Map();
        changed.set(sent, inner);
      }
    }
    if (!isRenamed && !changed) return object;
    const entries = Object.entries(object).map(([key, inner]): [string, unknown] => [key, changed?.get(key) ?? inner]);
    return this.#renameObject(entries, path);
  }

  /** An alias may accompany its field if both agree, as in the service's own responses; a brand name may not. */
  #renameObject(entries: [string, unknown][], path: Path): Json {
    const result: Json = {};
    const sentNames = new Map<string, string>();
    for (const [sent, inner] of entries) {
      const key = this.#internalName(sent);
      const before = sentNames.get(key);
      const isBranded =
        before !== undefined && (this.#internalKeys.get(sent) ?? sent) === (this.#internalKeys.get(before) ?? before);
      if (before !== undefined && (isBranded || !isDeepStrictEqual(result[key], inner)))
        throw invalid([...path, sent].join('.'), 'is another spelling of a field that is there too: send one of them');
      sentNames.set(key, sent);
      result[key] = inner;
    }
    return result;
  }

  #renameParameters<T extends Json>(parameters: T, values: Map<string, string>, keys: Map<string, string>): T {
    if (this.#isIdentity) return parameters;
    // The value of `sort` starts with a field name: `createdAt,DESC`.
    const renameSort = (value: unknown): unknown =>
      Array.isArray(value) ? value.map(renameSort) : String(value).replace(/^\w+/, (word) => keys.get(word) ?? word);
    return mapObject(parameters, (key, value) => [
      key,
      key === 'sort' && value !== undefined ? renameSort(value) : this.#renameValue(key, value, values),
    ]) as T;
  }

  #documentToWire(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#documentToWire(item));
    if (!isObject(value)) return value;
    return mapObject(value, (key, inner) => [key, this.#documentMemberToWire(key, inner)]);
  }

  #documentMemberToWire(key: string, value: unknown): unknown {
    if (key === 'example' || key === 'examples') return this.toWire(value);
    // Schemas are named after what they describe.
    if ((key === '$ref' || key === 'title') && typeof value === 'string') return this.textToWire(value);
    if (key === 'required' && Array.isArray(value)) return value.map((name) => this.#wireKeys.get(name) ?? name);
    if (key === 'schemas' && isObject(value))
      return mapObject(value, (name, schema) => [this.textToWire(name), this.#documentToWire(schema)]);
    if (key === 'properties' && isObject(value))
      return mapObject(value, (name, schema) => [this.#wireKeys.get(name) ?? name, this.#documentToWire(schema)]);
    return this.#documentToWire(value);
  }
}
