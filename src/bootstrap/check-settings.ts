// Checks what the settings name, before anything is written: addresses to listen on, certificate and mapping file.
import { probeAddresses } from '../host/listen.ts';
import { metricsAddress } from '../host/metrics-endpoint.ts';
import { readOwn } from '../http/server/certificate.ts';
import { apiAddress } from '../http/server/listener.ts';
import type { Settings } from '../settings.ts';
import { readEngineSettings } from './open-metrics.ts';

export async function checkSettings(settings: Settings): Promise<void> {
  const { host, port, monitorPort, tlsCert, tlsKey } = settings;
  if (tlsCert && tlsKey) await readOwn(tlsCert, tlsKey);
  await readEngineSettings(settings);
  await probeAddresses([apiAddress(host, port), ...(monitorPort === undefined ? [] : [metricsAddress(monitorPort)])]);
}
