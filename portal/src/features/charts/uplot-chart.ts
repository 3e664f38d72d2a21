// The uPlot options of a chart model.
import uPlot from 'uplot';
import { type ChartLine, type ChartModel, isolatedIndices } from './chart-model.ts';

const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' });
const month = new Intl.DateTimeFormat(undefined, { month: 'short', year: 'numeric' });
const hour = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });
const dayS = 86_400;

/** Hours with the date at each new day; days; or months. */
function formatAxisTimes(_: uPlot, splits: number[], _axis: number, _space: number, step: number): string[] {
  const dates = splits.map((seconds) => new Date(seconds * 1000));
  if (step >= 28 * dayS) return dates.map((date) => month.format(date));
  if (step >= dayS) return dates.map((date) => day.format(date));
  const days = dates.map((date) => day.format(date));
  return dates.map((date, index) =>
    days[index] === days[index - 1] ? hour.format(date) : `${hour.format(date)}\n${days[index]}`,
  );
}

/** Resolves CSS variables, which a canvas does not know, for the current colour scheme. */
function colourResolver(container: HTMLElement): (colour: string) => string {
  const probe = document.createElement('span');
  // During a transition the computed colour would be the old one.
  probe.style.transition = 'none';
  container.append(probe);
  const resolved = new Map<string, string>();
  return (colour) => {
    if (!resolved.has(colour)) {
      probe.style.color = colour;
      resolved.set(colour, getComputedStyle(probe).color);
    }
    return resolved.get(colour)!;
  };
}

/** More bars would be thinner than a pixel; an area looks the same. */
const maxBars = 2000;

function plotSeries(
  { shape, colour, dash, label, values }: ChartLine,
  paint: (colour: string) => string,
): uPlot.Series {
  const isBars = shape === 'bars' && values.length <= maxBars;
  const stroke = paint(colour);
  const tinted = paint(`color-mix(in srgb, ${colour} ${isBars ? 65 : 14}%, transparent)`);
  const isolated = isolatedIndices(values);
  return {
    label,
    stroke,
    width: isBars ? 0 : 1.5,
    ...(dash ? { dash } : {}),
    ...(shape === 'line' ? {} : { fill: tinted, fillTo: 0 }),
    ...(isBars ? { paths: uPlot.paths.bars!({ size: [0.9, 40], align: 1 }) } : {}),
    points: { show: false, filter: () => (isBars ? null : isolated), size: 5, fill: stroke },
  };
}

const axisHeadroom = 1.12;

/** From zero, symmetric if a line is mirrored; a floating axis fits the data. */
function valueRange({ lines, unit, limit, isAxisFloating }: ChartModel) {
  const isMirrored = lines.some((line) => line.isMirrored);
  const reach = limit?.isInView ? limit.value : 0;
  return (_: uPlot, minAxisMax: number | null, most: number | null): uPlot.Range.MinMax => {
    if (isAxisFloating) return uPlot.rangeNum(minAxisMax ?? 0, most ?? unit.minAxisMax, 0.1, true);
    const top = Math.max(unit.minAxisMax, reach, Math.abs(minAxisMax ?? 0), most ?? 0) * axisHeadroom;
    return [isMirrored ? -top : 0, top];
  };
}

/** The limit as a dashed line, also below zero if a line is mirrored. */
function drawLimit({ limit, lines }: ChartModel, paint: (colour: string) => string) {
  return (plot: uPlot) => {
    if (!limit) return;
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.strokeStyle = paint('var(--series-limit)');
    ctx.lineWidth = 1.5 * uPlot.pxRatio;
    ctx.setLineDash([8 * uPlot.pxRatio, 5 * uPlot.pxRatio]);
    for (const value of lines.some((line) => line.isMirrored) ? [limit.value, -limit.value] : [limit.value]) {
      const y = plot.valToPos(value, 'y', true);
      ctx.beginPath();
      ctx.moveTo(bbox.left, y);
      ctx.lineTo(bbox.left + bbox.width, y);
      ctx.stroke();
    }
    ctx.restore();
  };
}

export interface Listeners {
  onPoint: (index: number | undefined) => void;
  onZoom: (fromMs: number, toMs: number) => void;
}

/** A shorter drag is a click. */
const minDragPixels = 6;

function onSelect(onZoom: Listeners['onZoom']) {
  return (plot: uPlot) => {
    const { left, width } = plot.select;
    if (width < minDragPixels) return;
    const timeAt = (x: number) => Math.round(plot.posToVal(x, 'x') / 60) * 60_000;
    onZoom(timeAt(left), timeAt(left + width));
    plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false);
  };
}

const negated = (values: ChartLine['values']): ChartLine['values'] =>
  values.map((value) => (value === null ? null : -value));

function bandData({ lines, spread }: ChartModel): ChartLine['values'][] {
  const middle = lines[0]?.values ?? [];
  if (!spread) return [];
  const shifted = (sign: number) =>
    middle.map((value, index) => {
      const half = spread[index];
      return value == null || half == null ? null : Math.max(0, value + sign * half);
    });
  return [shifted(1), shifted(-1)];
}

const plotData = (model: ChartModel): uPlot.AlignedData => [
  model.times,
  ...model.lines.map(({ values, isMirrored }) => (isMirrored ? negated(values) : values)),
  ...bandData(model),
];

export function createPlot(container: HTMLElement, model: ChartModel, width: number, listeners: Listeners): uPlot {
  const paint = colourResolver(container);
  const { lines, unit, timeRange, spread } = model;
  const axis = { stroke: paint('var(--quiet)'), font: "11px 'Inter Variable', sans-serif" };
  const grid = { stroke: paint('var(--line)'), width: 1 };
  const edge: uPlot.Series = { width: 0, points: { show: false } };
  const count = lines.length;
  const options: uPlot.Options = {
    width,
    height: 240,
    padding: [10, 28, 0, 0],
    legend: { show: false },
    scales: {
      x: { time: true, range: () => [timeRange.fromMs / 1000, timeRange.toMs / 1000] },
      y: { range: valueRange(model) },
    },
    axes: [
      { ...axis, grid: { show: false }, ticks: grid, values: formatAxisTimes, space: 64, size: 42 },
      {
        ...axis,
        grid,
        ticks: { show: false },
        size: 74,
        space: 34,
        values: (_, splits) => splits.map((value) => unit.format(Math.abs(value))),
      },
    ],
    series: [{}, ...lines.map((line) => plotSeries(line, paint)), ...(spread ? [edge, edge] : [])],
    ...(spread
      ? {
          bands: [
            {
              series: [count + 1, count + 2] as [number, number],
              fill: paint(`color-mix(in srgb, ${lines[0]!.colour} 22%, transparent)`),
            },
          ],
        }
      : {}),
    cursor: { drag: { x: true, y: false, setScale: false }, y: false, points: { size: 7 } },
    hooks: {
      draw: [drawLimit(model, paint)],
      setSelect: [onSelect(listeners.onZoom)],
      setCursor: [({ cursor }) => listeners.onPoint(cursor.idx ?? undefined)],
    },
  };
  return new uPlot(options, plotData(model), container);
}
