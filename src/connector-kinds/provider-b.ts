// A circuit at provider B with two BGP sessions, each in its own subnet. The customer orders it and passes on its key.
import { type Cidr, formatCidr, overlap, parseCidr } from '../values/ip.ts';
import { type ConnectorKind, field } from './connector-kind.ts';
import { asNumber, bgpSessions, platformAsTowards, secret, subnet, subnetHosts } from './field-types.ts';

/** The block, or a link-local network if the block overlaps with the caller's subnet for the other session. */
function subnetAvoiding(otherSubnet: unknown, block: Cidr): string {
  const other = typeof otherSubnet === 'string' ? parseCidr(otherSubnet) : undefined;
  if (!other || !overlap(other, block)) return formatCidr(block);
  return formatCidr({ address: 169 * 2 ** 24 + 254 * 2 ** 16 + (block.address % 2 ** 16), prefix: block.prefix });
}

/** The provider uses this AS number everywhere. */
const providerAs = 64500;

export const kind: ConnectorKind = {
  name: 'providerB',
  fields: [
    field('providerBServiceKey', 'required', secret('Service key of the circuit'), 'serviceKey'),
    field('platformAsNumber', 'optional', asNumber),
    field('primarySubnet', 'optional', subnet('Subnet of the primary session, CIDR')),
    field('secondarySubnet', 'optional', subnet('Subnet of the secondary session, CIDR')),
  ],
  validate({ primarySubnet, secondarySubnet }) {
    const [a, b] = [primarySubnet, secondarySubnet].map((value) => parseCidr(String(value)));
    return a && b && overlap(a, b)
      ? [{ field: 'secondarySubnet', message: 'must not overlap with primarySubnet: each session has its own' }]
      : [];
  },
  defaults: ({ primarySubnet, secondarySubnet }, platform) => ({
    platformAsNumber: platformAsTowards(providerAs, platform),
    primarySubnet: subnetAvoiding(secondarySubnet, platform.blocks[0]),
    secondarySubnet: subnetAvoiding(primarySubnet, platform.blocks[1]),
  }),
  peerAsNumber: providerAs,
  bandwidthBps: () => 1e9,
  // The lower local preference makes the secondary session a backup.
  sessions: ({ primarySubnet, secondarySubnet, platformAsNumber }) =>
    [primarySubnet, secondarySubnet].flatMap((subnet, index) =>
      bgpSessions(
        ...subnetHosts(subnet),
        { localAs: platformAsNumber, remoteAs: providerAs },
        { localPreference: 100 - 10 * index },
      ),
    ),
  example: { serviceKey: '5b2f6c1e-6a0f-4c55-9a51-0d8f2f3f7a11', primarySubnet: '192.0.2.0/30' },
};
