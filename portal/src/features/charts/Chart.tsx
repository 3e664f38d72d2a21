import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useEffectEvent, useRef } from 'react';
import type uPlot from 'uplot';
import classes from './Chart.module.css';
import type { ChartModel } from './chart-model.ts';
import { createPlot } from './uplot-chart.ts';

/** A drawn picture as wide as its place. To be read by eye; what it says stands beside it as text. */
export function Chart({
  picture,
  label,
  onPoint,
  onZoom,
}: {
  picture: ChartModel;
  label: string;
  onPoint: (index: number | undefined) => void;
  onZoom: (fromMs: number, toMs: number) => void;
}) {
  const place = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme('light');
  const pointed = useEffectEvent(onPoint);
  const zoomed = useEffectEvent(onZoom);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another scheme has other colours, which are read while drawing
  useEffect(() => {
    const element = place.current!;
    let plot: uPlot | undefined;
    // In a frame of its own: what React has done for this picture is on the page before.
    const frame = requestAnimationFrame(() => {
      plot = createPlot(element, picture, element.clientWidth, {
        onPoint: (index) => pointed(index),
        onZoom: (fromMs, toMs) => zoomed(fromMs, toMs),
      });
    });
    const observer = new ResizeObserver(() => {
      if (plot && element.clientWidth !== plot.width) plot.setSize({ width: element.clientWidth, height: plot.height });
    });
    observer.observe(element);
    return () => {
      cancelAnimationFrame(frame);
      observer.disconnect();
      plot?.destroy();
      element.replaceChildren();
    };
  }, [picture, scheme]);
  return <div ref={place} role="img" aria-label={label} className={classes.chart} />;
}
