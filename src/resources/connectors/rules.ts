// Pure functions about connectors: parsing of requests, defaults and permitted actions.
import { isDeepStrictEqual } from 'node:util';
import {
  type ConnectorKind,
  type PlatformDefaults,
  type Values,
  withDefaults,
  writeModel,
} from '../../connector-kinds/connector-kind.ts';
import { asNumber } from '../../connector-kinds/field-types.ts';
import { findProvider, providers } from '../../connector-kinds/providers.ts';
import { site } from '../../connector-kinds/site.ts';
import { invalid } from '../../errors/problems.ts';
import type { DeploymentState } from '../../store/tables.ts';
import { parseIrn } from '../../values/irn.ts';

/** The /30 network with this index in the shared address space (RFC 6598). */
export const addressBlock = (index: number) => ({ address: 100 * 2 ** 24 + 64 * 2 ** 16 + index * 4, prefix: 30 });

const platformAsNumbers: [number, number] = [64512, 64513];

export const platformDefaults = (blocks: [number, number]): PlatformDefaults => ({
  asNumbers: platformAsNumbers,
  blocks: [addressBlock(blocks[0]), addressBlock(blocks[1])],
});

/**
 * The values after a change. If the caller changes its AS number to one that the platform had filled in as its own, the
 * platform gives way: equal numbers would make the session internal.
 */
export function mergeChanges(kind: ConnectorKind, current: Values, changes: Values): Values {
  const merged = { ...current, ...changes };
  const numbers = kind.fields.filter(({ schema }) => schema === asNumber.schema);
  const isTaken = (number: unknown): boolean =>
    numbers.some(({ name }) => merged[name] === number && current[name] !== number);
  for (const { name, input } of numbers)
    if (input === 'optional' && !(name in changes) && isTaken(merged[name]) && isPlatformAs(merged[name]))
      merged[name] = withDefaults(kind, { ...merged, [name]: null }, platformDefaults([0, 1]))[name];
  return merged;
}

const isPlatformAs = (value: unknown): boolean => platformAsNumbers.some((number) => number === value);

/** Defaults that do not depend on the allocated address blocks, as a write model without the given values. */
export function predictableDefaults(kind: ConnectorKind, given: Values): Values {
  const [completed, withOtherBlocks] = [
    withDefaults(kind, given, platformDefaults([0, 1])),
    withDefaults(kind, given, platformDefaults([2, 3])),
  ];
  const predictable = Object.entries(completed).filter(
    ([name, value]) => (given[name] ?? null) === null && isDeepStrictEqual(value, withOtherBlocks[name]),
  );
  const model = writeModel(kind, Object.fromEntries(predictable));
  return Object.fromEntries(Object.entries(model).filter(([, value]) => value !== null));
}

/** The kind that a request body selects, with its fields as sent and their path in the body. */
export interface KindInput {
  kind: ConnectorKind;
  fields: Values;
  path: string;
  /** Set for the connectors of providers. */
  destinationId: string | undefined;
}

type Body = { csp?: Values | null; entreprise?: Values | null };

const providerNames = () => providers.map(({ name }) => name).join(', ');

/** The providers for which the body contains an object. */
const providersIn = (csp: Values): ConnectorKind[] =>
  providers.filter(({ name }) => csp[name] !== undefined && csp[name] !== null);

/** Requires exactly one of csp and entreprise, and exactly one provider in csp. */
export function parseKindInput(body: Body): KindInput {
  const { csp, entreprise } = body;
  if (csp && entreprise) throw invalid('entreprise', 'excludes csp: a connector leads to a provider or to a site');
  if (entreprise) return { kind: site, fields: entreprise, path: site.name, destinationId: undefined };
  if (!csp) throw invalid('csp', 'is required, or entreprise: a connector leads to a provider or to a site');
  const [kind, second] = providersIn(csp);
  if (!kind) throw invalid('csp', `must contain the fields of one provider, under its name: ${providerNames()}`);
  if (second) throw invalid(`csp.${second.name}`, `excludes ${kind.name}: a connector leads to one provider`);
  const fields = csp[kind.name] as Values;
  return { kind, fields, path: `csp.${kind.name}`, destinationId: String(csp.cloudDestinationID) };
}

/** The kind's fields in the body of an update. Rejects a body that would change the kind. */
export function parseKindChange(kind: ConnectorKind, body: Body): { fields: Values; path: string } {
  const isSite = kind.name === site.name;
  const own = isSite ? 'entreprise' : 'csp';
  const other = isSite ? 'csp' : 'entreprise';
  if (body[other]) throw invalid(other, 'cannot be given: the kind of a connector never changes', 'ReadOnlyField');
  if (body[own] === null)
    throw invalid(own, 'cannot be cleared: the kind of a connector never changes', 'ReadOnlyField');
  if (isSite) return { fields: body.entreprise ?? {}, path: own };
  const otherProvider = providersIn(body.csp ?? {}).find(({ name }) => name !== kind.name);
  if (otherProvider)
    throw invalid(
      `csp.${otherProvider.name}`,
      `cannot be given: the provider of a connector never changes, it is ${kind.name}`,
      'ReadOnlyField',
    );
  return { fields: (body.csp?.[kind.name] as Values | null | undefined) ?? {}, path: `csp.${kind.name}` };
}

/** The kind of a connector by the family of its destination; connectors without a family lead to sites. */
export function connectorKindOf(family: string | null): ConnectorKind {
  const kind = family === null ? site : findProvider(family);
  if (!kind) throw new Error(`No provider is defined for the family ${family}, but connectors of it exist`);
  return kind;
}

export type LinkedTo = { connectorId: string } | { routerId: string };

/** Parses the filter `linkedTo`. Returns undefined if the resource belongs to another organisation. */
export function parseLinkedTo(text: string, owner: string): LinkedTo | undefined {
  const irn = parseIrn(text);
  if (!irn || irn.qualifier || (irn.family !== 'connectors' && irn.family !== 'ire'))
    throw invalid('linkedTo', 'must be the resource name (irn:…) of a connector or router');
  if (irn.owner !== owner) return undefined;
  return irn.family === 'ire' ? { routerId: irn.id } : { connectorId: irn.id };
}

export type ConnectorAction = 'update' | 'delete' | 'deploy';

/** The actions that the connector's state and the caller's permissions allow. */
export function actionsFor(
  connector: { state: DeploymentState; linked: boolean },
  may: { write: boolean; deploy: boolean },
): ConnectorAction[] {
  const actions: ConnectorAction[] = [];
  if (may.write) actions.push('update');
  if (may.write && !connector.linked) actions.push('delete');
  if (may.deploy && connector.state !== 'in-deployment') actions.push('deploy');
  return actions;
}

/** Parses `64710` or `AS64710`. */
export function parseAsNumber(text: string): number | undefined {
  const [, digits] = /^(?:AS)?(\d{1,10})$/i.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** The fields of all kinds that contain AS numbers. */
export const asNumberFields: string[] = [
  ...new Set(
    [...providers, site].flatMap(({ fields }) =>
      fields.filter(({ schema }) => schema === asNumber.schema).map(({ name }) => name),
    ),
  ),
];

export const familiesPeeringAs = (number: number): string[] =>
  providers.filter(({ peerAsNumber }) => peerAsNumber === number).map(({ name }) => name);
