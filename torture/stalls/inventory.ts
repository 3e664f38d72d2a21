// A tenant with long lists: many connectors with many tags, groups, users and roles, and a long series of metrics.
import type { Client } from '../../test/harness/client.ts';
import { mustSucceed, range } from '../helpers.ts';
import { secret } from '../tenant-fixture.ts';

export interface InventorySize {
  connectors: number;
  groups: number;
  users: number;
  roles: number;
}

/** Values for the parameters of paths. */
export type PathValues = Record<string, string>;

/** The largest number of tags that a record can have. */
const tagsPerRecord = 50;
const lanes = 8;

async function runAll(count: number, run: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) await run(next++);
  };
  await Promise.all(range(lanes).map(lane));
}

/** As many different policies as a role can have. */
export const manyPolicies = (shift = 0): object[] =>
  range(200).map((index) => ({
    act: ['GET', '*'][index % 2],
    eft: 'allow',
    obj: `${'/connectors/group/{groupid}'.slice(0, 1 + ((index + shift) % 26))}*`,
    res: ['connectors:read:organisation', '*:read:*', 'connectors:read:*'][index % 3],
  }));

const first = async (client: Client, path: string): Promise<{ id: string; irn: string }> =>
  (await mustSucceed(client.get(path))).body[0];

/** Creates the records and returns the ids of some of them. */
export async function createInventory(client: Client, size: InventorySize): Promise<PathValues> {
  const own = (await mustSucceed(client.get('/me/info'))).body;
  const organisationId: string = own.organisationId ?? own.organisation?.id;
  const tagIds: string[] = [];
  await runAll(tagsPerRecord, async (index) => {
    tagIds.push((await mustSucceed(client.post('/tags', { name: `stall ${index}` }))).body.id);
  });
  await runAll(size.groups, (index) =>
    mustSucceed(client.post('/groups', { name: `stall ${index}`, description: 'x'.repeat(200), tagIds })),
  );
  const group = (await mustSucceed(client.post('/groups', { name: 'stalls' }))).body;
  const appliance = await first(client, '/cloud-appliances');
  await runAll(size.connectors, async (index) => {
    const name = `stall-${index}`;
    const entreprise = { cloudApplianceID: appliance.id, vlan: 1000 + index, customerASN: 64620 };
    await mustSucceed(client.post('/flow/connector/set-registered', { name, groupId: group.id, tagIds, entreprise }));
  });
  await runAll(size.users, (index) =>
    mustSucceed(
      client.post('/users', { email: `stall-${index}@stalls.example`, lastName: 'x'.repeat(60), password: secret }),
    ),
  );
  await runAll(size.roles, (index) =>
    mustSucceed(client.post('/acl/roles', { role: `stall-${index}`, policies: manyPolicies(index) })),
  );
  const connector = await first(client, `/connectors?groupId=${group.id}&limit=100`);
  const usual = await first(client, '/groups');
  const link = await first(client, `/links?limit=1`);
  const virtual = await first(client, `/cloud-appliances/${appliance.id}/cloud-virtual-interfaces`);
  const capacity = await first(client, `/organisations/${organisationId}/capacities`);
  return {
    userId: own.id,
    id: own.id,
    tokenId: (await mustSucceed(client.post('/personal/tokens', { name: 'stalls', expiresIn: 3600 }))).body.id,
    roleName: size.roles ? 'stall-0' : 'viewer',
    organisationId,
    groupId: group.id,
    groupid: group.id,
    capacityId: capacity.id,
    subscribedCapacityId: capacity.id,
    allocationId: (await first(client, `/groups/${usual.id}/capacities`)).id,
    tagId: tagIds[0] ?? '',
    connid: connector.id,
    linkid: link.id,
    cloudAppliancesId: appliance.id,
    cloudVirtualInterfacesId: virtual.id,
    irn: connector.irn,
    metricType: 'bits_send',
    region: 'europe',
    shortname: 'aws',
    serviceRegion: 'europe',
    intercloudRegion: 'europe',
  };
}
