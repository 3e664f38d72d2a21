import 'uplot/dist/uPlot.min.css';
import { useComputedColorScheme } from '@mantine/core';
import { useEffect, useEffectEvent, useRef } from 'react';
import type uPlot from 'uplot';
import classes from './Chart.module.css';
import type { ChartModel } from './chart-model.ts';
import { createPlot } from './uplot-chart.ts';

/** A uPlot chart that fills the width of its container. `label` describes it for assistive technology. */
export function Chart({
  model,
  label,
  onPoint,
  onZoom,
}: {
  model: ChartModel;
  label: string;
  onPoint: (index: number | undefined) => void;
  onZoom: (fromMs: number, toMs: number) => void;
}) {
  const container = useRef<HTMLDivElement>(null);
  const scheme = useComputedColorScheme('light');
  const reportPoint = useEffectEvent(onPoint);
  const reportZoom = useEffectEvent(onZoom);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the plot reads the colours of the colour scheme
  useEffect(() => {
    const element = container.current!;
    let plot: uPlot | undefined;
    // In the next frame, so that React's update is painted first.
    const frame = requestAnimationFrame(() => {
      plot = createPlot(element, model, element.clientWidth, {
        onPoint: (index) => reportPoint(index),
        onZoom: (fromMs, toMs) => reportZoom(fromMs, toMs),
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
  }, [model, scheme]);
  return <div ref={container} role="img" aria-label={label} className={classes.chart} />;
}
