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
  aboutOf,
  choiceOf,
}: {
  connectors: Connector[];
  links: Link[];
  loads: LinkLoads;
  aboutOf: (connector: Connector) => string;
  /** While ends are being chosen. */
  choiceOf: ((connector: Connector) => NodeSelection) | undefined;
}) {
  const isNarrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
  // Only what is there and what is linked decides where it lies: a state that changes moves nothing.
  const shape = JSON.stringify([connectors.map(({ id }) => id), links.map(({ from, to }) => [from, to])]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: as above
  const spots = useMemo(
    () =>
      layoutNodes(
        connectors.map(({ id }) => id),
        links,
        isNarrow,
      ),
    [shape, isNarrow],
  );
  const content = useMemo(() => {
    const box = boundingBox([...spots.values()], 70);
    return { ...box, left: box.left - 65, right: box.right + 65 };
  }, [spots]);
  const nameOf = new Map(connectors.map(({ id, name }) => [id, name]));
  return (
    <PanZoom
      label="Topology"
      content={content}
      times={8}
      natural={1.1}
      height={`clamp(20rem, 100dvh - ${isNarrow ? 9 : 20}rem, 44rem)`}
    >
      {({ view, size, show }) => {
        const showOf = (id: string) => (event: FocusEvent) =>
          event.target.matches(':focus-visible') && show(spots.get(id)!);
        return (
          <>
            <svg width={size.width} height={size.height} className={classes.drawing} role="presentation">
              <g transform={`translate(${view.x} ${view.y}) scale(${view.scale})`}>
                {links.map((link) => (
                  <LinkEdge
                    key={link.id}
                    link={link}
                    names={`${nameOf.get(link.from)} – ${nameOf.get(link.to)}`}
                    from={spots.get(link.from)!}
                    to={spots.get(link.to)!}
                    load={loads.loadOf(link)}
                    onFocus={showOf(link.from)}
                  />
                ))}
              </g>
            </svg>
            <div
              className={classes.cards}
              style={{ transform: `translate(${view.x}px, ${view.y}px) scale(${view.scale})` }}
            >
              {connectors.map((connector) => (
                <ConnectorNode
                  key={connector.id}
                  connector={connector}
                  about={aboutOf(connector)}
                  at={spots.get(connector.id)!}
                  choice={choiceOf?.(connector)}
                  onFocus={showOf(connector.id)}
                />
              ))}
            </div>
          </>
        );
      }}
    </PanZoom>
  );
}
