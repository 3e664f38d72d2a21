// The map with legend, and the panel of the selected place or link.
import { Stack } from '@mantine/core';
import { useMemo } from 'react';
import { statusDisplay } from '../../components/status.ts';
import type { SearchParams } from '../../components/useSearchParams.ts';
import { type Arc, WorldMap } from '../../components/world-map/WorldMap.tsx';
import { LineLegend, MarkerLegend } from '../../features/network/Legend.tsx';
import { loadLineStyle, loadLineStyles, stateLineStyle, stateLineStyles } from '../../features/network/line-styles.ts';
import { formatLoad, type LinkLoads } from '../../features/network/link-loads.ts';
import type { Connector, Link } from '../../features/network/network-queries.ts';
import classes from './NetworkMap.module.css';
import { type Place, placeLabel } from './places.ts';
import { LinkPanel, PlacePanel } from './SelectionPanel.tsx';

/** Grows with the number of connectors. */
const markerSizeFor = (count: number): number => Math.min(40, 24 + 4 * Math.floor(Math.log2(count)));

export function NetworkMap({
  places,
  links,
  loads,
  search,
  change,
}: {
  places: Place[];
  links: Link[];
  /** Set if the load decides the line style. */
  loads: LinkLoads | undefined;
  search: SearchParams;
  change: (changed: SearchParams) => void;
}) {
  const connectors = new Map(
    places.flatMap((place) => place.connectors.map((connector) => [connector.id, connector] as const)),
  );
  const connectorOf = (id: string): Connector | undefined => connectors.get(id);
  const close = () => change({ place: undefined, link: undefined });
  const markers = useMemo(
    () =>
      places.map((place) => ({
        id: place.id,
        longitude: place.longitude,
        latitude: place.latitude,
        label: placeLabel(place),
        text: String(place.connectors.length),
        tone: statusDisplay[place.status]?.tone ?? ('quiet' as const),
        size: markerSizeFor(place.connectors.length),
        isSelected: search.place === place.id,
        onSelect: () => change({ place: search.place === place.id ? undefined : place.id, link: undefined }),
      })),
    [places, search.place, change],
  );
  const arcs = links.map((link): Arc => {
    const [from, to] = [connectorOf(link.from)!, connectorOf(link.to)!];
    const { tone, width, dash } = loads ? loadLineStyle(loads.loadOf(link)) : stateLineStyle(link.state);
    return {
      id: link.id,
      from: [from.longitude, from.latitude],
      to: [to.longitude, to.latitude],
      label: `${link.name}: ${from.name} – ${to.name}, ${loads ? formatLoad(loads.loadOf(link)) : link.state}`,
      tone,
      width,
      ...(dash ? { dash } : {}),
      isSelected: search.link === link.id,
      onSelect: () => change({ link: search.link === link.id ? undefined : link.id, place: undefined }),
    };
  });
  const place = places.find(({ id }) => id === search.place);
  const link = links.find(({ id }) => id === search.link);
  return (
    <div className={classes.layout} data-open={place || link ? true : undefined}>
      <Stack gap="xs" miw={0}>
        <WorldMap label="World map" markers={markers} arcs={arcs} />
        <MarkerLegend />
        {loads ? (
          <LineLegend title="Links by load" styles={loadLineStyles} />
        ) : (
          <LineLegend title="Links" styles={stateLineStyles} />
        )}
      </Stack>
      {place && <PlacePanel key={place.id} place={place} links={links} connectorOf={connectorOf} onClose={close} />}
      {link && (
        <LinkPanel key={link.id} link={link} load={loads?.loadOf(link)} connectorOf={connectorOf} onClose={close} />
      )}
    </div>
  );
}
