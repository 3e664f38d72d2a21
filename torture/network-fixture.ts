// A child organisation for networks: groups, places in several regions, and pools with ample products.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../test/harness/client.ts';
import { createClient } from '../test/harness/client.ts';
import { type RunningService, root, start } from '../test/harness/process.ts';
import { mustSucceed, pick, range, signIn } from './helpers.ts';
import { random } from './seed.ts';

export type Fabric = 'simulated' | 'lab';

/** An edge that all provider families share, and an appliance in its city: connectors there share a router. */
export interface Place {
  region: string;
  destinations: Map<string, string>;
  applianceId: string;
}

export interface NetworkFixture {
  organisationId: string;
  places: Place[];
  /** Returns a new number, for unique names and VLANs. */
  next: () => number;
}

export const site = 'entreprise';

const launchWith = (fabric: Fabric) => ({
  env: { PATCHBAY_FABRIC: fabric, NODE_COMPILE_CACHE: join(root, 'node_modules', '.cache', 'node') },
});
export const startWithFabric = (fabric: Fabric, data: string): Promise<RunningService> =>
  start(data, launchWith(fabric));

/** Acts for the organisation, or without one for its parent. */
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

/** One edge of each region that all families share, as its destinations. */
function commonEdges(all: Destination[]): Destination[][] {
  const families = new Set(all.map(({ family }) => family.shortName));
  const atEdge = Map.groupBy(all, ({ edgeCode }) => edgeCode);
  const common = [...atEdge.values()].filter((there) => there.length === families.size);
  return [...Map.groupBy(common, ([first]) => first?.region).values()].flatMap(([first]) => (first ? [first] : []));
}

export async function openNetwork(running: RunningService, regions: number): Promise<NetworkFixture> {
  const parent = await clientOf(running);
  const organisationId: string = (await mustSucceed(parent.post('/organisations', { name: 'Networks' }))).body.id;
  const child = parent.with({ scope: organisationId });
  const edges = commonEdges((await mustSucceed(parent.get('/cloud-gateways-types'))).body.cloudGatewayTypes).slice(
    0,
    regions,
  );
  assert.equal(edges.length, regions, 'the catalogue has too few edges that all families share');
  const [model] = (await mustSucceed(parent.get('/cloud-appliance-models'))).body;
  const places: Place[] = [];
  for (const edge of edges) {
    const [{ region, slacity } = assert.fail('an edge without destinations')] = edge;
    for (const { family } of edge)
      await mustSucceed(
        parent.put(`/organisations/${organisationId}/products/${family.shortName}/${region}`, { total: 100_000 }),
      );
    const appliance = { name: `cpe-${slacity}`, siteName: slacity, slacity, cloudApplianceModelID: model.id };
    const { id } = (await mustSucceed(child.post('/cloud-appliances', { ...appliance, kind: 'cloudAppliance' }))).body;
    const destinations = new Map(edge.map((one) => [one.family.shortName, one.id]));
    places.push({ region, destinations, applianceId: id });
  }
  parent.close();
  let count = 0;
  return { organisationId, places, next: () => ++count };
}

const speeds = ['50Mbps', '200Mbps', '500Mbps', '1Gbps'];
const bandwidths = ['BPS_50M', 'BPS_300M', 'BPS_1G'];
const anyAs = (): number => 64_600 + random.below(400);
const anyKey = (): string => `key "\\ ${random.next()}`;

/** The fields of each connector kind that can be changed later: the fabric depends on each. */
export const changeableFields: Record<string, Record<string, () => unknown>> = {
  providerA: { asNumber: anyAs },
  providerAHostedConnection: { asNumber: anyAs, portSpeed: () => pick(speeds) },
  providerB: { serviceKey: anyKey, platformAsNumber: anyAs },
  providerC: { pairingKey: anyKey, bandwidth: () => pick(bandwidths), med: () => random.below(1000) },
  [site]: { customerASN: anyAs, cmeBGPKey: anyKey },
};
export const secretFields = ['serviceKey', 'pairingKey', 'cmeBGPKey'];

/** Contested sites all use this subnet: on one router, only one of them can exist at a time. */
const contested = { cmeGatewayIP: '192.0.2.18', cloudApplianceCloudVirtualInterfaceIP: '192.0.2.17' };

export interface NewConnector {
  groupId: string;
  family: string;
  place: Place;
  isContested?: boolean;
}

/** The body of a creation, and the changeable fields in it. */
export function connectorBody(
  { next }: NetworkFixture,
  name: string,
  { groupId, family, place, isContested }: NewConnector,
) {
  const choices = Object.entries(changeableFields[family] ?? {});
  const fields = Object.fromEntries(choices.map(([field, value]) => [field, value()]));
  if (family === site) {
    const vlan = 1 + (next() % 4094);
    const details = { cloudApplianceID: place.applianceId, vlan, ...fields, ...(isContested ? contested : {}) };
    return { body: { name, groupId, [site]: details }, fields };
  }
  const account = family.startsWith('providerA') ? { providerAAccount: '000318402917' } : {};
  const csp = { cloudDestinationID: place.destinations.get(family), [family]: { ...account, ...fields } };
  return { body: { name, groupId, csp }, fields };
}

export const changeBody = (family: string, fields: object) =>
  family === site ? { [site]: fields } : { csp: { [family]: fields } };

export interface Ring {
  groupId: string;
  connectors: string[];
  links: string[];
}

/** Registers a group with a connector at each place, links that form a ring, and chords across it. */
export async function registerRing(
  client: Client,
  network: NetworkFixture,
  places: Place[],
  chords = 0,
): Promise<Ring> {
  const groupId: string = (await mustSucceed(client.post('/groups', { name: `ring ${network.next()}` }))).body.id;
  const families = Object.keys(changeableFields);
  const connectors: string[] = [];
  for (const [at, place] of places.entries()) {
    const family = families[(at + network.next()) % families.length] ?? site;
    const { body } = connectorBody(network, `ring-c${network.next()}`, { groupId, family, place });
    connectors.push((await mustSucceed(client.post('/flow/connector/set-registered', body))).body.id);
  }
  const links: string[] = [];
  const join = async (from: number, to: number) => {
    const ends = { from: connectors[from], to: connectors[to % connectors.length] };
    const name = `ring-l${network.next()}`;
    links.push((await mustSucceed(client.post('/flow/link/set-registered', { name, ...ends }))).body.id);
  };
  for (const at of range(places.length)) await join(at, at + 1);
  for (const at of range(chords)) await join(at, at + 2);
  return { groupId, connectors, links };
}

/** Deploys, and waits until the record is delivered. */
export async function deployAndWait(client: Client, kind: 'connector' | 'link', id: string): Promise<void> {
  const end = Date.now() + 60_000;
  let { body } = await mustSucceed(client.post(`/flow/${kind}/${id}/set-in-deployment`, undefined));
  for (; body.state !== 'delivered'; await pause(100)) {
    if (body.state === 'error' || Date.now() > end)
      assert.fail(`${kind} ${id} is ${body.state}: ${(await client.get(`/flow/${kind}/${id}/deployment`)).text}`);
    ({ body } = await mustSucceed(client.get(`/flow/${kind}/${id}`)));
  }
}
