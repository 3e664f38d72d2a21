// The metric engine that the settings name.

import { OperatorError } from '../errors/operator-error.ts';
import type { Backend } from '../metrics/backend.ts';
import { startCompaction } from '../metrics/embedded/compaction.ts';
import { openEmbeddedBackend } from '../metrics/embedded/embedded-backend.ts';
import { openInfluxdbBackend } from '../metrics/influxdb/influxdb-backend.ts';
import { loadMapping } from '../metrics/name-mapping.ts';
import { openPrometheusBackend } from '../metrics/prometheus/prometheus-backend.ts';
import type { Settings } from '../settings.ts';
import type { Store } from '../store/database.ts';

export async function openMetrics(
  settings: Settings,
  store: Store,
  nowMs: () => number,
  onTrouble: (error: Error, what: string) => void,
): Promise<Backend> {
  const { metrics, metricsUrl, metricsWriteUrl, metricsDatabase, metricsRetention } = settings;
  if (metrics === 'embedded') {
    const keeping = startCompaction(store, metricsRetention, nowMs, onTrouble);
    return { ...openEmbeddedBackend(store, metricsRetention, nowMs), close: () => keeping.stop() };
  }
  if (!metricsUrl)
    throw new OperatorError(`PATCHBAY_METRICS is ${metrics}: say where it is with PATCHBAY_METRICS_URL.`);
  const mapping = await loadMapping(settings.metricsMapping);
  const url = new URL(metricsUrl);
  if (metrics === 'influxdb') return openInfluxdbBackend({ url, database: metricsDatabase, mapping, nowMs });
  return openPrometheusBackend({
    url,
    writeUrl: metricsWriteUrl ? new URL(metricsWriteUrl) : undefined,
    mapping,
    nowMs,
  });
}
