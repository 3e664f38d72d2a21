// A connection of its own speed that the platform hosts at provider A. The provider assigns addresses, VLAN and BGP key.
import { formatCidr, parseSpeed } from '../values/ip.ts';
import { type ConnectorKind, field } from './connector-kind.ts';
import { account, asNumber, endsOf, integerUpTo, oneOf, secret, sessionBetween, text } from './field-types.ts';

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
    field('providerAPeerIP', 'never', text),
    field('customerPeerIP', 'never', text),
    field('bgpKey', 'never', secret('Key of the BGP session')),
    field('connectionId', 'never', text),
    field('vlanId', 'never', integerUpTo(4094, 'VLAN of the connection')),
  ],
  fill: (_, { asNumber: platformAsNumber }) => ({ platformAsNumber, portSpeed: '50Mbps' }),
  bandwidthBps: ({ portSpeed: speed }) => parseSpeed(String(speed)) ?? 50e6,
  order(_, provider) {
    const [customerPeerIP, providerAPeerIP] = endsOf(formatCidr(provider.block));
    return {
      customerPeerIP,
      providerAPeerIP,
      bgpKey: provider.key(),
      connectionId: provider.identifier('dxcon'),
      vlanId: provider.number(2, 4094),
    };
  },
  sessions: ({ customerPeerIP, providerAPeerIP, platformAsNumber, asNumber: remoteAs, bgpKey }) =>
    sessionBetween(customerPeerIP, providerAPeerIP, { localAs: platformAsNumber, remoteAs }, { key: bgpKey as string }),
  example: { asNumber: 4200000710, providerAAccount: '000456789012', portSpeed: '500Mbps' },
};
