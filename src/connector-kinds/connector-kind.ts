// A connector kind: a table of fields with their rules. Validation, read model, write model and the API document are
// derived from it. To add a provider, add one file next to provider-a.ts.
import { type TObject, type TSchema, Type } from 'typebox';
import type { Detail } from '../errors/problems.ts';
import type { Session } from '../fabric/desired-state.ts';
import type { Cidr } from '../values/ip.ts';
import { nullable } from '../values/nullable-schema.ts';

/** Stored field values of one connector, by field name. Absent and null both mean: no value. */
export type Values = Record<string, unknown>;

export interface FieldType {
  /** Schema of the value in a request. */
  schema: TSchema;
  /** Schema of the value in a response, if it differs. */
  readSchema?: TSchema;
  /** Stored sealed in a table of its own; only callers with write permission can read it. */
  secret?: true;
  /** Set on creation and never changed. */
  immutable?: true;
  /** Checks what the schema cannot express. Returns an error message, or undefined if the value is valid. */
  validate?: (value: never) => string | undefined;
  /** Converts the wire value to the stored value, and back. */
  toStored?: (value: never) => unknown;
  toWire?: (value: never) => unknown;
}

export interface Field extends FieldType {
  name: string;
  /** Name in the write model; it differs from `name` for a few fields. */
  writeName: string;
  /** Whether callers must, may or must not set it. The provider assigns fields with `none`. */
  input: 'required' | 'optional' | 'none';
}

export const field = (name: string, input: Field['input'], type: FieldType, writeName = name): Field => ({
  ...type,
  name,
  writeName,
  input,
});

/** Values that the platform supplies for fields the caller left out. */
export interface PlatformDefaults {
  /** Two AS numbers of the platform; the second is for sessions with a peer that uses the first. */
  asNumbers: [number, number];
  /** Two /30 networks. They are unique until half a million connectors exist. */
  blocks: [Cidr, Cidr];
}

/** Source of the identifiers, keys and addresses that a provider assigns when a connector is first deployed. */
export interface AssignmentSource {
  /** A prefix followed by lower-case letters and digits: `dxvif-8k2m0q1z`. */
  identifier(prefix: string): string;
  number(from: number, to: number): number;
  key(): string;
  /** A /30 network that no other connector uses. */
  block: Cidr;
}

export interface ConnectorKind {
  /** Key of its object in the API. For a provider, also the short name of its family. */
  name: string;
  fields: Field[];
  /** Rules that span several fields. They run only if every field is valid on its own. */
  validate?: (values: Values) => { field: string; message: string }[];
  /** Default values for fields that the caller left out. */
  defaults: (values: Values, platform: PlatformDefaults) => Values;
  bandwidthBps: (values: Values) => number;
  /** AS number of the provider, if it uses the same one everywhere. */
  peerAsNumber?: number;
  /** Values that the provider assigns on the first deployment: the fields with `input: 'none'`. */
  provision?: (values: Values, source: AssignmentSource) => Values;
  /** Its BGP sessions; empty until the provider has assigned the values they need. */
  sessions: (values: Values) => Session[];
  /** Example of the write model in the API document. */
  example: Values;
}

const writable = (kind: ConnectorKind): Field[] => kind.fields.filter(({ input }) => input !== 'none');

/** Schema of the write model in a request. Required fields are required on creation only. */
export function writeModelRequestSchema(kind: ConnectorKind, use: 'create' | 'change'): TObject {
  const property = ({ schema, input, secret }: Field): TSchema => {
    if (input !== 'required') return Type.Optional(nullable(schema));
    if (use === 'create') return schema;
    // Callers without write permission read secrets as null; a null sent back leaves the secret unchanged.
    return Type.Optional(secret ? nullable(schema) : schema);
  };
  const properties = Object.fromEntries(writable(kind).map((one) => [one.writeName, property(one)]));
  return Type.Object(properties, {
    title: `${kind.name}.${use}`,
    ...(use === 'create' ? { examples: [kind.example] } : {}),
  });
}

const responseSchema = ({ schema, readSchema = schema }: Field): TSchema => nullable(readSchema);
export const readModelSchema = (kind: ConnectorKind): TObject =>
  Type.Object(Object.fromEntries(kind.fields.map((one) => [one.name, responseSchema(one)])), {
    title: `${kind.name}.read`,
  });
export const writeModelResponseSchema = (kind: ConnectorKind): TObject =>
  Type.Object(Object.fromEntries(writable(kind).map((one) => [one.writeName, responseSchema(one)])), {
    title: `${kind.name}.write`,
  });

const wireValue = (one: Field, value: unknown): unknown =>
  value === undefined || value === null ? null : one.toWire ? one.toWire(value as never) : value;
export const readModel = (kind: ConnectorKind, values: Values): Values =>
  Object.fromEntries(kind.fields.map((one) => [one.name, wireValue(one, values[one.name])]));
export const writeModel = (kind: ConnectorKind, values: Values): Values =>
  Object.fromEntries(writable(kind).map((one) => [one.writeName, wireValue(one, values[one.name])]));

/** Converts a write model to stored values. Null stays null, because an update clears a field with it. */
export function toStoredValues(kind: ConnectorKind, body: Values): Values {
  const values: Values = {};
  for (const one of writable(kind)) {
    const value = body[one.writeName];
    if (value !== undefined) values[one.name] = value === null || !one.toStored ? value : one.toStored(value as never);
  }
  return values;
}

/** Whether the provider has not yet assigned all of its values. */
export const needsProvisioning = (kind: ConnectorKind, values: Values): boolean =>
  kind.provision !== undefined &&
  kind.fields.some(({ input, name, secret }) => input === 'none' && !secret && !isPresent(values[name]));

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

/** The given values, completed with the defaults of the kind. */
export function withDefaults(kind: ConnectorKind, values: Values, platform: PlatformDefaults): Values {
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => isPresent(value)));
  return { ...kind.defaults(given, platform), ...given };
}

/** All validation errors, each with its path in the request body. */
export function validateValues(kind: ConnectorKind, values: Values, path: string): Detail[] {
  const pathOf = (name: string): string => `${path}.${kind.fields.find((one) => one.name === name)?.writeName ?? name}`;
  const errors = kind.fields.flatMap((one) => {
    const value = values[one.name];
    const message = isPresent(value) ? one.validate?.(value as never) : undefined;
    return message ? [{ path: pathOf(one.name), message }] : [];
  });
  if (errors.length || !kind.validate) return errors;
  return kind.validate(values).map(({ field: name, message }) => ({ path: pathOf(name), message }));
}
