// A virtual interface on one of the platform's ports at provider A.
import { type ConnectorKind, field } from './connector-kind.ts';
import {
  account,
  asNumber,
  bgpSessions,
  completePair,
  hostAddress,
  platformAsTowards,
  text,
  validatePair,
} from './field-types.ts';

export const kind: ConnectorKind = {
  name: 'providerA',
  fields: [
    field('providerAAddress', 'optional', hostAddress('The provider’s end of the BGP session, CIDR')),
    field('asNumber', 'required', asNumber),
    field('providerAAccount', 'required', account),
    field('customerAddress', 'optional', hostAddress('The customer’s end of the BGP session, CIDR')),
    field('platformAsNumber', 'optional', asNumber),
    field('dxvif', 'none', text),
  ],
  validate: (values) => validatePair(values, 'providerAAddress', 'customerAddress'),
  defaults(values, platform) {
    const [providerAAddress, customerAddress] = completePair(
      values.providerAAddress,
      values.customerAddress,
      platform.blocks[0],
    );
    const platformAsNumber = platformAsTowards(values.asNumber, platform);
    return { platformAsNumber, providerAAddress, customerAddress };
  },
  bandwidthBps: () => 1e9,
  provision: (_, source) => ({ dxvif: source.identifier('dxvif') }),
  sessions: ({ customerAddress, providerAAddress, platformAsNumber, asNumber: remoteAs }) =>
    bgpSessions(customerAddress, providerAAddress, { localAs: platformAsNumber, remoteAs }),
  example: {
    asNumber: 64710,
    providerAAccount: 123456789012,
    providerAAddress: '169.254.20.1/30',
    customerAddress: '169.254.20.2/30',
  },
};
