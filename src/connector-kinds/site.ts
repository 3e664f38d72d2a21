// A site: a virtual interface on an appliance that stands there, and a BGP session with the customer's own gateway.
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
import { address, asNumber, mask, secret, sessionBetween, vlan } from './field-types.ts';

const appliance: FieldType = {
  schema: Type.String({ pattern: uuidPattern, description: 'The appliance of the site', message: 'must be a UUID' }),
  keep: (value: string) => value.toLowerCase(),
  fixed: true,
};

const ours = 'cloudApplianceCloudVirtualInterfaceIP';
const theirs = 'cmeGatewayIP';

const addressIn = (values: Values, name: string): number | undefined =>
  typeof values[name] === 'string' ? parseAddress(values[name]) : undefined;

/** The prefix length of the mask; without one, of the smallest network that has the given addresses as hosts. */
function prefixOf(values: Values): number {
  if (typeof values.cmeMask === 'string') return parseMask(values.cmeMask) ?? 30;
  const given = [ours, theirs].flatMap((name) => addressIn(values, name) ?? []);
  const [first = 0] = given;
  // A network of two has no room for a platform's address beside one that was given alone at its end.
  for (let prefix = given.length === 2 ? 31 : 30; prefix >= 8; prefix--) {
    const fits = (address: number): boolean =>
      isHost({ address, prefix }) && isSameNetwork({ address, prefix }, { address: first, prefix });
    if (given.every(fits)) return prefix;
  }
  return 30;
}

/** Two hosts of a network of the platform's, which may be given a wider or narrower mask. */
const pairIn = (block: Cidr, prefix: number): [number, number] =>
  prefix === 31 ? [block.address, block.address + 1] : [block.address + 1, block.address + 2];

export const site: ConnectorKind = {
  name: 'entreprise',
  fields: [
    field(ours, 'optional', address('Address of the virtual interface')),
    field('cloudApplianceID', 'required', appliance),
    field('cmeBGPKey', 'optional', secret('Key of the BGP session')),
    field(theirs, 'optional', address('Address of the customer’s gateway')),
    field('cmeMask', 'optional', mask),
    field('customerASN', 'required', asNumber),
    field('serviceCloudApplianceASN', 'optional', asNumber),
    field('vlan', 'required', vlan),
  ],
  complaints(values) {
    const prefix = prefixOf(values);
    const [our, their] = [ours, theirs].map((name) => addressIn(values, name));
    const strays = [ours, theirs].filter((name) => {
      const address = addressIn(values, name);
      return address !== undefined && !isHost({ address, prefix });
    });
    if (strays.length)
      return strays.map((field) => ({
        field,
        message: `must be the address of a host: with ${formatMask(prefix)} it is the network or its broadcast`,
      }));
    if (our === undefined || their === undefined) return [];
    if (our === their) return [{ field: theirs, message: `must differ from ${ours}` }];
    if (!isSameNetwork({ address: our, prefix }, { address: their, prefix }))
      return [{ field: theirs, message: `must lie in the same subnet (cmeMask) as ${ours}` }];
    return [];
  },
  fill(values, { asNumber: serviceCloudApplianceASN, blocks }) {
    const prefix = prefixOf(values);
    const [our, their] = [ours, theirs].map((name) => addressIn(values, name));
    const beside = (address: number): number => otherHost({ address, prefix }).address;
    const [first, second] = pairIn(blocks[0], prefix);
    return {
      serviceCloudApplianceASN,
      cmeMask: formatMask(prefix),
      [ours]: formatAddress(our ?? (their === undefined ? first : beside(their))),
      [theirs]: formatAddress(their ?? (our === undefined ? second : beside(our))),
    };
  },
  bandwidthBps: () => 1e9,
  sessions(values) {
    const [local, remote] = [ours, theirs].map((name) => `${values[name]}/${prefixOf(values)}`);
    const { serviceCloudApplianceASN: localAs, customerASN: remoteAs, cmeBGPKey: key } = values;
    return sessionBetween(local, remote, { localAs, remoteAs }, typeof key === 'string' ? { key } : {});
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
