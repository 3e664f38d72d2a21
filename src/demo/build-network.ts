// Builds a network of the demo world through the service's own operations, each at its moment of the past and by the hand of
// somebody who works there.
import type { Actor } from '../http/route.ts';
import { createAppliance } from '../resources/appliances/operations.ts';
import { listModels } from '../resources/appliances/store.ts';
import { setPool, subscribe } from '../resources/capacities/operations.ts';
import { createConnector } from '../resources/connectors/create.ts';
import type { ConnectorTools } from '../resources/connectors/operations.ts';
import { type Choice, choiceOf } from '../resources/connectors/rules.ts';
import { allocate, createGroup } from '../resources/groups/operations.ts';
import { createLink } from '../resources/links/operations.ts';
import { readOrganisation } from '../resources/organisations/operations.ts';
import { type DestinationRow, findRegion } from '../resources/places/store.ts';
import { createTag } from '../resources/tags/operations.ts';
import { type Database, type Scope, setTenant } from '../store/database.ts';
import type { DemoConnector, DemoNetwork } from './network-definitions.ts';

/** Lets time pass in the story. */
export type Passing = (minutes: number) => Promise<void>;

export interface Timeline {
  database: Database;
  scope: Scope;
  /** Who sold it: the parent, or the organisation itself at the top. */
  seller: { scope: Scope; actor: Actor };
  /** Who works there. */
  staff: Actor[];
  tools: ConnectorTools;
  passing: Passing;
  /** Most links are at work, instead of a few. */
  isLively: boolean;
  /** The catalogue's. */
  destinations: DestinationRow[];
}

const destinationNamed = ({ destinations }: Timeline, name: string): DestinationRow | undefined =>
  destinations.find(({ family, csp_city }) => `${family}/${csp_city}` === name);

type Ids = Map<string, string>;
const idIn = (ids: Ids, name: string): string => {
  const id = ids.get(name);
  if (!id) throw new Error(`The demo world names ${name} before it is there`);
  return id;
};
const handOf = ({ staff }: Timeline, turn: number): Actor => {
  const actor = staff[turn % staff.length];
  if (!actor) throw new Error('Nobody works there');
  return actor;
};

async function sell(story: Timeline, network: DemoNetwork): Promise<Ids> {
  const { database, scope, seller, passing } = story;
  await setTenant(database, seller.scope);
  const customer = await readOrganisation(database, seller.scope, scope.organisationId);
  const used = new Map<string, number>();
  for (const { to } of network.connectors) {
    const destination = destinationNamed(story, to);
    const pool = destination && `${destination.family}/${destination.region}`;
    if (pool) used.set(pool, (used.get(pool) ?? 0) + 1);
  }
  for (const pool of new Set([...used.keys(), ...Object.keys(network.spareProducts)])) {
    const [family = '', region = ''] = pool.split('/');
    const total = (used.get(pool) ?? 0) + (network.spareProducts[pool] ?? 1);
    await setPool(database, seller.scope, seller.actor, customer, family, region, total);
    await passing(2);
  }
  const ids: Ids = new Map();
  for (const [name, { gbps, months, regions }] of Object.entries(network.capacities)) {
    const known = [];
    for (const slug of regions) known.push(await findRegion(database, scope, slug));
    const sold = await subscribe(database, seller.scope, seller.actor, customer, {
      capacityBps: gbps * 1e9,
      durationMonths: months,
      region1Id: known[0]?.id ?? '',
      region2Id: known[1]?.id ?? null,
    });
    ids.set(name, sold.id);
    await passing(5);
  }
  await setTenant(database, scope);
  return ids;
}

async function tagsOf(story: Timeline, network: DemoNetwork): Promise<(names?: string[]) => string[] | null> {
  const ids: Ids = new Map();
  for (const [name, { color, description }] of Object.entries(network.tags)) {
    const { id } = await createTag(story.database, story.scope, handOf(story, 0), { name, color, description });
    ids.set(name, id);
    await story.passing(1);
  }
  return (names) => names?.map((name) => idIn(ids, name)) ?? null;
}

async function sitesOf(
  story: Timeline,
  network: DemoNetwork,
  tags: (names?: string[]) => string[] | null,
): Promise<Ids> {
  const { database, scope, passing } = story;
  const models = new Map((await listModels(database, scope)).map((model) => [model.model_name, model.id]));
  const ids: Ids = new Map();
  for (const [name, wish] of Object.entries(network.appliances)) {
    const made = await createAppliance(database, scope, handOf(story, 1), {
      name,
      description: null,
      kind: wish.kind ?? 'cloudAppliance',
      siteName: wish.site,
      slacity: wish.city,
      modelId: idIn(models, wish.model),
      tagIds: tags(wish.tags),
    });
    ids.set(name, made.id);
    await passing(60 * 26);
  }
  return ids;
}

/** The body that a client would send for it. */
function choiceFor(story: Timeline, { to, fields }: DemoConnector, sites: Ids): Choice {
  if (!to.includes('/')) return choiceOf({ entreprise: { ...fields, cloudApplianceID: idIn(sites, to) } });
  const destination = destinationNamed(story, to);
  if (!destination) throw new Error(`The catalogue has no ${to}`);
  return choiceOf({ csp: { cloudDestinationID: destination.id, [destination.family]: fields } });
}

/** In a lively world one link of so many was only registered. */
const spared = 5;

/** Answers the links whose deployment is asked for today. */
export async function buildNetwork(story: Timeline, network: DemoNetwork): Promise<string[]> {
  const { database, scope, tools, passing } = story;
  const capacities = await sell(story, network);
  await passing(60 * 30);
  const tags = await tagsOf(story, network);
  const sites = await sitesOf(story, network, tags);
  const groups: Ids = new Map();
  for (const [name, { description, tags: names, allocations }] of Object.entries(network.groups)) {
    const actor = handOf(story, 0);
    const { id } = await createGroup(database, scope, actor, { name, description, tagIds: tags(names) });
    groups.set(name, id);
    for (const [capacity, mbps] of Object.entries(allocations))
      await allocate(database, scope, actor, id, idIn(capacities, capacity), mbps * 1e6);
    await passing(25);
  }
  const connectors: Ids = new Map();
  for (const [turn, wish] of network.connectors.entries()) {
    const made = await createConnector(database, scope, handOf(story, turn), tools, {
      name: wish.name,
      description: wish.description ?? null,
      groupId: idIn(groups, wish.group),
      tagIds: tags(wish.tags),
      choice: choiceFor(story, wish, sites),
      ...(wish.legacy ? { legacy: true as const } : {}),
    });
    connectors.set(wish.name, made.id);
    await passing(47);
  }
  const asked: string[] = [];
  for (const [turn, wish] of network.links.entries()) {
    const made = await createLink(database, scope, handOf(story, turn), {
      name: wish.name,
      description: null,
      tagIds: tags(wish.tags),
      from: idIn(connectors, wish.from),
      to: idIn(connectors, wish.to),
      ...(wish.legacy ? { legacy: true as const } : {}),
    });
    if (wish.deploy || (story.isLively && !wish.legacy && turn % spared !== spared - 1)) asked.push(made.id);
    await passing(41);
  }
  return asked;
}
