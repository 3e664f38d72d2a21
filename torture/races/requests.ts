// What is asked for in a race.
import { type Arena, type Deed, family } from '../race-fixture.ts';

const register = '/flow/connector/set-registered';

export const provider = (arena: Arena, name: string, groupId: string, at = 0): Deed => ({
  what: 'create connector',
  method: 'POST',
  path: register,
  body: {
    name,
    groupId,
    csp: { cloudDestinationID: arena.destinations[at]?.id, [family]: { pairingKey: `pairing/${name}` } },
  },
});

export const site = (name: string, groupId: string, cloudApplianceID: string, vlan: number): Deed => ({
  what: 'create site connector',
  method: 'POST',
  path: register,
  body: { name, groupId, entreprise: { cloudApplianceID, vlan, customerASN: 64620, cmeBGPKey: `key of ${vlan}` } },
});

/** Asks only whether a connector can be made. */
export const checked = (creation: Deed): Deed => ({
  ...creation,
  what: 'check connector',
  path: '/flow/connector/check',
  may: ['200', '402 NotEnoughSpareProducts'],
});

export const join = (name: string, from: string, to: string): Deed => ({
  what: 'create link',
  method: 'POST',
  path: '/flow/link/set-registered',
  body: { name, from, to },
});

export const allocate = (groupId: string, capacityId: string, allocation: number): Deed => ({
  what: 'allocate',
  method: 'POST',
  path: `/groups/${groupId}/capacities`,
  body: { capacityId, allocation },
});

export const takeBack = (groupId: string, id: string): Deed => ({
  what: 'take back',
  method: 'DELETE',
  path: `/groups/${groupId}/capacities/${id}`,
});

export const remove = (what: 'connector' | 'link' | 'group' | 'appliance', id: string): Deed => ({
  what: `delete ${what}`,
  method: 'DELETE',
  path: {
    connector: `/flow/connector/${id}`,
    link: `/flow/link/${id}`,
    group: `/groups/${id}`,
    appliance: `/cloud-appliances/${id}`,
  }[what],
});

export const deploy = (what: 'connector' | 'link', id: string): Deed => ({
  what: `deploy ${what}`,
  method: 'POST',
  path: `/flow/${what}/${id}/set-in-deployment`,
});

/** The parent changes what it sold. */
export const resell = (arena: Arena, path: string, body: unknown, tooLittle: string): Deed => ({
  what: 'sell',
  method: 'PUT',
  path,
  body,
  by: arena.parent,
  may: ['200', `409 ${tooLittle}`],
});
