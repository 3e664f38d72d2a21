// Moves overlapping markers apart.
import { forceCollide, forceSimulation, forceX, forceY } from 'd3-force';
import type { Point } from '../pan-zoom/viewport.ts';

interface SizedPoint extends Point {
  size: number;
}

/** Positions without overlap, as close to the given ones as possible. Deterministic. */
export function separateMarkers(markers: SizedPoint[]): Point[] {
  const nodes = markers.map(({ x, y, size }) => ({ x, y, size, home: { x, y } }));
  forceSimulation(nodes)
    .force('x', forceX<(typeof nodes)[number]>(({ home }) => home.x).strength(0.1))
    .force('y', forceY<(typeof nodes)[number]>(({ home }) => home.y).strength(0.1))
    // Markers can be square: keep their corners apart too.
    .force('room', forceCollide<(typeof nodes)[number]>(({ size }) => size * 0.72).iterations(4))
    .stop()
    .tick(200);
  return nodes.map(({ x, y }) => ({ x, y }));
}
