// An attachment at provider C. The customer creates it there and passes on its pairing key.
import { formatCidr } from '../values/ip.ts';
import { parseSpeed } from '../values/speed.ts';
import { type ConnectorKind, field } from './connector-kind.ts';
import {
  asNumber,
  bgpSessions,
  integerUpTo,
  oneOf,
  platformAsTowards,
  secret,
  subnetHosts,
  text,
} from './field-types.ts';

const bandwidth = oneOf(
  [
    ...['50', '100', '200', '300', '400', '500'].map((number) => `BPS_${number}M`),
    ...['1', '2', '5', '10', '20', '50'].map((number) => `BPS_${number}G`),
  ],
  'Speed of the attachment; BPS_50M unless given',
);

/** The provider uses this AS number everywhere. */
const providerAs = 64501;

export const kind: ConnectorKind = {
  name: 'providerC',
  fields: [
    field('bandwidth', 'optional', bandwidth),
    field('med', 'optional', integerUpTo(4294967295, 'Multi-exit discriminator of the announced routes')),
    field('pairingKey', 'required', secret('Pairing key of the attachment')),
    field('platformAsNumber', 'optional', asNumber),
    field('interconnectId', 'none', text),
  ],
  defaults: (_, platform) => ({ platformAsNumber: platformAsTowards(providerAs, platform), bandwidth: 'BPS_50M' }),
  peerAsNumber: providerAs,
  bandwidthBps: ({ bandwidth: speed }) => parseSpeed(String(speed)) ?? 50e6,
  // Provider C does not publish the session addresses, so `sessionSubnet` is stored but is not a field.
  provision: (_, source) => ({
    interconnectId: source.identifier('attachment'),
    sessionSubnet: formatCidr(source.block),
  }),
  sessions: ({ sessionSubnet, platformAsNumber, med }) =>
    bgpSessions(
      ...subnetHosts(sessionSubnet),
      { localAs: platformAsNumber, remoteAs: providerAs },
      typeof med === 'number' ? { med } : {},
    ),
  example: { pairingKey: '7e51371e-72a3-40b5-b844-2e3efefaee59/frankfurt/1', bandwidth: 'BPS_200M', med: 100 },
};
