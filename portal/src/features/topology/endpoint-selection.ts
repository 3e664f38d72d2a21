// Choosing two connectors to be linked.
import type { Connector, Link } from '../network/network-queries.ts';

export interface SelectedEndpoints {
  from?: string;
  to?: string;
}

/** Why a connector cannot be the next end; undefined when it can. */
export function disabledReason(
  connector: Connector,
  ends: SelectedEndpoints,
  connectors: Connector[],
  links: Link[],
): string | undefined {
  const peers = new Set(
    links.flatMap(({ from, to }) => (from === connector.id ? [to] : to === connector.id ? [from] : [])),
  );
  if (ends.from === undefined) return peers.size >= connectors.length - 1 ? 'linked to all others already' : undefined;
  if (!peers.has(ends.from)) return undefined;
  return `already linked to ${connectors.find(({ id }) => id === ends.from)?.name ?? 'it'}`;
}

/** The next end, or none when the same is chosen again. */
export function selectEndpoint(ends: SelectedEndpoints, id: string): SelectedEndpoints {
  if (ends.from === id) return {};
  return ends.from === undefined ? { from: id } : { from: ends.from, to: id };
}
