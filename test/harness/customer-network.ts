// A customer of the demo's reseller with a network of its own, in which nothing is deployed: what is measured of it is what a test writes.
import assert from 'node:assert/strict';
import type { ApiResponse, Client } from './client.ts';

export interface MeasuredRecord {
  id: string;
  irn: string;
  name: string;
}

export interface CustomerNetwork {
  id: string;
  /** The reseller's admin, acting for the customer. */
  client: Client;
  group: MeasuredRecord;
  connectors: MeasuredRecord[];
  interfaces: MeasuredRecord[];
  links: MeasuredRecord[];
}

async function made(sending: Promise<ApiResponse>): Promise<ApiResponse['body']> {
  const answer = await sending;
  assert.ok(answer.status < 300, answer.text);
  return answer.body;
}

/** Sites and clouds in Europe and one across the ocean, linked one after the other. */
export async function createNetwork(parent: Client, name: string): Promise<CustomerNetwork> {
  const { id } = await made(parent.post('/organisations', { name }));
  for (const region of ['europe', 'north-america'])
    await made(parent.put(`/organisations/${id}/products/providerA/${region}`, { total: 100 }));
  const regions = await made(parent.get('/regions'));
  const regionId = (slug: string): string => regions.find((one: { slug: string }) => one.slug === slug).id;
  const capacity = await made(
    parent.post(`/organisations/${id}/capacities`, { capacity: 4e9, duration: 12, region1Id: regionId('europe') }),
  );
  const client = parent.with({ scope: id });
  const group = await made(client.post('/groups', { name: `${name} group` }));
  await made(client.post(`/groups/${group.id}/capacities`, { capacityId: capacity.id, allocation: 1e9 }));
  const [model] = await made(parent.get('/cloud-appliance-models'));
  const appliance = await made(
    client.post('/cloud-appliances', {
      name: `${name}-cpe`,
      siteName: 'Paris',
      slacity: 'paris',
      cloudApplianceModelID: model.id,
      kind: 'cloudAppliance',
    }),
  );
  const { cloudGatewayTypes } = await made(parent.get('/cloud-gateways-types'));
  const destination = (edgeCode: string): string =>
    cloudGatewayTypes.find(
      (one: { family: { shortName: string }; edgeCode: string }) =>
        one.family.shortName === 'providerA' && one.edgeCode === edgeCode,
    ).id;
  const connect = (title: string, what: object): Promise<MeasuredRecord> =>
    made(client.post('/flow/connector/set-registered', { name: `${name} ${title}`, groupId: group.id, ...what }));
  const cloud = (title: string, edgeCode: string): Promise<MeasuredRecord> =>
    connect(title, {
      csp: {
        cloudDestinationID: destination(edgeCode),
        providerA: { asNumber: 64710, providerAAccount: 123456789012 },
      },
    });
  const site = (vlan: number): Promise<MeasuredRecord> =>
    connect(`site ${vlan}`, { entreprise: { cloudApplianceID: appliance.id, customerASN: 64620, vlan } });
  const connectors = [
    await site(10),
    await cloud('amsterdam', 'AMS1'),
    await site(20),
    await cloud('paris', 'PAR1'),
    await cloud('frankfurt', 'FRA1'),
    await cloud('new york', 'NYC1'),
  ];
  const links: MeasuredRecord[] = [];
  for (const [index, to] of connectors.slice(1).entries())
    links.push(
      await made(
        client.post('/flow/link/set-registered', {
          name: `${name} link ${index}`,
          from: connectors[index]?.id,
          to: to.id,
        }),
      ),
    );
  const interfaces = await made(client.get(`/cloud-appliances/${appliance.id}/cloud-virtual-interfaces`));
  return { id, client, group, connectors, interfaces, links };
}
