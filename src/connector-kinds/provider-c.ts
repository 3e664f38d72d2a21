// An attachment at provider C, which the customer's pairing key claims.
import { formatCidr, parseSpeed } from '../values/ip.ts';
import { type ConnectorKind, field } from './connector-kind.ts';
import { asNumber, endsOf, integerUpTo, oneOf, secret, sessionBetween, text } from './field-types.ts';

const bandwidth = oneOf(
  [
    ...['50', '100', '200', '300', '400', '500'].map((number) => `BPS_${number}M`),
    ...['1', '2', '5', '10', '20', '50'].map((number) => `BPS_${number}G`),
  ],
  'Speed of the attachment; BPS_50M unless given',
);

/** The provider's own AS number, the same everywhere. */
const providerAs = 64501;

export const kind: ConnectorKind = {
  name: 'providerC',
  fields: [
    field('bandwidth', 'optional', bandwidth),
    field('med', 'optional', integerUpTo(4294967295, 'Multi-exit discriminator of the announced routes')),
    field('pairingKey', 'required', secret('Pairing key of the attachment')),
    field('platformAsNumber', 'optional', asNumber),
    field('interconnectId', 'never', text),
  ],
  fill: (_, { asNumber: platformAsNumber }) => ({ platformAsNumber, bandwidth: 'BPS_50M' }),
  peerAsNumber: providerAs,
  bandwidthBps: ({ bandwidth: speed }) => parseSpeed(String(speed)) ?? 50e6,
  // The provider names no addresses to the customer; the subnet of the session is kept beside the fields.
  order: (_, provider) => ({
    interconnectId: provider.identifier('attachment'),
    sessionSubnet: formatCidr(provider.block),
  }),
  sessions: ({ sessionSubnet, platformAsNumber, med }) =>
    sessionBetween(
      ...endsOf(sessionSubnet),
      { localAs: platformAsNumber, remoteAs: providerAs },
      typeof med === 'number' ? { med } : {},
    ),
  example: { pairingKey: '7e51371e-72a3-40b5-b844-2e3efefaee59/frankfurt/1', bandwidth: 'BPS_200M', med: 100 },
};
