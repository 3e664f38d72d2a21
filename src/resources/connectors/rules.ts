// Pure permissions about connectors.
import { isDeepStrictEqual } from 'node:util';
import {
  type ConnectorKind,
  type Platform,
  type Values,
  withDefaults,
  writeModel,
} from '../../connector-kinds/connector-kind.ts';
import { asNumber } from '../../connector-kinds/field-types.ts';
import { providerNamed, providers } from '../../connector-kinds/providers.ts';
import { site } from '../../connector-kinds/site.ts';
import { invalid } from '../../errors/problems.ts';
import type { DeploymentState } from '../../store/tables.ts';
import { parseIrn } from '../../values/irn.ts';

/** Blocks of four addresses out of the range that RFC 6598 sets aside between networks. */
export const blockAt = (index: number) => ({ address: 100 * 2 ** 24 + 64 * 2 ** 16 + index * 4, prefix: 30 });

const platformAsNumber = 64512;

export const platformWith = (blocks: [number, number]): Platform => ({
  asNumber: platformAsNumber,
  blocks: [blockAt(blocks[0]), blockAt(blocks[1])],
});

/** What a connector would be filled in with, whichever blocks it is given, as its write model says it: what was sent is not among it. */
export function surelyFilledIn(kind: ConnectorKind, given: Values): Values {
  const [one = {}, other = {}] = (
    [
      [0, 1],
      [2, 3],
    ] as const
  ).map((blocks) => withDefaults(kind, given, platformWith([...blocks])));
  const sure = Object.entries(one).filter(
    ([name, value]) => (given[name] ?? null) === null && isDeepStrictEqual(value, other[name]),
  );
  return Object.fromEntries(
    Object.entries(writeModel(kind, Object.fromEntries(sure))).filter(([, value]) => value !== null),
  );
}

/** What a body says of a connector's kind, and where it says it. */
export interface Choice {
  kind: ConnectorKind;
  sent: Values;
  path: string;
  /** Of a provider's connector. */
  destinationId: string | undefined;
}

type Body = { csp?: Values | null; entreprise?: Values | null };

const namesOfProviders = () => providers.map(({ name }) => name).join(', ');

/** The sub-objects of providers that a body holds. */
const sentProviders = (csp: Values): ConnectorKind[] =>
  providers.filter(({ name }) => csp[name] !== undefined && csp[name] !== null);

/** Exactly one of csp and entreprise, and in csp exactly one provider. */
export function choiceOf(body: Body): Choice {
  const { csp, entreprise } = body;
  if (csp && entreprise) throw invalid('entreprise', 'excludes csp: a connector leads to a provider or to a site');
  if (entreprise) return { kind: site, sent: entreprise, path: site.name, destinationId: undefined };
  if (!csp) throw invalid('csp', 'is required, or entreprise: a connector leads to a provider or to a site');
  const [kind, second] = sentProviders(csp);
  if (!kind) throw invalid('csp', `must hold the fields of one provider, under its name: ${namesOfProviders()}`);
  if (second) throw invalid(`csp.${second.name}`, `excludes ${kind.name}: a connector leads to one provider`);
  const sent = csp[kind.name] as Values;
  return { kind, sent, path: `csp.${kind.name}`, destinationId: String(csp.cloudDestinationID) };
}

/** What a change says of the fields of a connector that is of this kind; of another kind it can say nothing. */
export function changeOf(kind: ConnectorKind, body: Body): { sent: Values; path: string } {
  const isSite = kind.name === site.name;
  const own = isSite ? 'entreprise' : 'csp';
  const other = isSite ? 'csp' : 'entreprise';
  if (body[other]) throw invalid(other, 'cannot be given: a connector keeps its kind', 'ReadOnlyField');
  if (body[own] === null) throw invalid(own, 'cannot be cleared: a connector keeps its kind', 'ReadOnlyField');
  if (isSite) return { sent: body.entreprise ?? {}, path: own };
  const stranger = sentProviders(body.csp ?? {}).find(({ name }) => name !== kind.name);
  if (stranger)
    throw invalid(
      `csp.${stranger.name}`,
      `cannot be given: a connector keeps its provider, ${kind.name}`,
      'ReadOnlyField',
    );
  return { sent: (body.csp?.[kind.name] as Values | null | undefined) ?? {}, path: `csp.${kind.name}` };
}

/** The kind of a connector by the family of its destination; one without is a site's. */
export function connectorKindOf(family: string | null): ConnectorKind {
  const kind = family === null ? site : providerNamed(family);
  if (!kind) throw new Error(`There are connectors of the family ${family}, but there is no such provider`);
  return kind;
}

export type Linked = { connectorId: string } | { routerId: string };

/** What `linkedTo` names: undefined when it is nothing of this owner. */
export function linkedTo(text: string, owner: string): Linked | undefined {
  const irn = parseIrn(text);
  if (!irn || irn.qualifier || (irn.family !== 'connectors' && irn.family !== 'ire'))
    throw invalid('linkedTo', 'must be the resource name (irn:…) of a connector or router');
  if (irn.owner !== owner) return undefined;
  return irn.family === 'ire' ? { routerId: irn.id } : { connectorId: irn.id };
}

export type Action = 'update' | 'delete' | 'deploy';

/** What may be done now by one with these rights. */
export function actionsFor(
  connector: { state: DeploymentState; linked: boolean },
  may: { write: boolean; deploy: boolean },
): Action[] {
  const actions: Action[] = [];
  if (may.write) actions.push('update');
  if (may.write && !connector.linked) actions.push('delete');
  if (may.deploy && connector.state !== 'in-deployment') actions.push('deploy');
  return actions;
}

/** `64710` or `AS64710`; undefined when it is anything else. */
export function asNumberIn(text: string): number | undefined {
  const [, digits] = /^(?:AS)?(\d{1,10})$/i.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits);
}

/** The fields that hold AS numbers, of whatever kind. */
export const asNumberFields: string[] = [
  ...new Set(
    [...providers, site].flatMap(({ fields }) =>
      fields.filter(({ schema }) => schema === asNumber.schema).map(({ name }) => name),
    ),
  ),
];

export const familiesPeeringAs = (number: number): string[] =>
  providers.filter(({ peerAsNumber }) => peerAsNumber === number).map(({ name }) => name);
