// The only wiring: foundation + jobs + resources + server.
import { join } from 'node:path';
import type { Logger } from 'pino';
import packageJson from '../package.json' with { type: 'json' };
import { type Brand, loadBrand, refuseAmbiguousBrand } from './brand.ts';
import { hasDemoWorld, loadDemoWorld } from './demo/world.ts';
import { type Engine, startEngine } from './deployments/engine.ts';
import { createLooking, type Looking } from './deployments/looking.ts';
import { createWorks, deployQueue, errandQueue, type Works } from './deployments/work.ts';
import { keepFabric } from './fabric/open.ts';
import { type Foundation, openFoundation } from './foundation.ts';
import { buildApplication } from './http/application.ts';
import { documentRoutes } from './http/document.ts';
import { forgetOldRepetitions } from './http/idempotency.ts';
import { listen } from './http/listener.ts';
import { fieldNames } from './http/openapi.ts';
import type { Pipeline } from './http/pipeline.ts';
import { createRateLimit } from './http/rate-limit.ts';
import type { Route } from './http/route.ts';
import { createSpelling, type Spelling } from './http/spelling.ts';
import { openCertificate } from './http/tls.ts';
import { type Jobs, type Queue, startJobs } from './jobs/jobs.ts';
import type { Keys } from './keys.ts';
import { providers } from './kinds/providers.ts';
import { createMailer } from './mail/mailer.ts';
import { startMonitoring } from './monitoring.ts';
import { oneByOne } from './one-by-one.ts';
import { applianceRoutes } from './resources/appliances/routes.ts';
import { auditRoutes } from './resources/audit/routes.ts';
import { capacityRoutes } from './resources/capacities/routes.ts';
import { connectorRoutes } from './resources/connectors/routes.ts';
import { aliases } from './resources/connectors/wire.ts';
import { groupRoutes } from './resources/groups/routes.ts';
import { healthRoutes } from './resources/health.ts';
import { linkRoutes } from './resources/links/routes.ts';
import { organisationRoutes } from './resources/organisations/routes.ts';
import { findChild, isEmpty } from './resources/organisations/store.ts';
import { placeRoutes } from './resources/places/routes.ts';
import { createDecisions, type Decisions } from './resources/roles/decisions.ts';
import { roleRoutes } from './resources/roles/routes.ts';
import { identifyClient, mailReset } from './resources/sessions/operations.ts';
import { sessionRoutes } from './resources/sessions/routes.ts';
import { tagRoutes } from './resources/tags/routes.ts';
import { identify, refuseChangedCaller } from './resources/tokens/operations.ts';
import { tokenRoutes } from './resources/tokens/routes.ts';
import { deleteExpired } from './resources/tokens/store.ts';
import { createPasswords, type Passwords } from './resources/users/passwords.ts';
import { userRoutes } from './resources/users/routes.ts';
import { isLoopback, type Settings, SettingsError } from './settings.ts';
import { type Database, everywhere, type Store } from './store/database.ts';

export const { version } = packageJson;

export interface Service {
  url: string;
  port: number;
  authorityFile: string | undefined;
  monitorPort: number | undefined;
  /** What links are deployed on, in one line. */
  fabric: string;
  /** What is in the database: nobody yet, the demo world, or the operator's own. */
  world: 'empty' | 'demo' | 'yours';
  close(graceMilliseconds?: number): Promise<void>;
}

const resetQueue = 'reset-mail';

interface Parts {
  store: Store;
  keys: Keys;
  brand: Brand;
  works: Works;
  engine: Engine;
  looking: Looking;
  passwords: Passwords;
  decisions: Decisions;
  sendReset: (database: Database, key: string) => Promise<void>;
}

/** Every route of the service, in the order of the API document. */
export function allRoutes(parts: Parts): Route[] {
  const { store, keys, brand, decisions } = parts;
  return [
    ...sessionRoutes({ ...parts, inOrder: oneByOne() }),
    ...userRoutes(parts),
    ...tokenRoutes(keys),
    ...organisationRoutes(parts),
    ...roleRoutes(decisions),
    ...auditRoutes(),
    ...placeRoutes(),
    ...capacityRoutes(),
    ...groupRoutes(brand.groupCapacityUnit),
    ...tagRoutes(),
    ...applianceRoutes(),
    ...connectorRoutes(parts),
    ...linkRoutes(parts),
    ...healthRoutes(store),
  ];
}

function spellingOf(brand: Brand, routes: Route[]): Spelling {
  refuseAmbiguousBrand(brand, fieldNames(routes).union(new Set(Object.keys(aliases))));
  const { keys, values } = brand;
  // Where a family's name stands: in a destination, in a product, and as a parameter.
  return createSpelling({ keys, values, aliases, valueKeys: ['shortName', 'family', 'shortname'] });
}

function pipelineOf(settings: Settings, parts: Parts, routes: Route[], spelling: Spelling): Pipeline {
  const { store, keys, decisions, brand } = parts;
  return {
    store,
    keys,
    spelling,
    scopeHeaders: brand.scopeHeaders,
    gate: {
      identify: (token) => identify(store, keys, token),
      identifyClient: (authorization, form) => identifyClient(store, keys, authorization, form),
      async findChild(parentId, childId) {
        const child = await store.read(everywhere, (database) => findChild(database, everywhere, parentId, childId));
        return child && { organisationId: child.id, organisationCode: child.code };
      },
      allows: decisions.allows,
      reassure: refuseChangedCaller,
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

function keepHouse(store: Store, logger: Logger): () => void {
  const sweep = (): void => {
    store
      .write(everywhere, async (database) => {
        await deleteExpired(database, everywhere);
        await forgetOldRepetitions(database, everywhere);
      })
      .catch((error) => logger.warn({ err: error }, 'housekeeping failed; it runs again in ten minutes'));
  };
  const timer = setInterval(sweep, 10 * 60_000);
  timer.unref();
  return () => clearInterval(timer);
}

async function refuseExposedDemo(settings: Settings, store: Store): Promise<boolean> {
  const present = await hasDemoWorld(store);
  const exposed = !isLoopback(settings.host) && settings.demo !== 'public';
  if (exposed && (present || settings.demo === 'on'))
    throw new SettingsError(
      `The demo world has well-known passwords and would be served on ${settings.host}. Keep to a loopback address, use another data folder, or insist with PATCHBAY_DEMO=public.`,
    );
  return present;
}

/** What links are deployed on, and who deploys them. */
async function startDeployments(
  settings: Settings,
  foundation: Foundation,
  logger: Logger,
  opened: AsyncDisposableStack,
): Promise<{ engine: Engine; looking: Looking; fabric: string }> {
  const driver = await keepFabric(settings, foundation, (text) => logger.warn(text), opened);
  const engine = startEngine({
    store: foundation.store,
    keys: foundation.keys,
    driver,
    onTrouble: (error, what) => logger.warn({ err: error }, `${what} failed; it is tried again`),
  });
  // A lab ends with the service that keeps it; only a killed one leaves it to the next.
  opened.defer(() => engine.stop({ tearDown: settings.fabric === 'lab' }));
  const looking = createLooking({ keys: foundation.keys, driver });
  return { engine, looking, fabric: await driver.describe() };
}

/** The jobs of this process. Those that send mails wait for the address of the service, which mails name. */
async function startWork(
  settings: Settings,
  { keys, store, databaseUrl, asOwner }: Foundation,
  engine: Engine,
  baseUrl: Promise<string>,
  logger: Logger,
  opened: AsyncDisposableStack,
): Promise<Jobs> {
  const outbox = join(settings.data, 'outbox');
  const mailer = createMailer({ smtpUrl: settings.smtpUrl, outbox, from: settings.mailFrom });
  opened.defer(() => mailer.close());
  const reset: Queue<{ key: string }> = {
    name: resetQueue,
    handle: async ({ key }) => mailReset(store, keys, mailer, await baseUrl, key),
  };
  const onError = (error: Error) => logger.warn({ err: error }, 'jobs are disturbed');
  const queues = [
    reset,
    { name: deployQueue, handle: engine.begin, onePerKey: true as const },
    { name: errandQueue, handle: engine.errand, onePerKey: true as const },
  ] as Queue<object>[];
  const jobs = await startJobs(databaseUrl, asOwner, queues, onError);
  opened.defer(() => jobs.stop());
  return jobs;
}

function urlOf(host: string, port: number): string {
  const name = isLoopback(host) || /^(0\.0\.0\.0|::)$/.test(host) ? 'localhost' : host;
  return `https://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

const worldOf = async (store: Store): Promise<'empty' | 'yours'> =>
  (await store.read(everywhere, (database) => isEmpty(database, everywhere))) ? 'empty' : 'yours';

export async function startService(
  settings: Settings,
  logger: Logger,
  onStep: (step: string) => void,
): Promise<Service> {
  const opened = new AsyncDisposableStack();
  let grace = 25_000;
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
    const monitoring = await startMonitoring(settings.monitorPort);
    opened.defer(() => monitoring.close());

    const baseUrl = Promise.withResolvers<string>();
    if (settings.fabric === 'lab') onStep('probing the machine for the lab fabric');
    const { engine, looking, fabric } = await startDeployments(settings, foundation, logger, opened);
    const jobs = await startWork(settings, foundation, engine, baseUrl.promise, logger, opened);
    opened.defer(keepHouse(store, logger));

    const routes: Route[] = [];
    const parts: Parts = {
      store,
      keys,
      brand,
      works: createWorks(jobs),
      engine,
      looking,
      passwords: createPasswords(),
      decisions: createDecisions(store, () => routes),
      sendReset: (database, key) => jobs.send(database, resetQueue, { key }),
    };
    routes.push(...allRoutes(parts));
    const spelling = spellingOf(brand, routes);
    routes.push(...documentRoutes(routes, { scopeHeader: brand.scopeHeader, version }, spelling));
    if (settings.demo !== 'off' && !present) {
      onStep('loading the demo world');
      await loadDemoWorld(store, parts);
    }

    const app = await buildApplication(routes, pipelineOf(settings, parts, routes, spelling), {
      logger,
      trustedProxies: settings.behindProxy,
      onAnswered: monitoring.onAnswered,
    });
    opened.defer(() => app.close());
    const listener = await listen({
      host: settings.host,
      port: settings.port,
      certificate,
      trustedProxies: settings.behindProxy,
      scopeHeader: brand.scopeHeader,
      handle: (request, response) => app.routing(request, response),
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
      async close(graceMilliseconds = grace) {
        grace = graceMilliseconds;
        await opened.disposeAsync();
      },
    };
  } catch (error) {
    await opened.disposeAsync();
    throw error;
  }
}
