// The requests that several races send.
import { family, type RaceContext, type RaceRequest } from '../race-fixture.ts';

const register = '/flow/connector/set-registered';

export const providerConnector = (context: RaceContext, name: string, groupId: string, at = 0): RaceRequest => ({
  operation: 'create connector',
  method: 'POST',
  path: register,
  body: {
    name,
    groupId,
    csp: { cloudDestinationID: context.destinations[at]?.id, [family]: { pairingKey: `pairing/${name}` } },
  },
});

export const siteConnector = (name: string, groupId: string, cloudApplianceID: string, vlan: number): RaceRequest => ({
  operation: 'create site connector',
  method: 'POST',
  path: register,
  body: { name, groupId, entreprise: { cloudApplianceID, vlan, customerASN: 64620, cmeBGPKey: `key of ${vlan}` } },
});

/** The dry run of a creation. */
export const dryRunOf = (creation: RaceRequest): RaceRequest => ({
  ...creation,
  operation: 'dry-run connector',
  path: '/flow/connector/check',
  allowed: ['200', '402 NotEnoughSpareProducts'],
});

export const linkBetween = (name: string, from: string, to: string): RaceRequest => ({
  operation: 'create link',
  method: 'POST',
  path: '/flow/link/set-registered',
  body: { name, from, to },
});

export const allocate = (groupId: string, capacityId: string, allocation: number): RaceRequest => ({
  operation: 'allocate',
  method: 'POST',
  path: `/groups/${groupId}/capacities`,
  body: { capacityId, allocation },
});

export const deallocate = (groupId: string, id: string): RaceRequest => ({
  operation: 'deallocate',
  method: 'DELETE',
  path: `/groups/${groupId}/capacities/${id}`,
});

export const remove = (kind: 'connector' | 'link' | 'group' | 'appliance', id: string): RaceRequest => ({
  operation: `delete ${kind}`,
  method: 'DELETE',
  path: {
    connector: `/flow/connector/${id}`,
    link: `/flow/link/${id}`,
    group: `/groups/${id}`,
    appliance: `/cloud-appliances/${id}`,
  }[kind],
});

export const deploy = (kind: 'connector' | 'link', id: string): RaceRequest => ({
  operation: `deploy ${kind}`,
  method: 'POST',
  path: `/flow/${kind}/${id}/set-in-deployment`,
});

/** The parent changes the quantity it sold. */
export const changeSale = (context: RaceContext, path: string, body: unknown, refusal: string): RaceRequest => ({
  operation: 'change sale',
  method: 'PUT',
  path,
  body,
  client: context.parent,
  allowed: ['200', `409 ${refusal}`],
});
