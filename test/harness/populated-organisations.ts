// Organisations with records of every kind, for tests of lists. They differ only in the first word of each name.
import assert from 'node:assert/strict';
import type { ApiResponse, Client } from './client.ts';
import type { Fixture } from './service.ts';

// biome-ignore lint/suspicious/noExplicitAny: records of every shape
export type Body = any;

export async function bodyOf(sending: Promise<ApiResponse>): Promise<Body> {
  const response = await sending;
  assert.ok(response.status < 300, response.text);
  return response.body;
}

/** Creates children of this reseller, each with three groups, three sites, eleven connectors and five links. */
export async function createPopulator(f: Fixture, parent: Client, password: string) {
  const destinations: Body[] = (await parent.get('/cloud-gateways-types')).body.cloudGatewayTypes;
  const destination = (family: string, city: string): string =>
    destinations.find(({ cspCity, family: { shortName } }) => shortName === family && cspCity === city).id;
  const [model]: Body[] = (await parent.get('/cloud-appliance-models')).body;
  return async (name: string) => {
    const admin = { email: `admin@${name}.example`, lastName: 'Moreau', password };
    const { id } = await bodyOf(parent.post('/organisations', { name, admin }));
    for (const family of ['providerA', 'providerAHostedConnection', 'providerB', 'providerC'])
      for (const region of ['europe', 'japan', 'latin-america'])
        await bodyOf(parent.put(`/organisations/${id}/products/${family}/${region}`, { total: 100 }));
    const client = f.client.with({ token: (await f.signIn(admin.email, password)).access_token });
    const group = async (title: string, description: string) =>
      bodyOf(client.post('/groups', { name: `${name} ${title}`, description }));
    const groups = [await group('stores', 'Tills'), await group('bank', '100% dark'), await group('Twin', 'x_y')];
    const site = (title: string, siteName: string, slacity: string) =>
      bodyOf(
        client.post('/cloud-appliances', {
          ...{ name: `${name} ${title}`, siteName, slacity, kind: 'cloudAppliance', cloudApplianceModelID: model.id },
        }),
      );
    const sites = [
      await site('cpe-b', 'Bercy', 'paris'),
      await site('cpe-a', 'Ørestad', 'copenhagen'),
      await site('CPE', 'Bercy', 'oslo'),
    ];
    let vlan = 100;
    const connect = (title: string, what: object, description = 'plain', groupId = groups[0].id) =>
      bodyOf(
        client.post('/flow/connector/set-registered', { name: `${name} ${title}`, description, groupId, ...what }),
      );
    const cloud = (family: string, city: string, fields: object) => ({
      csp: { cloudDestinationID: destination(family, city), [family]: fields },
    });
    const onA = (city: string, asNumber: number, more: object = {}) =>
      cloud('providerA', city, { asNumber, providerAAccount: 42, ...more });
    const atSite = (cloudApplianceID: string, customerASN: number) => ({
      entreprise: { cloudApplianceID, vlan: vlan++, customerASN },
    });
    const connectors = [
      await connect('quay', onA('London South', 64701)),
      await connect('Quay', onA('Tokyo', 64702, { platformAsNumber: 64999 })),
      await connect('50% off', onA('Sao Paulo', 64702), 'a_b'),
      await connect('50 off', onA('Tokyo', 64703), 'axb'),
      await connect('ÉTÉ', cloud('providerB', 'Paris', { serviceKey: 'a service key' })),
      await connect('back\\slash', cloud('providerC', 'Zurich', { pairingKey: 'a pairing key', bandwidth: 'BPS_1G' })),
      await connect(
        'hosted',
        cloud('providerAHostedConnection', 'Frankfurt', { asNumber: 64701, providerAAccount: 42 }),
      ),
      await connect('till 1', atSite(sites[0].id, 64801), 'Near the door'),
      await connect('till 2', atSite(sites[1].id, 64802)),
      await connect('apart 1', atSite(sites[0].id, 64803), 'plain', groups[1].id),
      await connect('apart 2', onA('Tokyo', 64704), 'plain', groups[1].id),
    ];
    const link = (title: string, from: number, to: number, description = 'plain') =>
      bodyOf(
        client.post('/flow/link/set-registered', {
          ...{ name: `${name} ${title}`, description, from: connectors[from].id, to: connectors[to].id },
        }),
      );
    const links = [
      await link('north', 0, 1, 'Up to 5% loss'),
      await link('North', 1, 2),
      await link('east_west', 2, 3),
      await link('eastXwest', 3, 4),
      await link('apart', 9, 10),
    ];
    return { id, client, groups, sites, connectors, links, email: admin.email };
  };
}
