import classes from './Chart.module.css';
import type { ChartLine, ChartModel } from './chart-model.ts';

function Swatch({ colour, dash }: ChartLine) {
  return (
    <svg className={classes.swatch} viewBox="0 0 22 3" aria-hidden="true">
      <line
        x1="0"
        y1="1.5"
        x2="22"
        y2="1.5"
        style={{ stroke: colour, strokeWidth: 3, strokeDasharray: dash?.join(' ') }}
      />
    </svg>
  );
}

/** An older last point is not called current. */
const freshMs = 15 * 60_000;

/** The statistics of each line; also the legend of the chart. */
export function StatisticsTable({ model, title }: { model: ChartModel; title: string }) {
  const { lines, unit, timeRange } = model;
  const lastMs = Math.max(...lines.map(({ series }) => (series.times.at(-1) ?? 0) + timeRange.intervalMs));
  const isNow = lastMs > Date.now() - freshMs;
  return (
    <table className={classes.statistics} aria-label={`${title}: statistics`}>
      <thead>
        <tr>
          <td />
          <th scope="col">{isNow ? 'Current' : 'Last'}</th>
          <th scope="col">Average</th>
          <th scope="col">Maximum</th>
          <th scope="col">95th percentile</th>
        </tr>
      </thead>
      <tbody>
        {lines.map((line) => {
          const statistics = line.series.statistics;
          return (
            <tr key={`${line.series.irn} ${line.series.metric}`}>
              <th scope="row">
                <Swatch {...line} />
                {line.label}
              </th>
              {[statistics?.last, statistics?.average, statistics?.maximum, statistics?.percentile95].map(
                (value, column) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: four fixed columns
                  <td key={column}>{value === undefined ? '–' : unit.format(value)}</td>
                ),
              )}
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
