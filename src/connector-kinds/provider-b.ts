// A circuit that the customer ordered at provider B and hands over by its service key: two sessions, one subnet each.
import { type Cidr, formatCidr, overlap, parseCidr } from '../values/ip.ts';
import { type ConnectorKind, field } from './connector-kind.ts';
import { asNumber, endsOf, secret, sessionBetween, subnet } from './field-types.ts';

/** The platform's block, or where the caller's own subnet covers it, one of the link-local range, which that cannot cover too. */
function beside(given: unknown, block: Cidr): string {
  const other = typeof given === 'string' ? parseCidr(given) : undefined;
  if (!other || !overlap(other, block)) return formatCidr(block);
  return formatCidr({ address: 169 * 2 ** 24 + 254 * 2 ** 16 + (block.address % 2 ** 16), prefix: block.prefix });
}

/** The provider's own AS number, the same everywhere. */
const providerAs = 64500;

export const kind: ConnectorKind = {
  name: 'providerB',
  fields: [
    field('providerBServiceKey', 'required', secret('Service key of the circuit'), 'serviceKey'),
    field('platformAsNumber', 'optional', asNumber),
    field('primarySubnet', 'optional', subnet('Subnet of the primary session, CIDR')),
    field('secondarySubnet', 'optional', subnet('Subnet of the secondary session, CIDR')),
  ],
  complaints({ primarySubnet, secondarySubnet }) {
    const [a, b] = [primarySubnet, secondarySubnet].map((value) => parseCidr(String(value)));
    return a && b && overlap(a, b)
      ? [{ field: 'secondarySubnet', message: 'must not overlap with primarySubnet: each session has its own' }]
      : [];
  },
  fill: ({ primarySubnet, secondarySubnet }, { asNumber: platformAsNumber, blocks }) => ({
    platformAsNumber,
    primarySubnet: beside(secondarySubnet, blocks[0]),
    secondarySubnet: beside(primarySubnet, blocks[1]),
  }),
  peerAsNumber: providerAs,
  bandwidthBps: () => 1e9,
  // The secondary session is the second choice.
  sessions: ({ primarySubnet, secondarySubnet, platformAsNumber }) =>
    [primarySubnet, secondarySubnet].flatMap((subnet, index) =>
      sessionBetween(
        ...endsOf(subnet),
        { localAs: platformAsNumber, remoteAs: providerAs },
        { localPreference: 100 - 10 * index },
      ),
    ),
  example: { serviceKey: '5b2f6c1e-6a0f-4c55-9a51-0d8f2f3f7a11', primarySubnet: '192.0.2.0/30' },
};
