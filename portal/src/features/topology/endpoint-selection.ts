// Selecting the two ends of a new link.
import type { Connector, Link } from '../network/network-queries.ts';

export interface SelectedEndpoints {
  from?: string;
  to?: string;
}

/** Why a connector cannot be the next end; undefined if it can. */
export function disabledReason(
  connector: Connector,
  selected: SelectedEndpoints,
  connectors: Connector[],
  links: Link[],
): string | undefined {
  const peers = new Set(
    links.flatMap(({ from, to }) => (from === connector.id ? [to] : to === connector.id ? [from] : [])),
  );
  if (selected.from === undefined)
    return peers.size >= connectors.length - 1 ? 'already linked to all others' : undefined;
  if (!peers.has(selected.from)) return undefined;
  return `already linked to ${connectors.find(({ id }) => id === selected.from)?.name ?? 'it'}`;
}

/** Sets the next end; selecting the first end again clears the selection. */
export function selectEndpoint(selected: SelectedEndpoints, id: string): SelectedEndpoints {
  if (selected.from === id) return {};
  return selected.from === undefined ? { from: id } : { from: selected.from, to: id };
}
