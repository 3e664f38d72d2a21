// Validates input against a route's schemas. Bodies are not coerced; query parameters become numbers, booleans and lists where
// the schema requires them, strictly: "1e2" is not an integer.

import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { TObject, TSchema } from 'typebox';
import { type Detail, problem } from '../../errors/problems.ts';
import type { Route } from '../route.ts';
import type { FieldNames } from './field-names.ts';

const options = {
  strict: false,
  coerceTypes: false,
  useDefaults: false,
  ownProperties: true,
  verbose: true,
  // Formats are for readers of the API document; handlers parse the values.
  validateFormats: false,
} as const;
// Two validators: the first stops at the first error, so that a hostile body of a megabyte costs no more than a valid one; the
// second collects all errors of a body of ordinary size.
const firstError = new Ajv({ ...options, allErrors: false });
const allErrors = new Ajv({ ...options, allErrors: true });
const maxThoroughBytes = 16 * 1024;
const compiled = new WeakMap<object, { firstError: ValidateFunction; allErrors: ValidateFunction }>();

function validatorsOf(schema: TSchema) {
  const known = compiled.get(schema);
  if (known) return known;
  const made = { firstError: firstError.compile(schema), allErrors: allErrors.compile(schema) };
  compiled.set(schema, made);
  return made;
}

const listed = (values: unknown[]): string => values.map((value) => JSON.stringify(value)).join(', ');

function sentenceOf(error: ErrorObject): string {
  const told = (error.parentSchema as { message?: string } | undefined)?.message;
  if (told && ['pattern', 'not', 'minimum', 'maximum'].includes(error.keyword)) return told;
  switch (error.keyword) {
    case 'required':
      return 'is required';
    case 'type':
      return `must be ${[error.params.type].flat().join(' or ')}`;
    case 'enum':
      return `must be one of ${listed(error.params.allowedValues)}`;
    case 'const':
      return `must be ${JSON.stringify(error.params.allowedValue)}`;
    case 'minLength':
      return error.params.limit === 1 ? 'must not be empty' : `must have at least ${error.params.limit} characters`;
    case 'maxLength':
      return `must have at most ${error.params.limit} characters`;
    case 'pattern':
      return `must match ${error.params.pattern}`;
    case 'maxItems':
      return `must have at most ${error.params.limit} items`;
    default:
      return error.message ?? 'is not valid';
  }
}

const pathOf = (error: ErrorObject): string => {
  const parts = error.instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
  return [...parts, ...(error.keyword === 'required' ? [error.params.missingProperty] : [])].join('.') || 'body';
};

/** A union reports an error for each of its members; the details contain one: the union's own message, or its first member's. */
function detailsOf(errors: ErrorObject[]): Detail[] {
  const told = new Map<string, string>();
  for (const error of errors) {
    const message = error.keyword === 'anyOf' && (error.parentSchema as { message?: string } | undefined)?.message;
    if (message) told.set(pathOf(error), message);
  }
  const unions = new Set(errors.filter((error) => error.keyword === 'anyOf').map((error) => error.instancePath));
  const details = new Map<string, string>();
  for (const error of errors) {
    if (error.keyword === 'anyOf') continue;
    const path = pathOf(error);
    const isNullChoice = unions.has(error.instancePath) && error.keyword === 'type' && error.params.type === 'null';
    if (isNullChoice && [...details.keys()].some((known) => known === path || known.startsWith(`${path}.`))) continue;
    const constants = unions.has(error.instancePath) && error.keyword === 'const';
    const before = details.get(path);
    if (constants && before) details.set(path, `${before} or ${JSON.stringify(error.params.allowedValue)}`);
    else if (!before) details.set(path, told.get(path) ?? sentenceOf(error));
  }
  return [...details].slice(0, 20).map(([path, message]) => ({ path, message }));
}

function check(schema: TSchema, value: unknown): void {
  const validators = validatorsOf(schema);
  if (validators.firstError(value)) return;
  let errors = validators.firstError.errors ?? [];
  if ((JSON.stringify(value) ?? '').length <= maxThoroughBytes) {
    validators.allErrors(value);
    errors = validators.allErrors.errors ?? errors;
  }
  throw problem('InvalidInput', { details: detailsOf(errors) });
}

/** An absent body counts as an empty object; null does not. */
export function checkBody(schema: TSchema | undefined, body: unknown): unknown {
  if (!schema) return undefined;
  const given = body === undefined ? {} : body;
  check(schema, given);
  return given;
}

function checkQuery(schema: TObject, query: Record<string, unknown>): Record<string, unknown> {
  const value: Record<string, unknown> = {};
  for (const [name, property] of Object.entries(schema.properties)) {
    const given = query[name];
    if (given === undefined) continue;
    const { type } = property as { type?: string };
    if (type === 'array') {
      const { separated } = property as { separated?: boolean };
      value[name] = [given].flat().flatMap((item) => (separated ? String(item).split(',') : [item]));
    } else if (Array.isArray(given))
      throw problem('InvalidInput', { details: [{ path: name, message: 'must be given once' }] });
    else if (type === 'integer' && /^\d{1,15}$/.test(String(given))) value[name] = Number(given);
    else if (type === 'boolean' && /^(true|false)$/.test(String(given))) value[name] = given === 'true';
    else value[name] = given;
  }
  check(schema, value);
  return value;
}

/** A malformed id in a path is 404, as a missing record is. */
function checkParams(schema: TObject, params: unknown): void {
  if (!validatorsOf(schema).firstError(params)) throw problem('NotFound');
}

/** The validated path parameters, in internal names. */
export function paramsOf(fieldNames: FieldNames, route: Route, given: unknown): Record<string, unknown> {
  checkParams(route.params, given);
  return fieldNames.parametersFromWire(given as Record<string, unknown>);
}

/** The validated query parameters, in internal names. */
export const queryOf = (fieldNames: FieldNames, route: Route, given: unknown): Record<string, unknown> =>
  checkQuery(route.query, fieldNames.parametersFromWire(given as Record<string, unknown>));
