// How the line of a link tells its state: by its colour and by its dashes.
import { stateDisplay } from '../../components/StatusBadges.tsx';
import type { LineStyle } from './link-loads.ts';

const dashes: Record<string, { dash?: string; width: number }> = {
  delivered: { width: 2.5 },
  deployed: { dash: '12 5', width: 2.5 },
  'in-deployment': { dash: '1 6', width: 4 },
  registered: { dash: '5 6', width: 2 },
  error: { dash: '14 5 2 5', width: 3.5 },
};

export const stateLineStyle = (state: string): LineStyle => ({
  word: state,
  tone: stateDisplay[state]?.tone ?? 'quiet',
  ...(dashes[state] ?? { width: 2 }),
});

export const stateLineStyles: LineStyle[] = Object.keys(dashes).map(stateLineStyle);
