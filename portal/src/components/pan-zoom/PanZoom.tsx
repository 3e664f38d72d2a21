import { ActionIcon, Tooltip, VisuallyHidden } from '@mantine/core';
import { IconFocusCentered, IconMinus, IconPlus } from '@tabler/icons-react';
import { type ReactNode, useId, useRef } from 'react';
import classes from './PanZoom.module.css';
import { keysOf, type Moves, useDragging, usePanZoom, useWheel } from './usePanZoom.ts';
import type { Box, Point, Size, Viewport } from './viewport.ts';

export interface PanZoomState {
  view: Viewport;
  size: Size;
  /** Brings this spot of the drawing into the frame. */
  show: (spot: Point) => void;
}

/** A frame around a drawing that can be moved and enlarged. */
export function PanZoom({
  label,
  content,
  focus = content,
  times,
  natural = Number.POSITIVE_INFINITY,
  height,
  children,
}: {
  label: string;
  content: Box;
  /** What is shown at first. */
  focus?: Box;
  /** How many times larger than whole it may be shown. */
  times: number;
  /** The scale at which it is as large as it should be at first. */
  natural?: number;
  height: string;
  children: (shown: PanZoomState) => ReactNode;
}) {
  const frame = useRef<HTMLElement>(null);
  const help = useId();
  const { size, view, moves, show, canZoom } = usePanZoom(frame, content, focus, times, natural);
  useWheel(frame, moves, canZoom);
  const dragging = useDragging(moves);
  return (
    <div className={classes.place}>
      <section
        ref={frame}
        className={classes.frame}
        style={{ height }}
        aria-label={label}
        aria-describedby={help}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what moves must be reachable by keyboard
        tabIndex={0}
        onKeyDown={keysOf(moves)}
        {...dragging}
      >
        <VisuallyHidden id={help}>
          Plus and minus enlarge and reduce, the arrow keys move, 0 shows everything again.
        </VisuallyHidden>
        {view && children({ view, size, show })}
      </section>
      <ZoomButtons moves={moves} canZoom={canZoom} />
    </div>
  );
}

function ZoomButtons({ moves, canZoom }: { moves: Moves; canZoom: { in: boolean; out: boolean } }) {
  const buttons = [
    { label: 'Zoom in', icon: IconPlus, act: () => moves.zoom(1.6), isIdle: !canZoom.in },
    { label: 'Zoom out', icon: IconMinus, act: () => moves.zoom(1 / 1.6), isIdle: !canZoom.out },
    { label: 'Show everything', icon: IconFocusCentered, act: moves.reset, isIdle: false },
  ];
  return (
    <div className={classes.buttons}>
      {buttons.map(({ label, icon: Icon, act, isIdle }) => (
        <Tooltip key={label} label={label} position="left">
          <ActionIcon variant="default" aria-label={label} onClick={act} data-disabled={isIdle || undefined}>
            <Icon size={18} aria-hidden />
          </ActionIcon>
        </Tooltip>
      ))}
    </div>
  );
}
