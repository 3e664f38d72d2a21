// The names of quantities and resources in an external engine: measurements, fields and tags. They come from the
// operator's mapping file and are limited to characters that need no escaping in any query language.
import { readFile } from 'node:fs/promises';
import { OperatorError } from '../errors/operator-error.ts';
import { type Irn, parseIrn } from '../values/irn.ts';
import { fields, type Quantity, quantities, type SampleType } from './quantities.ts';
import { irnsOf, type Subject } from './samples.ts';

export interface Source {
  measurement: string;
  field: string;
  type: SampleType;
}

export interface NameMapping {
  /** By tag or label: a placeholder or a fixed word. Together they identify a resource. */
  resource: Record<string, string>;
  /** Where a quantity is read from; writes go to the last source of the sample type. */
  sources: Record<Quantity, Source[]>;
}

const placeholders = ['{irn}', '{id}', '{unique}', '{owner}'] as const;
const namePattern = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

const ownMeasurement = 'patchbay';

/** Telegraf's snmp and ping inputs, followed by the measurement that this service writes. */
export const defaultMapping: NameMapping = {
  resource: { irn: '{irn}' },
  sources: Object.fromEntries(
    quantities.map((quantity): [Quantity, Source[]] => {
      const sources = Object.entries(fields)
        .filter(([, field]) => field.quantity === quantity)
        .flatMap(([name, { type }]): Source[] => {
          const measurement = name.startsWith('ifHC')
            ? 'interface'
            : /_ms$|^percent_/.test(name)
              ? 'ping'
              : ownMeasurement;
          const source = { measurement, field: name, type };
          return type === 'counter' ? [source, { ...source, measurement: ownMeasurement }] : [source];
        });
      const isOwn = ({ measurement }: Source): number => Number(measurement === ownMeasurement);
      return [quantity, sources.sort((a, b) => isOwn(a) - isOwn(b))];
    }),
  ) as Record<Quantity, Source[]>,
};

const mappingError = (file: string, reason: string): OperatorError =>
  new OperatorError(`The mapping file ${file} cannot be used: ${reason}. docs/metrics.md shows one.`);

function parseResource(file: string, given: unknown): NameMapping['resource'] {
  const entries = Object.entries((given ?? {}) as Record<string, unknown>);
  const values = entries.map(([, value]) => value);
  if (!values.some((value) => value === '{irn}' || value === '{id}' || value === '{unique}'))
    throw mappingError(file, '"resource" must have a tag that is "{irn}", "{id}" or "{unique}"');
  for (const [name, value] of entries) {
    if (!namePattern.test(name))
      throw mappingError(file, `the tag ${JSON.stringify(name)} must be letters, digits and underscores`);
    if (!placeholders.some((known) => known === value) && !(typeof value === 'string' && namePattern.test(value)))
      throw mappingError(file, `the tag ${name} must be one of ${placeholders.join(', ')}, or a word`);
  }
  return Object.fromEntries(entries) as NameMapping['resource'];
}

function parseSource(file: string, quantity: string, given: unknown): Source {
  const { measurement, field, counter = false } = (given ?? {}) as Record<string, unknown>;
  for (const [name, value] of Object.entries({ measurement, field }))
    if (typeof value !== 'string' || !namePattern.test(value))
      throw mappingError(file, `${quantity} has a source whose ${name} is not letters, digits and underscores`);
  if (typeof counter !== 'boolean')
    throw mappingError(file, `${quantity} has a source whose counter is neither true nor false`);
  return { measurement: String(measurement), field: String(field), type: counter ? 'counter' : 'gauge' };
}

export function parseNameMapping(file: string, text: string): NameMapping {
  let given: Record<string, unknown>;
  try {
    given = JSON.parse(text);
  } catch (error) {
    throw mappingError(file, `it is not JSON (${(error as Error).message})`);
  }
  const known = (given.quantities ?? {}) as Record<string, unknown>;
  const unknown = Object.keys(known).find((name) => !quantities.includes(name as Quantity));
  if (unknown !== undefined)
    throw mappingError(file, `there is no quantity ${JSON.stringify(unknown)}, only ${quantities.join(', ')}`);
  const sources = { ...defaultMapping.sources };
  for (const [quantity, list] of Object.entries(known)) {
    if (!Array.isArray(list) || list.length > 8)
      throw mappingError(file, `${quantity} must be a list of at most 8 sources`);
    sources[quantity as Quantity] = list.map((one) => parseSource(file, quantity, one));
  }
  const resource = given.resource === undefined ? defaultMapping.resource : parseResource(file, given.resource);
  return { resource, sources };
}

export async function loadNameMapping(file: string | undefined): Promise<NameMapping> {
  if (file === undefined) return defaultMapping;
  const text = await readFile(file, 'utf8').catch((error) => {
    throw mappingError(file, error.message);
  });
  return parseNameMapping(file, text);
}

/** The tags of a resource, one set for each of its IRNs. */
export function tagSetsOf({ resource }: NameMapping, subject: Subject): Record<string, string>[] {
  return irnsOf(subject).map((irn) => {
    const parsed = parseIrn(irn) as Irn;
    const values: Record<string, string> = {
      '{irn}': irn,
      '{id}': parsed.id,
      '{unique}': irn.slice(irn.lastIndexOf(':') + 1),
      '{owner}': parsed.owner,
    };
    return Object.fromEntries(Object.entries(resource).map(([tag, value]) => [tag, values[value] ?? value]));
  });
}

/** The record that a set of tags identifies. */
export function recordIdOf({ resource }: NameMapping, tags: Record<string, string>): string | undefined {
  for (const [tag, value] of Object.entries(resource)) {
    const given = tags[tag] ?? '';
    if (value === '{irn}') return parseIrn(given)?.id;
    if (value === '{id}') return given;
    if (value === '{unique}') return parseIrn(`irn:connectors:000000000000::${given}`)?.id;
  }
  return undefined;
}

/** A map key for a set of tags. */
export const tagsKey = (tags: Record<string, string>): string =>
  Object.keys(tags)
    .sort()
    .map((name) => `${name}=${tags[name]}`)
    .join(',');

/** Subject ids by the key of each of their tag sets. */
export const subjectIdsByTags = (mapping: NameMapping, subjects: Subject[]): Map<string, string> =>
  new Map(subjects.flatMap((one) => tagSetsOf(mapping, one).map((tags) => [tagsKey(tags), one.id])));
