// All settings of the service, read from flags and environment. An invalid value is reported with the valid ones, and
// nothing starts.
import { isIP } from 'node:net';
import { parseArgs } from 'node:util';
import { OperatorError } from './errors/operator-error.ts';
import { faultSyntax } from './fabric/simulated/fault-injection.ts';
import {
  address,
  databaseUrl,
  engineUrl,
  faultRules,
  folder,
  InvalidValue,
  limitOrOff,
  oneOf,
  optional,
  optionalFile,
  port,
  portOrOff,
  proxies,
  publicUrl,
  text,
  url,
  wholeNumber,
} from './setting-parsers.ts';
import { type Environment, findUnknownVariables } from './unknown-variables.ts';
import { findSimilar } from './values/edit-distance.ts';

interface Setting<T> {
  environment: string;
  default: string;
  help: string;
  parse: (text: string) => T;
}

const setting = <T>(environment: string, fallback: string, help: string, parse: (text: string) => T): Setting<T> => ({
  environment,
  default: fallback,
  help,
  parse,
});

const table = {
  host: setting('PATCHBAY_HOST', '127.0.0.1', 'address to listen on', address),
  port: setting('PATCHBAY_PORT', '8443', 'port to listen on; 0: any free port, which is printed', port),
  data: setting('PATCHBAY_DATA', './data', 'folder for the database, keys, certificates and outgoing mail', folder),
  databaseUrl: setting(
    'DATABASE_URL',
    '',
    'PostgreSQL server (15 or newer) to use; unset: the embedded one',
    databaseUrl,
  ),
  databasePatience: setting(
    'PATCHBAY_DATABASE_PATIENCE',
    '4',
    'seconds (1 to 20) to wait for a connection or a statement; slower requests get 503 or 504 with Retry-After',
    wholeNumber('seconds', 1, 20),
  ),
  keys: setting(
    'PATCHBAY_KEYS',
    '',
    'the key file, shared by all replicas; unset: keys.json in the data folder',
    optionalFile,
  ),
  tlsCert: setting('PATCHBAY_TLS_CERT', '', 'certificate chain (PEM); unset: signed by a local CA', optionalFile),
  tlsKey: setting('PATCHBAY_TLS_KEY', '', 'private key (PEM) of that certificate', optionalFile),
  behindProxy: setting(
    'PATCHBAY_BEHIND_PROXY',
    '',
    'addresses or CIDR ranges, separated by commas, of TLS proxies whose forwarded headers are trusted',
    proxies,
  ),
  smtpUrl: setting(
    'PATCHBAY_SMTP_URL',
    '',
    'mail server; unset: .eml files in the outbox of the data folder',
    url('smtp://USER:PASSWORD@HOST:587', 'smtp:', 'smtps:'),
  ),
  mailFrom: setting('PATCHBAY_MAIL_FROM', 'Patchbay <no-reply@patchbay.invalid>', 'sender of mails', text),
  baseUrl: setting(
    'PATCHBAY_BASE_URL',
    '',
    'public URL of the service, used in mails; unset: the URL that it listens on',
    publicUrl,
  ),
  brand: setting(
    'PATCHBAY_BRAND',
    '',
    "brand file (JSON) with the operator's names, logo, colours and mail texts",
    optionalFile,
  ),
  demo: setting(
    'PATCHBAY_DEMO',
    'off',
    'on: loads the demo world once; public: also serves it beyond loopback, behind a proxy or at a public URL',
    oneOf('off', 'on', 'public'),
  ),
  demoHistory: setting(
    'PATCHBAY_DEMO_HISTORY',
    '35',
    'days of simulated metric history in the demo world, or off',
    wholeNumber('days', 1, 366, true),
  ),
  metrics: setting(
    'PATCHBAY_METRICS',
    'embedded',
    'metric engine: embedded (this database), influxdb (1.x), or prometheus (any engine with its query API)',
    oneOf('embedded', 'influxdb', 'prometheus'),
  ),
  metricsUrl: setting(
    'PATCHBAY_METRICS_URL',
    '',
    'URL of the InfluxDB or Prometheus; may contain user and password',
    engineUrl,
  ),
  metricsDatabase: setting('PATCHBAY_METRICS_DATABASE', 'telegraf', 'database name in InfluxDB', text),
  metricsWriteUrl: setting(
    'PATCHBAY_METRICS_WRITE_URL',
    '',
    'where an engine with the Prometheus query API accepts line protocol (VictoriaMetrics: /write); unset: read only',
    engineUrl,
  ),
  metricsMapping: setting(
    'PATCHBAY_METRICS_MAPPING',
    '',
    "mapping file (JSON) with the names of measurements and tags; unset: those of Telegraf's snmp and ping inputs",
    optionalFile,
  ),
  metricsRetention: setting(
    'PATCHBAY_METRICS_RETENTION',
    '400',
    'retention of the embedded engine in days',
    wholeNumber('days', 1, 99_999),
  ),
  log: setting(
    'PATCHBAY_LOG',
    'info',
    'log level: silent, error, warn, info or debug',
    oneOf('silent', 'error', 'warn', 'info', 'debug'),
  ),
  rateLimit: setting(
    'PATCHBAY_RATE_LIMIT',
    '200',
    'requests per second for each user (bursts: five times as many), or off',
    limitOrOff,
  ),
  rateLimitLogin: setting(
    'PATCHBAY_RATE_LIMIT_LOGIN',
    '60',
    'sign-ins per minute for each address, or off',
    limitOrOff,
  ),
  memory: setting(
    'PATCHBAY_MEMORY',
    '64',
    'size of the response cache in megabytes; 0: no cache',
    wholeNumber('megabytes', 0, 99_999),
  ),
  drain: setting(
    'PATCHBAY_DRAIN',
    '0',
    'seconds between SIGTERM and the stop, in which the service is not ready, so that a load balancer notices',
    wholeNumber('seconds', 0, 300),
  ),
  fabric: setting(
    'PATCHBAY_FABRIC',
    'simulated',
    'fabric that links are deployed on: simulated, or lab (BIRD routers in network namespaces of this machine)',
    oneOf('simulated', 'lab'),
  ),
  simulatedSeed: setting('PATCHBAY_SIMULATED_SEED', 'patchbay', 'random seed of the simulated fabric', text),
  simulatedFail: setting('PATCHBAY_SIMULATED_FAIL', '', faultSyntax, faultRules),
  monitorPort: setting(
    'PATCHBAY_MONITOR_PORT',
    '0',
    'loopback port for Prometheus metrics of the process; 0: any free port; off: none',
    portOrOff,
  ),
  postgresAccount: setting(
    'PATCHBAY_POSTGRES_ACCOUNT',
    '',
    'account that runs the embedded database when the service is started by root',
    optional,
  ),
};

export type SettingName = keyof typeof table;
export type Settings = { [Name in SettingName]: ReturnType<(typeof table)[Name]['parse']> };

const names = Object.keys(table) as SettingName[];
const variables = names.map((name) => table[name].environment);
const flagOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

type Flags = Record<string, string | boolean | undefined>;

/** A password may also be in a value that was meant for another setting. */
const mayContainPassword = (variable: string, value: string): boolean =>
  variable.endsWith('_URL') || /:\/\/|@/.test(value);

function parseFlags(args: string[], extra: Record<string, { type: 'string' | 'boolean' }>): Flags {
  const own = Object.fromEntries(names.map((name) => [flagOf(name), { type: 'string' as const }]));
  const options = { ...own, ...extra, help: { type: 'boolean' as const } };
  try {
    return parseArgs({ args, options }).values as Flags;
  } catch (error) {
    const [reason = ''] = (error as Error).message.split('. ');
    const quoted = /'([^']*)'/.exec(reason)?.[1] ?? '';
    const similar = findSimilar(
      quoted,
      Object.keys(options).map((name) => `--${name}`),
    );
    const advice = similar ? `Did you mean ${similar}? ` : '';
    const shown = mayContainPassword('', quoted) ? 'An argument is no flag, or has none before it' : reason;
    throw new OperatorError(`${shown}. ${advice}--help lists the flags.`);
  }
}

/** Flags take precedence over the environment, and that over defaults. All invalid values are reported at once. */
export function readSettings(
  args: string[],
  environment: Environment,
  extra: Record<string, { type: 'string' | 'boolean' }> = {},
  defaults: Partial<Record<SettingName, string>> = {},
): { settings: Settings; extra: Record<string, string | boolean | undefined>; help: boolean } {
  const flags = parseFlags(args, extra);
  const errors: string[] = [];
  const settings: Record<string, unknown> = {};
  for (const name of names) {
    const { environment: variable, default: fallback, parse } = table[name];
    const flag = flags[flagOf(name)];
    const given = flag ?? environment[variable];
    try {
      settings[name] = parse(String(given ?? defaults[name] ?? fallback));
    } catch (error) {
      if (!(error instanceof InvalidValue)) throw error;
      const source = flag === undefined ? variable : `--${flagOf(name)}`;
      errors.push(
        mayContainPassword(variable, String(given))
          ? `${source} must be ${error.message} (its value is not shown, as it may contain a password)`
          : `${source} is ${JSON.stringify(given)}, but must be ${error.message}`,
      );
    }
  }
  const isMissing = (name: SettingName): boolean =>
    flags[flagOf(name)] === undefined && environment[table[name].environment] === undefined;
  const missing = names.filter(isMissing).map((name) => table[name].environment);
  errors.push(...findUnknownVariables(environment, variables, missing));
  if (Boolean(settings.tlsCert) !== Boolean(settings.tlsKey))
    errors.push('PATCHBAY_TLS_CERT and PATCHBAY_TLS_KEY belong together: set both or neither');
  // --help works with invalid settings too.
  if (errors.length && !flags.help) throw new OperatorError(errors.join('\n'));
  return {
    settings: settings as Settings,
    extra: Object.fromEntries(Object.keys(extra).map((key) => [key, flags[key]])),
    help: flags.help === true,
  };
}

export function settingsHelp(): string {
  const rows = names.map((name) => {
    const { environment, default: fallback, help } = table[name];
    return [`--${flagOf(name)}`, environment, fallback ? `${help} (${fallback})` : help] as const;
  });
  const width = (column: 0 | 1) => Math.max(...rows.map((row) => row[column].length)) + 2;
  return rows
    .map(([flag, variable, help]) => `  ${flag.padEnd(width(0))}${variable.padEnd(width(1))}${help}`)
    .join('\n');
}

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

/** The URL at which callers on this machine reach the service. */
export function urlOf(host: string, port: number): string {
  const name = isLoopback(host) || /^(0\.0\.0\.0|::)$/.test(host) ? 'localhost' : host;
  return `https://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/** How callers on other machines reach the service, to complete "would be served …"; undefined where none can. */
export function findExposure({ host, behindProxy, baseUrl }: Settings): string | undefined {
  if (!isLoopback(host)) return `on ${host}`;
  if (behindProxy.length) return `through the proxy of PATCHBAY_BEHIND_PROXY (${behindProxy.join(',')})`;
  if (baseUrl && !isLoopback(new URL(baseUrl).hostname.replace(/^\[|\]$/g, '')))
    return `at PATCHBAY_BASE_URL (${baseUrl})`;
  return undefined;
}
