import type { FocusEvent, KeyboardEvent } from 'react';
import { type Point, toScreen, type Viewport } from '../pan-zoom/viewport.ts';
import { type Tone, toneStyle } from '../status.ts';
import { type Coordinates, greatCircle, project } from './projection.ts';
import classes from './WorldMap.module.css';

export interface Arc {
  id: string;
  from: Coordinates;
  to: Coordinates;
  label: string;
  tone?: Tone;
  /** stroke-dasharray: distinguishes states without colour. */
  dash?: string;
  width?: number;
  onSelect?: () => void;
  isSelected?: boolean;
}

const laneWidth = 6;
const endpointKey = ({ from, to }: Arc): string => [from.join(), to.join()].sort().join(' ');

/** Offsets in pixels that draw arcs between the same two places side by side. */
export function laneOffsets(arcs: Arc[]): number[] {
  const counts = new Map<string, number>();
  const lanes = arcs.map((arc) => {
    const lane = counts.get(endpointKey(arc)) ?? 0;
    counts.set(endpointKey(arc), lane + 1);
    return lane;
  });
  return arcs.map((arc, index) => (lanes[index]! - (counts.get(endpointKey(arc))! - 1) / 2) * laneWidth);
}

/** A link within one city is drawn as a loop. */
const loopPath = (at: Point, lane: number): string => {
  const reach = 34 + Math.abs(lane) * 2;
  return `M${at.x},${at.y}c${-reach},${-reach} ${reach},${-reach} 0,0`;
};

export function arcPath(arc: Arc, lane: number, viewport: Viewport): { d: string; transform?: string } {
  const [from, to] = [project(arc.from), project(arc.to)];
  if (from.x === to.x && from.y === to.y) return { d: loopPath(toScreen(viewport, from), lane) };
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  // Seen from the western end, so that both directions of a link use the same side.
  const direction = from.x < to.x ? 1 : -1;
  const dx = (-(to.y - from.y) / length) * lane * direction;
  const dy = ((to.x - from.x) / length) * lane * direction;
  return {
    d: greatCircle(arc.from, arc.to),
    transform: `translate(${viewport.x + dx} ${viewport.y + dy}) scale(${viewport.scale})`,
  };
}

export const arcMidpoint = ({ from, to }: Arc): Point => {
  const [a, b] = [project(from), project(to)];
  return { x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
};

const onActivationKey = (action: (() => void) | undefined) => (event: KeyboardEvent) => {
  if (event.key !== 'Enter' && event.key !== ' ') return;
  event.preventDefault();
  action?.();
};

export function Arcs({
  arcs,
  viewport,
  onEnter,
  onLeave,
  onFocus,
}: {
  arcs: Arc[];
  viewport: Viewport;
  onEnter: (arc: Arc, at: Point) => void;
  onLeave: () => void;
  onFocus: (arc: Arc, event: FocusEvent) => void;
}) {
  const lanes = laneOffsets(arcs);
  return arcs.map((arc, index) => {
    const shape = arcPath(arc, lanes[index]!, viewport);
    const enter = () => onEnter(arc, toScreen(viewport, arcMidpoint(arc)));
    return (
      // biome-ignore lint/a11y/useSemanticElements: SVG has no button element
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
        <path {...shape} className={classes.hitArea} />
        <path {...shape} className={classes.line} strokeWidth={arc.width ?? 2.5} strokeDasharray={arc.dash} />
      </g>
    );
  });
}
