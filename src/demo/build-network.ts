// Builds the network of a demo organisation through the service's own operations, backdated and performed by its staff.
import type { Actor } from '../http/route.ts';
import { createAppliance } from '../resources/appliances/operations.ts';
import { listModels } from '../resources/appliances/store.ts';
import { createCapacity, setPool } from '../resources/capacities/operations.ts';
import { createConnector } from '../resources/connectors/create.ts';
import type { ConnectorTools } from '../resources/connectors/operations.ts';
import { type KindInput, parseKindInput } from '../resources/connectors/rules.ts';
import { createAllocation, createGroup } from '../resources/groups/operations.ts';
import { createLink } from '../resources/links/operations.ts';
import { readOrganisation } from '../resources/organisations/operations.ts';
import { type DestinationRow, findRegion } from '../resources/places/store.ts';
import { createTag } from '../resources/tags/operations.ts';
import { type Database, type Scope, setTenant } from '../store/database.ts';
import type { DemoConnector, DemoNetwork } from './network-definitions.ts';

/** Advances the backdated time of the transaction. */
export type AdvanceTime = (minutes: number) => Promise<void>;

export interface NetworkContext {
  database: Database;
  scope: Scope;
  /** The parent organisation, or the organisation itself at the top level. */
  seller: { scope: Scope; actor: Actor };
  staff: Actor[];
  tools: ConnectorTools;
  advanceTime: AdvanceTime;
  /** Deploys most links instead of a few. */
  deployMostLinks: boolean;
  destinations: DestinationRow[];
}

const findDestinationByName = ({ destinations }: NetworkContext, name: string): DestinationRow | undefined =>
  destinations.find(({ family, csp_city }) => `${family}/${csp_city}` === name);

type Ids = Map<string, string>;
const requireId = (ids: Ids, name: string): string => {
  const id = ids.get(name);
  if (!id) throw new Error(`The demo network refers to ${name} before creating it`);
  return id;
};
const staffMember = ({ staff }: NetworkContext, index: number): Actor => {
  const actor = staff[index % staff.length];
  if (!actor) throw new Error('The demo organisation has no staff');
  return actor;
};

async function sellProductsAndCapacities(context: NetworkContext, network: DemoNetwork): Promise<Ids> {
  const { database, scope, seller, advanceTime } = context;
  await setTenant(database, seller.scope);
  const customer = await readOrganisation(database, seller.scope, scope.organisationId);
  const used = new Map<string, number>();
  for (const { to } of network.connectors) {
    const destination = findDestinationByName(context, to);
    const pool = destination && `${destination.family}/${destination.region}`;
    if (pool) used.set(pool, (used.get(pool) ?? 0) + 1);
  }
  for (const pool of new Set([...used.keys(), ...Object.keys(network.spareProducts)])) {
    const [family = '', region = ''] = pool.split('/');
    const total = (used.get(pool) ?? 0) + (network.spareProducts[pool] ?? 1);
    await setPool(database, seller.scope, seller.actor, customer, family, region, total);
    await advanceTime(2);
  }
  const ids: Ids = new Map();
  for (const [name, { gbps, months, regions }] of Object.entries(network.capacities)) {
    const foundRegions = [];
    for (const slug of regions) foundRegions.push(await findRegion(database, scope, slug));
    const capacity = await createCapacity(database, seller.scope, seller.actor, customer, {
      capacityBps: gbps * 1e9,
      durationMonths: months,
      region1Id: foundRegions[0]?.id ?? '',
      region2Id: foundRegions[1]?.id ?? null,
    });
    ids.set(name, capacity.id);
    await advanceTime(5);
  }
  await setTenant(database, scope);
  return ids;
}

async function createTags(
  context: NetworkContext,
  network: DemoNetwork,
): Promise<(names?: string[]) => string[] | null> {
  const ids: Ids = new Map();
  for (const [name, { color, description }] of Object.entries(network.tags)) {
    const { id } = await createTag(context.database, context.scope, staffMember(context, 0), {
      name,
      color,
      description,
    });
    ids.set(name, id);
    await context.advanceTime(1);
  }
  return (names) => names?.map((name) => requireId(ids, name)) ?? null;
}

async function createAppliances(
  context: NetworkContext,
  network: DemoNetwork,
  tags: (names?: string[]) => string[] | null,
): Promise<Ids> {
  const { database, scope, advanceTime } = context;
  const models = new Map((await listModels(database, scope)).map((model) => [model.model_name, model.id]));
  const ids: Ids = new Map();
  for (const [name, definition] of Object.entries(network.appliances)) {
    const created = await createAppliance(database, scope, staffMember(context, 1), {
      name,
      description: null,
      kind: definition.kind ?? 'cloudAppliance',
      siteName: definition.site,
      slacity: definition.city,
      modelId: requireId(models, definition.model),
      tagIds: tags(definition.tags),
    });
    ids.set(name, created.id);
    await advanceTime(60 * 26);
  }
  return ids;
}

/** The choice as a client would send it. */
function choiceFor(context: NetworkContext, { to, fields }: DemoConnector, appliances: Ids): KindInput {
  if (!to.includes('/'))
    return parseKindInput({ entreprise: { ...fields, cloudApplianceID: requireId(appliances, to) } });
  const destination = findDestinationByName(context, to);
  if (!destination) throw new Error(`The catalogue has no destination ${to}`);
  return parseKindInput({ csp: { cloudDestinationID: destination.id, [destination.family]: fields } });
}

/** With `deployMostLinks`, one link of this many stays registered. */
const undeployedInterval = 5;

/** Returns the links to deploy. */
export async function buildNetwork(context: NetworkContext, network: DemoNetwork): Promise<string[]> {
  const { database, scope, tools, advanceTime } = context;
  const capacities = await sellProductsAndCapacities(context, network);
  await advanceTime(60 * 30);
  const tags = await createTags(context, network);
  const appliances = await createAppliances(context, network, tags);
  const groups: Ids = new Map();
  for (const [name, { description, tags: names, allocations }] of Object.entries(network.groups)) {
    const actor = staffMember(context, 0);
    const { id } = await createGroup(database, scope, actor, { name, description, tagIds: tags(names) });
    groups.set(name, id);
    for (const [capacity, mbps] of Object.entries(allocations))
      await createAllocation(database, scope, actor, id, requireId(capacities, capacity), mbps * 1e6);
    await advanceTime(25);
  }
  const connectors: Ids = new Map();
  for (const [index, definition] of network.connectors.entries()) {
    const created = await createConnector(database, scope, staffMember(context, index), tools, {
      name: definition.name,
      description: definition.description ?? null,
      groupId: requireId(groups, definition.group),
      tagIds: tags(definition.tags),
      kindInput: choiceFor(context, definition, appliances),
      ...(definition.legacy ? { legacy: true as const } : {}),
    });
    connectors.set(definition.name, created.id);
    await advanceTime(47);
  }
  const linksToDeploy: string[] = [];
  for (const [index, definition] of network.links.entries()) {
    const created = await createLink(database, scope, staffMember(context, index), {
      name: definition.name,
      description: null,
      tagIds: tags(definition.tags),
      from: requireId(connectors, definition.from),
      to: requireId(connectors, definition.to),
      ...(definition.legacy ? { legacy: true as const } : {}),
    });
    if (
      definition.deploy ||
      (context.deployMostLinks && !definition.legacy && index % undeployedInterval !== undeployedInterval - 1)
    )
      linksToDeploy.push(created.id);
    await advanceTime(41);
  }
  return linksToDeploy;
}
