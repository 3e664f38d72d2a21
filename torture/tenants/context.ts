// What the tests of tenant isolation share.
import type { ApiResponse, CallOptions, Client } from '../../test/harness/client.ts';
import type { Fixture } from '../../test/harness/service.ts';
import { absentId, type Operation, type Tenant } from '../tenant-fixture.ts';

export type Call = (
  client: Client,
  operation: Operation,
  values: Record<string, string>,
  options?: CallOptions,
) => Promise<ApiResponse>;

export interface IsolationContext {
  f: Fixture;
  call: Call;
  operations: Operation[];
  tenants: Record<'meridian' | 'atlas' | 'boreal' | 'cobalt' | 'labs' | 'delta' | 'echo', Tenant>;
}

/** A value for each path parameter that no tenant has. */
export const absentValues: Record<string, string> = {
  userId: absentId,
  id: absentId,
  tokenId: absentId,
  roleName: 'no-such-role',
  organisationId: absentId,
  shortname: 'no-such-family',
  serviceRegion: 'no-such-region',
  irn: 'irn:group:0123456789ab::6x0k3f0v1c9r2b7q5d8w4n1ty',
  metricType: 'europe',
  region: 'europe',
  ...Object.fromEntries(
    [
      ...['groupId', 'groupid', 'capacityId', 'subscribedCapacityId', 'allocationId', 'tagId', 'connid', 'linkid'],
      ...['cloudAppliancesId', 'cloudVirtualInterfacesId'],
    ].map((name) => [name, absentId]),
  ),
};
export const parents: Record<string, string> = {
  atlas: 'meridian',
  boreal: 'meridian',
  cobalt: 'meridian',
  labs: 'cobalt',
  delta: 'cobalt',
  echo: 'delta',
};
/** A value for each path parameter that leads to a tenant's own records. */
export const recordsOf = (tenant: Tenant): Record<string, string> => ({
  metricType: 'europe',
  region: 'europe',
  shortname: 'providerC',
  serviceRegion: 'europe',
  ...Object.fromEntries(Object.entries(tenant.records).flatMap(([name, [value]]) => (value ? [[name, value]] : []))),
});
