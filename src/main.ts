// The entry point of the service: reads the settings, starts it, prints where it listens, and stops it on a signal.
import { relative } from 'node:path';
import { isatty } from 'node:tty';
import { explainFailure } from './bootstrap/explain-failure.ts';
import { startTracing } from './bootstrap/start-tracing.ts';
import { demoClient, demoPassword } from './demo/demo-world.ts';
import { OperatorError } from './errors/operator-error.ts';
import { buildInfo } from './host/build-info.ts';
import { createLogger } from './host/logging.ts';
import { notifyServiceManager } from './host/service-manager.ts';
import { type OnStep, type Service, startService } from './service.ts';
import { readSettings, type Settings, settingsHelp } from './settings.ts';

const { version, commit } = buildInfo;

const print = (text: string): void => void process.stderr.write(`${text}\n`);

const barWidth = 30;

/** Prints a line for each step. A long step gets a progress bar on a terminal, else a line at its start and end. */
const printStep: OnStep = (step, part) => {
  if (!part) return print(`  … ${step}`);
  const { done, of } = part;
  const isDone = done === of;
  const filled = Math.round((barWidth * done) / of);
  const bar = `  … ${step} [${'█'.repeat(filled)}${'·'.repeat(barWidth - filled)}] ${done}/${of} days`;
  if (process.stderr.isTTY) process.stderr.write(`\r${bar}${isDone ? '\n' : ''}`);
  else if (isDone || done === 1) print(bar);
};

/** A curl command that signs in. */
function signInCommand(service: Service, client: string, username: string, password: string): string[] {
  const relativePath = service.authorityFile && relative(process.cwd(), service.authorityFile);
  const authority = relativePath?.startsWith('..') ? service.authorityFile : relativePath;
  const body = JSON.stringify({ grant_type: 'password', scope: 'everything', username, password });
  return [
    `  curl${authority ? ` --cacert ${authority}` : ''} -u ${client} -H 'Content-Type: application/json' \\`,
    `    -d '${body}' \\`,
    `    ${service.url}/auth/token`,
  ];
}

const signInHelp: Record<Service['world'], (service: Service, settings: Settings) => string[]> = {
  empty: () => [
    '  No organisation exists yet. Stop the service, then create the first one:',
    '',
    '  npm run setup -- --organisation NAME --email ADDRESS',
  ],
  yours: (service) => [
    '  Sign in with the client and password that npm run setup printed:',
    '',
    ...signInCommand(service, 'CLIENT:SECRET', 'ADDRESS', 'PASSWORD'),
  ],
  demo: (service, settings) => [
    ...(settings.demo === 'off'
      ? [
          '  Warning: the database contains the demo world, whose passwords are public.',
          '  Remove it before production: npm run demo -- remove',
          '',
        ]
      : []),
    '  Sign in     admin@meridian.example, operator@, viewer@, billing@meridian.example,',
    '              admin@atlas.example, admin@boreal.example, admin@cobalt.example, admin@labs.example',
    `  Password    ${demoPassword}`,
    `  API client  ${demoClient.name} / ${demoClient.secret}`,
    '',
    '  Try it:',
    '',
    ...signInCommand(service, `${demoClient.name}:${demoClient.secret}`, 'admin@meridian.example', demoPassword),
  ],
};

function formatBanner(service: Service, settings: Settings): string {
  const { url, monitorPort, fabric } = service;
  return [
    '',
    `  Patchbay ${version} (commit ${commit}) is ready.`,
    '',
    `  Portal      ${url}/portal/`,
    `  API         ${url}`,
    `  Reference   ${url}/docs`,
    `  Data        ${settings.data}${settings.databaseUrl ? ' (the database is at DATABASE_URL)' : ''}`,
    `  Fabric      ${fabric}`,
    ...(monitorPort === undefined ? [] : [`  Metrics     http://127.0.0.1:${monitorPort}/metrics`]),
    '',
    ...signInHelp[service.world](service, settings),
    '',
  ].join('\n');
}

async function main(): Promise<void> {
  // npm start loads the demo world by default; npm run serve does not.
  const [command, ...rest] = process.argv.slice(2);
  const isStart = command === 'start';
  const args = isStart ? rest : process.argv.slice(2);
  const { settings, help } = readSettings(args, process.env, {}, isStart ? { demo: 'on' } : {});
  if (help)
    return console.log(
      `Patchbay ${version}: the open control plane for cloud interconnection.\n\n` +
        `Settings, as flags or in the environment:\n\n${settingsHelp()}`,
    );
  const logger = await createLogger(settings.log);
  const tracing = await startTracing(process.env, version, logger);
  const starting = startService(settings, logger, printStep).catch((error) => {
    throw explainFailure(error, settings) ?? error;
  });

  let isStopping = false;
  const stop = async (signal: string): Promise<void> => {
    // A terminal's Ctrl-C arrives twice: directly and through npm.
    if (isStopping) return;
    isStopping = true;
    logger.info({ signal }, 'stopping: finishing the requests in flight');
    setTimeout(
      () => exitWithError('Patchbay did not stop in time; the next start cleans up.', new OperatorError('')),
      45_000 + settings.drain * 1000,
    ).unref();
    await (await starting).close();
    await tracing.stop();
    logger.info('stopped');
    process.exit(0);
  };
  // A terminal that closes sends SIGHUP. To a daemon, SIGHUP means that its files have changed.
  const hasTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor));
  // Also during the start: a database that is being created must be stopped as well.
  for (const signal of ['SIGINT', 'SIGTERM', ...(hasTerminal ? (['SIGHUP'] as const) : [])] as const)
    process.on(
      signal,
      () => void stop(signal).catch((error) => exitWithError('Patchbay did not stop cleanly.', error)),
    );
  if (!hasTerminal)
    process.on('SIGHUP', () => void starting.then((service) => service.reloadCertificate()).catch(() => undefined));

  const service = await starting;
  if (isStopping) return;
  print(formatBanner(service, settings));
  logger.info({ url: service.url, data: settings.data, version, commit }, 'ready');
  await notifyServiceManager(['--ready', `--status=Listening at ${service.url}`], logger);
}

function exitWithError(what: string, error: Error): never {
  print(`${what}\n${error instanceof OperatorError ? error.message : error.stack}`);
  process.exit(1);
}

main().catch((error) => exitWithError('Patchbay cannot start.', error));
