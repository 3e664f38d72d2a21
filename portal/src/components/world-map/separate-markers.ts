// Marks of neighbouring places beside each other instead of one upon the other.
import { forceCollide, forceSimulation, forceX, forceY } from 'd3-force';
import type { Point } from '../pan-zoom/viewport.ts';

interface SizedPoint extends Point {
  size: number;
}

/** Where to draw marks that belong to these spots: there, or as near as there is room. The same marks always land on the same spots. */
export function separateMarkers(marks: SizedPoint[]): Point[] {
  const nodes = marks.map(({ x, y, size }) => ({ x, y, size, home: { x, y } }));
  forceSimulation(nodes)
    .force('x', forceX<(typeof nodes)[number]>(({ home }) => home.x).strength(0.1))
    .force('y', forceY<(typeof nodes)[number]>(({ home }) => home.y).strength(0.1))
    // Marks are as wide as high: they must not touch at their corners either.
    .force('room', forceCollide<(typeof nodes)[number]>(({ size }) => size * 0.72).iterations(4))
    .stop()
    .tick(200);
  return nodes.map(({ x, y }) => ({ x, y }));
}
