// Opens the metric engine that the settings select.
import { OperatorError } from '../errors/operator-error.ts';
import type { Backend } from '../metrics/backend.ts';
import { CompactionWorker } from '../metrics/embedded/compaction.ts';
import { EmbeddedBackend } from '../metrics/embedded/embedded-backend.ts';
import { InfluxdbBackend } from '../metrics/influxdb/influxdb-backend.ts';
import { loadNameMapping, type NameMapping } from '../metrics/name-mapping.ts';
import { PrometheusBackend } from '../metrics/prometheus/prometheus-backend.ts';
import type { Settings } from '../settings.ts';
import type { Store } from '../store/database.ts';

/** The URL and the mapping of an external engine; undefined for the embedded one. */
export async function readEngineSettings(settings: Settings): Promise<{ url: URL; mapping: NameMapping } | undefined> {
  const { metrics, metricsUrl, metricsMapping } = settings;
  if (metrics === 'embedded') return undefined;
  if (!metricsUrl)
    throw new OperatorError(`PATCHBAY_METRICS is ${metrics}: set its address with PATCHBAY_METRICS_URL.`);
  return { url: new URL(metricsUrl), mapping: await loadNameMapping(metricsMapping) };
}

export async function openMetrics(
  settings: Settings,
  store: Store,
  nowMs: () => number,
  onError: (error: Error, activity: string) => void,
): Promise<Backend> {
  const { metrics, metricsWriteUrl, metricsDatabase, metricsRetention } = settings;
  const engine = await readEngineSettings(settings);
  if (!engine) {
    const compaction = new CompactionWorker(store, metricsRetention, nowMs, onError);
    return new EmbeddedBackend(store, metricsRetention, nowMs, compaction);
  }
  const { url, mapping } = engine;
  if (metrics === 'influxdb') return new InfluxdbBackend({ url, database: metricsDatabase, mapping, nowMs });
  const writeUrl = metricsWriteUrl ? new URL(metricsWriteUrl) : undefined;
  return new PrometheusBackend({ url, writeUrl, mapping, nowMs });
}
