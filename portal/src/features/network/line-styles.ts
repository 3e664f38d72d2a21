// How the line of a link shows its state or load: colour, width and dashes.
import { deploymentStates, stateDisplay, type Tone } from '../../components/status.ts';
import type { LinkLoad } from './link-loads.ts';

export interface LineStyle {
  label: string;
  tone: Tone;
  width: number;
  dash?: string;
}

const stateLines: Record<string, { dash?: string; width: number }> = {
  registered: { dash: '5 6', width: 2 },
  'in-deployment': { dash: '1 6', width: 4 },
  deployed: { dash: '12 5', width: 2.5 },
  delivered: { width: 2.5 },
  error: { dash: '14 5 2 5', width: 3.5 },
};

export const stateLineStyle = (state: string): LineStyle => ({
  label: state,
  tone: stateDisplay[state]?.tone ?? 'quiet',
  ...(stateLines[state] ?? { width: 2 }),
});

export const stateLineStyles: LineStyle[] = deploymentStates.map(stateLineStyle);

const low: LineStyle = { label: 'under 50 %', tone: 'good', width: 2 };
const middle: LineStyle = { label: '50 to 80 %', tone: 'poor', width: 4 };
const high: LineStyle = { label: 'over 80 %', tone: 'bad', width: 6 };
const unknown: LineStyle = { label: 'unknown', tone: 'quiet', width: 2, dash: '2 6' };

export const loadLineStyles: LineStyle[] = [low, middle, high, unknown];

export function loadLineStyle(load: LinkLoad | undefined): LineStyle {
  if (!load || load.capacity <= 0) return unknown;
  const share = load.bps / load.capacity;
  return share < 0.5 ? low : share < 0.8 ? middle : high;
}
