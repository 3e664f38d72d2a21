import { useState } from 'react';
import { formatUtcDay } from '../../components/format-time.ts';
import { type AvailabilityDay, dayUptime, totalUptime } from './availability-days.ts';
import classes from './Chart.module.css';
import { dayMs, type TimeRange } from './time-range.ts';

const width = 1000;
const height = 40;
/** However short it was, it is seen. */
const leastDown = 10;
const leastWidth = 2.5;

function DayBar({ day, place, step }: { day: AvailabilityDay; place: number; step: number }) {
  const gap = step > 6 ? 1.5 : 0;
  const x = place * step;
  const downHeight = day.down > 0 ? Math.max(leastDown, (day.down / (day.up + day.down)) * height) : 0;
  return (
    <>
      <rect x={x} y={0} width={step - gap} height={height - downHeight} style={{ fill: 'var(--tone-good)' }} />
      {downHeight > 0 && (
        <rect
          x={x}
          y={height - downHeight}
          width={Math.max(step - gap, leastWidth)}
          height={downHeight}
          style={{ fill: 'var(--tone-bad)' }}
        />
      )}
    </>
  );
}

/** A bar for each day: what stands from below is the time that it was down. Days without measurements are left out. */
export function AvailabilityStrip({ days, span }: { days: AvailabilityDay[]; span: TimeRange }) {
  const [pointed, setPointed] = useState<number>();
  const count = Math.max(1, Math.round((span.toMs - span.fromMs) / dayMs));
  const placeOf = (ms: number) => Math.round((ms - span.fromMs) / dayMs);
  const day = days.find(({ ms }) => placeOf(ms) === pointed);
  const label = `Availability by day from ${formatUtcDay(span.fromMs)} to ${formatUtcDay(span.toMs - 1)}: ${totalUptime(days)} up`;
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
        {days.map((one) => (
          <DayBar key={one.ms} day={one} place={placeOf(one.ms)} step={width / count} />
        ))}
      </svg>
      <div className={classes.readout}>
        {day
          ? `${formatUtcDay(day.ms)} · ${dayUptime(day)} up · measured up ${day.up} times, down ${day.down} times`
          : pointed === undefined
            ? 'Green: up. Red, from below: down. Grey: not measured.'
            : 'Not measured on this day.'}
      </div>
    </div>
  );
}
