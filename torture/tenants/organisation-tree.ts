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

/** Creates a record of every kind: the parent sells, and the tenant's admin creates. */
async function createRecords(parent: Client, admin: Client, id: string): Promise<void> {
  const { cloudGatewayTypes } = (await mustSucceed(parent.get('/cloud-gateways-types'))).body;
  const destination = cloudGatewayTypes.find(
    (one: { family: { shortName: string } }) => one.family.shortName === family,
  );
  assert.ok(destination, `the catalogue has no destination of ${family}`);
  const regions: { id: string; slug: string }[] = (await mustSucceed(parent.get('/regions'))).body;
  const region1Id = regions.find(({ slug }) => slug === destination.region)?.id;
  await mustSucceed(parent.put(`/organisations/${id}/products/${family}/${destination.region}`, { total: 5 }));
  await mustSucceed(parent.post(`/organisations/${id}/capacities`, { capacity: 10e9, duration: 12, region1Id }));
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
export async function extendTree(f: Fixture, reseller: Client) {
  const sub = await createChild(reseller, 'delta', true);
  const subAdmin = f.client.with({ token: (await f.signIn('admin@delta.example', secret)).access_token });
  await createRecords(reseller, subAdmin, sub);
  const customer = await createChild(subAdmin, 'echo', false);
  const customerAdmin = f.client.with({ token: (await f.signIn('admin@echo.example', secret)).access_token });
  await createRecords(subAdmin, customerAdmin, customer);
  return { delta: { id: sub, admin: subAdmin }, echo: { id: customer, admin: customerAdmin } };
}
