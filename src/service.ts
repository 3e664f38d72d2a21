// Starts the service: database, background workers, API and HTTP server, in this order. `close` stops them in reverse.
import type pg from 'pg';
import type { Logger } from 'pino';
import { createApiRoutes } from './bootstrap/api-routes.ts';
import { checkSettings } from './bootstrap/check-settings.ts';
import { openFoundation, titleOfDatabase } from './bootstrap/foundation.ts';
import { certificateFiles, openHttpServer, watchCertificate } from './bootstrap/http-server.ts';
import {
  createMailQueues,
  startChangeFeedWorker,
  startDatabaseClock,
  startHousekeeping,
  startJobWorkers,
  startMetrics,
  startReconciler,
  startServiceMetrics,
} from './bootstrap/workers.ts';
import { loadBrand } from './brand-file.ts';
import { providers } from './connector-kinds/providers.ts';
import { readWorld } from './demo/demo-database.ts';
import { type DemoTools, loadDemoWorld } from './demo/demo-world.ts';
import { seedMetricHistory } from './demo/metric-history.ts';
import { OperatorError } from './errors/operator-error.ts';
import type { Driver } from './fabric/driver.ts';
import { buildInfo } from './host/build-info.ts';
import { FailureLog } from './host/failure-log.ts';
import { startMetricsEndpoint } from './host/metrics-endpoint.ts';
import type { Route } from './http/route.ts';
import { openCertificate } from './http/server/certificate.ts';
import type { Backend } from './metrics/backend.ts';
import { createDeploymentQueue } from './resources/deployments/enqueue.ts';
import { hasNoOrganisation } from './resources/organisations/store.ts';
import { createPermissions } from './resources/roles/permission-cache.ts';
import { createPasswords } from './resources/users/passwords.ts';
import { findExposure, type Settings, urlOf } from './settings.ts';
import { allTenants, type Store } from './store/database.ts';

const defaultGraceMs = 25_000;

export interface Service {
  url: string;
  port: number;
  authorityFile: string | undefined;
  monitorPort: number | undefined;
  /** One line about the fabric that links are deployed on. */
  fabric: string;
  /** The content of the database: empty, the demo world, or the operator's own organisations. */
  world: 'empty' | 'demo' | 'yours';
  /** Resolves once this process has seen all changes that were committed before, by any process. */
  catchUp(): Promise<void>;
  /** Reads the certificate files again, or renews the certificate of the local CA if it expires soon. */
  reloadCertificate(): Promise<void>;
  close(graceMilliseconds?: number): Promise<void>;
}

/** Reports a step of the start, and the progress of a long one. */
export type OnStep = (step: string, part?: { done: number; of: number }) => void;

/** Refuses to serve the demo world beyond loopback. */
function rejectExposedDemo(settings: Settings): void {
  const exposure = settings.demo === 'public' ? undefined : findExposure(settings);
  if (exposure)
    throw new OperatorError(
      `The demo world has well-known passwords and would be served ${exposure}. ` +
        'Use a loopback address, another data folder or npm run demo -- remove, or set PATCHBAY_DEMO=public.',
    );
}

/**
 * Refuses to serve an exposed demo world, and to load one beside other organisations: running replicas would accept
 * its passwords. Reads only. Returns whether the database contains the demo world.
 */
async function inspectWorld(settings: Settings, client: pg.Client): Promise<boolean> {
  const { hasDemo, organisations, oldest } = await readWorld(client);
  if (hasDemo) rejectExposedDemo(settings);
  else if (settings.demo !== 'off' && organisations)
    throw new OperatorError(
      'The demo world has well-known passwords and is loaded only where no other organisation exists, but ' +
        `${titleOfDatabase(settings)} contains ${organisations} (the oldest: ${JSON.stringify(oldest)}). ` +
        'Use npm run serve or PATCHBAY_DEMO=off, or another database (PATCHBAY_DATA, DATABASE_URL). Nothing was written.',
    );
  return hasDemo;
}

async function seedDemo(
  settings: Settings,
  tools: DemoTools & { store: Store; backend: Backend },
  driver: Driver,
  isPresent: boolean,
  onStep: OnStep,
): Promise<void> {
  if (settings.demo === 'off') return;
  const { store, backend } = tools;
  if (!isPresent) {
    onStep('loading the demo world');
    await loadDemoWorld(store, tools, settings.demoHistory > 0);
  }
  // An external metric engine has a history of its own.
  if (settings.demoHistory > 0 && !backend.isExternal && driver.origin === 'simulated')
    await seedMetricHistory(store, driver.seed, settings.demoHistory, !isPresent, (done, of) =>
      onStep("generating the demo world's metric history", { done, of }),
    );
}

async function worldOf(settings: Settings, store: Store, isDemoPresent: boolean): Promise<Service['world']> {
  if (isDemoPresent || settings.demo !== 'off') return 'demo';
  return (await store.read(allTenants, (database) => hasNoOrganisation(database, allTenants))) ? 'empty' : 'yours';
}

export async function startService(settings: Settings, logger: Logger, onStep: OnStep): Promise<Service> {
  const opened = new AsyncDisposableStack();
  try {
    return await openService(settings, logger, onStep, opened);
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}

async function openService(
  settings: Settings,
  logger: Logger,
  onStep: OnStep,
  opened: AsyncDisposableStack,
): Promise<Service> {
  let graceMs = defaultGraceMs;
  let isStopping = false;
  let isDemoPresent = false;
  // First of all: nothing is created for a start that is refused.
  if (settings.demo !== 'off') rejectExposedDemo(settings);
  const brand = await loadBrand(settings.brand, providers);
  await checkSettings(settings, brand);
  const failures = new FailureLog(logger);
  const reporter = { step: onStep, warning: failures.warning };
  const foundation = await openFoundation(settings, reporter, opened, async (client) => {
    isDemoPresent = await inspectWorld(settings, client);
  });
  const { keys, store } = foundation;
  failures.watchDatabase(() => store.checkAvailability());
  const certificate = await openCertificate({ ...certificateFiles(settings), onStep });
  const metrics = await startMetricsEndpoint(settings.monitorPort);
  opened.defer(() => metrics.close());

  const baseUrl = Promise.withResolvers<string>();
  if (settings.fabric === 'lab') onStep('checking the machine for the lab fabric');
  const workers = { settings, foundation, logger, failures, metrics, opened };
  const clock = await startDatabaseClock(workers);
  const { engine, lookingGlass, driver, fabric } = await startReconciler(workers);
  const { backend, statusSync } = await startMetrics(workers, driver, clock);
  const jobs = await startJobWorkers(workers, engine, baseUrl.promise, brand);
  startHousekeeping(workers);
  startServiceMetrics(workers);
  const changeFeed = startChangeFeedWorker(workers);

  const apiRoutes: Route[] = [];
  const services = {
    store,
    keys,
    brand,
    deploymentQueue: createDeploymentQueue(jobs),
    deploymentWaiter: engine,
    lookingGlass,
    backend,
    statusSync,
    passwords: createPasswords(),
    permissions: createPermissions(store, () => apiRoutes),
    isStopping: () => isStopping,
    ...createMailQueues(jobs, keys),
  } satisfies Parameters<typeof createApiRoutes>[0];
  apiRoutes.push(...createApiRoutes(services));
  await seedDemo(settings, services, driver, isDemoPresent, onStep);

  const { version } = buildInfo;
  const http = { settings, version, services, apiRoutes, certificate, changeFeed, metrics, logger, failures };
  const listener = await openHttpServer(http);
  opened.defer(() => listener.close(graceMs));
  const certificateWatch = watchCertificate(http, listener);
  opened.defer(() => certificateWatch.stop());
  const url = urlOf(settings.host, listener.port);
  baseUrl.resolve(settings.baseUrl?.replace(/\/$/, '') ?? url);
  return {
    url,
    port: listener.port,
    authorityFile: certificate.authorityFile,
    monitorPort: metrics.port,
    fabric,
    world: await worldOf(settings, store, isDemoPresent),
    catchUp: () => changeFeed.catchUp(),
    reloadCertificate: () => certificateWatch.reload(),
    async close(graceMilliseconds = graceMs) {
      graceMs = graceMilliseconds;
      isStopping = true;
      failures.stop();
      if (settings.drain) await listener.drain(settings.drain * 1000);
      await opened.disposeAsync();
    },
  };
}
