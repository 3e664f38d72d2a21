// A child organisation that builds networks: groups, places in several regions, and pools that never run dry.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../test/harness/client.ts';
import { createClient } from '../test/harness/client.ts';
import { type RunningService, root, start } from '../test/harness/process.ts';
import { signIn } from './ledger.ts';
import { must, oneOf, range } from './race-fixture.ts';
import { chance } from './seed.ts';

export type Fabric = 'simulated' | 'lab';

/** An edge that every family of providers has, and an appliance in its city: everything there stands on one router of its group. */
export interface Place {
  region: string;
  destinations: Map<string, string>;
  applianceId: string;
}

export interface NetworkStage {
  organisationId: string;
  places: Place[];
  /** Counts through the names and VLANs that were asked for, so that none is asked for twice. */
  next: () => number;
}

export const site = 'entreprise';

const launchWith = (fabric: Fabric) => ({
  env: { PATCHBAY_FABRIC: fabric, NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'node') },
});
export const startOn = (fabric: Fabric, data: string): Promise<RunningService> => start(data, launchWith(fabric));

/** Acts for the organisation, or without one for its reseller. */
export async function clientOf(running: RunningService, organisationId?: string): Promise<Client> {
  const client = createClient(running.url, await running.ca());
  return client.with({ token: await signIn(client), scope: organisationId });
}

interface Destination {
  id: string;
  region: string;
  edgeCode: string;
  slacity: string;
  family: { shortName: string };
}

/** One of each region, where all families meet. */
function commonEdges(all: Destination[]): Destination[][] {
  const families = new Set(all.map(({ family }) => family.shortName));
  const atEdge = Map.groupBy(all, ({ edgeCode }) => edgeCode);
  const common = [...atEdge.values()].filter((there) => there.length === families.size);
  return [...Map.groupBy(common, ([first]) => first?.region).values()].flatMap(([first]) => (first ? [first] : []));
}

export async function openNetworkStage(running: RunningService, regions: number): Promise<NetworkStage> {
  const parent = await clientOf(running);
  const organisationId: string = (await must(parent.post('/organisations', { name: 'Builds networks' }))).body.id;
  const child = parent.with({ scope: organisationId });
  const edges = commonEdges((await must(parent.get('/cloud-gateways-types'))).body.cloudGatewayTypes).slice(0, regions);
  assert.equal(edges.length, regions, 'the catalogue has too few edges that all families share');
  const [model] = (await must(parent.get('/cloud-appliance-models'))).body;
  const places: Place[] = [];
  for (const edge of edges) {
    const [{ region, slacity } = assert.fail('an edge without destinations')] = edge;
    for (const { family } of edge)
      await must(
        parent.put(`/organisations/${organisationId}/products/${family.shortName}/${region}`, { total: 100_000 }),
      );
    const wish = { name: `cpe-${slacity}`, siteName: slacity, slacity, cloudApplianceModelID: model.id };
    const { id } = (await must(child.post('/cloud-appliances', { ...wish, kind: 'cloudAppliance' }))).body;
    const destinations = new Map(edge.map((one) => [one.family.shortName, one.id]));
    places.push({ region, destinations, applianceId: id });
  }
  parent.close();
  let count = 0;
  return { organisationId, places, next: () => ++count };
}

const speeds = ['50Mbps', '200Mbps', '500Mbps', '1Gbps'];
const bandwidths = ['BPS_50M', 'BPS_300M', 'BPS_1G'];
const anyAs = (): number => 64_600 + Math.floor(chance() * 400);
const anyKey = (): string => `key "\\ ${chance()}`;

/** What may be said of a connector of each kind, and changed later: the fabric must know of each. */
export const sayings: Record<string, Record<string, () => unknown>> = {
  providerA: { asNumber: anyAs },
  providerAHostedConnection: { asNumber: anyAs, portSpeed: () => oneOf(speeds) },
  providerB: { serviceKey: anyKey, platformAsNumber: anyAs },
  providerC: { pairingKey: anyKey, bandwidth: () => oneOf(bandwidths), med: () => Math.floor(chance() * 1000) },
  [site]: { customerASN: anyAs, cmeBGPKey: anyKey },
};
export const secrets = ['serviceKey', 'pairingKey', 'cmeBGPKey'];

/** All sites that say so have this one subnet: beside each other on a router, only the first has a place. */
const contested = { cmeGatewayIP: '192.0.2.18', cloudApplianceCloudVirtualInterfaceIP: '192.0.2.17' };

export interface NewConnector {
  groupId: string;
  family: string;
  place: Place;
  isContested?: boolean;
}

/** The body of a connector, and what it says of itself. */
export function connectorBody(
  { next }: NetworkStage,
  name: string,
  { groupId, family, place, isContested }: NewConnector,
) {
  const said = Object.fromEntries(Object.entries(sayings[family] ?? {}).map(([field, value]) => [field, value()]));
  if (family === site) {
    const vlan = 1 + (next() % 4094);
    const wish = { cloudApplianceID: place.applianceId, vlan, ...said, ...(isContested ? contested : {}) };
    return { body: { name, groupId, [site]: wish }, said };
  }
  const account = family.startsWith('providerA') ? { providerAAccount: '000318402917' } : {};
  const csp = { cloudDestinationID: place.destinations.get(family), [family]: { ...account, ...said } };
  return { body: { name, groupId, csp }, said };
}

export const changeBody = (family: string, said: object) =>
  family === site ? { [site]: said } : { csp: { [family]: said } };

export interface Ring {
  groupId: string;
  connectors: string[];
  links: string[];
}

/** Registers a group with a connector at each place, of all kinds in turn, and links around them; chords go across. */
export async function registerRing(client: Client, stage: NetworkStage, places: Place[], chords = 0): Promise<Ring> {
  const groupId: string = (await must(client.post('/groups', { name: `ring ${stage.next()}` }))).body.id;
  const families = Object.keys(sayings);
  const connectors: string[] = [];
  for (const [at, place] of places.entries()) {
    const family = families[(at + stage.next()) % families.length] ?? site;
    const { body } = connectorBody(stage, `ring-c${stage.next()}`, { groupId, family, place });
    connectors.push((await must(client.post('/flow/connector/set-registered', body))).body.id);
  }
  const links: string[] = [];
  const join = async (from: number, to: number) => {
    const ends = { from: connectors[from], to: connectors[to % connectors.length] };
    const name = `ring-l${stage.next()}`;
    links.push((await must(client.post('/flow/link/set-registered', { name, ...ends }))).body.id);
  };
  for (const at of range(places.length)) await join(at, at + 1);
  for (const at of range(chords)) await join(at, at + 2);
  return { groupId, connectors, links };
}

/** Deploys and waits for what comes of it. */
export async function deliver(client: Client, kind: 'connector' | 'link', id: string): Promise<void> {
  const end = Date.now() + 60_000;
  let { body } = await must(client.post(`/flow/${kind}/${id}/set-in-deployment`, undefined));
  for (; body.state !== 'delivered'; await pause(100)) {
    if (body.state === 'error' || Date.now() > end)
      assert.fail(`${kind} ${id} is ${body.state}: ${(await client.get(`/flow/${kind}/${id}/deployment`)).text}`);
    ({ body } = await must(client.get(`/flow/${kind}/${id}`)));
  }
}
