import { Text } from '@mantine/core';
import type { FocusEvent } from 'react';
import type { Point } from '../../components/pan-zoom/viewport.ts';
import { RouterLink } from '../../components/router-links.tsx';
import { StateBadge, StatusBadge } from '../../components/StatusBadges.tsx';
import type { Connector } from '../network/network-queries.ts';
import { cardSize } from './force-layout.ts';
import classes from './Topology.module.css';

export interface NodeSelection {
  isChosen: boolean;
  /** Why it cannot be chosen. */
  hindrance: string | undefined;
  choose: () => void;
}

/** A connector: leads to its page, or is chosen while ends are being chosen. */
export function ConnectorNode({
  connector,
  about,
  at,
  choice,
  onFocus,
}: {
  connector: Connector;
  about: string;
  at: Point;
  choice: NodeSelection | undefined;
  onFocus: (event: FocusEvent) => void;
}) {
  const place = {
    className: classes.card!,
    style: {
      left: at.x - cardSize.width / 2,
      top: at.y - cardSize.height / 2,
      width: cardSize.width,
      height: cardSize.height,
    },
    onFocus,
  };
  const inside = <NodeContent connector={connector} about={about} note={selectionNote(choice)} />;
  if (!choice)
    return (
      <RouterLink
        to="/connectors/$connectorId"
        params={{ connectorId: connector.id }}
        underline="never"
        draggable={false}
        {...place}
      >
        {inside}
      </RouterLink>
    );
  const { isChosen, hindrance, choose } = choice;
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      aria-disabled={hindrance !== undefined}
      onClick={hindrance === undefined ? choose : undefined}
      {...place}
    >
      {inside}
    </button>
  );
}

const selectionNote = (choice: NodeSelection | undefined): string | undefined =>
  choice?.isChosen ? 'the first end' : choice?.hindrance;

function NodeContent({ connector, about, note }: { connector: Connector; about: string; note: string | undefined }) {
  return (
    <>
      <Text component="span" size="sm" fw={600} className="clip" c="var(--ink)">
        {connector.name}
      </Text>
      <Text component="span" size="xs" className="clip" c="var(--quiet)" title={about}>
        {about}
      </Text>
      {note ? (
        <Text component="span" size="xs" fw={600} className="clip" c="var(--ink)">
          {note}
        </Text>
      ) : (
        <span className={classes.states}>
          <StatusBadge status={connector.status} />
          <StateBadge state={connector.state} />
        </span>
      )}
    </>
  );
}
