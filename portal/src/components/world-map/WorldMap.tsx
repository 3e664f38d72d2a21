// A world map with markers and arcs. Its data ships with the portal: no map service learns where a network is.
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
  markers,
  arcs = noArcs,
  height = 'clamp(17rem, min(100dvh - 23rem, 80vw), 44rem)',
}: {
  label: string;
  markers: Marker[];
  arcs?: Arc[];
  height?: string;
}) {
  // Only marker positions affect the initial viewport, so that a status change does not move the map.
  const positions = markers.map(({ longitude, latitude }) => `${longitude},${latitude}`).join(' ');
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  const focus = useMemo(
    () => (markers.length > 0 ? boundingBox(markers.map(projectMarker), 42) : earthBounds),
    [positions],
  );
  return (
    <PanZoom label={label} content={earthBounds} focus={focus} maxZoom={16} height={height}>
      {(state) => <MapContent markers={markers} arcs={arcs} state={state} />}
    </PanZoom>
  );
}

const projectMarker = ({ longitude, latitude }: Marker): Point => project([longitude, latitude]);

/** What the mouse focuses is visible already. */
const isKeyboardFocus = (target: Element): boolean => target.matches(':focus-visible');

function MapContent({ markers, arcs, state }: { markers: Marker[]; arcs: Arc[]; state: PanZoomState }) {
  const { viewport, size, show } = state;
  const [tooltip, setTooltip] = useState<{ text: string; at: Point }>();
  const { scale } = viewport;
  const offsets = useMemo(() => {
    const scaled = markers.map((marker) => {
      const { x, y } = projectMarker(marker);
      return { x: x * scale, y: y * scale, size: markerSize(marker) };
    });
    return separateMarkers(scaled).map(({ x, y }, index) => ({ x: x - scaled[index]!.x, y: y - scaled[index]!.y }));
  }, [markers, scale]);
  const anchors = markers.map((marker) => toScreen(viewport, projectMarker(marker)));
  const positions = anchors.map(({ x, y }, index) => ({ x: x + offsets[index]!.x, y: y + offsets[index]!.y }));
  const showTooltip = ({ label }: { label: string }, at: Point) => setTooltip({ text: label, at });
  const hideTooltip = () => setTooltip(undefined);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Escape only hides the tooltip
    <div onKeyDown={(event) => event.key === 'Escape' && hideTooltip()}>
      <Markers
        markers={markers}
        positions={positions}
        onEnter={showTooltip}
        onLeave={hideTooltip}
        onFocus={(marker, { target }) => isKeyboardFocus(target) && show(projectMarker(marker))}
      />
      <svg width={size.width} height={size.height} className={classes.drawing} role="presentation">
        <Globe transform={`translate(${viewport.x} ${viewport.y}) scale(${scale})`} />
        <Arcs
          arcs={arcs}
          viewport={viewport}
          onEnter={showTooltip}
          onLeave={hideTooltip}
          onFocus={(arc, { target }) => isKeyboardFocus(target) && show(arcMidpoint(arc))}
        />
        <g className={classes.leader}>
          {markers.map(({ id }, index) => (
            <g key={id}>
              <line x1={anchors[index]!.x} y1={anchors[index]!.y} x2={positions[index]!.x} y2={positions[index]!.y} />
              <circle cx={anchors[index]!.x} cy={anchors[index]!.y} r={2} />
            </g>
          ))}
        </g>
      </svg>
      {tooltip && <MapTooltip text={tooltip.text} at={tooltip.at} width={size.width} />}
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

/** Hidden from assistive technology: the marker or arc has the same label. */
function MapTooltip({ text, at, width }: { text: string; at: Point; width: number }) {
  const x = Math.min(Math.max(at.x, 110), width - 110);
  const isBelow = at.y < 80;
  return (
    <div
      className={classes.tooltip}
      aria-hidden
      style={{ left: x, top: at.y + (isBelow ? 22 : -22), transform: `translate(-50%, ${isBelow ? '0' : '-100%'})` }}
    >
      {text}
    </div>
  );
}
