// Connectors grouped by place.
import { plural } from '../../components/format.ts';
import { statusDisplay, statusSeverity } from '../../components/status.ts';
import type { Connector } from '../../features/network/network-queries.ts';
import { placeIdOf, type SiteOf } from '../../features/network/useConnectorSites.ts';

export interface Place {
  id: string;
  city: string;
  region: string;
  longitude: number;
  latitude: number;
  connectors: Connector[];
  /** The worst status of its connectors. */
  status: number;
}

export const worstStatus = (connectors: Connector[]): number =>
  connectors.map(({ status }) => status).reduce((a, b) => (statusSeverity(b) > statusSeverity(a) ? b : a), 0);

export function groupByPlace(connectors: Connector[], siteOf: SiteOf): Place[] {
  const byPlace = Map.groupBy(connectors, placeIdOf);
  return [...byPlace]
    .map(([id, local]) => {
      const { region, longitude, latitude } = local[0]!;
      // Prefer a name over coordinates.
      const cities = local.map((connector) => siteOf(connector).city);
      const city = cities.find((name) => !name.includes('°')) ?? cities[0]!;
      return { id, city, region, longitude, latitude, connectors: local, status: worstStatus(local) };
    })
    .sort((a, b) => a.city.localeCompare(b.city));
}

/** "all up", "1 down, 2 up" */
export function statusSummary(connectors: Connector[]): string {
  const counts = statusDisplay
    .map(({ word }, status) => ({
      word,
      count: connectors.filter((connector) => connector.status === status).length,
      status,
    }))
    .filter(({ count }) => count > 0)
    .sort((a, b) => statusSeverity(b.status) - statusSeverity(a.status));
  if (counts.length === 1) return connectors.length > 1 ? `all ${counts[0]!.word}` : counts[0]!.word;
  return counts.map(({ word, count }) => `${count} ${word}`).join(', ');
}

export const placeLabel = ({ city, region, connectors }: Place): string =>
  `${city}, ${region}: ${plural(connectors.length, 'connector')}, ${statusSummary(connectors)}`;
