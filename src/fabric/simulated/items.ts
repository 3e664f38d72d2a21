// The desired state of a group as items of the simulated fabric.
import type { Keys } from '../../host/key-file.ts';
import { formatAddress } from '../../values/ip.ts';
import type { ConnectorSpec, DesiredState, LinkSpec } from '../desired-state.ts';
import type { Item } from '../driver.ts';

const routerName = (number: number): string => `r${number}`;

export const interfacesOf = ({ number, sessions }: ConnectorSpec): string[] =>
  sessions.map((_, index) => (index === 0 ? `c${number}` : `c${number}b`));

// Item keys are stored in the database: changing one recreates the item on every installation.
export const sessionKey = (interfaceName: string): string => `session ${interfaceName}`;
export const linkKey = ({ number }: LinkSpec): string => `cord l${number}`;

export function compileItems(keys: Keys, { routers, connectors, links }: DesiredState): Item[] {
  // The hash is keyed: the facts of a session contain its BGP key, which must not be guessable from the stored
  // fingerprint.
  const item = (key: string, on: string, text: string, concerns: string[], ...facts: unknown[]): Item => ({
    key,
    on,
    text,
    concerns,
    fingerprint: keys.hash('fabric item', JSON.stringify(facts)).toString('hex').slice(0, 16),
  });
  const routerOf = new Map(connectors.map(({ number, router }) => [number, router]));
  const routerNameOf = (connector: number): string => routerName(routerOf.get(connector) ?? 0);

  const routerItems = routers.map(({ number, edgeCode }) => {
    const name = routerName(number);
    const concerns = connectors.filter(({ router }) => router === number).map(({ connectorId }) => connectorId);
    return item(`router ${name}`, name, `router ${name} at ${edgeCode}`, concerns, edgeCode);
  });
  const connectorItems = connectors.flatMap((connector) => {
    const { number, bandwidthBps, sessions, prefixLimit, connectorId } = connector;
    const on = routerName(connector.router);
    const text = `port c${number} at ${bandwidthBps / 1e6} Mbps`;
    const interfaces = interfacesOf(connector);
    return [
      item(`port c${number}`, on, text, [connectorId], bandwidthBps),
      ...sessions.map((session, index) =>
        item(
          sessionKey(interfaces[index] ?? ''),
          on,
          `BGP session with AS${session.remoteAs} at ${formatAddress(session.remote.address)}`,
          [connectorId],
          session,
          prefixLimit,
        ),
      ),
    ];
  });
  const linkItems = links.map((link) => {
    const { number, linkId, from, to, delayMs } = link;
    const on = [...new Set([routerNameOf(from), routerNameOf(to)])].join(' and ');
    return item(linkKey(link), on, `cord l${number} between c${from} and c${to}`, [linkId], from, to, delayMs);
  });
  return [...routerItems, ...connectorItems, ...linkItems];
}
