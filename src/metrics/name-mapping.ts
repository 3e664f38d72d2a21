// How a resource and a quantity are spelled in an engine elsewhere: which measurements and fields hold it, and which tags name the resource. Read
// from a file once; every word of it is held to an alphabet that needs no escaping anywhere.
import { readFile } from 'node:fs/promises';
import { OperatorError } from '../errors/operator-error.ts';
import { type Irn, parseIrn } from '../values/irn.ts';
import { type Form, fields, type Quantity, quantities } from './quantities.ts';
import { namesOf, type Subject } from './samples.ts';

export interface Source {
  measurement: string;
  field: string;
  form: Form;
}

export interface Mapping {
  /** Tags or labels that name a resource: a word with one placeholder in braces. */
  resource: Record<string, string>;
  sources: Record<Quantity, Source[]>;
}

const placeholders = ['{irn}', '{id}', '{unique}', '{owner}'] as const;
const word = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;

const own = 'patchbay';

/** Telegraf's snmp and ping inputs, and last what this service writes itself. */
export const defaultMapping: Mapping = {
  resource: { irn: '{irn}' },
  sources: Object.fromEntries(
    quantities.map((quantity): [Quantity, Source[]] => {
      const sources = Object.entries(fields)
        .filter(([, field]) => field.quantity === quantity)
        .flatMap(([name, { form }]): Source[] => {
          const measurement = name.startsWith('ifHC') ? 'interface' : /_ms$|^percent_/.test(name) ? 'ping' : own;
          const source = { measurement, field: name, form };
          return form === 'counter' ? [source, { ...source, measurement: own }] : [source];
        });
      return [quantity, sources.sort((a, b) => Number(a.measurement === own) - Number(b.measurement === own))];
    }),
  ) as Record<Quantity, Source[]>,
};

const unfit = (file: string, reason: string): OperatorError =>
  new OperatorError(`The mapping file ${file} cannot be used: ${reason}. docs/metrics.md shows one.`);

function resourceOf(file: string, given: unknown): Mapping['resource'] {
  const entries = Object.entries((given ?? {}) as Record<string, unknown>);
  const values = entries.map(([, value]) => value);
  if (!values.some((value) => value === '{irn}' || value === '{id}' || value === '{unique}'))
    throw unfit(file, '"resource" must have a tag that is "{irn}", "{id}" or "{unique}"');
  for (const [name, value] of entries) {
    if (!word.test(name)) throw unfit(file, `the tag ${JSON.stringify(name)} must be letters, digits and underscores`);
    if (!placeholders.some((known) => known === value) && !(typeof value === 'string' && word.test(value)))
      throw unfit(file, `the tag ${name} must be one of ${placeholders.join(', ')}, or a word`);
  }
  return Object.fromEntries(entries) as Mapping['resource'];
}

function sourceOf(file: string, quantity: string, given: unknown): Source {
  const { measurement, field, counter = false } = (given ?? {}) as Record<string, unknown>;
  for (const [name, value] of Object.entries({ measurement, field }))
    if (typeof value !== 'string' || !word.test(value))
      throw unfit(file, `${quantity} has a source whose ${name} is not letters, digits and underscores`);
  if (typeof counter !== 'boolean')
    throw unfit(file, `${quantity} has a source whose counter is neither true nor false`);
  return { measurement: String(measurement), field: String(field), form: counter ? 'counter' : 'gauge' };
}

export function parseMapping(file: string, text: string): Mapping {
  let given: Record<string, unknown>;
  try {
    given = JSON.parse(text);
  } catch (error) {
    throw unfit(file, `it is not JSON (${(error as Error).message})`);
  }
  const known = (given.quantities ?? {}) as Record<string, unknown>;
  const unknown = Object.keys(known).find((name) => !quantities.includes(name as Quantity));
  if (unknown !== undefined)
    throw unfit(file, `there is no quantity ${JSON.stringify(unknown)}, only ${quantities.join(', ')}`);
  const sources = { ...defaultMapping.sources };
  for (const [quantity, list] of Object.entries(known)) {
    if (!Array.isArray(list) || list.length > 8) throw unfit(file, `${quantity} must be a list of at most 8 sources`);
    sources[quantity as Quantity] = list.map((one) => sourceOf(file, quantity, one));
  }
  const resource = given.resource === undefined ? defaultMapping.resource : resourceOf(file, given.resource);
  return { resource, sources };
}

export async function loadMapping(file: string | undefined): Promise<Mapping> {
  if (file === undefined) return defaultMapping;
  const text = await readFile(file, 'utf8').catch((error) => {
    throw unfit(file, error.message);
  });
  return parseMapping(file, text);
}

const uniqueOf = (irn: string): string => irn.slice(irn.lastIndexOf(':') + 1);

/** The tags of a resource, once for each of its names. */
export function tagsOf({ resource }: Mapping, subject: Subject): Record<string, string>[] {
  return namesOf(subject).map((irn) => {
    const parsed = parseIrn(irn) as Irn;
    const values: Record<string, string> = {
      '{irn}': irn,
      '{id}': parsed.id,
      '{unique}': uniqueOf(irn),
      '{owner}': parsed.owner,
    };
    return Object.fromEntries(Object.entries(resource).map(([tag, value]) => [tag, values[value] ?? value]));
  });
}

/** Which record a set of tags speaks of. */
export function recordOf({ resource }: Mapping, tags: Record<string, string>): string | undefined {
  for (const [tag, value] of Object.entries(resource)) {
    const given = tags[tag] ?? '';
    if (value === '{irn}') return parseIrn(given)?.id;
    if (value === '{id}') return given;
    if (value === '{unique}') return parseIrn(`irn:connectors:000000000000::${given}`)?.id;
  }
  return undefined;
}

export const namesKey = (tags: Record<string, string>): string =>
  Object.keys(tags)
    .sort()
    .map((name) => `${name}=${tags[name]}`)
    .join(',');
