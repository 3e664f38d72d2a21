// Deployment states and monitoring statuses, and how they look. Text and shape carry the meaning too, not colour alone.
import type { CSSProperties } from 'react';

export type Tone = 'good' | 'busy' | 'bad' | 'poor' | 'quiet';

/** For style sheets that use `var(--tone)`. */
export const toneStyle = (tone: Tone): CSSProperties => ({ '--tone': `var(--tone-${tone})` }) as CSSProperties;

export const deploymentStates = ['registered', 'in-deployment', 'deployed', 'delivered', 'error'] as const;

export const stateDisplay: Record<string, { tone: Tone; meaning: string }> = {
  registered: { tone: 'quiet', meaning: 'Registered; nothing is configured yet' },
  'in-deployment': { tone: 'busy', meaning: 'The fabric is being configured' },
  deployed: { tone: 'poor', meaning: 'Configured; not verified yet' },
  delivered: { tone: 'good', meaning: 'Configured and verified' },
  error: { tone: 'bad', meaning: 'The deployment failed; see the Deployment tab' },
};

/** Indexed by the API's numeric status. */
export const statusDisplay: { tone: Tone; word: string }[] = [
  { tone: 'good', word: 'up' },
  { tone: 'poor', word: 'warning' },
  { tone: 'bad', word: 'down' },
  { tone: 'quiet', word: 'unknown' },
];

/** Orders statuses: down, warning, unknown, up. */
export const statusSeverity = (status: number): number => [0, 2, 3, 1][status] ?? 1;
