// The metric engine that the settings name.
import { type Settings, SettingsError } from '../settings.ts';
import type { Store } from '../store/database.ts';
import type { Backend } from './backend.ts';
import { openEmbedded } from './embedded/embedded.ts';
import { startKeeping } from './embedded/keeping.ts';
import { openInfluxdb } from './influxdb/influxdb.ts';
import { loadMapping } from './mapping.ts';
import { openPrometheus } from './prometheus/prometheus.ts';

export async function openMetrics(
  settings: Settings,
  store: Store,
  nowMs: () => number,
  onTrouble: (error: Error, what: string) => void,
): Promise<Backend> {
  const { metrics, metricsUrl, metricsWriteUrl, metricsDatabase, metricsRetention } = settings;
  if (metrics === 'embedded') {
    const keeping = startKeeping(store, metricsRetention, nowMs, onTrouble);
    return { ...openEmbedded(store, metricsRetention, nowMs), close: () => keeping.stop() };
  }
  if (!metricsUrl)
    throw new SettingsError(`PATCHBAY_METRICS is ${metrics}: say where it is with PATCHBAY_METRICS_URL.`);
  const mapping = await loadMapping(settings.metricsMapping);
  const url = new URL(metricsUrl);
  if (metrics === 'influxdb') return openInfluxdb({ url, database: metricsDatabase, mapping, nowMs });
  return openPrometheus({ url, writeUrl: metricsWriteUrl ? new URL(metricsWriteUrl) : undefined, mapping, nowMs });
}
