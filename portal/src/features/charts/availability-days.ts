// Samples up and down by UTC day.
export interface AvailabilityDay {
  ms: number;
  up: number;
  down: number;
}

/** Rounds down to 99.99 % if any sample was down. */
function formatUptime(up: number, all: number): string {
  if (all === 0) return '–';
  const percent = (up / all) * 100;
  return up === all ? '100 %' : `${Math.min(percent, 99.99).toFixed(2)} %`;
}

export const dayUptime = ({ up, down }: AvailabilityDay): string => formatUptime(up, up + down);

export function totalUptime(days: AvailabilityDay[]): string {
  const up = days.reduce((sum, day) => sum + day.up, 0);
  const down = days.reduce((sum, day) => sum + day.down, 0);
  return formatUptime(up, up + down);
}
