import type { FocusEvent } from 'react';
import type { Point } from '../pan-zoom/viewport.ts';
import { type Tone, toneStyle } from '../status.ts';
import classes from './WorldMap.module.css';

export interface Marker {
  id: string;
  longitude: number;
  latitude: number;
  /** The accessible name; contains the text. */
  label: string;
  /** Shown on the marker. */
  text?: string;
  tone?: Tone;
  /** Diameter in pixels. */
  size?: number;
  onSelect?: () => void;
  isSelected?: boolean;
}

export const markerSize = ({ size = 24 }: Marker): number => size;

/** Each tone has its own shape. */
export function MarkerShape({ tone = 'quiet', text, size = 24 }: { tone?: Tone; text?: string; size?: number }) {
  return (
    <span className={classes.shape} data-tone={tone} style={{ ...toneStyle(tone), width: size, height: size }}>
      {text}
    </span>
  );
}

export function Markers({
  markers,
  positions,
  onEnter,
  onLeave,
  onFocus,
}: {
  markers: Marker[];
  /** On the screen, by index. */
  positions: Point[];
  onEnter: (marker: Marker, at: Point) => void;
  onLeave: () => void;
  onFocus: (marker: Marker, event: FocusEvent) => void;
}) {
  return markers.map((marker, index) => {
    const position = positions[index]!;
    const enter = () => onEnter(marker, position);
    return (
      <button
        key={marker.id}
        type="button"
        className={classes.marker}
        style={{ left: position.x, top: position.y }}
        aria-label={marker.label}
        aria-pressed={marker.onSelect ? (marker.isSelected ?? false) : undefined}
        onClick={marker.onSelect}
        onPointerEnter={enter}
        onPointerLeave={onLeave}
        onFocus={(event) => {
          enter();
          onFocus(marker, event);
        }}
        onBlur={onLeave}
      >
        <MarkerShape
          tone={marker.tone ?? 'quiet'}
          size={markerSize(marker)}
          {...(marker.text === undefined ? {} : { text: marker.text })}
        />
      </button>
    );
  });
}
