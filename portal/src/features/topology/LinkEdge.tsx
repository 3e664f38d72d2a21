import { Link as RouterLink } from '@tanstack/react-router';
import type { FocusEvent } from 'react';
import { formatShare } from '../../components/format.ts';
import type { Point } from '../../components/pan-zoom/viewport.ts';
import { toneStyle } from '../../components/status.ts';
import { loadLineStyle, stateLineStyle } from '../network/line-styles.ts';
import type { LinkLoad } from '../network/link-loads.ts';
import type { Link } from '../network/network-queries.ts';
import classes from './Topology.module.css';

/** The background of a label halfway between two points. */
const labelBox = (from: Point, to: Point, text: string): Record<'x' | 'y' | 'width' | 'height', number> => {
  const width = text.length * 7 + 8;
  return { x: (from.x + to.x - width) / 2, y: (from.y + to.y) / 2 - 10, width, height: 20 };
};

/** A link: colour and dashes show the state, the width shows the load. */
export function LinkEdge({
  link,
  names,
  from,
  to,
  load,
  onFocus,
}: {
  link: Link;
  names: string;
  from: Point;
  to: Point;
  load: LinkLoad | undefined;
  onFocus: (event: FocusEvent) => void;
}) {
  const { tone, dash, width } = stateLineStyle(link.state);
  const line = { x1: from.x, y1: from.y, x2: to.x, y2: to.y };
  const text = load ? `${link.state} · ${formatShare(load.bps, load.capacity)}` : link.state;
  return (
    <RouterLink
      to="/links/$linkId"
      params={{ linkId: link.id }}
      className={classes.edge!}
      style={toneStyle(tone)}
      aria-label={`Link ${link.name}: ${names}, ${text}`}
      draggable={false}
      onFocus={onFocus}
    >
      <line {...line} className={classes.hitArea} />
      <line
        {...line}
        className={classes.line}
        strokeWidth={load ? Math.max(width, loadLineStyle(load).width) : width}
        strokeDasharray={dash}
      />
      <rect {...labelBox(from, to, text)} rx={4} className={classes.labelBackground} />
      <text x={(from.x + to.x) / 2} y={(from.y + to.y) / 2} className={classes.label}>
        {text}
      </text>
    </RouterLink>
  );
}
