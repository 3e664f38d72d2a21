import { Tooltip } from '@mantine/core';
import { formatRelative } from './format-time.ts';
import classes from './StatusBadges.module.css';
import { stateDisplay, statusDisplay, type Tone } from './status.ts';

/** A label in a tone, with an explanation as tooltip. */
export function ToneBadge({ tone, text, tooltip }: { tone: Tone; text: string; tooltip: string }) {
  return (
    <Tooltip label={tooltip}>
      <span className={classes.badge} data-tone={tone}>
        {text}
      </span>
    </Tooltip>
  );
}

/** The deployment state of a connector or link. */
export function StateBadge({ state }: { state: string }) {
  const { tone = 'quiet', meaning = '' } = stateDisplay[state] ?? {};
  return <ToneBadge tone={tone} text={state} tooltip={meaning} />;
}

/** The monitoring status of a connector. */
export function StatusBadge({ status, since }: { status: number; since?: string | null }) {
  const { tone, word } = statusDisplay[status] ?? { tone: 'quiet', word: 'unknown' };
  const badge = (
    <span className={classes.dot} data-tone={tone}>
      {word}
    </span>
  );
  return since ? <Tooltip label={`Since ${formatRelative(since)}`}>{badge}</Tooltip> : badge;
}
