// Passwords in settings, while the servers that they are for reject them: the log shows none, at any level.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { SMTPServer } from 'smtp-server';
import { demoPassword } from '../src/demo/demo-world.ts';
import { type Client, createClient } from './harness/client.ts';
import { freePort, startDebianPostgres } from './harness/debian-postgres.ts';
import { start } from './harness/process.ts';
import { basic } from './harness/service.ts';

const home = await mkdtemp(join(tmpdir(), 'pbplaces-'));
const database = await startDebianPostgres();
const administrator = new pg.Client({ connectionString: database.url });
await administrator.connect();

/** With every character that has to be percent-encoded. */
const passwords = Object.fromEntries(
  ['database', 'mail', 'query', 'write'].map((place) => [place, `${place}-kestrel#/?@%:&=+ osprey`]),
) as Record<'database' | 'mail' | 'query' | 'write', string>;
const encoded = (place: keyof typeof passwords): string => encodeURIComponent(passwords[place]);

const mailPasswords: unknown[] = [];
const mailPort = await freePort();
const mailServer = new SMTPServer({
  disabledCommands: ['STARTTLS'],
  allowInsecureAuth: true,
  onAuth: ({ password }, _session, done) => {
    mailPasswords.push(password);
    done(new Error('Invalid login'));
  },
});
mailServer.on('error', () => undefined);
mailServer.listen(mailPort, '127.0.0.1');

const authorizations = new Map<string, string | undefined>();
const engine = createServer((request, response) => {
  authorizations.set(request.url ?? '', request.headers.authorization);
  response.writeHead(401).end('unauthorized');
}).listen(0, '127.0.0.1');
await once(engine, 'listening');
const { port: enginePort } = engine.address() as AddressInfo;

after(async () => {
  await administrator.end();
  mailServer.close(() => undefined);
  engine.close();
  await database.stop();
  await rm(home, { recursive: true, force: true });
});

async function signIn(client: Client): Promise<Client> {
  const grant = {
    grant_type: 'password',
    scope: 'everything',
    username: 'admin@atlas.example',
    password: demoPassword,
  };
  const { body } = await client.post('/auth/token', grant, { basic });
  return client.with({ token: body.access_token });
}

async function waitFor(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const until = Date.now() + 60_000; !(await condition()); await pause(100)) assert.ok(Date.now() < until, what);
}

test('servers that reject the passwords of the settings make the log show none of them', async () => {
  await administrator.query(`create role patchbay login createrole password '${passwords.database}'`);
  await administrator.query('create database patchbay owner patchbay');
  const { host } = new URL(database.url);
  const running = await start(join(home, 'data'), {
    args: ['--log', 'debug', '--database-patience', '4'],
    env: {
      DATABASE_URL: `postgresql://patchbay:${encoded('database')}@${host}/patchbay`,
      PATCHBAY_SMTP_URL: `smtp://patchbay:${encoded('mail')}@127.0.0.1:${mailPort}`,
      PATCHBAY_METRICS: 'prometheus',
      PATCHBAY_METRICS_URL: `http://reader:${encoded('query')}@127.0.0.1:${enginePort}`,
      PATCHBAY_METRICS_WRITE_URL: `http://writer:${encoded('write')}@127.0.0.1:${enginePort}/write`,
    },
  });
  const open = createClient(running.url, await running.ca());
  const client = await signIn(open);

  await open.post(
    '/auth/reset',
    { grant_type: 'client_credentials', scope: 'reset', username: 'admin@atlas.example' },
    { basic },
  );
  await waitFor('no mail was tried', () => mailPasswords.length > 0);
  assert.equal(mailPasswords[0], passwords.mail);

  const [connector] = (await client.get('/connectors')).body;
  const line = `x,irn=${connector.irn} bits_send=1`;
  await waitFor('the engine refuses no write', async () => {
    await client.call('POST', '/metrics/write', { raw: line });
    return authorizations.has('/write');
  });
  assert.equal((await client.get('/health/metrics')).status, 503);
  const basicOf = (user: string, password: string) => `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
  assert.equal(authorizations.get('/write'), basicOf('writer', passwords.write));
  assert.equal(authorizations.get('/api/v1/query'), basicOf('reader', passwords.query));

  await administrator.query(`alter role patchbay password 'another'`);
  await administrator.query(`select pg_terminate_backend(pid) from pg_stat_activity where usename = 'patchbay'`);
  await waitFor('the service is still ready', async () => (await open.get('/ready')).status === 503);
  await client.get('/connectors');
  open.close();
  running.child.kill('SIGTERM');
  await running.exited;

  const output = running.output();
  assert.match(output, /password authentication failed/);
  assert.match(output, /unauthorized/);
  for (const place of ['database', 'mail', 'query', 'write'] as const)
    for (const text of [`${place}-kestrel`, encoded(place), Buffer.from(passwords[place]).toString('base64')])
      assert.ok(!output.includes(text), `the password for ${place} is in the log`);
});
