// Read settings, start the service, say where it is, close cleanly.
import { relative } from 'node:path';
import { demoClient, demoPassword } from './demo/demo-world.ts';
import { OperatorError } from './errors/operator-error.ts';
import { createLogger } from './host/logging.ts';
import { type OnStep, type Service, startService, version } from './service.ts';
import { readSettings, type Settings, settingsHelp } from './settings.ts';

const say = (text: string): void => void process.stderr.write(`${text}\n`);

const barWidth = 30;

/** A line for each step. Long work has a bar that grows where there is a terminal, and elsewhere a line at its ends. */
const sayStep: OnStep = (step, part) => {
  if (!part) return say(`  … ${step}`);
  const { done, of } = part;
  const isOver = done === of;
  const filled = Math.round((barWidth * done) / of);
  const bar = `  … ${step} [${'█'.repeat(filled)}${'·'.repeat(barWidth - filled)}] ${done}/${of} days`;
  if (process.stderr.isTTY) process.stderr.write(`\r${bar}${isOver ? '\n' : ''}`);
  else if (isOver || done === 1) say(bar);
};

/** A command to paste that signs in. */
function signInCommand(service: Service, client: string, username: string, password: string): string[] {
  const near = service.authorityFile && relative(process.cwd(), service.authorityFile);
  const authority = near?.startsWith('..') ? service.authorityFile : near;
  const body = JSON.stringify({ grant_type: 'password', scope: 'everything', username, password });
  return [
    `  curl${authority ? ` --cacert ${authority}` : ''} -u ${client} -H 'Content-Type: application/json' \\`,
    `    -d '${body}' \\`,
    `    ${service.url}/auth/token`,
  ];
}

const worlds: Record<Service['world'], (service: Service, settings: Settings) => string[]> = {
  empty: () => [
    '  Nobody is here yet. Stop, then make the first organisation:',
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
          '  Take care: this data folder holds the demo world, whose passwords everybody knows. Use another for real work.',
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

function welcome(service: Service, settings: Settings): string {
  const { url, monitorPort, fabric } = service;
  return [
    '',
    `  Patchbay ${version} is ready.`,
    '',
    `  Portal      ${url}/portal/`,
    `  API         ${url}`,
    `  Reference   ${url}/docs`,
    `  Data        ${settings.data}${settings.databaseUrl ? ' (the database is at DATABASE_URL)' : ''}`,
    `  Fabric      ${fabric}`,
    ...(monitorPort === undefined ? [] : [`  Metrics     http://127.0.0.1:${monitorPort}/metrics`]),
    '',
    ...worlds[service.world](service, settings),
    '',
  ].join('\n');
}

async function main(): Promise<void> {
  // npm start brings the demo world unless told otherwise; npm run serve does not.
  const [command, ...rest] = process.argv.slice(2);
  const isStart = command === 'start';
  const args = isStart ? rest : process.argv.slice(2);
  const { settings, help } = readSettings(args, process.env, {}, isStart ? { demo: 'on' } : {});
  if (help)
    return console.log(
      `Patchbay ${version}: the open control plane for cloud interconnection.\n\nSettings, as flags or in the environment:\n\n${settingsHelp()}`,
    );
  const logger = await createLogger(settings.log);
  const starting = startService(settings, logger, sayStep);

  let stopping = false;
  const stop = async (signal: string): Promise<void> => {
    // A terminal's Ctrl-C reaches this process directly and once more through npm: the first one counts.
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, 'stopping: finishing the requests in flight');
    setTimeout(
      () => giveUp('Patchbay did not stop in time; the next start clears up.', new OperatorError('')),
      45_000 + settings.drain * 1000,
    ).unref();
    await (await starting).close();
    logger.info('stopped');
    process.exit(0);
  };
  // From the very start on: a database that is being made must be closed as well.
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => void stop(signal).catch((error) => giveUp('Patchbay did not stop cleanly.', error)));

  const service = await starting;
  if (stopping) return;
  say(welcome(service, settings));
  logger.info({ url: service.url, data: settings.data }, 'ready');
}

function giveUp(what: string, error: Error): never {
  say(`${what}\n${error instanceof OperatorError ? error.message : error.stack}`);
  process.exit(1);
}

main().catch((error) => giveUp('Patchbay cannot start.', error));
