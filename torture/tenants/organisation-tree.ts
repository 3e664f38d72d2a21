// Two levels below the demo world's resellers, so that the tree has four: operator, reseller, sub-reseller, customer.
import assert from 'node:assert/strict';
import type { Client } from '../../test/harness/client.ts';
import type { Fixture } from '../../test/harness/service.ts';
import { must } from '../race-fixture.ts';
import { secret } from '../tenant-fixture.ts';

const family = 'providerC';

/** A child of whoever asks, with an admin of its own. */
async function found(parent: Client, name: string, reseller: boolean): Promise<string> {
  const admin = { email: `admin@${name}.example`, lastName: 'Deep', firstName: 'Ada', password: secret };
  return (await must(parent.post('/organisations', { name: `Canary ${name}`, reseller, admin }))).body.id;
}

/** Something of everything: what is sold by the parent, and what its own admin makes of it. */
async function furnish(parent: Client, admin: Client, id: string): Promise<void> {
  const { cloudGatewayTypes } = (await must(parent.get('/cloud-gateways-types'))).body;
  const destination = cloudGatewayTypes.find(
    (one: { family: { shortName: string } }) => one.family.shortName === family,
  );
  assert.ok(destination, `the catalogue has a destination of ${family}`);
  const regions: { id: string; slug: string }[] = (await must(parent.get('/regions'))).body;
  const region1Id = regions.find(({ slug }) => slug === destination.region)?.id;
  await must(parent.put(`/organisations/${id}/products/${family}/${destination.region}`, { total: 5 }));
  await must(parent.post(`/organisations/${id}/capacities`, { capacity: 10e9, duration: 12, region1Id }));
  const make = async (path: string, body: object): Promise<string> => (await must(admin.post(path, body))).body.id;
  const groupId = await make('/groups', { name: 'Deep group' });
  const [{ id: capacityId }] = (await must(admin.get(`/organisations/${id}/capacities`))).body;
  await make(`/groups/${groupId}/capacities`, { capacityId, allocation: 1e9 });
  await make('/tags', { name: 'Deep tag' });
  const [{ id: cloudApplianceModelID }] = (await must(admin.get('/cloud-appliance-models'))).body;
  const box = { name: 'Deep box', siteName: 'Deep', slacity: destination.slacity, kind: 'cloudAppliance' };
  const cloudApplianceID = await make('/cloud-appliances', { ...box, cloudApplianceModelID });
  const register = '/flow/connector/set-registered';
  const from = await make(register, {
    name: 'Deep cloud',
    groupId,
    csp: { cloudDestinationID: destination.id, [family]: { pairingKey: 'deep/pairing' } },
  });
  const to = await make(register, {
    name: 'Deep site',
    groupId,
    entreprise: { cloudApplianceID, vlan: 7, customerASN: 64620, cmeBGPKey: 'deep key' },
  });
  await make('/flow/link/set-registered', { name: 'Deep link', from, to });
}

/** A sub-reseller below this reseller, and a customer of it: their ids, and the addresses of their admins. */
export async function deepen(f: Fixture, reseller: Client) {
  const sub = await found(reseller, 'delta', true);
  const subAdmin = f.client.with({ token: (await f.signIn('admin@delta.example', secret)).access_token });
  await furnish(reseller, subAdmin, sub);
  const customer = await found(subAdmin, 'echo', false);
  const customerAdmin = f.client.with({ token: (await f.signIn('admin@echo.example', secret)).access_token });
  await furnish(subAdmin, customerAdmin, customer);
  return { delta: { id: sub, admin: subAdmin }, echo: { id: customer, admin: customerAdmin } };
}
