// A force-directed layout of connectors and links. Deterministic: the same graph always has the same layout.
import { forceCollide, forceLink, forceManyBody, forceSimulation, forceX, forceY } from 'd3-force';
import type { Point } from '../../components/pan-zoom/viewport.ts';

export const cardSize = { width: 204, height: 84 };

const iterations = 300;

interface Node extends Point {
  id: string;
}

interface Pair {
  from: string;
  to: string;
}

/** Depth-first along the links from the nodes of lowest degree: neighbours start side by side, and few edges cross. */
function traversalOrder(ids: string[], pairs: Pair[]): string[] {
  const peers = new Map(ids.map((id) => [id, [] as string[]]));
  for (const { from, to } of pairs) {
    peers.get(from)?.push(to);
    peers.get(to)?.push(from);
  }
  const degree = (id: string): number => peers.get(id)?.length ?? 0;
  const byDegree = (a: string, b: string): number => degree(a) - degree(b) || (a < b ? -1 : 1);
  const seen = new Set<string>();
  const visit = (first: string): void => {
    const stack = [first];
    for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
      if (seen.has(id)) continue;
      seen.add(id);
      stack.push(...(peers.get(id) ?? []).sort(byDegree).reverse());
    }
  };
  for (const id of [...ids].sort(byDegree)) visit(id);
  return [...seen];
}

function onCircle(ids: string[]): Node[] {
  const radius = 50 * Math.sqrt(ids.length);
  return ids.map((id, index) => {
    const angle = (2 * Math.PI * index) / ids.length;
    return { id, x: -radius * Math.cos(angle), y: radius * Math.sin(angle) };
  });
}

/** Positions by id; a narrow layout is taller than wide. */
export function layoutNodes(ids: string[], pairs: Pair[], isNarrow: boolean): Map<string, Point> {
  const nodes = onCircle(traversalOrder(ids, pairs));
  const links = pairs
    .map(({ from, to }) => ({ source: from, target: to }))
    .sort((a, b) => (a.source + a.target < b.source + b.target ? -1 : 1));
  const [across, down] = isNarrow ? [0.4, 0.03] : [0.07, 0.13];
  // Cards are wider than tall: the simulation runs in a space compressed by this factor.
  const stretch = isNarrow ? 1.3 : 1.75;
  forceSimulation(nodes)
    .force(
      'links',
      forceLink<Node, { source: string; target: string }>(links)
        .id(({ id }) => id)
        .distance(isNarrow ? 140 : 220)
        .strength(0.6),
    )
    .force('apart', forceManyBody().strength(-500).distanceMax(500))
    .force('room', forceCollide(isNarrow ? 66 : 88).iterations(2))
    .force('x', forceX(0).strength(across))
    .force('y', forceY(0).strength(down))
    .stop()
    .tick(iterations);
  return new Map(nodes.map(({ id, x, y }) => [id, { x: Math.round(x * stretch), y: Math.round(y) }]));
}
