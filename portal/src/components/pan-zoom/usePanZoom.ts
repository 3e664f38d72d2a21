// The view of a frame as a person moves it: wheel, dragging, two fingers, keys.
import {
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from 'react';
import { type Box, fit, held, type Point, type Size, scaleToFit, toScreen, type Viewport, zoomed } from './viewport.ts';

export interface Moves {
  zoom: (factor: number, about?: Point) => void;
  pan: (dx: number, dy: number) => void;
  /** Back to where everything is seen. */
  reset: () => void;
}

/** How large an element is, as long as it is there. */
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

export function usePanZoom(
  frame: RefObject<HTMLElement | null>,
  content: Box,
  focus: Box,
  times: number,
  natural: number,
) {
  const size = useSize(frame);
  const [moved, setMoved] = useState<Viewport>();
  const least = size.width > 0 ? Math.min(scaleToFit(content, size), natural) : 1;
  const first = Math.min(least * times, natural);
  const most = least * times;
  const view = useMemo(
    () => (size.width > 0 ? held(moved ?? fit(focus, size, first), content, size) : undefined),
    [moved, focus, content, size, first],
  );
  const change = useCallback(
    (next: (before: Viewport) => Viewport) =>
      setMoved((before) => held(next(held(before ?? fit(focus, size, first), content, size)), content, size)),
    [focus, content, size, first],
  );
  const moves = useMemo<Moves>(
    () => ({
      zoom: (factor, about = { x: size.width / 2, y: size.height / 2 }) =>
        change((before) => zoomed(before, factor, about, least, most)),
      pan: (dx, dy) => change((before) => ({ ...before, x: before.x + dx, y: before.y + dy })),
      reset: () => setMoved(undefined),
    }),
    [change, size, least, most],
  );
  /** Whoever comes to something by keyboard sees it. */
  const show = (spot: Point): void => {
    if (!view) return;
    const { x, y } = toScreen(view, spot);
    const margin = 20;
    if (x > margin && y > margin && x < size.width - margin && y < size.height - margin) return;
    moves.pan(size.width / 2 - x, size.height / 2 - y);
  };
  const canZoom = { in: view !== undefined && view.scale < most * 0.999, out: (view?.scale ?? 0) > least * 1.001 };
  return { size, view, moves, show, canZoom };
}

/** React listens to wheels without being able to keep the page from scrolling. */
export function useWheel(
  frame: RefObject<HTMLElement | null>,
  { zoom }: Moves,
  canZoom: { in: boolean; out: boolean },
): void {
  useEffect(() => {
    const element = frame.current!;
    const turn = (event: WheelEvent) => {
      // At the end of the range the page goes on scrolling.
      if (event.deltaY === 0 || !(event.deltaY < 0 ? canZoom.in : canZoom.out)) return;
      event.preventDefault();
      const { left, top } = element.getBoundingClientRect();
      const pixels = event.deltaMode === WheelEvent.DOM_DELTA_LINE ? event.deltaY * 20 : event.deltaY;
      zoom(Math.exp(-pixels / 400), { x: event.clientX - left, y: event.clientY - top });
    };
    element.addEventListener('wheel', turn, { passive: false });
    return () => element.removeEventListener('wheel', turn);
  }, [frame, zoom, canZoom.in, canZoom.out]);
}

const step = 60;

export function keysOf({ zoom, pan, reset }: Moves) {
  const keys: Record<string, () => void> = {
    '+': () => zoom(1.4),
    '=': () => zoom(1.4),
    '-': () => zoom(1 / 1.4),
    '0': reset,
    ArrowLeft: () => pan(step, 0),
    ArrowRight: () => pan(-step, 0),
    ArrowUp: () => pan(0, step),
    ArrowDown: () => pan(0, -step),
  };
  return (event: KeyboardEvent) => {
    const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  };
}

const slack = 4;
const distance = (a: Point, b: Point): number => Math.hypot(a.x - b.x, a.y - b.y);

/** One pointer drags, two zoom. What was only pressed is not dragged: it is for what lies there. */
export function useDragging({ zoom, pan }: Moves) {
  const held = useRef(new Map<number, Point>());
  const isDragging = useRef(false);
  const spotOf = ({ currentTarget, clientX, clientY }: PointerEvent): Point => {
    const { left, top } = currentTarget.getBoundingClientRect();
    return { x: clientX - left, y: clientY - top };
  };
  const release = ({ pointerId }: PointerEvent) => {
    held.current.delete(pointerId);
    isDragging.current = false;
  };
  return {
    onPointerDown: (event: PointerEvent) => {
      if (event.button === 0) held.current.set(event.pointerId, spotOf(event));
    },
    onPointerMove: (event: PointerEvent) => {
      const before = held.current.get(event.pointerId);
      if (!before) return;
      if (event.buttons === 0) return release(event);
      const now = spotOf(event);
      if (!isDragging.current && distance(before, now) < slack) return;
      isDragging.current = true;
      event.currentTarget.setPointerCapture(event.pointerId);
      held.current.set(event.pointerId, now);
      const other = [...held.current].find(([id]) => id !== event.pointerId)?.[1];
      if (other) zoom(distance(now, other) / Math.max(1, distance(before, other)), other);
      else pan(now.x - before.x, now.y - before.y);
    },
    onPointerUp: release,
    onPointerCancel: release,
  };
}
