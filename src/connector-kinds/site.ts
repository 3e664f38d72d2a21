// A site: a virtual interface on the site's appliance, and a BGP session with the customer's gateway.
import { Type } from 'typebox';
import {
  type Cidr,
  formatAddress,
  formatMask,
  isHost,
  isSameNetwork,
  otherHost,
  parseAddress,
  parseMask,
} from '../values/ip.ts';
import { uuidPattern } from '../values/uuid.ts';
import { type ConnectorKind, type FieldType, field, type Values } from './connector-kind.ts';
import { address, asNumber, bgpSessions, mask, platformAsTowards, secret, vlan } from './field-types.ts';

const appliance: FieldType = {
  schema: Type.String({ pattern: uuidPattern, description: 'The appliance of the site', message: 'must be a UUID' }),
  toStored: (value: string) => value.toLowerCase(),
  immutable: true,
};

const interfaceField = 'cloudApplianceCloudVirtualInterfaceIP';
const gatewayField = 'cmeGatewayIP';

const addressIn = (values: Values, name: string): number | undefined =>
  typeof values[name] === 'string' ? parseAddress(values[name]) : undefined;

/** Prefix length of the mask. Without a mask: of the smallest network in which the given addresses are hosts. */
function prefixOf(values: Values): number {
  if (typeof values.cmeMask === 'string') return parseMask(values.cmeMask) ?? 30;
  const given = [interfaceField, gatewayField].flatMap((name) => addressIn(values, name) ?? []);
  const [first = 0] = given;
  // Addresses given without a mask: both may share a /31, but one alone gets at least a /30.
  for (let prefix = given.length === 2 ? 31 : 30; prefix >= 8; prefix--) {
    const fits = (address: number): boolean =>
      isHost({ address, prefix }) && isSameNetwork({ address, prefix }, { address: first, prefix });
    if (given.every(fits)) return prefix;
  }
  return 30;
}

/** The first two hosts of a block; its prefix length may differ from the block's own. */
const firstHosts = (block: Cidr, prefix: number): [number, number] =>
  prefix === 31 ? [block.address, block.address + 1] : [block.address + 1, block.address + 2];

export const site: ConnectorKind = {
  name: 'entreprise',
  fields: [
    field(interfaceField, 'optional', address('Address of the virtual interface')),
    field('cloudApplianceID', 'required', appliance),
    field('cmeBGPKey', 'optional', secret('Key of the BGP session')),
    field(gatewayField, 'optional', address('Address of the customer’s gateway')),
    field('cmeMask', 'optional', mask),
    field('customerASN', 'required', asNumber),
    field('serviceCloudApplianceASN', 'optional', asNumber),
    field('vlan', 'required', vlan),
  ],
  validate(values) {
    const prefix = prefixOf(values);
    const [ownAddress, gateway] = [interfaceField, gatewayField].map((name) => addressIn(values, name));
    const notHosts = [interfaceField, gatewayField].filter((name) => {
      const address = addressIn(values, name);
      return address !== undefined && !isHost({ address, prefix });
    });
    if (notHosts.length)
      return notHosts.map((field) => ({
        field,
        message: `must be the address of a host: with ${formatMask(prefix)} it is the network or its broadcast`,
      }));
    if (ownAddress === undefined || gateway === undefined) return [];
    if (ownAddress === gateway) return [{ field: gatewayField, message: `must differ from ${interfaceField}` }];
    if (!isSameNetwork({ address: ownAddress, prefix }, { address: gateway, prefix }))
      return [{ field: gatewayField, message: `must lie in the same subnet (cmeMask) as ${interfaceField}` }];
    return [];
  },
  defaults(values, platform) {
    const prefix = prefixOf(values);
    const [ownAddress, gateway] = [interfaceField, gatewayField].map((name) => addressIn(values, name));
    const neighbour = (address: number): number => otherHost({ address, prefix }).address;
    const [first, second] = firstHosts(platform.blocks[0], prefix);
    return {
      serviceCloudApplianceASN: platformAsTowards(values.customerASN, platform),
      cmeMask: formatMask(prefix),
      [interfaceField]: formatAddress(ownAddress ?? (gateway === undefined ? first : neighbour(gateway))),
      [gatewayField]: formatAddress(gateway ?? (ownAddress === undefined ? second : neighbour(ownAddress))),
    };
  },
  bandwidthBps: () => 1e9,
  sessions(values) {
    const [local, remote] = [interfaceField, gatewayField].map((name) => `${values[name]}/${prefixOf(values)}`);
    const { serviceCloudApplianceASN: localAs, customerASN: remoteAs, cmeBGPKey: key } = values;
    return bgpSessions(local, remote, { localAs, remoteAs }, typeof key === 'string' ? { key } : {});
  },
  example: {
    cloudApplianceID: '5f0c1c1e-6a0f-4c55-9a51-0d8f2f3f7a11',
    vlan: 204,
    customerASN: 64620,
    cmeGatewayIP: '192.0.2.18',
    cloudApplianceCloudVirtualInterfaceIP: '192.0.2.17',
    cmeMask: '255.255.255.252',
  },
};
