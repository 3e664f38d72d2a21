import { Text } from '@mantine/core';
import type { FocusEvent } from 'react';
import type { Spot } from '../../components/pan-zoom/viewport.ts';
import { RecordLink } from '../../components/router-links.tsx';
import { State, Status } from '../../components/StatusBadges.tsx';
import type { Connector } from '../network/network-queries.ts';
import { card } from './force-layout.ts';
import classes from './Topology.module.css';

export interface NodeChoice {
  isChosen: boolean;
  /** Why it cannot be chosen. */
  hindrance: string | undefined;
  choose: () => void;
}

/** A connector: leads to its page, or is chosen while ends are being chosen. */
export function Node({
  connector,
  about,
  at,
  choice,
  onFocus,
}: {
  connector: Connector;
  about: string;
  at: Spot;
  choice: NodeChoice | undefined;
  onFocus: (event: FocusEvent) => void;
}) {
  const place = {
    className: classes.card!,
    style: { left: at.x - card.width / 2, top: at.y - card.height / 2, width: card.width, height: card.height },
    onFocus,
  };
  const inside = <Inside connector={connector} about={about} note={noteOf(choice)} />;
  if (!choice)
    return (
      <RecordLink
        to="/connectors/$connectorId"
        params={{ connectorId: connector.id }}
        underline="never"
        draggable={false}
        {...place}
      >
        {inside}
      </RecordLink>
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

const noteOf = (choice: NodeChoice | undefined): string | undefined =>
  choice?.isChosen ? 'the first end' : choice?.hindrance;

function Inside({ connector, about, note }: { connector: Connector; about: string; note: string | undefined }) {
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
          <Status status={connector.status} />
          <State state={connector.state} />
        </span>
      )}
    </>
  );
}
