// Two levels below a reseller of the demo world, for a tree of four: operator, reseller, sub-reseller, customer.
import assert from 'node:assert/strict';
import type { Client } from '../../test/harness/client.ts';
import type { Fixture } from '../../test/harness/service.ts';
import { mustSucceed } from '../helpers.ts';
import { secret } from '../tenant-fixture.ts';

const family = 'providerC';

/** Creates a child organisation with an admin. */
async function createChild(parent: Client, name: string, reseller: boolean): Promise<string> {
  const admin = { email: `admin@${name}.example`, lastName: 'Deep', firstName: 'Ada', password: secret };
  return (await mustSucceed(parent.post('/organisations', { name: `Canary ${name}`, reseller, admin }))).body.id;
}

async function findDestination(client: Client): Promise<{ id: string; region: string; slacity: string }> {
  const { cloudGatewayTypes } = (await mustSucceed(client.get('/cloud-gateways-types'))).body;
  const destination = cloudGatewayTypes.find(
    (one: { family: { shortName: string } }) => one.family.shortName === family,
  );
  return destination ?? assert.fail(`the catalogue has no destination of ${family}`);
}

/** Sells products and as many Gbps. Each level gets half of the one above, which a reseller cannot exceed. */
async function sell(parent: Client, id: string, total: number): Promise<void> {
  const { region } = await findDestination(parent);
  const regions: { id: string; slug: string }[] = (await mustSucceed(parent.get('/regions'))).body;
  const region1Id = regions.find(({ slug }) => slug === region)?.id;
  await mustSucceed(parent.put(`/organisations/${id}/products/${family}/${region}`, { total }));
  await mustSucceed(parent.post(`/organisations/${id}/capacities`, { capacity: total * 1e9, duration: 12, region1Id }));
}

/** Creates a record of every kind. */
async function createRecords(admin: Client, id: string): Promise<void> {
  const destination = await findDestination(admin);
  const create = async (path: string, body: object): Promise<string> =>
    (await mustSucceed(admin.post(path, body))).body.id;
  const groupId = await create('/groups', { name: 'Deep group' });
  const [{ id: capacityId }] = (await mustSucceed(admin.get(`/organisations/${id}/capacities`))).body;
  await create(`/groups/${groupId}/capacities`, { capacityId, allocation: 1e9 });
  await create('/tags', { name: 'Deep tag' });
  const [{ id: cloudApplianceModelID }] = (await mustSucceed(admin.get('/cloud-appliance-models'))).body;
  const appliance = { name: 'Deep box', siteName: 'Deep', slacity: destination.slacity, kind: 'cloudAppliance' };
  const cloudApplianceID = await create('/cloud-appliances', { ...appliance, cloudApplianceModelID });
  const register = '/flow/connector/set-registered';
  const from = await create(register, {
    name: 'Deep cloud',
    groupId,
    csp: { cloudDestinationID: destination.id, [family]: { pairingKey: 'deep/pairing' } },
  });
  const to = await create(register, {
    name: 'Deep site',
    groupId,
    entreprise: { cloudApplianceID, vlan: 7, customerASN: 64620, cmeBGPKey: 'deep key' },
  });
  await create('/flow/link/set-registered', { name: 'Deep link', from, to });
}

/** Creates a sub-reseller of this reseller and a customer of the sub-reseller. Returns ids and admins. */
export async function extendTree(f: Fixture, operator: Client, resellerId: string, reseller: Client) {
  await sell(operator, resellerId, 40);
  const sub = await createChild(reseller, 'delta', true);
  const subAdmin = f.client.with({ token: (await f.signIn('admin@delta.example', secret)).access_token });
  await sell(reseller, sub, 20);
  await createRecords(subAdmin, sub);
  const customer = await createChild(subAdmin, 'echo', false);
  const customerAdmin = f.client.with({ token: (await f.signIn('admin@echo.example', secret)).access_token });
  await sell(subAdmin, customer, 10);
  await createRecords(customerAdmin, customer);
  return { delta: { id: sub, admin: subAdmin }, echo: { id: customer, admin: customerAdmin } };
}
