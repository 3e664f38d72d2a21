// The service with wrong settings: each ends quickly with a sentence and exit code 1, writes nothing and shows no secret.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chown, copyFile, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import pg from 'pg';
import { createNewKeyFile } from '../src/host/key-file.ts';
import { readSettings } from '../src/settings.ts';
import { freePort, startDebianPostgres } from './harness/debian-postgres.ts';
import {
  asOrdinaryUser,
  makeCertificate,
  mountDisk,
  plantCluster,
  snapshot,
  startWith,
  type WrongSetting,
} from './harness/wrong-settings.ts';

const home = await mkdtemp(join(tmpdir(), 'pbwrong-'));
const isRoot = process.getuid?.() === 0;
/** A start alone takes about one second. */
const usualSeconds = 20;

/** Two parts, between which the delimiters of the rows are. Neither may be printed. */
const [secretStart, secretEnd] = ['kestrel', 'osprey'];
const secret = `${secretStart}${secretEnd}`;
const ownId = process.getuid?.() ?? 0;
const secretWith = (delimiter: string): string => `${secretStart}${delimiter}${secretEnd}`;

const [plain, encrypted] = await Promise.all([startDebianPostgres(), startDebianPostgres()]);
const addressOf = (url: string): string => new URL(url).host;
const plainServer = addressOf(plain.url);
const encryptedServer = addressOf(encrypted.url);

async function query(url: string, ...statements: string[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  let rows: Record<string, unknown>[] = [];
  for (const statement of statements) ({ rows } = await client.query(statement));
  await client.end();
  return rows;
}

const tls = await makeCertificate(join(home, 'tls'));
const otherCa = (await makeCertificate(join(home, 'other-tls'))).ca;
const keyFile = join(home, 'keys.json');
await createNewKeyFile(keyFile);
const notPem = join(home, 'not.pem');
await writeFile(notPem, 'not a certificate');
const ambiguousBrand = join(home, 'ambiguous-brand.json');
await writeFile(ambiguousBrand, JSON.stringify({ fields: { serviceRegion: 'name' } }));

const accounts = [
  `create role patchbay login createrole password '${secret}'`,
  `create role modest login password '${secret}'`,
  `create role crowded login createrole password '${secret}' connection limit 0`,
  'create database patchbay owner patchbay',
  'create database closed owner patchbay',
  'revoke connect on database closed from public',
];
await query(plain.url, ...accounts);
const [{ folder } = {}] = await query(encrypted.url, `select current_setting('data_directory') as folder`);
for (const [from, name] of [
  [tls.cert, 'server.pem'],
  [tls.key, 'server.key'],
] as const)
  await copyFile(from, join(String(folder), name)).then(async () => {
    const { uid, gid } = await stat(String(folder));
    await chown(join(String(folder), name), uid, gid);
  });
await query(
  encrypted.url,
  `alter system set ssl_cert_file = 'server.pem'`,
  `alter system set ssl_key_file = 'server.key'`,
  'alter system set ssl = on',
  'select pg_reload_conf()',
);

/** Listens on a port of loopback: another program, or a server that accepts connections and never answers. */
const silent = createServer().listen(0, '127.0.0.1');
await once(silent, 'listening');
const { port: takenPort } = silent.address() as AddressInfo;
const closedPort = await freePort();

const disks = isRoot
  ? [
      await mountDisk(join(home, 'small'), 'size=16m'),
      await mountDisk(join(home, 'full'), 'size=1m,nr_inodes=2'),
      await mountDisk(join(home, 'read-only'), 'ro'),
    ]
  : [];

after(async () => {
  silent.close();
  for (const unmount of disks) unmount();
  await Promise.all([plain.stop(), encrypted.stop()]);
  await rm(home, { recursive: true, force: true });
});

const notShown = '(its value is not shown, as it may contain a password)';
const encoding = 'write # as %23, / as %2F, ? as %3F, @ as %40 and % as %25';
const databaseForm = `postgresql://USER:PASSWORD@HOST:5432/DATABASE, with USER and PASSWORD percent-encoded: ${encoding}`;
const smtpForm = `smtp://USER:PASSWORD@HOST:587, with USER and PASSWORD percent-encoded: ${encoding}`;
const engineForm = `https://USER:PASSWORD@HOST:8086, with USER and PASSWORD percent-encoded: ${encoding}`;

const one = (name: string, value: string, expected: string | RegExp): WrongSetting => ({
  what: `${name}=${value.replaceAll(secretStart, '…').replaceAll(secretEnd, '…')}`,
  env: { [name]: value },
  expected,
});

const port = 'a port number from 0 to 65535 (0: any free one)';
const values: WrongSetting[] = [
  one('PATCHBAY_PORT', '70000', `PATCHBAY_PORT is "70000", but must be ${port}`),
  one('PATCHBAY_PORT', 'https', `PATCHBAY_PORT is "https", but must be ${port}`),
  one('PATCHBAY_MONITOR_PORT', 'none', `PATCHBAY_MONITOR_PORT is "none", but must be ${port}`),
  one(
    'PATCHBAY_HOST',
    'all interfaces',
    'PATCHBAY_HOST is "all interfaces", but must be an address or host name to listen on, such as 127.0.0.1 or 0.0.0.0',
  ),
  one(
    'PATCHBAY_BEHIND_PROXY',
    '10.0.0.0/33',
    'PATCHBAY_BEHIND_PROXY is "10.0.0.0/33", but must be addresses or CIDR ranges separated by commas, ' +
      'such as 10.0.0.5,10.1.0.0/16',
  ),
  one('PATCHBAY_LOG', 'loud', 'PATCHBAY_LOG is "loud", but must be one of silent, error, warn, info, debug'),
  one('PATCHBAY_DEMO', 'yes', 'PATCHBAY_DEMO is "yes", but must be one of off, on, public'),
  one('PATCHBAY_FABRIC', 'cloud', 'PATCHBAY_FABRIC is "cloud", but must be one of simulated, lab'),
  one(
    'PATCHBAY_METRICS',
    'graphite',
    'PATCHBAY_METRICS is "graphite", but must be one of embedded, influxdb, prometheus',
  ),
  one('PATCHBAY_RATE_LIMIT', '0', 'PATCHBAY_RATE_LIMIT is "0", but must be a whole number from 1 up, or off'),
  one('PATCHBAY_DRAIN', '10s', 'PATCHBAY_DRAIN is "10s", but must be a whole number of seconds from 0 to 300'),
  one('PATCHBAY_MEMORY', '1GB', 'PATCHBAY_MEMORY is "1GB", but must be a whole number of megabytes from 0 to 99999'),
  one(
    'PATCHBAY_DATABASE_PATIENCE',
    '0',
    'PATCHBAY_DATABASE_PATIENCE is "0", but must be a whole number of seconds from 1 to 20',
  ),
  one(
    'PATCHBAY_TLS_CERT',
    '/etc/ssl/cert.pem',
    'PATCHBAY_TLS_CERT and PATCHBAY_TLS_KEY belong together: set both or neither',
  ),
  one(
    'PATCHBAY_BASE_URL',
    'http://patchbay.example',
    `PATCHBAY_BASE_URL must be a URL that starts with https:// ${notShown}`,
  ),
  one(
    'PATCHBAY_BASE_URL',
    `https://noc:${secret}@patchbay.example`,
    `PATCHBAY_BASE_URL must be a URL without user name and password ${notShown}`,
  ),
  one('PATCHBAY_METRICS', 'influxdb', 'PATCHBAY_METRICS is influxdb: set its address with PATCHBAY_METRICS_URL.'),
  {
    what: 'two wrong settings at once',
    env: { PATCHBAY_PORT: 'https', PATCHBAY_LOG: 'loud' },
    expected:
      `PATCHBAY_PORT is "https", but must be ${port}\n` +
      'PATCHBAY_LOG is "loud", but must be one of silent, error, warn, info, debug',
  },
];

const databaseUrl = (url: string, expected: string): WrongSetting => one('DATABASE_URL', url, expected);
const passwords: WrongSetting[] = [
  ...['#', '/', '?', '@/', '%'].map((delimiter) =>
    databaseUrl(
      `postgresql://patchbay:${secretWith(delimiter)}@db.example:5432/patchbay`,
      `DATABASE_URL must be a URL such as ${databaseForm} ${notShown}`,
    ),
  ),
  // The URL is valid, and a part of the password is its port.
  databaseUrl(
    `postgresql://patchbay:1234/${secret}@db.example:5432/patchbay`,
    `DATABASE_URL must be a URL such as ${databaseForm} ${notShown}`,
  ),
  databaseUrl(
    `mysql://patchbay:${secret}@db.example/patchbay`,
    `DATABASE_URL must be a URL that starts with postgres:// or postgresql:// ${notShown}`,
  ),
  databaseUrl(
    `host=db.example user=patchbay password=${secret}`,
    `DATABASE_URL must be a URL that starts with postgres:// or postgresql:// ${notShown}`,
  ),
  databaseUrl(
    `postgresql://patchbay:${secret}@db-1.example,db-2.example:5432/patchbay`,
    `DATABASE_URL must be a URL with one host ${notShown}`,
  ),
  databaseUrl(
    `postgresql://patchbay:${secret}@db.example/patchbay?sslmode=required`,
    'DATABASE_URL must be a URL whose sslmode is one of disable, no-verify, prefer, require, verify-ca, verify-full ' +
      notShown,
  ),
  databaseUrl(
    `postgresql://patchbay:${secret}@db.example/patchbay?ssl_mode=verify-full`,
    `DATABASE_URL must be a URL without the unknown parameter ssl_mode. Did you mean sslmode? ${notShown}`,
  ),
  ...['#', '/', '%'].map((delimiter) =>
    one(
      'PATCHBAY_SMTP_URL',
      `smtp://patchbay:${secretWith(delimiter)}@mail.example:587`,
      `PATCHBAY_SMTP_URL must be a URL such as ${smtpForm} ${notShown}`,
    ),
  ),
  one(
    'PATCHBAY_SMTP_URL',
    `mail.example:587:patchbay:${secret}`,
    `PATCHBAY_SMTP_URL must be a URL that starts with smtp:// or smtps:// ${notShown}`,
  ),
  ...['PATCHBAY_METRICS_URL', 'PATCHBAY_METRICS_WRITE_URL'].flatMap((name) => [
    one(
      name,
      `http://patchbay:${secretWith('#')}@influx.example:8086`,
      `${name} must be a URL such as ${engineForm} ${notShown}`,
    ),
    one(
      name,
      `influxdb://patchbay:${secret}@influx.example:8086`,
      `${name} must be a URL that starts with http:// or https:// ${notShown}`,
    ),
  ]),
  one('PATCHBAY_PORT', `postgresql://patchbay:${secret}@db.example`, `PATCHBAY_PORT must be ${port} ${notShown}`),
  {
    what: 'a URL with a password as a flag without a name',
    args: [`postgresql://patchbay:${secret}@db.example/patchbay`],
    expected: 'An argument is no flag, or has none before it. --help lists the flags.',
  },
  {
    what: 'a misspelt flag with a password',
    args: [`--database-ulr=postgresql://patchbay:${secret}@db.example/patchbay`],
    expected: "Unknown option '--database-ulr'. Did you mean --database-url? --help lists the flags.",
  },
];

const goodUrl = `postgresql://patchbay:${secret}@${plainServer}/patchbay`;
const misspelt = (name: string, similar: string, value = goodUrl): WrongSetting => ({
  what: `${name} for ${similar}`,
  env: { [name]: value },
  expected:
    `${name} is not a setting. Did you mean ${similar}? If not, set ${similar} as well` +
    (similar === 'DATABASE_URL' ? ' (empty: the embedded database)' : ''),
});
const names: WrongSetting[] = [
  misspelt('DATABASE_ULR', 'DATABASE_URL'),
  misspelt('DATABSE_URL', 'DATABASE_URL'),
  misspelt('DATABASE_URI', 'DATABASE_URL'),
  misspelt('database_url', 'DATABASE_URL'),
  misspelt('POSTGRES_URL', 'DATABASE_URL'),
  misspelt('PACTHBAY_PORT', 'PATCHBAY_PORT', '8443'),
  one('PATCHBAY_DATABASE_URL', goodUrl, 'PATCHBAY_DATABASE_URL is not a setting. Did you mean DATABASE_URL?'),
  one('PATCHBAY_PROT', '8443', 'PATCHBAY_PROT is not a setting. Did you mean PATCHBAY_PORT?'),
  one('PATCHBAY_COLOUR', 'blue', 'PATCHBAY_COLOUR is not a setting (--help lists them)'),
  {
    what: '--prot for --port',
    args: ['--prot', '8443'],
    expected: "Unknown option '--prot'. Did you mean --port? --help lists the flags.",
  },
];

/** With a key file, as a start without it would create one first. */
async function plantKeys(data: string): Promise<void> {
  await mkdir(data, { recursive: true, mode: 0o700 });
  await copyFile(keyFile, join(data, 'keys.json'));
}

const onDatabase = (what: string, url: string, expected: string | RegExp, more: Partial<WrongSetting> = {}) => ({
  what,
  // Rows at the same time must not take each other's port.
  env: { PATCHBAY_PORT: '0', DATABASE_URL: url },
  prepare: plantKeys,
  expected,
  ...more,
});
const withServer = (server: string, rest: string): string => `postgresql://patchbay:${secret}@${server}/${rest}`;
const databases: WrongSetting[] = [
  onDatabase(
    'a wrong password of the database',
    `postgresql://patchbay:${secretEnd}@${plainServer}/patchbay`,
    `The database server at ${plainServer} rejects the password of the account patchbay. ` +
      'Check user name and password in DATABASE_URL; special characters in them must be percent-encoded.',
  ),
  onDatabase(
    'no password of the database',
    `postgresql://patchbay@${plainServer}/patchbay`,
    `The database server at ${plainServer} asks for the password of the account patchbay, but DATABASE_URL has none.`,
  ),
  onDatabase(
    'a database that does not exist',
    withServer(plainServer, 'patchbai'),
    `The database patchbai does not exist on the server at ${plainServer}. Create it, or correct the name in DATABASE_URL.`,
  ),
  onDatabase(
    'a database that the account may not connect to',
    `postgresql://modest:${secret}@${plainServer}/closed`,
    `The account modest lacks a right on the database server at ${plainServer}: permission denied for database "closed". ` +
      'It must own the database (docs/operations.md, PostgreSQL).',
  ),
  onDatabase(
    'an account that may not create the application role',
    `postgresql://modest:${secret}@${plainServer}/patchbay`,
    /^The database account cannot create the role patchbay_app .*grant patchbay_app to <account>;$/,
  ),
  onDatabase(
    'an account whose connection limit is reached',
    `postgresql://crowded:${secret}@${plainServer}/patchbay`,
    `The database server at ${plainServer} has no free connection (too many connections for role "crowded"). ` +
      'A replica needs up to 21. Raise max_connections or the limit of the account, or stop other clients.',
  ),
  onDatabase(
    'an unknown host of the database',
    withServer('db.invalid:5432', 'patchbay'),
    /^The database cannot be reached: (the host name|no name server answers for) db\.invalid\b.* Check the host in DATABASE_URL/,
    { withinSeconds: 40 },
  ),
  onDatabase(
    'a host on which nothing listens',
    withServer(`localhost:${closedPort}`, 'patchbay'),
    `The database cannot be reached: nothing listens at localhost:${closedPort}. ` +
      'Check host and port in DATABASE_URL, and that PostgreSQL runs and listens there.',
  ),
  onDatabase(
    'a host that never answers',
    withServer(`127.0.0.1:${takenPort}`, 'patchbay'),
    `The database cannot be reached: 127.0.0.1:${takenPort} does not answer. ` +
      'Check host and port in DATABASE_URL, and the firewalls in between.',
    { withinSeconds: 40 },
  ),
  onDatabase(
    'npm run backup with a wrong password of the database',
    `postgresql://patchbay:${secretEnd}@${plainServer}/patchbay`,
    / rejects the password of the account patchbay\. /,
    { script: 'src/commands/backup.ts' },
  ),
  onDatabase(
    'npm run setup with a wrong password of the database',
    `postgresql://patchbay:${secretEnd}@${plainServer}/patchbay`,
    / rejects the password of the account patchbay\. /,
    { script: 'src/commands/setup.ts', args: ['--organisation', 'Acme', '--email', 'noc@acme.example'] },
  ),
];

const missing = join(home, 'missing.pem');
const fileRow = (name: string, file: string, reason: string): WrongSetting =>
  onDatabase(
    `${name} of DATABASE_URL: ${reason}`,
    withServer(encryptedServer, `patchbay?sslmode=verify-full&${name}=${file}`),
    `DATABASE_URL names a file that cannot be read (${name}=${file}): ${reason}.`,
  );
const untrusted = new RegExp(`^The certificate of the database server at ${encryptedServer} is not trusted: .*`);
const encryption: WrongSetting[] = [
  fileRow('sslrootcert', missing, 'there is no such file or folder'),
  fileRow('sslcert', missing, 'there is no such file or folder'),
  fileRow('sslkey', missing, 'there is no such file or folder'),
  fileRow('sslrootcert', home, 'it is a folder'),
  onDatabase(
    'sslrootcert of DATABASE_URL that is no certificate',
    withServer(encryptedServer, `patchbay?sslmode=verify-full&sslrootcert=${notPem}`),
    untrusted,
  ),
  onDatabase(
    'sslcert of DATABASE_URL that is no certificate',
    withServer(
      encryptedServer,
      `patchbay?sslmode=verify-full&sslrootcert=${tls.ca}&sslcert=${notPem}&sslkey=${tls.key}`,
    ),
    /^TLS with the database server at \S+ fails: .* Are sslrootcert, sslcert, sslkey in DATABASE_URL PEM files /,
  ),
  onDatabase(
    'sslmode=require without the CA of the server',
    withServer(encryptedServer, 'patchbay?sslmode=require'),
    untrusted,
  ),
  onDatabase(
    'sslmode=verify-full with another CA than that of the server',
    withServer(encryptedServer, `patchbay?sslmode=verify-full&sslrootcert=${otherCa}`),
    untrusted,
  ),
  onDatabase(
    'sslmode=verify-full with a host that the certificate does not name',
    withServer(encryptedServer.replace('127.0.0.1', '127.1'), `patchbay?sslmode=verify-full&sslrootcert=${tls.ca}`),
    `The certificate of the database server at ${encryptedServer.replace('127.0.0.1', '127.1')} is for another name ` +
      'than 127.1. Use a name of the certificate as the host in DATABASE_URL.',
  ),
  onDatabase(
    'sslmode=require with a server without TLS',
    withServer(plainServer, 'patchbay?sslmode=require'),
    `The database server at ${plainServer} does not offer TLS, which sslmode in DATABASE_URL requires. ` +
      'Turn it on there (ssl = on), or use sslmode=disable where no one can read the network.',
  ),
];

const files: WrongSetting[] = [
  {
    what: 'PATCHBAY_TLS_CERT that does not exist',
    env: { PATCHBAY_TLS_CERT: missing, PATCHBAY_TLS_KEY: tls.key },
    expected: /^PATCHBAY_TLS_CERT cannot be read: .*missing\.pem/,
  },
  {
    what: 'PATCHBAY_TLS_KEY of another certificate',
    env: { PATCHBAY_TLS_CERT: otherCa, PATCHBAY_TLS_KEY: tls.key },
    expected: /^PATCHBAY_TLS_CERT and PATCHBAY_TLS_KEY do not fit together/,
  },
  one('PATCHBAY_BRAND', missing, /^The brand file .*missing\.pem /),
  one('PATCHBAY_BRAND', notPem, /^The brand file .*not\.pem is not valid JSON: /),
  one(
    'PATCHBAY_BRAND',
    ambiguousBrand,
    /^The brand file .* renames serviceRegion to name, which is a field of the API/,
  ),
  {
    what: 'PATCHBAY_METRICS_MAPPING that is not JSON',
    env: {
      PATCHBAY_METRICS: 'influxdb',
      PATCHBAY_METRICS_URL: 'http://127.0.0.1:8086',
      PATCHBAY_METRICS_MAPPING: notPem,
    },
    expected: new RegExp(`^The mapping file ${notPem} cannot be used: it is not JSON`),
  },
  one('PATCHBAY_KEYS', notPem, /^The key file .*not\.pem is not JSON with a tokenKey/),
  {
    what: 'PATCHBAY_PORT that another program uses',
    env: { PATCHBAY_PORT: String(takenPort) },
    expected:
      `Cannot listen: another program uses port ${takenPort} on 127.0.0.1. ` +
      'Choose another with PATCHBAY_PORT or PATCHBAY_HOST.',
  },
  {
    what: 'PATCHBAY_MONITOR_PORT that another program uses',
    env: { PATCHBAY_PORT: '0', PATCHBAY_MONITOR_PORT: String(takenPort) },
    expected: `Cannot listen: another program uses port ${takenPort} on 127.0.0.1. Choose another with PATCHBAY_MONITOR_PORT.`,
  },
  one(
    'PATCHBAY_HOST',
    '192.0.2.1',
    'Cannot listen: 192.0.2.1 is not an address of this machine. Choose another with PATCHBAY_PORT or PATCHBAY_HOST.',
  ),
  one(
    'PATCHBAY_HOST',
    'patchbay.invalid',
    'Cannot listen: the name patchbay.invalid has no address. Choose another with PATCHBAY_PORT or PATCHBAY_HOST.',
  ),
];

const anyPort = { PATCHBAY_PORT: '0' };
const folders: WrongSetting[] = [
  ...['/proc', '/proc/patchbay', '/sys/patchbay'].map((data) => ({
    what: `PATCHBAY_DATA=${data}`,
    env: anyPort,
    data,
    expected: /^The data folder DATA cannot be (created|written): .*PATCHBAY_DATA\.$/,
  })),
  {
    what: 'PATCHBAY_DATA below a file',
    env: anyPort,
    data: join(notPem, 'data'),
    expected:
      'The data folder DATA cannot be created: a part of the path is not a folder. Choose another with PATCHBAY_DATA.',
  },
  {
    what: 'PATCHBAY_DATA that is a file',
    env: anyPort,
    data: notPem,
    expected:
      'The data folder DATA cannot be created: a part of the path is not a folder. Choose another with PATCHBAY_DATA.',
  },
  {
    what: 'PATCHBAY_KEYS=/proc/patchbay/keys.json',
    env: { ...anyPort, PATCHBAY_KEYS: '/proc/patchbay/keys.json' },
    expected:
      'The key file /proc/patchbay/keys.json cannot be created: there is no such file or folder. ' +
      'Choose another with PATCHBAY_KEYS.',
  },
  {
    what: 'a database of another version of PostgreSQL',
    env: anyPort,
    prepare: async (data) => {
      await plantKeys(data);
      await plantCluster(data, isRoot ? 1 : ownId, '17');
    },
    expected:
      'The database in DATA/postgres is of PostgreSQL 17; this Patchbay embeds 18. ' +
      'Take a backup with the Patchbay that wrote it, and restore it into a new data folder.',
  },
];

/** Plants a cluster of this user. */
const clusterOf = (uid: number) => async (data: string) => {
  await plantKeys(data);
  await plantCluster(data, uid);
};
const forRoot: WrongSetting[] = [
  {
    what: 'PATCHBAY_POSTGRES_ACCOUNT=nobody',
    env: { ...anyPort, PATCHBAY_POSTGRES_ACCOUNT: 'nobody' },
    prepare: plantKeys,
    expected:
      'PATCHBAY_POSTGRES_ACCOUNT is "nobody", but must be an account other than root and nobody. ' +
      'Create one: useradd --system --user-group patchbay',
  },
  {
    what: 'a database that belongs to another account than PATCHBAY_POSTGRES_ACCOUNT',
    env: { ...anyPort, PATCHBAY_POSTGRES_ACCOUNT: 'postgres' },
    prepare: clusterOf(1),
    expected:
      'The database in DATA/postgres belongs to daemon, but would run as postgres. Give it to that account ' +
      '(chown -R postgres DATA/postgres), or set PATCHBAY_POSTGRES_ACCOUNT to its owner.',
  },
  {
    what: 'a database that belongs to root',
    env: anyPort,
    prepare: clusterOf(0),
    expected: /^The database in DATA\/postgres belongs to root, but would run as \w+\. Give it to that account /,
  },
  {
    what: 'a database that belongs to another account than the service',
    env: anyPort,
    wrapper: asOrdinaryUser,
    prepare: async (data) => {
      await clusterOf(2)(data);
      await chown(data, 1, 1);
      await chown(join(data, 'keys.json'), 1, 1);
    },
    expected:
      'The database in DATA/postgres belongs to bin, but would run as daemon. ' +
      'Start Patchbay as its owner, or give the data folder to daemon (chown -R daemon DATA).',
  },
  {
    what: 'a data folder that the account cannot write',
    env: anyPort,
    wrapper: asOrdinaryUser,
    prepare: plantKeys,
    expected:
      'The data folder DATA cannot be written: the account daemon has no access. ' +
      'Correct this, or choose another with PATCHBAY_DATA.',
  },
  {
    what: 'a data folder in a folder that the account cannot write',
    env: anyPort,
    wrapper: asOrdinaryUser,
    expected:
      'The data folder DATA cannot be created: the account daemon has no access. Choose another with PATCHBAY_DATA.',
  },
  {
    what: 'a data folder on a read-only disk',
    env: anyPort,
    data: join(home, 'read-only', 'data'),
    expected:
      'The data folder DATA cannot be created: the file system is read-only. Choose another with PATCHBAY_DATA.',
  },
  {
    what: 'a disk without room for the embedded database',
    env: anyPort,
    data: join(home, 'small', 'data'),
    prepare: plantKeys,
    expected:
      'The embedded database needs 100 MB, but the disk of DATA has 16 MB free. ' +
      'Free some space, or choose another data folder with PATCHBAY_DATA.',
  },
  {
    what: 'a full disk',
    env: anyPort,
    data: join(home, 'full', 'data'),
    expected:
      'The data folder DATA cannot be written: the disk is full. Correct this, or choose another with PATCHBAY_DATA.',
  },
];

const rows = [
  ...values,
  ...passwords,
  ...names,
  ...databases,
  ...encryption,
  ...files,
  ...folders,
  ...(isRoot ? forRoot : []),
];

const stackTrace = /^\s+at .*:\d+:\d+/m;

/** What the operator reads, without the steps of the start and the first line, which every failure has. */
function readSentence(output: string): string {
  const lines = output.split('\n').filter((line) => !line.startsWith('  … '));
  assert.match(lines[0] ?? '', /^(Patchbay cannot start|No backup was made|Nothing was set up)\.$/, output);
  return lines.slice(1).join('\n').trimEnd();
}

/** How the driver connects with a URL that passes the settings. */
async function connectionOf(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: readSettings(['--database-url', url], {}).settings.databaseUrl });
  try {
    await client.connect();
    const { rows } = await client.query('select ssl from pg_stat_ssl where pid = pg_backend_pid()');
    return rows[0].ssl ? 'encrypted' : 'not encrypted';
  } catch (error) {
    return (error as { code?: string }).code ?? (error as Error).message;
  } finally {
    await client.end();
  }
}

test('sslmode in DATABASE_URL has the meaning that the operations guide describes', async () => {
  const connect = (parameters: string, host = '127.0.0.1') =>
    connectionOf(`${encrypted.url.replace('127.0.0.1', host)}?${parameters}`);
  const ca = `sslrootcert=${tls.ca}`;
  const [untrusted, otherName] = ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'ERR_TLS_CERT_ALTNAME_INVALID'];
  assert.equal(await connect(''), 'not encrypted', 'although the server offers TLS');
  assert.equal(await connect('sslmode=disable'), 'not encrypted');
  assert.equal(await connect('sslmode=no-verify'), 'encrypted');
  for (const mode of ['prefer', 'require', 'verify-ca', 'verify-full']) {
    assert.equal(await connect(`sslmode=${mode}`), untrusted, mode);
    assert.equal(await connect(`sslmode=${mode}&${ca}`), 'encrypted', mode);
    assert.equal(await connect(`sslmode=${mode}&${ca}`, '127.1'), otherName, mode);
  }
  assert.equal(await connect(ca), 'encrypted');
  assert.equal(await connect(ca, '127.1'), otherName);
  assert.equal(await connect('uselibpqcompat=true&sslmode=require'), 'encrypted');
  assert.equal(await connect(`uselibpqcompat=true&sslmode=verify-ca&${ca}`, '127.1'), 'encrypted');
});

test('what the database refuses later in a start is reported in a sentence too', async () => {
  await query(
    plain.url,
    `create role narrow login createrole password '${secret}' connection limit 1`,
    'create database narrow owner narrow',
    `create role stranger login createrole password '${secret}'`,
  );
  const reasons = [
    ['narrow', /^The database server at \S+ has no free connection \(too many connections for role "narrow"\)\./m],
    ['stranger', /^The account stranger lacks a right on \S+ \S+ \S+ at \S+: permission denied for table \w+\./m],
  ] as const;
  for (const [account, reason] of reasons) {
    const url = `postgresql://${account}:${secret}@${plainServer}/narrow`;
    const row = { what: '', env: { ...anyPort, DATABASE_URL: url }, expected: '' };
    const { code, output } = await startWith(row, join(home, account), 60);
    assert.equal(code, 1, output);
    assert.match(output, reason);
    assert.doesNotMatch(output, stackTrace);
    assert.ok(!output.includes(secret));
  }
  await query(plain.url, 'drop database narrow', 'drop role narrow, stranger, patchbay_app');
});

const seconds = new Map<string, number>();

async function checkRow(row: WrongSetting, data: string): Promise<void> {
  await row.prepare?.(data);
  // A folder of the kernel changes by itself.
  const isKernel = /^\/(proc|sys)\b/.test(data);
  const before = isKernel ? undefined : await snapshot(data);
  const withinSeconds = row.withinSeconds ?? usualSeconds;
  const { code, signal, output, seconds: taken } = await startWith(row, data, withinSeconds);
  seconds.set(row.what, taken);
  assert.deepEqual({ code, signal }, { code: 1, signal: null }, `${taken.toFixed(1)} s: ${output}`);
  const sentence = readSentence(output).replaceAll(data, 'DATA');
  if (typeof row.expected === 'string') assert.equal(sentence, row.expected);
  else assert.match(sentence, row.expected);
  assert.doesNotMatch(output, stackTrace);
  for (const part of [secretStart, secretEnd]) assert.ok(!output.includes(part), `a part of the password: ${output}`);
  if (!isKernel) assert.deepEqual(await snapshot(data), before, 'the data folder has changed');
}

describe('a start is refused with a sentence, without a trace', { concurrency: 3 }, () => {
  for (const [index, row] of rows.entries())
    test(row.what, () => checkRow(row, row.data ?? join(home, `data-${index}`)));
});

test('at least forty wrong settings were tried, and none has written to a database', async (t) => {
  assert.ok(seconds.size >= 40);
  for (const { url } of [plain, encrypted]) {
    const [{ roles } = {}] = await query(
      url,
      `select count(*)::int as roles from pg_roles where rolname = 'patchbay_app'`,
    );
    assert.equal(roles, 0);
  }
  const [{ tables } = {}] = await query(
    plain.url.replace(/postgres$/, 'patchbay'),
    `select count(*)::int as tables from pg_class where relnamespace = 'public'::regnamespace`,
  );
  assert.equal(tables, 0);
  for (const [what, taken] of seconds) t.diagnostic(`${taken.toFixed(1).padStart(5)} s  ${what}`);
});
