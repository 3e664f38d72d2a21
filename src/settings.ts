// All settings of the service, read from flags and environment. An invalid value is reported with the valid ones, and
// nothing starts.
import { isIP } from 'node:net';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { OperatorError } from './errors/operator-error.ts';
import { type FaultRule, faultSyntax, parseFaultRules } from './fabric/simulated/fault-injection.ts';

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

/** The message completes the sentence "… must be". */
class InvalidValue extends Error {}

const text = (value: string): string => value;
const optional = (value: string): string | undefined => value || undefined;
const folder = (value: string): string => resolve(value);
const optionalFile = (value: string): string | undefined => (value ? resolve(value) : undefined);

function port(value: string): number {
  if (!/^\d{1,5}$/.test(value) || Number(value) > 65535)
    throw new InvalidValue('a port number from 0 to 65535 (0: any free one)');
  return Number(value);
}

const wholeNumber =
  (unit: string, min: number, max: number, allowsOff = false) =>
  (value: string): number => {
    if (allowsOff && value === 'off') return 0;
    if (!/^(0|[1-9]\d{0,5})$/.test(value) || Number(value) < min || Number(value) > max)
      throw new InvalidValue(`a whole number of ${unit} from ${min} to ${max}${allowsOff ? ', or off' : ''}`);
    return Number(value);
  };

const portOrOff = (value: string): number | undefined => (value === 'off' ? undefined : port(value));

const oneOf =
  <T extends string>(...choices: T[]) =>
  (value: string): T => {
    const found = choices.find((choice) => choice === value);
    if (found === undefined) throw new InvalidValue(`one of ${choices.join(', ')}`);
    return found;
  };

function limitOrOff(value: string): number | undefined {
  if (value === 'off') return undefined;
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new InvalidValue('a whole number from 1 up, or off');
  return Number(value);
}

function address(value: string): string {
  if (isIP(value) || /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/i.test(value)) return value;
  throw new InvalidValue('an address or host name to listen on, such as 127.0.0.1 or 0.0.0.0');
}

function faultRules(value: string): FaultRule[] {
  const rules = parseFaultRules(value);
  if (!rules) throw new InvalidValue(faultSyntax);
  return rules;
}

function proxies(value: string): string[] {
  const list = value.split(',').map((item) => item.trim());
  if (!value) return [];
  for (const item of list) {
    const [host = '', prefix] = item.split('/');
    const bits = isIP(host) === 6 ? 128 : 32;
    if (!isIP(host) || (prefix !== undefined && (!/^\d{1,3}$/.test(prefix) || Number(prefix) > bits)))
      throw new InvalidValue('addresses or CIDR ranges separated by commas, such as 10.0.0.5,10.1.0.0/16');
  }
  return list;
}

const url =
  (...protocols: string[]) =>
  (value: string): string | undefined => {
    if (!value) return undefined;
    if (URL.canParse(value) && protocols.includes(new URL(value).protocol)) return value;
    throw new InvalidValue(`a URL that starts with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`);
  };

const table = {
  host: setting('PATCHBAY_HOST', '127.0.0.1', 'address to listen on', address),
  port: setting('PATCHBAY_PORT', '8443', 'port to listen on; 0: any free port, which is printed', port),
  data: setting('PATCHBAY_DATA', './data', 'folder for the database, keys, certificates and outgoing mail', folder),
  databaseUrl: setting(
    'DATABASE_URL',
    '',
    'PostgreSQL server (15 or newer) to use; unset: the embedded one',
    url('postgres:', 'postgresql:'),
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
    url('smtp:', 'smtps:'),
  ),
  mailFrom: setting('PATCHBAY_MAIL_FROM', 'Patchbay <no-reply@patchbay.invalid>', 'sender of mails', text),
  baseUrl: setting(
    'PATCHBAY_BASE_URL',
    '',
    'public URL of the service, used in mails; unset: the URL that it listens on',
    url('https:'),
  ),
  brand: setting('PATCHBAY_BRAND', '', 'brand file (JSON) that renames headers, fields and families', optionalFile),
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
    url('http:', 'https:'),
  ),
  metricsDatabase: setting('PATCHBAY_METRICS_DATABASE', 'telegraf', 'database name in InfluxDB', text),
  metricsWriteUrl: setting(
    'PATCHBAY_METRICS_WRITE_URL',
    '',
    'where an engine with the Prometheus query API accepts line protocol (VictoriaMetrics: /write); unset: read only',
    url('http:', 'https:'),
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
const flagOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

/** Flags take precedence over the environment, and that over defaults. All invalid values are reported at once. */
export function readSettings(
  args: string[],
  environment: Record<string, string | undefined>,
  extra: Record<string, { type: 'string' | 'boolean' }> = {},
  defaults: Partial<Record<SettingName, string>> = {},
): { settings: Settings; extra: Record<string, string | boolean | undefined>; help: boolean } {
  const options = Object.fromEntries(names.map((name) => [flagOf(name), { type: 'string' as const }]));
  let flags: Record<string, string | boolean | undefined>;
  try {
    flags = parseArgs({ args, options: { ...options, ...extra, help: { type: 'boolean' } } }).values as typeof flags;
  } catch (error) {
    throw new OperatorError(`${(error as Error).message.split('. ')[0]}. --help lists the flags.`);
  }
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
      errors.push(`${source} is ${JSON.stringify(given)}, but must be ${error.message}`);
    }
  }
  for (const name of Object.keys(environment))
    if (name.startsWith('PATCHBAY_') && !names.some((known) => table[known].environment === name))
      errors.push(`${name} is not a setting (--help lists them)`);
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

/** How callers on other machines reach the service, to complete "would be served …"; undefined where none can. */
export function findExposure({ host, behindProxy, baseUrl }: Settings): string | undefined {
  if (!isLoopback(host)) return `on ${host}`;
  if (behindProxy.length) return `through the proxy of PATCHBAY_BEHIND_PROXY (${behindProxy.join(',')})`;
  if (baseUrl && !isLoopback(new URL(baseUrl).hostname.replace(/^\[|\]$/g, '')))
    return `at PATCHBAY_BASE_URL (${baseUrl})`;
  return undefined;
}
