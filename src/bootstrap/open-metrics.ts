// The metric engine that the settings name.

import type { Backend } from '../metrics/backend.ts';
import { startKeeping } from '../metrics/embedded/compaction.ts';
import { openEmbedded } from '../metrics/embedded/embedded-backend.ts';
import { openInfluxdb } from '../metrics/influxdb/influxdb-backend.ts';
import { loadMapping } from '../metrics/name-mapping.ts';
import { openPrometheus } from '../metrics/prometheus/prometheus-backend.ts';
import { type Settings, SettingsError } from '../settings.ts';
import type { Store } from '../store/database.ts';

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
