import { useState } from 'react';
import { formatUtcDay } from '../../components/format-time.ts';
import { type AvailabilityDay, dayUptime, totalUptime } from './availability-days.ts';
import classes from './Chart.module.css';
import { dayMs, type TimeRange } from './time-range.ts';

const width = 1000;
const height = 40;
/** Short downtimes stay visible. */
const minDownHeight = 10;
const minDownWidth = 2.5;

function DayBar({ day, index, step }: { day: AvailabilityDay; index: number; step: number }) {
  const gap = step > 6 ? 1.5 : 0;
  const x = index * step;
  const downHeight = day.down > 0 ? Math.max(minDownHeight, (day.down / (day.up + day.down)) * height) : 0;
  return (
    <>
      <rect x={x} y={0} width={step - gap} height={height - downHeight} style={{ fill: 'var(--tone-good)' }} />
      {downHeight > 0 && (
        <rect
          x={x}
          y={height - downHeight}
          width={Math.max(step - gap, minDownWidth)}
          height={downHeight}
          style={{ fill: 'var(--tone-bad)' }}
        />
      )}
    </>
  );
}

/** One bar per day: the red part from below is downtime. Days without samples stay grey. */
export function AvailabilityStrip({ days, timeRange }: { days: AvailabilityDay[]; timeRange: TimeRange }) {
  const [pointed, setPointed] = useState<number>();
  const count = Math.max(1, Math.round((timeRange.toMs - timeRange.fromMs) / dayMs));
  const indexOf = (ms: number) => Math.round((ms - timeRange.fromMs) / dayMs);
  const day = days.find(({ ms }) => indexOf(ms) === pointed);
  const label = `Availability by day from ${formatUtcDay(timeRange.fromMs)} to ${formatUtcDay(timeRange.toMs - 1)}: ${totalUptime(days)} up`;
  return (
    <div>
      <svg
        role="img"
        aria-label={label}
        className={classes.strip}
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        onPointerMove={({ clientX, currentTarget }) => {
          const { left, width: wide } = currentTarget.getBoundingClientRect();
          setPointed(Math.floor(((clientX - left) / wide) * count));
        }}
        onPointerLeave={() => setPointed(undefined)}
      >
        <rect x={0} y={0} width={width} height={height} style={{ fill: 'var(--line)' }} />
        {days.map((bar) => (
          <DayBar key={bar.ms} day={bar} index={indexOf(bar.ms)} step={width / count} />
        ))}
      </svg>
      <div className={classes.readout}>
        {day
          ? `${formatUtcDay(day.ms)} · ${dayUptime(day)} up · ${day.up} samples up, ${day.down} down`
          : pointed === undefined
            ? 'Green: up. Red: down. Grey: no samples.'
            : 'No samples on this day.'}
      </div>
    </div>
  );
}
