// The world with marks and the ways between them. Shipped with the portal: no map service is asked, and none learns where somebody's network is.
import { useMemo, useState } from 'react';
import { PanZoom, type PanZoomState } from '../pan-zoom/PanZoom.tsx';
import { boundingBox, type Point, toScreen } from '../pan-zoom/viewport.ts';
import { type Arc, Arcs, arcMidpoint } from './Arcs.tsx';
import { type Marker, Markers, markerSize } from './Markers.tsx';
import { borders, earthBounds, graticule, land, project, sphere } from './projection.ts';
import { separateMarkers } from './separate-markers.ts';
import classes from './WorldMap.module.css';

export type { Arc } from './Arcs.tsx';
export { type Marker, MarkerShape } from './Markers.tsx';

const noArcs: Arc[] = [];

export function WorldMap({
  label,
  points,
  arcs = noArcs,
  height = 'clamp(17rem, min(100dvh - 23rem, 80vw), 44rem)',
}: {
  label: string;
  points: Marker[];
  arcs?: Arc[];
  height?: string;
}) {
  // Only where the marks are decides what is shown at first: a status that changes moves nothing.
  const places = points.map(({ longitude, latitude }) => `${longitude},${latitude}`).join(' ');
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  const focus = useMemo(() => (points.length > 0 ? boundingBox(points.map(projectMarker), 42) : earthBounds), [places]);
  return (
    <PanZoom label={label} content={earthBounds} focus={focus} times={16} height={height}>
      {(shown) => <Drawing points={points} arcs={arcs} shown={shown} />}
    </PanZoom>
  );
}

const projectMarker = ({ longitude, latitude }: Marker): Point => project([longitude, latitude]);

/** Who points at something sees it already. */
const isKeyboardFocus = (target: Element): boolean => target.matches(':focus-visible');

function Drawing({ points, arcs, shown }: { points: Marker[]; arcs: Arc[]; shown: PanZoomState }) {
  const { view, size, show } = shown;
  const [told, setTold] = useState<{ text: string; at: Point }>();
  const { scale } = view;
  const offsets = useMemo(() => {
    const homes = points.map((point) => {
      const { x, y } = projectMarker(point);
      return { x: x * scale, y: y * scale, size: markerSize(point) };
    });
    return separateMarkers(homes).map(({ x, y }, index) => ({ x: x - homes[index]!.x, y: y - homes[index]!.y }));
  }, [points, scale]);
  const homes = points.map((point) => toScreen(view, projectMarker(point)));
  const spots = homes.map(({ x, y }, index) => ({ x: x + offsets[index]!.x, y: y + offsets[index]!.y }));
  const tell = ({ label }: { label: string }, at: Point) => setTold({ text: label, at });
  const leave = () => setTold(undefined);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only hides again what was told
    <div onKeyDown={(event) => event.key === 'Escape' && leave()}>
      <Markers
        points={points}
        spots={spots}
        onPoint={tell}
        onLeave={leave}
        onFocus={(point, { target }) => isKeyboardFocus(target) && show(projectMarker(point))}
      />
      <svg width={size.width} height={size.height} className={classes.drawing} role="presentation">
        <Globe transform={`translate(${view.x} ${view.y}) scale(${scale})`} />
        <Arcs
          arcs={arcs}
          view={view}
          onPoint={tell}
          onLeave={leave}
          onFocus={(arc, { target }) => isKeyboardFocus(target) && show(arcMidpoint(arc))}
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
      {told && <Tooltip text={told.text} at={told.at} width={size.width} />}
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
function Tooltip({ text, at, width }: { text: string; at: Point; width: number }) {
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
