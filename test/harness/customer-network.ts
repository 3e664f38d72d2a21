// A customer of the demo reseller with a network that is not deployed: its only samples are those that a test writes.
import type { Client } from './client.ts';
import { bodyOf } from './populated-organisations.ts';

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

/** Sites and clouds in Europe and one in North America, linked as a chain. */
export async function createNetwork(parent: Client, name: string): Promise<CustomerNetwork> {
  const { id } = await bodyOf(parent.post('/organisations', { name }));
  for (const region of ['europe', 'north-america'])
    await bodyOf(parent.put(`/organisations/${id}/products/providerA/${region}`, { total: 100 }));
  const regions = await bodyOf(parent.get('/regions'));
  const regionId = (slug: string): string => regions.find((one: { slug: string }) => one.slug === slug).id;
  const capacity = await bodyOf(
    parent.post(`/organisations/${id}/capacities`, { capacity: 4e9, duration: 12, region1Id: regionId('europe') }),
  );
  const client = parent.with({ scope: id });
  const group = await bodyOf(client.post('/groups', { name: `${name} group` }));
  await bodyOf(client.post(`/groups/${group.id}/capacities`, { capacityId: capacity.id, allocation: 1e9 }));
  const [model] = await bodyOf(parent.get('/cloud-appliance-models'));
  const appliance = await bodyOf(
    client.post('/cloud-appliances', {
      name: `${name}-cpe`,
      siteName: 'Paris',
      slacity: 'paris',
      cloudApplianceModelID: model.id,
      kind: 'cloudAppliance',
    }),
  );
  const { cloudGatewayTypes } = await bodyOf(parent.get('/cloud-gateways-types'));
  const destination = (edgeCode: string): string =>
    cloudGatewayTypes.find(
      (one: { family: { shortName: string }; edgeCode: string }) =>
        one.family.shortName === 'providerA' && one.edgeCode === edgeCode,
    ).id;
  const connect = (title: string, what: object): Promise<MeasuredRecord> =>
    bodyOf(client.post('/flow/connector/set-registered', { name: `${name} ${title}`, groupId: group.id, ...what }));
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
      await bodyOf(
        client.post('/flow/link/set-registered', {
          name: `${name} link ${index}`,
          from: connectors[index]?.id,
          to: to.id,
        }),
      ),
    );
  const interfaces = await bodyOf(client.get(`/cloud-appliances/${appliance.id}/cloud-virtual-interfaces`));
  return { id, client, group, connectors, interfaces, links };
}
