import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { OperatorError } from './errors/operator-error.ts';
import { findExposure, isLoopback, readSettings, settingsHelp } from './settings.ts';

const rejection = (args: string[], environment: Record<string, string> = {}): string => {
  try {
    readSettings(args, environment);
  } catch (error) {
    assert.ok(error instanceof OperatorError, String(error));
    return error.message;
  }
  return assert.fail(`accepted ${args.join(' ')} ${JSON.stringify(environment)}`);
};

test('flags take precedence over the environment, and the environment over defaults', () => {
  const { settings } = readSettings(['--port', '9001'], { PATCHBAY_PORT: '9002', PATCHBAY_HOST: '::1' });
  assert.equal(settings.port, 9001);
  assert.equal(settings.host, '::1');
  assert.equal(settings.rateLimit, 200);
});

test('off disables a limit', () => {
  const { settings } = readSettings([], { PATCHBAY_RATE_LIMIT: 'off', PATCHBAY_RATE_LIMIT_LOGIN: 'off' });
  assert.equal(settings.rateLimit, undefined);
  assert.equal(settings.rateLimitLogin, undefined);
});

test('an invalid value is reported with the valid ones', () => {
  const cases: [string, string, RegExp][] = [
    ['PATCHBAY_PORT', '65536', /0 to 65535/],
    ['PATCHBAY_PORT', 'http', /0 to 65535/],
    ['PATCHBAY_LOG', 'loud', /silent, error, warn, info, debug/],
    ['PATCHBAY_DEMO', 'yes', /off, on, public/],
    ['PATCHBAY_RATE_LIMIT', '0', /from 1 up, or off/],
    ['PATCHBAY_RATE_LIMIT_LOGIN', '-5', /from 1 up, or off/],
    ['PATCHBAY_BEHIND_PROXY', '10.0.0.0/33', /CIDR/],
    ['PATCHBAY_HOST', 'not a host', /address or host name/],
    ['PATCHBAY_MONITOR_PORT', 'none', /0 to 65535/],
    ['PATCHBAY_DRAIN', '301', /whole number of seconds from 0 to 300/],
    ['PATCHBAY_MEMORY', '-1', /megabytes from 0 to 99999/],
    ['PATCHBAY_METRICS_RETENTION', '0', /days from 1 to 99999/],
    ['PATCHBAY_DEMO_HISTORY', '367', /days from 1 to 366, or off/],
    ['PATCHBAY_DATABASE_PATIENCE', '0', /1 to 20/],
    ['PATCHBAY_DATABASE_PATIENCE', '21', /1 to 20/],
  ];
  for (const [name, value, expected] of cases) {
    const message = rejection([], { [name]: value });
    assert.match(message, expected);
    assert.ok(message.includes(name) && message.includes(JSON.stringify(value)), message);
  }
});

test('a URL is never part of a message, whatever its password contains', () => {
  const names = ['DATABASE_URL', 'PATCHBAY_SMTP_URL', 'PATCHBAY_METRICS_URL', 'PATCHBAY_METRICS_WRITE_URL'];
  const protocols = ['postgresql', 'smtp', 'http', 'mysql'];
  const delimiters = fc.string({ unit: fc.constantFrom('#', '/', '?', '@', '%', ':', '1', '\\', '&', '=', ' ') });
  fc.assert(
    fc.property(fc.constantFrom(...names), fc.constantFrom(...protocols), delimiters, delimiters, (name, ...rest) => {
      const [protocol, before, after] = rest;
      const value = `${protocol}://user:${before}SECRET${after}@host.example:5432/database`;
      try {
        const { settings } = readSettings([], { [name]: value });
        const accepted = settings.databaseUrl ?? settings.smtpUrl ?? settings.metricsUrl ?? settings.metricsWriteUrl;
        const parsed = new URL(accepted ?? '');
        assert.equal(parsed.host, 'host.example:5432', 'a part of the password is taken for a host');
        assert.ok(decodeURIComponent(parsed.password).includes('SECRET'));
      } catch (error) {
        assert.ok(error instanceof OperatorError, String(error));
        assert.match(error.message, new RegExp(`^${name} must be a URL `));
        assert.ok(!error.message.includes('SECRET') && !error.message.includes('host.example'), error.message);
      }
    }),
  );
});

test('a percent-encoded password is accepted, whatever it contains', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1, unit: 'grapheme' }), (password) => {
      const value = `postgresql://user:${encodeURIComponent(password)}@host.example:5432/database?application_name=a%40b`;
      assert.equal(readSettings([], { DATABASE_URL: value }).settings.databaseUrl, value);
    }),
  );
});

test('a variable that resembles a setting is rejected unless that setting is given', () => {
  const url = 'postgresql://user@host.example/database';
  for (const name of ['DATABASE_ULR', 'DATABASEURL', 'POSTGRES_URL', 'PG_URI', 'DB_URL', 'Database_Url']) {
    assert.match(rejection([], { [name]: url }), new RegExp(`^${name} is not a setting. Did you mean DATABASE_URL\\?`));
    assert.equal(readSettings(['--database-url', url], { [name]: url }).settings.databaseUrl, url);
    assert.equal(readSettings([], { [name]: url, DATABASE_URL: '' }).settings.databaseUrl, undefined);
  }
  for (const [name, value] of [
    ['DATABASE_SSL', 'on'],
    ['DATABASE_USER', 'x'],
    ['DB_URL', 'mysql://x'],
    ['TEST_DATABASE_URL', url],
    ['HOME', '/root'],
  ] as const)
    assert.equal(readSettings([], { [name]: value }).settings.databaseUrl, undefined, name);
});

test('all invalid values are reported at once', () => {
  const message = rejection(['--port', 'x'], { PATCHBAY_LOG: 'loud' });
  assert.match(message, /--port/);
  assert.match(message, /PATCHBAY_LOG/);
});

test('--help works with invalid settings', () => {
  assert.equal(readSettings(['--help'], { PATCHBAY_PROT: '1', PATCHBAY_LOG: 'loud' }).help, true);
});

test('an unknown setting or flag is rejected', () => {
  assert.match(rejection([], { PATCHBAY_PROT: '1' }), /PATCHBAY_PROT/);
  assert.match(rejection(['--prot', '1']), /--prot/);
});

test('a certificate without its key is rejected', () => {
  assert.match(rejection([], { PATCHBAY_TLS_CERT: 'a.pem' }), /belong together/);
});

test('the help lists every setting with its variable', () => {
  const help = settingsHelp();
  for (const name of [
    'PATCHBAY_HOST',
    'PATCHBAY_PORT',
    'PATCHBAY_DATA',
    'DATABASE_URL',
    'PATCHBAY_TLS_CERT',
    'PATCHBAY_TLS_KEY',
    'PATCHBAY_BEHIND_PROXY',
    'PATCHBAY_SMTP_URL',
    'PATCHBAY_BASE_URL',
    'PATCHBAY_BRAND',
    'PATCHBAY_DEMO',
    'PATCHBAY_LOG',
    'PATCHBAY_RATE_LIMIT',
    'PATCHBAY_RATE_LIMIT_LOGIN',
  ])
    assert.ok(help.includes(name), name);
});

test('only a loopback address and URL without a proxy are not exposed', () => {
  const exposureOf = (...args: string[]) => findExposure(readSettings(args, {}).settings);
  for (const host of ['localhost', '127.0.0.1', '127.8.9.10', '::1']) {
    assert.ok(isLoopback(host), host);
    assert.equal(exposureOf('--host', host), undefined);
    const inUrl = host.includes(':') ? `[${host}]` : host;
    assert.equal(exposureOf('--base-url', `https://${inUrl}:8443/x`), undefined);
  }
  const domain = fc.domain().filter((name) => name !== 'localhost');
  fc.assert(
    fc.property(
      fc.oneof(
        domain,
        domain.map((name) => `127.${name}`),
        fc.constantFrom('0.0.0.0', '10.0.0.1'),
      ),
      (name) => {
        assert.equal(exposureOf('--base-url', `https://${name}`), `at PATCHBAY_BASE_URL (https://${name})`);
        if (name.length <= 253) assert.equal(exposureOf('--host', name), `on ${name}`);
      },
    ),
  );
  fc.assert(
    fc.property(fc.array(fc.ipV4(), { minLength: 1 }), (proxies) =>
      assert.match(exposureOf('--behind-proxy', proxies.join()) ?? '', /^through the proxy of PATCHBAY_BEHIND_PROXY/),
    ),
  );
});
