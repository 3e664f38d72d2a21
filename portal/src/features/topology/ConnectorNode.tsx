import { Text } from '@mantine/core';
import type { FocusEvent } from 'react';
import type { Point } from '../../components/pan-zoom/viewport.ts';
import { RouterLink } from '../../components/router-links.tsx';
import { StateBadge, StatusBadge } from '../../components/StatusBadges.tsx';
import type { Connector } from '../network/network-queries.ts';
import { cardSize } from './force-layout.ts';
import classes from './Topology.module.css';

export interface NodeSelection {
  isSelected: boolean;
  /** Undefined if the connector can be selected. */
  disabledReason: string | undefined;
  select: () => void;
}

/** A connector: a link to its page, or a button while the ends of a new link are selected. */
export function ConnectorNode({
  connector,
  description,
  at,
  selection,
  onFocus,
}: {
  connector: Connector;
  description: string;
  at: Point;
  selection: NodeSelection | undefined;
  onFocus: (event: FocusEvent) => void;
}) {
  const shared = {
    className: classes.card!,
    style: {
      left: at.x - cardSize.width / 2,
      top: at.y - cardSize.height / 2,
      width: cardSize.width,
      height: cardSize.height,
    },
    onFocus,
  };
  const content = <NodeContent connector={connector} description={description} note={selectionNote(selection)} />;
  if (!selection)
    return (
      <RouterLink
        to="/connectors/$connectorId"
        params={{ connectorId: connector.id }}
        underline="never"
        draggable={false}
        {...shared}
      >
        {content}
      </RouterLink>
    );
  const { isSelected, disabledReason, select } = selection;
  return (
    <button
      type="button"
      aria-pressed={isSelected}
      aria-disabled={disabledReason !== undefined}
      onClick={disabledReason === undefined ? select : undefined}
      {...shared}
    >
      {content}
    </button>
  );
}

const selectionNote = (selection: NodeSelection | undefined): string | undefined =>
  selection?.isSelected ? 'first end' : selection?.disabledReason;

function NodeContent({
  connector,
  description,
  note,
}: {
  connector: Connector;
  description: string;
  note: string | undefined;
}) {
  return (
    <>
      <Text component="span" size="sm" fw={600} className="clip" c="var(--ink)">
        {connector.name}
      </Text>
      <Text component="span" size="xs" className="clip" c="var(--quiet)" title={description}>
        {description}
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
