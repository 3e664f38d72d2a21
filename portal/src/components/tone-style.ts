import type { CSSProperties } from 'react';
import type { Tone } from './StatusBadges.tsx';

/** The tone of what is drawn, for its style sheet. */
export const toneStyle = (tone: Tone): CSSProperties => ({ '--tone': `var(--tone-${tone})` }) as CSSProperties;
