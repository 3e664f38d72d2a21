// Looking at a drawing through a frame: how large it is shown, and where. Screen = drawing × scale + (x, y), in pixels.
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

const between = (least: number, value: number, most: number): number => Math.min(Math.max(value, least), most);

export const boundingBox = (spots: Point[], margin: number): Box => ({
  left: Math.min(...spots.map(({ x }) => x)) - margin,
  top: Math.min(...spots.map(({ y }) => y)) - margin,
  right: Math.max(...spots.map(({ x }) => x)) + margin,
  bottom: Math.max(...spots.map(({ y }) => y)) + margin,
});

export const scaleToFit = ({ left, top, right, bottom }: Box, { width, height }: Size): number =>
  Math.min(width / (right - left), height / (bottom - top));

/** The box in the middle of the frame, as large as it may be. */
export function fit(box: Box, size: Size, most: number): Viewport {
  const scale = Math.min(scaleToFit(box, size), most);
  return {
    scale,
    x: size.width / 2 - (scale * (box.left + box.right)) / 2,
    y: size.height / 2 - (scale * (box.top + box.bottom)) / 2,
  };
}

/** The drawing cannot be lost: it fills the frame, or stands in its middle where it is smaller. */
export function held({ scale, x, y }: Viewport, content: Box, size: Size): Viewport {
  const along = (offset: number, from: number, to: number, length: number): number => {
    const [least, most] = [length - to * scale, -from * scale];
    return least > most ? (least + most) / 2 : between(least, offset, most);
  };
  return {
    scale,
    x: along(x, content.left, content.right, size.width),
    y: along(y, content.top, content.bottom, size.height),
  };
}

/** Larger or smaller, while what is under this spot of the frame stays there. */
export function zoomed(view: Viewport, factor: number, about: Point, least: number, most: number): Viewport {
  const scale = between(least, view.scale * factor, most);
  const change = scale / view.scale;
  return { scale, x: about.x - (about.x - view.x) * change, y: about.y - (about.y - view.y) * change };
}

export const toScreen = ({ scale, x, y }: Viewport, spot: Point): Point => ({
  x: spot.x * scale + x,
  y: spot.y * scale + y,
});
