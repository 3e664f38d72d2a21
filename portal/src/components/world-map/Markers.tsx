import type { FocusEvent } from 'react';
import type { Spot } from '../pan-zoom/viewport.ts';
import type { Tone } from '../StatusBadges.tsx';
import { toned } from '../tone-style.ts';
import classes from './WorldMap.module.css';

export interface Point {
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

export const sizeOf = ({ size = 24 }: Point): number => size;

/** The mark of a tone: each has a shape of its own. */
export function Mark({ tone = 'quiet', text, size = 24 }: { tone?: Tone; text?: string; size?: number }) {
  return (
    <span className={classes.mark} data-tone={tone} style={{ ...toned(tone), width: size, height: size }}>
      {text}
    </span>
  );
}

export function Marks({
  points,
  spots,
  onPoint,
  onLeave,
  onFocus,
}: {
  points: Point[];
  /** Where each is drawn, on the screen. */
  spots: Spot[];
  onPoint: (point: Point, spot: Spot) => void;
  onLeave: () => void;
  onFocus: (point: Point, event: FocusEvent) => void;
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
        <Mark
          tone={point.tone ?? 'quiet'}
          size={sizeOf(point)}
          {...(point.text === undefined ? {} : { text: point.text })}
        />
      </button>
    );
  });
}
