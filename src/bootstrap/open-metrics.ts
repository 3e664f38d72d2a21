// Opens the metric engine that the settings select.
import { OperatorError } from '../errors/operator-error.ts';
import type { Backend } from '../metrics/backend.ts';
import { CompactionWorker } from '../metrics/embedded/compaction.ts';
import { EmbeddedBackend } from '../metrics/embedded/embedded-backend.ts';
import { InfluxdbBackend } from '../metrics/influxdb/influxdb-backend.ts';
import { loadNameMapping } from '../metrics/name-mapping.ts';
import { PrometheusBackend } from '../metrics/prometheus/prometheus-backend.ts';
import type { Settings } from '../settings.ts';
import type { Store } from '../store/database.ts';

export async function openMetrics(
  settings: Settings,
  store: Store,
  nowMs: () => number,
  onError: (error: Error, activity: string) => void,
): Promise<Backend> {
  const { metrics, metricsUrl, metricsWriteUrl, metricsDatabase, metricsRetention } = settings;
  if (metrics === 'embedded') {
    const compaction = new CompactionWorker(store, metricsRetention, nowMs, onError);
    return new EmbeddedBackend(store, metricsRetention, nowMs, compaction);
  }
  if (!metricsUrl)
    throw new OperatorError(`PATCHBAY_METRICS is ${metrics}: set its address with PATCHBAY_METRICS_URL.`);
  const mapping = await loadNameMapping(settings.metricsMapping);
  const url = new URL(metricsUrl);
  if (metrics === 'influxdb') return new InfluxdbBackend({ url, database: metricsDatabase, mapping, nowMs });
  const writeUrl = metricsWriteUrl ? new URL(metricsWriteUrl) : undefined;
  return new PrometheusBackend({ url, writeUrl, mapping, nowMs });
}
