// A hosted connection at provider A with a port speed of its own. The provider assigns addresses, VLAN and BGP key.
import { formatCidr } from '../values/ip.ts';
import { parseSpeed } from '../values/speed.ts';
import { type ConnectorKind, field } from './connector-kind.ts';
import {
  account,
  asNumber,
  assignedAddress,
  bgpSessions,
  integerUpTo,
  oneOf,
  platformAsTowards,
  secret,
  subnetHosts,
  text,
} from './field-types.ts';

const speeds = ['50', '100', '200', '300', '400', '500'].map((number) => `${number}Mbps`);
const portSpeed = oneOf(
  [...speeds, ...['1', '2', '5', '10'].map((number) => `${number}Gbps`)],
  'Speed of the connection; 50Mbps unless given',
);

export const kind: ConnectorKind = {
  name: 'providerAHostedConnection',
  fields: [
    field('asNumber', 'required', asNumber),
    field('providerAAccount', 'required', account),
    field('platformAsNumber', 'optional', asNumber),
    field('portSpeed', 'optional', portSpeed),
    field('providerAPeerIP', 'none', assignedAddress('The provider’s end of the BGP session, without a prefix length')),
    field('customerPeerIP', 'none', assignedAddress('The customer’s end of the BGP session, without a prefix length')),
    field('bgpKey', 'none', secret('Key of the BGP session')),
    field('connectionId', 'none', text),
    field('vlanId', 'none', integerUpTo(4094, 'VLAN of the connection')),
  ],
  defaults: (values, platform) => ({
    platformAsNumber: platformAsTowards(values.asNumber, platform),
    portSpeed: '50Mbps',
  }),
  bandwidthBps: ({ portSpeed: speed }) => parseSpeed(String(speed)) ?? 50e6,
  provision(_, source) {
    const [customerPeerIP, providerAPeerIP] = subnetHosts(formatCidr(source.block));
    return {
      customerPeerIP,
      providerAPeerIP,
      bgpKey: source.key(),
      connectionId: source.identifier('dxcon'),
      vlanId: source.number(2, 4094),
    };
  },
  sessions: ({ customerPeerIP, providerAPeerIP, platformAsNumber, asNumber: remoteAs, bgpKey }) =>
    bgpSessions(customerPeerIP, providerAPeerIP, { localAs: platformAsNumber, remoteAs }, { key: bgpKey as string }),
  example: { asNumber: 4200000710, providerAAccount: '000456789012', portSpeed: '500Mbps' },
};
