// The only wiring: foundation + jobs + resources + server.
import { join } from 'node:path';
import type { Logger } from 'pino';
import packageJson from '../package.json' with { type: 'json' };
import { openFoundation } from './bootstrap/foundation.ts';
import {
  resetQueue,
  startDatabaseClock,
  startHousekeeping,
  startJobWorkers,
  startMetrics,
  startReconciler,
} from './bootstrap/workers.ts';
import { type Brand, loadBrand, rejectAmbiguousBrand } from './brand.ts';
import { startChangeFeed } from './cache/change-feed.ts';
import { createEpochCache } from './cache/epoch-cache.ts';
import { createKeyedMutex } from './concurrency/keyed-mutex.ts';
import { providers } from './connector-kinds/providers.ts';
import { hasDemoWorld, loadDemoWorld } from './demo/demo-world.ts';
import { seedHistory } from './demo/metric-history.ts';
import { OperatorError } from './errors/operator-error.ts';
import type { Keys } from './host/key-file.ts';
import { type ProcessMetrics, startProcessMetrics } from './host/process-metrics.ts';
import { createRateLimit } from './http/auth/rate-limit.ts';
import { createRedactPath } from './http/log/redact-path.ts';
import { fieldNames } from './http/openapi/openapi-document.ts';
import { openApiRoutes } from './http/openapi/openapi-routes.ts';
import { createFastPath } from './http/pipeline/fast-path.ts';
import type { Pipeline } from './http/pipeline/pipeline.ts';
import { createResponseCache, type ResponseCache } from './http/pipeline/response-cache.ts';
import { createFieldNames, type FieldNames } from './http/request/field-names.ts';
import type { Route } from './http/route.ts';
import { openCertificate } from './http/server/certificate.ts';
import { buildApplication } from './http/server/fastify-app.ts';
import { listen } from './http/server/listener.ts';
import { loadPortal } from './http/server/portal-files.ts';
import type { Backend } from './metrics/backend.ts';
import type { Engine } from './reconciler/engine.ts';
import type { LookingGlass } from './reconciler/looking-glass.ts';
import { applianceRoutes } from './resources/appliances/routes.ts';
import { auditRoutes } from './resources/audit/routes.ts';
import { capacityRoutes } from './resources/capacities/routes.ts';
import { reportRoutes } from './resources/capacity-reports/routes.ts';
import { connectorRoutes } from './resources/connectors/routes.ts';
import { aliases } from './resources/connectors/wire.ts';
import { createDeploymentQueue, type DeploymentQueue } from './resources/deployments/enqueue.ts';
import { groupRoutes } from './resources/groups/routes.ts';
import { healthRoutes } from './resources/health.ts';
import { linkRoutes } from './resources/links/routes.ts';
import { metricRoutes } from './resources/metric-queries/routes.ts';
import type { StatusSync } from './resources/metric-queries/status-sync.ts';
import { organisationRoutes } from './resources/organisations/routes.ts';
import { isEmpty } from './resources/organisations/store.ts';
import { placeRoutes } from './resources/places/routes.ts';
import { createPermissions, type Permissions } from './resources/roles/permission-cache.ts';
import { roleRoutes } from './resources/roles/routes.ts';
import { browserRoutes } from './resources/sessions/browser-session-routes.ts';
import { identifyClient, resetRequestOf } from './resources/sessions/operations.ts';
import { sessionRoutes } from './resources/sessions/routes.ts';
import { tagRoutes } from './resources/tags/routes.ts';
import { createIdentities, type Identities, recheckCaller } from './resources/tokens/operations.ts';
import { tokenRoutes } from './resources/tokens/routes.ts';
import { createPasswords, type Passwords } from './resources/users/passwords.ts';
import { userRoutes } from './resources/users/routes.ts';
import { isLoopback, type Settings } from './settings.ts';
import { allTenants, type Database, type Store } from './store/database.ts';

export const { version } = packageJson;

const megabyte = 1024 * 1024;
const portalFolder = join(import.meta.dirname, '../portal/dist');

export interface Service {
  url: string;
  port: number;
  authorityFile: string | undefined;
  monitorPort: number | undefined;
  /** What links are deployed on, in one line. */
  fabric: string;
  /** What is in the database: nobody yet, the demo world, or the operator's own. */
  world: 'empty' | 'demo' | 'yours';
  /** Resolves once everything is known here that was changed in the database before, by whomever. */
  catchUp(): Promise<void>;
  close(graceMilliseconds?: number): Promise<void>;
}

export interface Parts {
  store: Store;
  keys: Keys;
  brand: Brand;
  deploymentQueue: DeploymentQueue;
  engine: Engine;
  lookingGlass: LookingGlass;
  backend: Backend;
  statusSync: StatusSync;
  responseCache: ResponseCache;
  identities: Identities;
  passwords: Passwords;
  permissions: Permissions;
  isStopping: () => boolean;
  sendReset: (database: Database, user: { id: string; email: string } | null) => Promise<void>;
}

/** Every route of the service, in the order of the API document. */
export function allRoutes(parts: Parts): Route[] {
  const { store, keys, brand, permissions } = parts;
  const sessions = { ...parts, inOrder: createKeyedMutex() };
  return [
    ...sessionRoutes(sessions),
    ...browserRoutes(sessions),
    ...userRoutes(parts),
    ...tokenRoutes(keys),
    ...organisationRoutes(parts),
    ...roleRoutes(permissions),
    ...auditRoutes(),
    ...placeRoutes(),
    ...capacityRoutes(),
    ...groupRoutes(brand.groupCapacityUnit),
    ...tagRoutes(),
    ...applianceRoutes(),
    ...connectorRoutes(parts),
    ...linkRoutes(parts),
    ...metricRoutes(parts),
    ...reportRoutes(parts.backend),
    ...healthRoutes(store, parts.isStopping),
  ];
}

function spellingOf(brand: Brand, routes: Route[]): FieldNames {
  rejectAmbiguousBrand(brand, fieldNames(routes).union(new Set(Object.keys(aliases))));
  const { keys, values } = brand;
  // Where a family's name stands: in a destination, in a product, and as a parameter.
  return createFieldNames({ keys, values, aliases, valueKeys: ['shortName', 'family', 'shortname'] });
}

function pipelineOf(settings: Settings, parts: Parts, routes: Route[], spelling: FieldNames): Pipeline {
  const { store, keys, permissions, brand, responseCache: kept, identities } = parts;
  return {
    store,
    keys,
    responseCache: kept,
    fieldNames: spelling,
    scopeHeaders: brand.scopeHeaders,
    authenticator: {
      ...identities,
      identifyClient: (authorization, form) => identifyClient(store, keys, authorization, form),
      allows: permissions.allows,
      isKnownAllowed: permissions.isKnownAllowed,
      recheckCaller: recheckCaller,
    },
    tokenLimit:
      settings.rateLimit === undefined
        ? undefined
        : createRateLimit('token', settings.rateLimit, settings.rateLimit * 5),
    signInLimit:
      settings.rateLimitLogin === undefined
        ? undefined
        : createRateLimit('sign-in', settings.rateLimitLogin / 60, settings.rateLimitLogin),
    reads: new Map(routes.filter((route) => route.method === 'GET').map((route) => [route.path, route])),
  };
}

async function refuseExposedDemo(settings: Settings, store: Store): Promise<boolean> {
  const present = await hasDemoWorld(store);
  const exposed = !isLoopback(settings.host) && settings.demo !== 'public';
  if (exposed && (present || settings.demo === 'on'))
    throw new OperatorError(
      `The demo world has well-known passwords and would be served on ${settings.host}. Keep to a loopback address, use another data folder, or insist with PATCHBAY_DEMO=public.`,
    );
  return present;
}

function urlOf(host: string, port: number): string {
  const name = isLoopback(host) || /^(0\.0\.0\.0|::)$/.test(host) ? 'localhost' : host;
  return `https://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

function showKept({ show }: ProcessMetrics, { figures }: ResponseCache): void {
  show('patchbay_kept_answers', 'Answers that are kept', () => figures.entries);
  show('patchbay_kept_bytes', 'Memory that they take', () => figures.bytes);
  show('patchbay_kept_found', 'Answers given as they were kept, since the start', () => figures.found);
  show('patchbay_kept_read', 'Answers of the same routes that had to be read, since the start', () => figures.read);
}

const worldOf = async (store: Store): Promise<'empty' | 'yours'> =>
  (await store.read(allTenants, (database) => isEmpty(database, allTenants))) ? 'empty' : 'yours';

/** What the start is at; of long work also how far it is. */
export type OnStep = (step: string, part?: { done: number; of: number }) => void;

export async function startService(settings: Settings, logger: Logger, onStep: OnStep): Promise<Service> {
  const opened = new AsyncDisposableStack();
  let grace = 25_000;
  let stopping = false;
  try {
    const brand = await loadBrand(settings.brand, providers);
    const voice = { step: onStep, trouble: (text: string) => logger.warn(text) };
    const foundation = await openFoundation(settings, voice, opened);
    const { keys, store } = foundation;
    const present = await refuseExposedDemo(settings, store);
    const certificate = await openCertificate({
      dataFolder: settings.data,
      host: settings.host,
      certFile: settings.tlsCert,
      keyFile: settings.tlsKey,
      onStep,
    });
    const monitoring = await startProcessMetrics(settings.monitorPort);
    opened.defer(() => monitoring.close());

    const baseUrl = Promise.withResolvers<string>();
    if (settings.fabric === 'lab') onStep('probing the machine for the lab fabric');
    const clock = await startDatabaseClock(foundation, logger, opened);
    const { engine, looking, driver, fabric } = await startReconciler(settings, foundation, logger, opened);
    const { backend, statuses } = await startMetrics(settings, foundation, driver, clock, logger, opened);
    const jobs = await startJobWorkers(settings, foundation, engine, baseUrl.promise, logger, opened);
    opened.defer(startHousekeeping(store, logger));

    const news = startChangeFeed(foundation.databaseUrl, store.processName, store.epochs, (error) =>
      logger.warn({ err: error }, 'nothing is heard of the database; what was read is not trusted meanwhile'),
    );
    opened.defer(() => news.close());
    const routes: Route[] = [];
    const parts: Parts = {
      store,
      keys,
      brand,
      deploymentQueue: createDeploymentQueue(jobs),
      engine,
      lookingGlass: looking,
      backend,
      statusSync: statuses,
      responseCache: createResponseCache(store, news, settings.memory * megabyte),
      identities: createIdentities(
        store,
        keys,
        createEpochCache({
          epochs: store.epochs,
          isCurrent: news.isCurrent,
          mostBytes: settings.memory && 16 * megabyte,
        }),
      ),
      passwords: createPasswords(),
      permissions: createPermissions(store, () => routes),
      isStopping: () => stopping,
      sendReset: (database, user) => jobs.send(database, resetQueue, { wish: user && resetRequestOf(keys, user) }),
    };
    showKept(monitoring, parts.responseCache);
    routes.push(...allRoutes(parts));
    const spelling = spellingOf(brand, routes);
    routes.push(...openApiRoutes(routes, { scopeHeader: brand.scopeHeader, version }, spelling));
    if (settings.demo !== 'off' && !present) {
      onStep('loading the demo world');
      await loadDemoWorld(store, parts, settings.demoHistory > 0);
    }
    // An engine elsewhere has a history of its own.
    if (settings.demo !== 'off' && settings.demoHistory > 0 && !backend.isOutside && driver.origin === 'simulated')
      await seedHistory(store, driver.seed, settings.demoHistory, !present, (done, of) =>
        onStep('measuring what the demo world did before', { done, of }),
      );

    const tellPath = createRedactPath(routes);
    const pipeline = pipelineOf(settings, parts, routes, spelling);
    const app = await buildApplication(routes, pipeline, {
      logger,
      trustedProxies: settings.behindProxy,
      redactPath: tellPath,
      portal: await loadPortal(portalFolder, {
        keys: brand.keys,
        values: brand.values,
        groupCapacityUnit: brand.groupCapacityUnit,
      }),
      onAnswered: monitoring.onAnswered,
    });
    opened.defer(() => app.close());
    const listener = await listen({
      host: settings.host,
      port: settings.port,
      certificate,
      trustedProxies: settings.behindProxy,
      scopeHeader: brand.scopeHeader,
      redactPath: tellPath,
      handle: (request, response) => app.routing(request, response),
      fastPath: createFastPath({
        rules: pipeline,
        kept: parts.responseCache,
        logger,
        tellPath,
        onAnswered: monitoring.onAnswered,
      }),
      onAnswered: (line) => logger.info(line),
    });
    opened.defer(() => listener.close(grace));
    const url = urlOf(settings.host, listener.port);
    baseUrl.resolve(settings.baseUrl?.replace(/\/$/, '') ?? url);
    return {
      url,
      port: listener.port,
      authorityFile: certificate.authorityFile,
      monitorPort: monitoring.port,
      fabric,
      world: present || settings.demo !== 'off' ? 'demo' : await worldOf(store),
      catchUp: news.catchUp,
      async close(graceMilliseconds = grace) {
        grace = graceMilliseconds;
        stopping = true;
        if (settings.drain) await listener.drain(settings.drain * 1000);
        await opened.disposeAsync();
      },
    };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}
