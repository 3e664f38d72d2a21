// Pan and zoom of a drawing with d3-zoom: wheel, drag, pinch, and commands for keys and buttons.
import { type Selection, select } from 'd3-selection';
import { type D3ZoomEvent, type ZoomBehavior, zoom, zoomIdentity, zoomTransform } from 'd3-zoom';
import { type RefObject, useEffect, useEffectEvent, useMemo, useState } from 'react';
import { type Box, fit, type Point, type Size, scaleToFit, toScreen, type Viewport } from './viewport.ts';

export interface PanZoomCommands {
  zoomBy: (factor: number) => void;
  /** By pixels of the screen. */
  panBy: (dx: number, dy: number) => void;
  /** Back to the initial viewport. */
  reset: () => void;
  /** Centres a point of the drawing unless it is visible. */
  show: (point: Point) => void;
}

interface Options {
  content: Box;
  /** The part shown initially. */
  focus: Box;
  /** The largest scale, as a multiple of the scale that fits the whole content. */
  maxZoom: number;
  /** The initial scale does not exceed this. */
  naturalScale: number;
}

type Behaviour = ZoomBehavior<HTMLElement, unknown>;
type ZoomEvent = D3ZoomEvent<HTMLElement, unknown>;

const clickDistance = 4;
const visibleMargin = 20;

/** The size of an element, while it is mounted. */
function useSize(frame: RefObject<HTMLElement | null>): Size {
  const [size, setSize] = useState<Size>({ width: 0, height: 0 });
  useEffect(() => {
    const element = frame.current!;
    const observer = new ResizeObserver(() => setSize({ width: element.clientWidth, height: element.clientHeight }));
    observer.observe(element);
    return () => observer.disconnect();
  }, [frame]);
  return size;
}

/** A vertical swipe scrolls the page: hides it from d3-zoom, which would prevent that. */
function releaseVerticalSwipes(element: HTMLElement): () => void {
  let start: Touch | undefined;
  let isVertical: boolean | undefined;
  const onStart = ({ touches }: TouchEvent) => {
    start = touches.length === 1 ? touches[0] : undefined;
    isVertical = undefined;
  };
  const onMove = (event: TouchEvent) => {
    const touch = event.touches[0];
    if (!start || !touch) return;
    isVertical ??= Math.abs(touch.clientY - start.clientY) > Math.abs(touch.clientX - start.clientX);
    if (isVertical) event.stopPropagation();
  };
  const isCapturing = { capture: true, passive: true };
  element.addEventListener('touchstart', onStart, isCapturing);
  element.addEventListener('touchmove', onMove, isCapturing);
  return () => {
    element.removeEventListener('touchstart', onStart, isCapturing);
    element.removeEventListener('touchmove', onMove, isCapturing);
  };
}

function commandsOf(
  behaviour: Behaviour,
  selection: () => Selection<HTMLElement, unknown, null, undefined>,
  setMoved: (isMoved: boolean) => void,
  size: Size,
): PanZoomCommands {
  const current = (): Viewport => {
    const { k, x, y } = zoomTransform(selection().node()!);
    return { scale: k, x, y };
  };
  const panBy = (dx: number, dy: number) => {
    setMoved(true);
    const { scale } = current();
    behaviour.translateBy(selection(), dx / scale, dy / scale);
  };
  return {
    panBy,
    zoomBy: (factor) => {
      setMoved(true);
      behaviour.scaleBy(selection(), factor);
    },
    reset: () => setMoved(false),
    show: (point) => {
      const { x, y } = toScreen(current(), point);
      const isWithin = (value: number, length: number) => value > visibleMargin && value < length - visibleMargin;
      if (!isWithin(x, size.width) || !isWithin(y, size.height)) panBy(size.width / 2 - x, size.height / 2 - y);
    },
  };
}

/** Binds d3-zoom to the frame and reports each transform. */
function useZoomBehaviour(
  frame: RefObject<HTMLElement | null>,
  onZoom: (viewport: Viewport, isByUser: boolean) => void,
): Behaviour {
  const [behaviour] = useState<Behaviour>(() => zoom<HTMLElement, unknown>().clickDistance(clickDistance));
  const report = useEffectEvent(onZoom);
  useEffect(() => {
    const element = frame.current!;
    const selection = select(element);
    behaviour.on('zoom', ({ sourceEvent, transform: { k, x, y } }: ZoomEvent) =>
      report({ scale: k, x, y }, Boolean(sourceEvent)),
    );
    behaviour.on('start', ({ sourceEvent }: ZoomEvent) => {
      // d3-zoom stops the event; menus that close on a click outside wait for it on the document.
      if (sourceEvent && sourceEvent.type !== 'wheel')
        document.body.dispatchEvent(new MouseEvent('mousedown', { bubbles: true }));
    });
    selection.call(behaviour).on('dblclick.zoom', null);
    const stopReleasing = releaseVerticalSwipes(element);
    return () => {
      selection.on('.zoom', null);
      stopReleasing();
    };
  }, [frame, behaviour]);
  return behaviour;
}

export function usePanZoom(frame: RefObject<HTMLElement | null>, options: Options) {
  const { content, focus, maxZoom, naturalScale } = options;
  const size = useSize(frame);
  const [viewport, setViewport] = useState<Viewport>();
  // Until the user moves the drawing, the initial viewport follows the size and the content.
  const [isMoved, setMoved] = useState(false);
  const behaviour = useZoomBehaviour(frame, (changed, isByUser) => {
    if (isByUser) setMoved(true);
    setViewport(changed);
  });
  const minScale = size.width > 0 ? Math.min(scaleToFit(content, size), naturalScale) : 1;
  const maxScale = minScale * maxZoom;
  useEffect(() => {
    const { width, height } = size;
    if (width === 0) return;
    const selection = select(frame.current!);
    const { left, top, right, bottom } = content;
    behaviour
      .extent([
        [0, 0],
        [width, height],
      ])
      .translateExtent([
        [left, top],
        [right, bottom],
      ])
      .scaleExtent([minScale, maxScale]);
    if (!isMoved) {
      const { scale, x, y } = fit(focus, size, Math.min(maxScale, naturalScale));
      behaviour.transform(selection, zoomIdentity.translate(x, y).scale(scale));
    }
    // Scaling by 1 applies the extents.
    behaviour.scaleBy(selection, 1);
  }, [frame, behaviour, size, content, focus, minScale, maxScale, naturalScale, isMoved]);
  const commands = useMemo(
    () => commandsOf(behaviour, () => select(frame.current!), setMoved, size),
    [behaviour, frame, size],
  );
  return {
    size,
    viewport,
    commands,
    canZoomIn: viewport !== undefined && viewport.scale < maxScale * 0.999,
    canZoomOut: viewport !== undefined && viewport.scale > minScale * 1.001,
  };
}
