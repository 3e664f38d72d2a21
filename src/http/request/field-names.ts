// Names on the wire that differ from those inside. Some fields have a second spelling that is understood on input; a brand
// renames others, both ways. Keys of our answers and bodies are never a caller's own, so that a name alone says what is meant; values
// are renamed only where a family's name stands.
import { isDeepStrictEqual } from 'node:util';
import { type Detail, invalid, Problem } from '../../errors/problems.ts';

export interface FieldNameMap {
  /** Fields and sub-objects: the name inside, and the one outside. */
  keys: Record<string, string>;
  /** The same for the values of the keys in `valueKeys`. */
  values: Record<string, string>;
  valueKeys: string[];
  /** Second spellings of keys in bodies, to the first. */
  aliases: Record<string, string>;
}

export interface FieldNames {
  /** An answer as it is sent. */
  toWire(value: unknown): unknown;
  /** A body as it is understood. */
  fromWire(body: unknown): unknown;
  /** Parameters of a query or path, likewise. */
  parametersToWire<T extends Record<string, unknown>>(parameters: T): T;
  parametersFromWire<T extends Record<string, unknown>>(parameters: T): T;
  problemToWire(problem: Problem): Problem;
  detailsToWire(details: Detail[]): Detail[];
  /** A sentence that may speak of fields. */
  textToWire(text: string): string;
  /** The API document, in the names outside. */
  dressDocument<T>(document: T): T;
}

type Json = Record<string, unknown>;
type Path = (string | number)[];
const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const inverse = (names: Record<string, string>): Map<string, string> =>
  new Map(Object.entries(names).map(([inside, outside]) => [outside, inside]));

export function createFieldNames(words: FieldNameMap): FieldNames {
  const outside = new Map(Object.entries(words.keys));
  const inside = inverse(words.keys);
  const valuesOutside = new Map(Object.entries(words.values));
  const valuesInside = inverse(words.values);
  const aliases = new Map(Object.entries(words.aliases));
  const valueKeys = new Set(words.valueKeys);
  const isPlain = outside.size === 0 && valuesOutside.size === 0;

  const renamed = (key: string, value: unknown, names: Map<string, string>): unknown =>
    typeof value === 'string' && valueKeys.has(key) ? (names.get(value) ?? value) : value;

  function dress(value: unknown): unknown {
    if (isPlain) return value;
    if (Array.isArray(value)) return value.map(dress);
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [outside.get(key) ?? key, dress(renamed(key, inner, valuesOutside))]),
    );
  }

  const nameInside = (key: string): string => {
    const neutral = inside.get(key) ?? key;
    return aliases.get(neutral) ?? neutral;
  };

  /** What needs no renaming is given back as it is: most bodies, and every hostile one of a megabyte, cost a look and no copy. */
  function undress(value: unknown, path: Path): unknown {
    if (typeof value !== 'object' || value === null) return value;
    return Array.isArray(value) ? undressList(value, path) : undressObject(value as Json, path);
  }

  function undressList(list: unknown[], path: Path): unknown[] {
    let copy: unknown[] | undefined;
    for (let index = 0; index < list.length; index++) {
      path.push(index);
      const item = undress(list[index], path);
      path.pop();
      if (item !== list[index]) {
        copy ??= [...list];
        copy[index] = item;
      }
    }
    return copy ?? list;
  }

  function undressObject(object: Json, path: Path): Json {
    let changed: Map<string, unknown> | undefined;
    let isRenamed = false;
    for (const sent in object) {
      const key = nameInside(sent);
      path.push(sent);
      const inner = undress(renamed(key, object[sent], valuesInside), path);
      path.pop();
      isRenamed ||= key !== sent;
      if (inner !== object[sent]) {
        changed ??= new Map();
        changed.set(sent, inner);
      }
    }
    if (!isRenamed && !changed) return object;
    const entries = Object.entries(object).map(([key, inner]): [string, unknown] => [key, changed?.get(key) ?? inner]);
    return renamedObject(entries, path);
  }

  /** A second spelling may come with the first when they agree, as they do in our own answers; a brand's word may not come with ours. */
  function renamedObject(entries: [string, unknown][], path: Path): Json {
    const result: Json = {};
    const spelt = new Map<string, string>();
    for (const [sent, inner] of entries) {
      const key = nameInside(sent);
      const before = spelt.get(key);
      const isBranded = before !== undefined && (inside.get(sent) ?? sent) === (inside.get(before) ?? before);
      if (before !== undefined && (isBranded || !isDeepStrictEqual(result[key], inner)))
        throw invalid([...path, sent].join('.'), 'is another spelling of a field that is there too: send one of them');
      spelt.set(key, sent);
      result[key] = inner;
    }
    return result;
  }

  /** A column that is sorted by is a field: `createdAt,DESC` in the words of a brand. */
  const resorted = (value: unknown, keys: Map<string, string>): unknown =>
    Array.isArray(value)
      ? value.map((one) => resorted(one, keys))
      : String(value).replace(/^\w+/, (word) => keys.get(word) ?? word);

  const parameters = <T extends Json>(given: T, names: Map<string, string>, keys: Map<string, string>): T => {
    if (isPlain) return given;
    const spelt = (key: string, value: unknown): unknown =>
      key === 'sort' && value !== undefined ? resorted(value, keys) : renamed(key, value, names);
    return Object.fromEntries(Object.entries(given).map(([key, value]) => [key, spelt(key, value)])) as T;
  };

  const dressPath = (path: string): string =>
    path
      .split('.')
      .map((part) => outside.get(part) ?? part)
      .join('.');
  // Only what can be nothing but a name: a field may be called "from" or "name", and so may the words of a sentence.
  const dressText = (text: string): string =>
    text.replace(/\b\w*[a-z][A-Z0-9_]\w*\b/g, (word) => outside.get(word) ?? valuesOutside.get(word) ?? word);
  const dressDetails = (details: Detail[]): Detail[] =>
    details.map(({ path, message }) => ({ path: dressPath(path), message: dressText(message) }));

  function dressDocument(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(dressDocument);
    if (!isObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => {
        if (key === 'example' || key === 'examples') return [key, dress(inner)];
        // Schemas are named after what they describe.
        if ((key === '$ref' || key === 'title') && typeof inner === 'string') return [key, dressText(inner)];
        if (key === 'schemas' && isObject(inner))
          return [
            key,
            Object.fromEntries(Object.entries(inner).map(([name, schema]) => [dressText(name), dressDocument(schema)])),
          ];
        if (key === 'properties' && isObject(inner))
          return [
            key,
            Object.fromEntries(
              Object.entries(inner).map(([name, schema]) => [outside.get(name) ?? name, dressDocument(schema)]),
            ),
          ];
        if (key === 'required' && Array.isArray(inner)) return [key, inner.map((name) => outside.get(name) ?? name)];
        return [key, dressDocument(inner)];
      }),
    );
  }

  return {
    toWire: dress,
    fromWire: (body) => undress(body, []),
    parametersToWire: (given) => parameters(given, valuesOutside, outside),
    parametersFromWire: (given) => parameters(given, valuesInside, inside),
    detailsToWire: (details) => (isPlain ? details : dressDetails(details)),
    textToWire: (text) => (isPlain ? text : dressText(text)),
    problemToWire(problem) {
      if (isPlain) return problem;
      return new Problem(problem.code, {
        sentence: dressText(problem.message),
        headers: problem.headers,
        extra: problem.extra,
        cause: problem.cause,
        ...(problem.details ? { details: dressDetails(problem.details) } : {}),
      });
    },
    dressDocument: <T>(document: T) => (isPlain ? document : (dressDocument(document) as T)),
  };
}
