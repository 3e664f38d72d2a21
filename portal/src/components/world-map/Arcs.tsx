import type { FocusEvent, KeyboardEvent } from 'react';
import { type Point, toScreen, type Viewport } from '../pan-zoom/viewport.ts';
import type { Tone } from '../StatusBadges.tsx';
import { toneStyle } from '../tone-style.ts';
import { type Coordinates, greatCircle, project } from './projection.ts';
import classes from './WorldMap.module.css';

export interface Arc {
  id: string;
  from: Coordinates;
  to: Coordinates;
  label: string;
  tone?: Tone;
  /** Instead of the tone's. */
  colour?: string;
  /** As of stroke-dasharray: a state is never told by its colour alone. */
  dash?: string;
  width?: number;
  onSelect?: () => void;
  isSelected?: boolean;
}

const laneWidth = 6;
const endpointKey = ({ from, to }: Arc): string => [from.join(), to.join()].sort().join(' ');

/** Several between the same two places run side by side: how far each is from the middle, in pixels. */
export function laneOffsets(arcs: Arc[]): number[] {
  const counts = new Map<string, number>();
  const turns = arcs.map((arc) => {
    const turn = counts.get(endpointKey(arc)) ?? 0;
    counts.set(endpointKey(arc), turn + 1);
    return turn;
  });
  return arcs.map((arc, index) => (turns[index]! - (counts.get(endpointKey(arc))! - 1) / 2) * laneWidth);
}

/** Within one city there is no way to draw: a loop stands for it. */
const loopPath = (at: Point, lane: number): string => {
  const reach = 34 + Math.abs(lane) * 2;
  return `M${at.x},${at.y}c${-reach},${-reach} ${reach},${-reach} 0,0`;
};

export function arcPath(arc: Arc, lane: number, view: Viewport): { d: string; transform?: string } {
  const [from, to] = [project(arc.from), project(arc.to)];
  if (from.x === to.x && from.y === to.y) return { d: loopPath(toScreen(view, from), lane) };
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  // Beside the way as seen from the lesser end, so that both directions keep to their own side.
  const way = from.x < to.x ? 1 : -1;
  const dx = (-(to.y - from.y) / length) * lane * way;
  const dy = ((to.x - from.x) / length) * lane * way;
  return {
    d: greatCircle(arc.from, arc.to),
    transform: `translate(${view.x + dx} ${view.y + dy}) scale(${view.scale})`,
  };
}

export const arcMidpoint = ({ from, to }: Arc): Point => {
  const [a, b] = [project(from), project(to)];
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
};

const onActivationKey = (act: (() => void) | undefined) => (event: KeyboardEvent) => {
  if (event.key !== 'Enter' && event.key !== ' ') return;
  event.preventDefault();
  act?.();
};

export function Arcs({
  arcs,
  view,
  onPoint,
  onLeave,
  onFocus,
}: {
  arcs: Arc[];
  view: Viewport;
  onPoint: (arc: Arc, spot: Point) => void;
  onLeave: () => void;
  onFocus: (arc: Arc, event: FocusEvent) => void;
}) {
  const lanes = laneOffsets(arcs);
  return arcs.map((arc, index) => {
    const shape = arcPath(arc, lanes[index]!, view);
    const enter = () => onPoint(arc, toScreen(view, arcMidpoint(arc)));
    return (
      // biome-ignore lint/a11y/useSemanticElements: a button cannot be drawn within SVG
      <g
        key={arc.id}
        role="button"
        tabIndex={0}
        className={classes.arc}
        aria-label={arc.label}
        aria-pressed={arc.isSelected ?? false}
        style={toneStyle(arc.tone ?? 'quiet')}
        onClick={arc.onSelect}
        onKeyDown={onActivationKey(arc.onSelect)}
        onPointerEnter={enter}
        onPointerLeave={onLeave}
        onFocus={(event) => {
          enter();
          onFocus(arc, event);
        }}
        onBlur={onLeave}
      >
        <path {...shape} className={classes.reach} />
        <path
          {...shape}
          className={classes.line}
          strokeWidth={arc.width ?? 2.5}
          strokeDasharray={arc.dash}
          {...(arc.colour ? { style: { stroke: arc.colour } } : {})}
        />
      </g>
    );
  });
}
