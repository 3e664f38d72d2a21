// What a kind of connector is: one small table of fields with their rules. Validation, read model, write model and the API document all
// come from it; a further provider is one more file beside provider-a.ts.
import { type TObject, type TSchema, Type } from 'typebox';
import type { Detail } from '../errors/problems.ts';
import type { Session } from '../fabric/desired-state.ts';
import type { Cidr } from '../values/ip.ts';
import { nullable } from '../values/nullable.ts';

/** The fields of one connector by their names, as they are kept. Absent and null are the same: not given. */
export type Values = Record<string, unknown>;

export interface FieldType {
  /** What may be sent. */
  schema: TSchema;
  /** What is shown, where that differs. */
  shownSchema?: TSchema;
  /** Kept sealed, apart from the record, and shown to those who may write it. */
  secret?: true;
  /** Decided at the creation, for good. */
  fixed?: true;
  /** What a schema cannot say: the end of a sentence about the value, or undefined when it is right. */
  complaint?: (value: never) => string | undefined;
  /** The value as it is kept, of one as it was sent; and back. */
  keep?: (value: never) => unknown;
  show?: (value: never) => unknown;
}

export interface Field extends FieldType {
  name: string;
  /** Its name in the write model, where that is another. */
  writeName: string;
  /** May a caller leave it out, or is it the platform's own? */
  given: 'required' | 'optional' | 'never';
}

export const field = (name: string, given: Field['given'], kind: FieldType, writeName = name): Field => ({
  ...kind,
  name,
  writeName,
  given,
});

/** What the platform has to give where a caller named nothing. */
export interface Platform {
  asNumber: number;
  /** Networks of four addresses that no other connector was given, until half a million connectors were. */
  blocks: [Cidr, Cidr];
}

/** What a provider draws from when it hands out ids, keys and addresses of a connection that is deployed. */
export interface Provider {
  /** Small letters and digits after a prefix: `dxvif-8k2m0q1z`. */
  identifier(prefix: string): string;
  number(from: number, to: number): number;
  key(): string;
  /** A network of four addresses that no other connector was given. */
  block: Cidr;
}

export interface ConnectorKind {
  /** The name of its sub-object and, of a provider, its family's short name. */
  name: string;
  fields: Field[];
  /** Rules over several fields, asked when each by itself is right. */
  complaints?: (values: Values) => { field: string; message: string }[];
  /** What is filled in where the caller left a field out. */
  fill: (values: Values, platform: Platform) => Values;
  bandwidthBps: (values: Values) => number;
  /** The AS number at the other end of its sessions, where the provider has the same everywhere. */
  peerAsNumber?: number;
  /** What the provider hands out when the connector is deployed first: the fields that nobody gives. */
  order?: (values: Values, provider: Provider) => Values;
  /** Its BGP sessions: none as long as the provider has not handed out what they need. */
  sessions: (values: Values) => Session[];
  /** A write model for the API document. */
  example: Values;
}

const writable = (kind: ConnectorKind): Field[] => kind.fields.filter(({ given }) => given !== 'never');

/** The write model: of a creation with what must be given, of a change without. */
export function writeSchema(kind: ConnectorKind, use: 'create' | 'change'): TObject {
  const property = ({ schema, given, secret }: Field): TSchema => {
    if (given !== 'required') return Type.Optional(nullable(schema));
    if (use === 'create') return schema;
    // A secret is null in what those see who may not write it; sent back, it stays.
    return Type.Optional(secret ? nullable(schema) : schema);
  };
  const properties = Object.fromEntries(writable(kind).map((one) => [one.writeName, property(one)]));
  return Type.Object(properties, {
    title: `${kind.name}.${use}`,
    ...(use === 'create' ? { examples: [kind.example] } : {}),
  });
}

const shownSchema = ({ schema, shownSchema: shown = schema }: Field): TSchema => nullable(shown);
export const readModelSchema = (kind: ConnectorKind): TObject =>
  Type.Object(Object.fromEntries(kind.fields.map((one) => [one.name, shownSchema(one)])), {
    title: `${kind.name}.read`,
  });
export const writeModelSchema = (kind: ConnectorKind): TObject =>
  Type.Object(Object.fromEntries(writable(kind).map((one) => [one.writeName, shownSchema(one)])), {
    title: `${kind.name}.write`,
  });

const shown = (one: Field, value: unknown): unknown =>
  value === undefined || value === null ? null : one.show ? one.show(value as never) : value;
export const readModel = (kind: ConnectorKind, values: Values): Values =>
  Object.fromEntries(kind.fields.map((one) => [one.name, shown(one, values[one.name])]));
export const writeModel = (kind: ConnectorKind, values: Values): Values =>
  Object.fromEntries(writable(kind).map((one) => [one.writeName, shown(one, values[one.name])]));

/** What a write model says, as it is kept. Null stays null: a change clears with it. */
export function valuesOf(kind: ConnectorKind, sent: Values): Values {
  const values: Values = {};
  for (const one of writable(kind)) {
    const value = sent[one.writeName];
    if (value !== undefined) values[one.name] = value === null || !one.keep ? value : one.keep(value as never);
  }
  return values;
}

/** Has the provider still to hand out something? */
export const needsProvisioning = (kind: ConnectorKind, values: Values): boolean =>
  kind.order !== undefined &&
  kind.fields.some(({ given, name, secret }) => given === 'never' && !secret && !isGiven(values[name]));

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** The values with everything that the platform fills in. */
export function withDefaults(kind: ConnectorKind, values: Values, platform: Platform): Values {
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => isGiven(value)));
  return { ...kind.fill(given, platform), ...given };
}

/** Everything that is wrong with the values, each with its place in the body. */
export function validateValues(kind: ConnectorKind, values: Values, path: string): Detail[] {
  const place = (name: string): string => `${path}.${kind.fields.find((one) => one.name === name)?.writeName ?? name}`;
  const single = kind.fields.flatMap((one) => {
    const value = values[one.name];
    const message = isGiven(value) ? one.complaint?.(value as never) : undefined;
    return message ? [{ path: place(one.name), message }] : [];
  });
  if (single.length || !kind.complaints) return single;
  return kind.complaints(values).map(({ field: name, message }) => ({ path: place(name), message }));
}
