import { useMediaQuery } from '@mantine/hooks';
import { type FocusEvent, useMemo } from 'react';
import { PanZoom } from '../../components/pan-zoom/PanZoom.tsx';
import { boundingBox } from '../../components/pan-zoom/viewport.ts';
import type { LinkLoads } from '../network/link-loads.ts';
import type { Connector, Link } from '../network/network-queries.ts';
import { ConnectorNode, type NodeSelection } from './ConnectorNode.tsx';
import { layoutNodes } from './force-layout.ts';
import { LinkEdge } from './LinkEdge.tsx';
import classes from './Topology.module.css';

export function TopologyGraph({
  connectors,
  links,
  loads,
  descriptionOf,
  selectionOf,
}: {
  connectors: Connector[];
  links: Link[];
  loads: LinkLoads;
  descriptionOf: (connector: Connector) => string;
  /** Set while the user selects the ends of a new link. */
  selectionOf: ((connector: Connector) => NodeSelection) | undefined;
}) {
  const isNarrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
  // Only connectors and links affect the layout, so that a state change does not move anything.
  const structure = JSON.stringify([connectors.map(({ id }) => id), links.map(({ from, to }) => [from, to])]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  const positions = useMemo(
    () =>
      layoutNodes(
        connectors.map(({ id }) => id),
        links,
        isNarrow,
      ),
    [structure, isNarrow],
  );
  const content = useMemo(() => {
    const box = boundingBox([...positions.values()], 70);
    return { ...box, left: box.left - 65, right: box.right + 65 };
  }, [positions]);
  const nameOf = new Map(connectors.map(({ id, name }) => [id, name]));
  return (
    <PanZoom
      label="Topology"
      content={content}
      maxZoom={8}
      naturalScale={1.1}
      height={`clamp(20rem, 100dvh - ${isNarrow ? 9 : 20}rem, 44rem)`}
    >
      {({ viewport: { x, y, scale }, size, show }) => {
        const showOnFocus = (id: string) => (event: FocusEvent) =>
          event.target.matches(':focus-visible') && show(positions.get(id)!);
        return (
          <>
            <svg width={size.width} height={size.height} className={classes.drawing} role="presentation">
              <g transform={`translate(${x} ${y}) scale(${scale})`}>
                {links.map((link) => (
                  <LinkEdge
                    key={link.id}
                    link={link}
                    names={`${nameOf.get(link.from)} – ${nameOf.get(link.to)}`}
                    from={positions.get(link.from)!}
                    to={positions.get(link.to)!}
                    load={loads.loadOf(link)}
                    onFocus={showOnFocus(link.from)}
                  />
                ))}
              </g>
            </svg>
            <div className={classes.cards} style={{ transform: `translate(${x}px, ${y}px) scale(${scale})` }}>
              {connectors.map((connector) => (
                <ConnectorNode
                  key={connector.id}
                  connector={connector}
                  description={descriptionOf(connector)}
                  at={positions.get(connector.id)!}
                  selection={selectionOf?.(connector)}
                  onFocus={showOnFocus(connector.id)}
                />
              ))}
            </div>
          </>
        );
      }}
    </PanZoom>
  );
}
