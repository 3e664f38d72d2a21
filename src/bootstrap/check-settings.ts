// Checks what the settings name, before anything is written: addresses to listen on, brand, certificate, mapping file.
import { type Brand, rejectAmbiguousBrand } from '../brand-file.ts';
import { probeAddresses } from '../host/listen.ts';
import { metricsAddress } from '../host/metrics-endpoint.ts';
import { openApiFieldNames } from '../http/openapi/openapi-document.ts';
import { readOwn } from '../http/server/certificate.ts';
import { apiAddress } from '../http/server/listener.ts';
import { fieldAliases } from '../resources/connectors/wire.ts';
import type { Settings } from '../settings.ts';
import { describeApiRoutes } from './api-routes.ts';
import { readEngineSettings } from './open-metrics.ts';

function checkFieldNames(brand: Brand): void {
  const names = openApiFieldNames(describeApiRoutes(brand));
  rejectAmbiguousBrand(brand, names.union(new Set(Object.keys(fieldAliases))));
}

export async function checkSettings(settings: Settings, brand: Brand): Promise<void> {
  const { host, port, monitorPort, tlsCert, tlsKey } = settings;
  if (tlsCert && tlsKey) await readOwn(tlsCert, tlsKey);
  if (brand.file) checkFieldNames(brand);
  await readEngineSettings(settings);
  await probeAddresses([apiAddress(host, port), ...(monitorPort === undefined ? [] : [metricsAddress(monitorPort)])]);
}
