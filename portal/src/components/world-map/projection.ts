// The map projection (Natural Earth, 960 × 500) and the paths of the map data.
import { geoGraticule10, geoNaturalEarth1, geoPath } from 'd3-geo';
import { feature, mesh } from 'topojson-client';
import type { GeometryCollection, Topology } from 'topojson-specification';
import atlas from 'world-atlas/countries-110m.json';
import type { Box, Point } from '../pan-zoom/viewport.ts';

export type Coordinates = [longitude: number, latitude: number];

export const earthBounds: Box = { left: 0, top: 0, right: 960, bottom: 500 };

const topology = atlas as unknown as Topology<{ land: GeometryCollection; countries: GeometryCollection }>;
const projection = geoNaturalEarth1()
  .precision(0.1)
  .fitExtent(
    [
      [4, 4],
      [956, 496],
    ],
    { type: 'Sphere' },
  );
const path = geoPath(projection).digits(2);

export const sphere = path({ type: 'Sphere' }) ?? '';
export const graticule = path(geoGraticule10()) ?? '';
export const land = path(feature(topology, topology.objects.land)) ?? '';
export const borders = path(mesh(topology, topology.objects.countries, (a, b) => a !== b)) ?? '';

export function project(coordinates: Coordinates): Point {
  const [x = 0, y = 0] = projection(coordinates) ?? [];
  return { x, y };
}

/** The path of the great circle between two places. */
export const greatCircle = (from: Coordinates, to: Coordinates): string =>
  path({ type: 'LineString', coordinates: [from, to] }) ?? '';
