// Builds the HTTP server: response cache, identities, request handler and listener.
import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Brand } from '../brand-file.ts';
import type { ChangeFeed } from '../cache/change-feed.ts';
import { createEpochCache } from '../cache/epoch-cache.ts';
import type { FailureLog } from '../host/failure-log.ts';
import type { MetricsEndpoint } from '../host/metrics-endpoint.ts';
import { createRateLimit, type RateLimit } from '../http/auth/rate-limit.ts';
import { createRedactPath } from '../http/log/redact-path.ts';
import { openApiRoutes } from '../http/openapi/openapi-routes.ts';
import { createResponseCache, type ResponseCache } from '../http/pipeline/response-cache.ts';
import { FieldNames } from '../http/request/field-names.ts';
import type { Route } from '../http/route.ts';
import { type Certificate, openCertificate } from '../http/server/certificate.ts';
import { CertificateWatch } from '../http/server/certificate-watch.ts';
import { Listener } from '../http/server/listener.ts';
import { loadPortal } from '../http/server/portal-files.ts';
import { RequestHandler } from '../http/server/request-handler.ts';
import { fieldAliases } from '../resources/connectors/wire.ts';
import { identifyClient } from '../resources/sessions/api-clients.ts';
import { createTokenAuthenticator, recheckCaller } from '../resources/tokens/authenticate.ts';
import type { Settings } from '../settings.ts';
import type { ApiServices } from './api-routes.ts';
import { openApiOptions } from './openapi-options.ts';

const megabyte = 1024 * 1024;
const identityCacheBytes = 16 * megabyte;
const burstFactor = 5;
const portalFolder = join(import.meta.dirname, '../../portal/dist');

/** The fields whose values are names of families, which a brand may rename. */
const familyFields = ['shortName', 'family', 'shortname'];

const createBrandFieldNames = ({ keys, values }: Brand): FieldNames =>
  new FieldNames({ keys, values, aliases: fieldAliases, valueKeys: familyFields });

const rateLimit = (name: string, perSecond: number | undefined, burst: number): RateLimit | undefined =>
  perSecond === undefined ? undefined : createRateLimit(name, perSecond, burst);

function exportCacheMetrics({ addCounter, addGauge }: MetricsEndpoint, { figures }: ResponseCache): void {
  addGauge('patchbay_cache_entries', 'Responses in the response cache', () => figures.entries);
  addGauge('patchbay_cache_bytes', 'Memory used by the response cache', () => figures.bytes);
  addCounter('patchbay_cache_hits_total', 'Requests answered from the response cache', () => figures.hits);
  addCounter('patchbay_cache_misses_total', 'Requests of cached routes read from the database', () => figures.misses);
}

export interface HttpServerOptions {
  settings: Settings;
  version: string;
  services: ApiServices;
  apiRoutes: Route[];
  certificate: Certificate;
  changeFeed: ChangeFeed;
  metrics: MetricsEndpoint;
  logger: Logger;
  failures: FailureLog;
}

export const certificateFiles = ({ data, host, tlsCert, tlsKey }: Settings) => ({
  dataFolder: data,
  host,
  certFile: tlsCert,
  keyFile: tlsKey,
});

/** Reads the certificate again when its files change, and renews that of the local CA. */
export function watchCertificate(options: HttpServerOptions, listener: Listener): CertificateWatch {
  const { settings, certificate, metrics, logger } = options;
  const onStep = (step: string): void => logger.warn(`TLS: ${step}`);
  const watch = new CertificateWatch({
    certificate,
    read: (known) => openCertificate({ ...certificateFiles(settings), onStep }, known),
    use: (renewed) => listener.useCertificate(renewed),
    logger,
  });
  metrics.addGauge(
    'patchbay_certificate_expiry_timestamp_seconds',
    'When the certificate of the service expires, in seconds since 1970',
    () => watch.expiresAtMs / 1000,
  );
  watch.start();
  return watch;
}

export async function openHttpServer(options: HttpServerOptions): Promise<Listener> {
  const { settings, services, apiRoutes, changeFeed, metrics, logger, failures } = options;
  const { store, keys, brand, permissions } = services;
  const { scopeHeaders, groupCapacityUnit } = brand;
  const fieldNames = createBrandFieldNames(brand);
  const routes = [...apiRoutes, ...openApiRoutes(apiRoutes, openApiOptions(brand, options.version), fieldNames)];
  const responseCache = createResponseCache(store, changeFeed, settings.memory * megabyte);
  exportCacheMetrics(metrics, responseCache);
  const identityCache = { epochs: store.epochs, isCurrent: () => changeFeed.isCurrent() };
  const maxBytes = settings.memory && identityCacheBytes;
  const identities = createTokenAuthenticator(store, keys, createEpochCache({ ...identityCache, maxBytes }));
  const { rateLimit: perSecond, rateLimitLogin: perMinute } = settings;
  const redactPath = createRedactPath(routes);
  const names = { keys: brand.keys, values: brand.values, groupCapacityUnit };
  const portal = await loadPortal(portalFolder, names, brand.portal);
  if (!portal.isBuilt) logger.warn('the portal is not built: /portal/ says so, and the API works without it');
  const handler = new RequestHandler({
    routes,
    services: {
      store,
      keys,
      responseCache,
      fieldNames,
      scopeHeaders: scopeHeaders.map((name) => name.toLowerCase()),
      authenticator: {
        ...identities,
        identifyClient: (authorization, form) => identifyClient(store, keys, authorization, form),
        allows: permissions.allows,
        recheckCaller,
      },
      userLimit: rateLimit('user', perSecond, (perSecond ?? 0) * burstFactor),
      signInLimit: rateLimit('sign-in', perMinute && perMinute / 60, perMinute ?? 0),
      reads: new Map(routes.filter(({ method }) => method === 'GET').map((route) => [route.path, route])),
    },
    portal,
    logger,
    failures,
    redactPath,
    onResponse: metrics.observeRequest,
  });
  return Listener.open({
    host: settings.host,
    port: settings.port,
    certificate: options.certificate,
    hasOwnCertificate: options.certificate.authorityFile === undefined,
    trustedProxies: settings.behindProxy,
    scopeHeaders,
    redactPath,
    handle: (exchange) => handler.handle(exchange),
    onResponse: (entry) => logger.info(entry),
  });
}
