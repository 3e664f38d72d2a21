// What a run has found, as a table that can be pasted into docs/benchmarks.md.
import type { Result } from './rounds.ts';

export interface Row {
  work: string;
  cells: (string | number)[];
  /** What is to be reached, and whether it was; undefined where a figure is only shown. */
  goal?: { text: string; isReached: boolean };
}

export const rounded = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(value >= 10 ? 3 : 2);

export function printTable(title: string, columns: string[], rows: Row[]): boolean {
  console.log(`\n${title}\n`);
  console.log(`| ${['Work', ...columns, 'To reach'].join(' | ')} |`);
  console.log(`|${'---|'.repeat(columns.length + 2)}`);
  for (const { work, cells, goal } of rows) {
    const shown = cells.map((cell) => (typeof cell === 'number' ? rounded(cell) : cell));
    const verdict = goal ? `${goal.text}: ${goal.isReached ? 'reached' : '**falls short**'}` : 'shown';
    console.log(`| ${[work, ...shown, verdict].join(' | ')} |`);
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

export const atLeast = (least: number, ratio: number, of = 'the limit') => ({
  text: `≥ ${least} of ${of}`,
  isReached: ratio >= least,
});
