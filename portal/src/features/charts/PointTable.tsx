import { useVirtualizer } from '@tanstack/react-virtual';
import { useMemo, useRef } from 'react';
import { formatPointTime } from '../../components/format-time.ts';
import classes from './Chart.module.css';
import { type ChartModel, measuredIndices } from './chart-model.ts';

const rowHeight = 32;

/** The same points to be read: however many there are, only those in view are on the page. */
export function PointTable({ picture, title }: { picture: ChartModel; title: string }) {
  const measured = useMemo(() => measuredIndices(picture), [picture]);
  const region = useRef<HTMLElement>(null);
  const rows = useVirtualizer({
    count: measured.length,
    getScrollElement: () => region.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  });
  const seen = rows.getVirtualItems();
  const before = seen[0]?.start ?? 0;
  const after = rows.getTotalSize() - (seen.at(-1)?.end ?? 0);
  const { lines, unit, times } = picture;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section ref={region} className={classes.pointsRegion} aria-label={`${title}: points`} tabIndex={0}>
      <table className={classes.points} aria-label={`${title}: points`} aria-rowcount={measured.length + 1}>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col">From</th>
            {lines.map(({ label, series }) => (
              <th scope="col" key={`${series.irn} ${series.metric}`}>
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {before > 0 && <tr aria-hidden style={{ height: before }} />}
          {seen.map(({ index }) => {
            const place = measured[index]!;
            return (
              <tr key={place} aria-rowindex={index + 2}>
                <td>{formatPointTime(times[place]! * 1000)}</td>
                {lines.map(({ values, series }) => {
                  const value = values[place];
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
