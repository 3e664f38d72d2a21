// A state is told by a word and a colour, never by the colour alone.
import { Tooltip } from '@mantine/core';
import { formatRelative } from './format.ts';
import classes from './StatusBadges.module.css';

export type Tone = 'good' | 'busy' | 'bad' | 'poor' | 'quiet';

export const stateDisplay: Record<string, { tone: Tone; meaning: string }> = {
  registered: { tone: 'quiet', meaning: 'Recorded; nothing is configured yet' },
  'in-deployment': { tone: 'busy', meaning: 'The fabric is being configured' },
  deployed: { tone: 'poor', meaning: 'Configured; nothing has come through yet' },
  delivered: { tone: 'good', meaning: 'Configured, and seen to work' },
  error: { tone: 'bad', meaning: 'The deployment failed; its page says why' },
};

/** Down is worse than a warning, and both are worse than not to know. */
export const statusSeverity = (status: number): number => [0, 2, 3, 1][status] ?? 1;

export function StateBadge({ state }: { state: string }) {
  const { tone = 'quiet', meaning = '' } = stateDisplay[state] ?? {};
  return (
    <Tooltip label={meaning}>
      <span className={classes.badge} data-tone={tone}>
        {state}
      </span>
    </Tooltip>
  );
}

export const statusDisplay: { tone: Tone; word: string }[] = [
  { tone: 'good', word: 'up' },
  { tone: 'poor', word: 'warning' },
  { tone: 'bad', word: 'down' },
  { tone: 'quiet', word: 'unknown' },
];

/** What monitoring says, and since when. */
export function StatusBadge({ status, since }: { status: number; since?: string | null }) {
  const { tone, word } = statusDisplay[status] ?? { tone: 'quiet', word: 'unknown' };
  const badge = (
    <span className={classes.dot} data-tone={tone}>
      {word}
    </span>
  );
  return since ? <Tooltip label={`Since ${formatRelative(since)}`}>{badge}</Tooltip> : badge;
}
