// Read settings, start the service, say where it is, close cleanly.
import { relative } from 'node:path';
import { demoClient, demoPassword } from './demo/world.ts';
import { createLogger } from './logging.ts';
import { type Service, startService, version } from './service.ts';
import { readSettings, type Settings, SettingsError, settingsHelp } from './settings.ts';

const say = (text: string): void => void process.stderr.write(`${text}\n`);

function welcome(service: Service, settings: Settings): string {
  const authority = service.authorityFile && (relative(process.cwd(), service.authorityFile) || service.authorityFile);
  const trust = authority ? ` --cacert ${authority}` : '';
  const lines = [
    '',
    `  Patchbay ${version} is ready.`,
    '',
    `  API         ${service.url}`,
    `  Reference   ${service.url}/docs`,
    `  Data        ${settings.data}${settings.databaseUrl ? ' (the database is at DATABASE_URL)' : ''}`,
  ];
  if (service.monitorPort !== undefined) lines.push(`  Metrics     http://127.0.0.1:${service.monitorPort}/metrics`);
  if (service.isDemo)
    lines.push(
      '',
      '  Sign in     admin@meridian.example, operator@, viewer@, billing@meridian.example,',
      '              admin@atlas.example, admin@boreal.example, admin@cobalt.example, admin@labs.example',
      `  Password    ${demoPassword}`,
      `  API client  ${demoClient.name} / ${demoClient.secret}`,
      '',
      '  Try it:',
      '',
      `  curl${trust} -u ${demoClient.name}:${demoClient.secret} -H 'Content-Type: application/json' \\`,
      `    -d '{"grant_type":"password","scope":"everything","username":"admin@meridian.example","password":"${demoPassword}"}' \\`,
      `    ${service.url}/auth/token`,
    );
  else
    lines.push(
      '',
      '  Nobody there yet? npm run setup -- --organisation NAME --email ADDRESS makes the first organisation.',
    );
  return lines.join('\n');
}

async function main(): Promise<void> {
  const { settings, help } = readSettings(process.argv.slice(2), process.env);
  if (help)
    return say(
      `Patchbay ${version}: the open control plane for cloud interconnection.\n\nSettings, as flags or in the environment:\n\n${settingsHelp()}\n`,
    );
  const logger = await createLogger(settings.log);
  const starting = startService(settings, logger, (step) => say(`  … ${step}`));

  let stopping = false;
  const stop = async (signal: string): Promise<void> => {
    // A terminal's Ctrl-C reaches this process directly and once more through npm: the first one counts.
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, 'stopping: finishing the requests in flight');
    await (await starting).close();
    logger.info('stopped');
    process.exit(0);
  };
  // From the very start on: a database that is being made must be closed as well.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stop(signal).catch(giveUp));

  const service = await starting;
  if (stopping) return;
  say(`${welcome(service, settings)}\n`);
  logger.info({ url: service.url, data: settings.data }, 'ready');
}

function giveUp(error: Error): never {
  say(`Patchbay cannot start.\n${error instanceof SettingsError ? error.message : error.stack}`);
  process.exit(1);
}

main().catch(giveUp);
