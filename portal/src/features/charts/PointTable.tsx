import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef } from 'react';
import { formatPointTime } from '../../components/format-time.ts';
import classes from './Chart.module.css';
import { type ChartModel, measuredIndices } from './chart-model.ts';

const rowHeight = 32;

/** The points of a chart as a virtualised table. */
export function PointTable({ model, title }: { model: ChartModel; title: string }) {
  const measured = useMemo(() => measuredIndices(model), [model]);
  const region = useRef<HTMLElement>(null);
  const rows = useVirtualizer({
    count: measured.length,
    getScrollElement: () => region.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  });
  const visibleRows = rows.getVirtualItems();
  const before = visibleRows[0]?.start ?? 0;
  const after = rows.getTotalSize() - (visibleRows.at(-1)?.end ?? 0);
  const { lines, unit, times } = model;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable region needs keyboard focus
    <section ref={region} className={classes.pointsRegion} aria-label={`${title}: points`} tabIndex={0}>
      <table className={classes.points} aria-label={`${title}: points`} aria-rowcount={measured.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col">Time</th>
            {lines.map(({ label, series }) => (
              <th scope="col" key={`${series.irn} ${series.metric}`}>
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {before > 0 && <tr aria-hidden style={{ height: before }} />}
          {visibleRows.map(({ index }) => {
            const bucket = measured[index]!;
            return (
              <tr key={bucket} aria-rowindex={index + 2}>
                <td>{formatPointTime(times[bucket]! * 1000)}</td>
                {lines.map(({ values, series }) => {
                  const value = values[bucket];
                  return <td key={`${series.irn} ${series.metric}`}>{value == null ? '–' : unit.format(value)}</td>;
                })}
              </tr>
            );
          })}
          {after > 0 && <tr aria-hidden style={{ height: after }} />}
        </tbody>
      </table>
    </section>
  );
}
