// A site: a virtual interface on an appliance that stands there, and a BGP session with the customer's own gateway.
import { Type } from 'typebox';
import { uuidPattern } from '../http/route.ts';
import { formatAddress, formatMask, isHost, isSameNetwork, otherHost, parseAddress, parseMask } from '../networks.ts';
import { address, asNumber, mask, secret, vlan } from './field-kinds.ts';
import { type FieldKind, field, type Kind, type Values } from './kind.ts';

const appliance: FieldKind = {
  schema: Type.String({ pattern: uuidPattern, description: 'The appliance of the site', message: 'must be a UUID' }),
  keep: (value: string) => value.toLowerCase(),
  fixed: true,
};

const addressAt = (values: Values, name: string, prefix: number) => {
  const parsed = typeof values[name] === 'string' ? parseAddress(String(values[name])) : undefined;
  return parsed === undefined ? undefined : { address: parsed, prefix };
};

export const enterprise: Kind = {
  name: 'entreprise',
  fields: [
    field('cloudApplianceCloudVirtualInterfaceIP', 'optional', address('Address of the virtual interface')),
    field('cloudApplianceID', 'required', appliance),
    field('cmeBGPKey', 'optional', secret('Key of the BGP session')),
    field('cmeGatewayIP', 'optional', address('Address of the customer’s gateway')),
    field('cmeMask', 'optional', mask),
    field('customerASN', 'required', asNumber),
    field('serviceCloudApplianceASN', 'optional', asNumber),
    field('vlan', 'required', vlan),
  ],
  complaints(values) {
    const prefix = parseMask(String(values.cmeMask)) ?? 30;
    const ours = addressAt(values, 'cloudApplianceCloudVirtualInterfaceIP', prefix);
    const theirs = addressAt(values, 'cmeGatewayIP', prefix);
    const complaints = [];
    for (const [name, host] of [
      ['cloudApplianceCloudVirtualInterfaceIP', ours],
      ['cmeGatewayIP', theirs],
    ] as const)
      if (host && !isHost(host))
        complaints.push({
          field: name,
          message: `must be the address of a host: with ${formatMask(prefix)} it is the network or its broadcast`,
        });
    if (!ours || !theirs || complaints.length) return complaints;
    if (ours.address === theirs.address)
      return [{ field: 'cmeGatewayIP', message: 'must differ from cloudApplianceCloudVirtualInterfaceIP' }];
    if (!isSameNetwork(ours, theirs))
      return [
        {
          field: 'cmeGatewayIP',
          message: 'must lie in the same subnet (cmeMask) as cloudApplianceCloudVirtualInterfaceIP',
        },
      ];
    return [];
  },
  fill(values, { asNumber: serviceCloudApplianceASN, blocks }) {
    const prefix = typeof values.cmeMask === 'string' ? (parseMask(values.cmeMask) ?? 30) : 30;
    const given =
      addressAt(values, 'cloudApplianceCloudVirtualInterfaceIP', prefix) ?? addressAt(values, 'cmeGatewayIP', prefix);
    const first = given ?? { address: blocks[0].address + 1, prefix };
    return {
      serviceCloudApplianceASN,
      cmeMask: formatMask(prefix),
      // The one of the two that was given keeps its own value; the other is the host beside it.
      cloudApplianceCloudVirtualInterfaceIP: formatAddress(given ? otherHost(given).address : first.address),
      cmeGatewayIP: formatAddress(otherHost(first).address),
    };
  },
  bandwidthBps: () => 1e9,
  example: {
    cloudApplianceID: '5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11',
    vlan: 204,
    customerASN: 64620,
    cmeGatewayIP: '192.0.2.18',
    cloudApplianceCloudVirtualInterfaceIP: '192.0.2.17',
    cmeMask: '255.255.255.252',
  },
};
