import { ActionIcon, Tooltip, VisuallyHidden } from '@mantine/core';
import { IconFocusCentered, IconMinus, IconPlus } from '@tabler/icons-react';
import { type KeyboardEvent, type ReactNode, useId, useRef } from 'react';
import classes from './PanZoom.module.css';
import { type PanZoomCommands, usePanZoom } from './usePanZoom.ts';
import type { Box, Point, Size, Viewport } from './viewport.ts';

export interface PanZoomState {
  viewport: Viewport;
  size: Size;
  show: (point: Point) => void;
}

const panStep = 60;
const keyZoomFactor = 1.4;
const buttonZoomFactor = 1.6;

function onKey({ zoomBy, panBy, reset }: PanZoomCommands) {
  const keys: Record<string, () => void> = {
    '+': () => zoomBy(keyZoomFactor),
    '=': () => zoomBy(keyZoomFactor),
    '-': () => zoomBy(1 / keyZoomFactor),
    '0': reset,
    ArrowLeft: () => panBy(panStep, 0),
    ArrowRight: () => panBy(-panStep, 0),
    ArrowUp: () => panBy(0, panStep),
    ArrowDown: () => panBy(0, -panStep),
  };
  return (event: KeyboardEvent) => {
    const run = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
    if (!run) return;
    event.preventDefault();
    run();
  };
}

/** A frame in which a drawing is panned and zoomed by mouse, touch, keyboard and buttons. */
export function PanZoom({
  label,
  content,
  focus = content,
  maxZoom,
  naturalScale = Number.POSITIVE_INFINITY,
  height,
  children,
}: {
  label: string;
  content: Box;
  /** The part shown initially. */
  focus?: Box;
  /** The largest scale, as a multiple of the scale that fits the whole content. */
  maxZoom: number;
  /** The initial scale does not exceed this. */
  naturalScale?: number;
  height: string;
  children: (state: PanZoomState) => ReactNode;
}) {
  const frame = useRef<HTMLElement>(null);
  const help = useId();
  const { size, viewport, commands, canZoomIn, canZoomOut } = usePanZoom(frame, {
    content,
    focus,
    maxZoom,
    naturalScale,
  });
  return (
    <div className={classes.container}>
      <section
        ref={frame}
        className={classes.frame}
        style={{ height }}
        aria-label={label}
        aria-describedby={help}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the frame is panned by keyboard
        tabIndex={0}
        onKeyDown={onKey(commands)}
      >
        <VisuallyHidden id={help}>Plus and minus zoom, the arrow keys pan, 0 resets the view.</VisuallyHidden>
        {viewport && children({ viewport, size, show: commands.show })}
      </section>
      <ZoomButtons commands={commands} canZoomIn={canZoomIn} canZoomOut={canZoomOut} />
    </div>
  );
}

function ZoomButtons({
  commands: { zoomBy, reset },
  canZoomIn,
  canZoomOut,
}: {
  commands: PanZoomCommands;
  canZoomIn: boolean;
  canZoomOut: boolean;
}) {
  const buttons = [
    { label: 'Zoom in', icon: IconPlus, run: () => zoomBy(buttonZoomFactor), isDisabled: !canZoomIn },
    { label: 'Zoom out', icon: IconMinus, run: () => zoomBy(1 / buttonZoomFactor), isDisabled: !canZoomOut },
    { label: 'Reset view', icon: IconFocusCentered, run: reset, isDisabled: false },
  ];
  return (
    <div className={classes.buttons}>
      {buttons.map(({ label, icon: Icon, run, isDisabled }) => (
        <Tooltip key={label} label={label} position="left">
          <ActionIcon variant="default" aria-label={label} onClick={run} data-disabled={isDisabled || undefined}>
            <Icon size={18} aria-hidden />
          </ActionIcon>
        </Tooltip>
      ))}
    </div>
  );
}
