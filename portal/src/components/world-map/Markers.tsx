import type { FocusEvent } from 'react';
import type { Point } from '../pan-zoom/viewport.ts';
import type { Tone } from '../StatusBadges.tsx';
import { toneStyle } from '../tone-style.ts';
import classes from './WorldMap.module.css';

export interface Marker {
  id: string;
  longitude: number;
  latitude: number;
  /** What it is, in full; contains the text. */
  label: string;
  /** What stands on the mark. */
  text?: string;
  tone?: Tone;
  /** Across, in pixels. */
  size?: number;
  onSelect?: () => void;
  isSelected?: boolean;
}

export const markerSize = ({ size = 24 }: Marker): number => size;

/** The mark of a tone: each has a shape of its own. */
export function MarkerShape({ tone = 'quiet', text, size = 24 }: { tone?: Tone; text?: string; size?: number }) {
  return (
    <span className={classes.mark} data-tone={tone} style={{ ...toneStyle(tone), width: size, height: size }}>
      {text}
    </span>
  );
}

export function Markers({
  points,
  spots,
  onPoint,
  onLeave,
  onFocus,
}: {
  points: Marker[];
  /** Where each is drawn, on the screen. */
  spots: Point[];
  onPoint: (point: Marker, spot: Point) => void;
  onLeave: () => void;
  onFocus: (point: Marker, event: FocusEvent) => void;
}) {
  return points.map((point, index) => {
    const spot = spots[index]!;
    const enter = () => onPoint(point, spot);
    return (
      <button
        key={point.id}
        type="button"
        className={classes.point}
        style={{ left: spot.x, top: spot.y }}
        aria-label={point.label}
        aria-pressed={point.onSelect ? (point.isSelected ?? false) : undefined}
        onClick={point.onSelect}
        onPointerEnter={enter}
        onPointerLeave={onLeave}
        onFocus={(event) => {
          enter();
          onFocus(point, event);
        }}
        onBlur={onLeave}
      >
        <MarkerShape
          tone={point.tone ?? 'quiet'}
          size={markerSize(point)}
          {...(point.text === undefined ? {} : { text: point.text })}
        />
      </button>
    );
  });
}
