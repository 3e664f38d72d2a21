// The world with marks and the ways between them. Shipped with the portal: no map service is asked, and none learns where somebody's network is.
import { useMemo, useState } from 'react';
import { Movable, type Shown } from '../pan-zoom/PanZoom.tsx';
import { boxAround, onScreen, type Spot } from '../pan-zoom/viewport.ts';
import { type Arc, Arcs, middleOf } from './Arcs.tsx';
import { Marks, type Point, sizeOf } from './Markers.tsx';
import { borders, earth, graticule, land, sphere, spotOf } from './projection.ts';
import { spread } from './separate-markers.ts';
import classes from './WorldMap.module.css';

export type { Arc } from './Arcs.tsx';
export { Mark, type Point } from './Markers.tsx';

const none: Arc[] = [];

export function World({
  label,
  points,
  arcs = none,
  height = 'clamp(17rem, min(100dvh - 23rem, 80vw), 44rem)',
}: {
  label: string;
  points: Point[];
  arcs?: Arc[];
  height?: string;
}) {
  // Only where the marks are decides what is shown at first: a status that changes moves nothing.
  const places = points.map(({ longitude, latitude }) => `${longitude},${latitude}`).join(' ');
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  const focus = useMemo(() => (points.length > 0 ? boxAround(points.map(homeOf), 42) : earth), [places]);
  return (
    <Movable label={label} content={earth} focus={focus} times={16} height={height}>
      {(shown) => <Drawing points={points} arcs={arcs} shown={shown} />}
    </Movable>
  );
}

const homeOf = ({ longitude, latitude }: Point): Spot => spotOf([longitude, latitude]);

/** Who points at something sees it already. */
const isByKeyboard = (target: Element): boolean => target.matches(':focus-visible');

function Drawing({ points, arcs, shown }: { points: Point[]; arcs: Arc[]; shown: Shown }) {
  const { view, size, show } = shown;
  const [told, setTold] = useState<{ text: string; at: Spot }>();
  const { scale } = view;
  const offsets = useMemo(() => {
    const homes = points.map((point) => {
      const { x, y } = homeOf(point);
      return { x: x * scale, y: y * scale, size: sizeOf(point) };
    });
    return spread(homes).map(({ x, y }, index) => ({ x: x - homes[index]!.x, y: y - homes[index]!.y }));
  }, [points, scale]);
  const homes = points.map((point) => onScreen(view, homeOf(point)));
  const spots = homes.map(({ x, y }, index) => ({ x: x + offsets[index]!.x, y: y + offsets[index]!.y }));
  const tell = ({ label }: { label: string }, at: Spot) => setTold({ text: label, at });
  const leave = () => setTold(undefined);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only hides again what was told
    <div onKeyDown={(event) => event.key === 'Escape' && leave()}>
      <Marks
        points={points}
        spots={spots}
        onPoint={tell}
        onLeave={leave}
        onFocus={(point, { target }) => isByKeyboard(target) && show(homeOf(point))}
      />
      <svg width={size.width} height={size.height} className={classes.drawing} role="presentation">
        <Globe transform={`translate(${view.x} ${view.y}) scale(${scale})`} />
        <Arcs
          arcs={arcs}
          view={view}
          onPoint={tell}
          onLeave={leave}
          onFocus={(arc, { target }) => isByKeyboard(target) && show(middleOf(arc))}
        />
        <g className={classes.leader}>
          {points.map(({ id }, index) => (
            <g key={id}>
              <line x1={homes[index]!.x} y1={homes[index]!.y} x2={spots[index]!.x} y2={spots[index]!.y} />
              <circle cx={homes[index]!.x} cy={homes[index]!.y} r={2} />
            </g>
          ))}
        </g>
      </svg>
      {told && <Told text={told.text} at={told.at} width={size.width} />}
    </div>
  );
}

function Globe({ transform }: { transform: string }) {
  return (
    <g transform={transform} aria-hidden>
      <path d={sphere} className={classes.sea} />
      <path d={graticule} className={classes.graticule} />
      <path d={land} className={classes.land} />
      <path d={borders} className={classes.borders} />
    </g>
  );
}

/** For the eyes only: what is pointed at has this name already. */
function Told({ text, at, width }: { text: string; at: Spot; width: number }) {
  const x = Math.min(Math.max(at.x, 110), width - 110);
  const isHigh = at.y < 80;
  return (
    <div
      className={classes.told}
      aria-hidden
      style={{ left: x, top: at.y + (isHigh ? 22 : -22), transform: `translate(-50%, ${isHigh ? '0' : '-100%'})` }}
    >
      {text}
    </div>
  );
}
