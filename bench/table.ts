// Prints results as a Markdown table for docs/benchmarks.md.
import type { Result } from './rounds.ts';

export interface Row {
  work: string;
  cells: (string | number)[];
  /** Undefined for values without a goal. */
  goal?: { text: string; isReached: boolean };
}

export const rounded = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(value >= 10 ? 3 : 2);

export function printTable(title: string, columns: string[], rows: Row[]): boolean {
  console.log(`\n${title}\n`);
  console.log(`| ${['Work', ...columns, 'Goal'].join(' | ')} |`);
  console.log(`|${'---|'.repeat(columns.length + 2)}`);
  for (const { work, cells, goal } of rows) {
    const shown = cells.map((cell) => (typeof cell === 'number' ? rounded(cell) : cell));
    const outcome = goal ? `${goal.text}: ${goal.isReached ? 'reached' : '**missed**'}` : 'none';
    console.log(`| ${[work, ...shown, outcome].join(' | ')} |`);
  }
  return rows.every(({ goal }) => goal?.isReached ?? true);
}

export const requestColumns = ['requests/s', 'p50 ms', 'p99 ms', 'CPU µs (service + database)', 'memory MB', 'ratio'];

export const requestCells = (result: Result, ratio?: number): (string | number)[] => [
  result.perSecond,
  result.p50,
  result.p99,
  `${rounded(result.cpu)} + ${rounded(result.helpersCpu)}`,
  result.megabytes,
  ratio === undefined ? '' : ratio.toFixed(3),
];

export const atLeast = (minimum: number, ratio: number, baseline: string) => ({
  text: `≥ ${minimum} of ${baseline}`,
  isReached: ratio >= minimum,
});
