// The geometry of a viewport: screen = drawing × scale + (x, y), in pixels.
export interface Viewport {
  scale: number;
  x: number;
  y: number;
}

export interface Box {
  left: number;
  top: number;
  right: number;
  bottom: number;
}

export interface Size {
  width: number;
  height: number;
}

export interface Point {
  x: number;
  y: number;
}

export const boundingBox = (points: Point[], margin: number): Box => ({
  left: Math.min(...points.map(({ x }) => x)) - margin,
  top: Math.min(...points.map(({ y }) => y)) - margin,
  right: Math.max(...points.map(({ x }) => x)) + margin,
  bottom: Math.max(...points.map(({ y }) => y)) + margin,
});

export const scaleToFit = ({ left, top, right, bottom }: Box, { width, height }: Size): number =>
  Math.min(width / (right - left), height / (bottom - top));

/** The box centred in the viewport, as large as possible up to `maxScale`. */
export function fit(box: Box, size: Size, maxScale: number): Viewport {
  const scale = Math.min(scaleToFit(box, size), maxScale);
  return {
    scale,
    x: size.width / 2 - (scale * (box.left + box.right)) / 2,
    y: size.height / 2 - (scale * (box.top + box.bottom)) / 2,
  };
}

export const toScreen = ({ scale, x, y }: Viewport, point: Point): Point => ({
  x: point.x * scale + x,
  y: point.y * scale + y,
});
