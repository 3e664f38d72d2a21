// A service in the test process: the real HTTPS server on its own database in the PostgreSQL that test/run.ts started.
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { pino } from 'pino';
import { demoClient, demoPassword } from '../../src/demo/demo-world.ts';
import { type Service, startService } from '../../src/service.ts';
import { readSettings } from '../../src/settings.ts';
import { type ApiDocument, type Checker, type Client, createChecker, createClient } from './client.ts';
import { buildsUsualWorld, usualFlags } from './process.ts';
import { cloneDemoWorld, createDatabase, type TestDatabase } from './template-database.ts';

export const basic = `${demoClient.name}:${demoClient.secret}`;

export interface Fixture {
  service: Service;
  client: Client;
  checker: Checker;
  document: ApiDocument;
  data: string;
  databaseUrl: string;
  /** Connections of the database's owner, past the service. */
  owner: pg.Pool;
  logs: string[];
  /** A client signed in as this user of the demo world. */
  as(email: string, options?: { scope?: string }): Promise<Client>;
  signIn(email: string, password?: string): Promise<{ access_token: string; refresh_token: string }>;
  organisations: Record<'meridian' | 'atlas' | 'boreal' | 'cobalt' | 'labs', string>;
  close(): Promise<void>;
}

/** The mails to an address in the outbox of a data folder, oldest first. */
export async function mailsTo(data: string, address: string): Promise<string[]> {
  const folder = join(data, 'outbox');
  const names = (await readdir(folder).catch(() => [])).filter((name) => /^[^.].*\.eml$/.test(name)).sort();
  const all = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
  return all.filter((mail) => mail.includes(`To: ${address}\n`));
}

/** Waits for this many mails to the address and returns the reset token of the last one. */
export async function mailedToken(data: string, address: string, count = 1): Promise<string> {
  for (const until = Date.now() + 60_000; Date.now() < until; await pause(50)) {
    const mail = (await mailsTo(data, address))[count - 1];
    const token = mail?.split('\n').find((line) => /^pbx_\w+$/.test(line));
    if (token) return token;
  }
  throw new Error(`No mail ${count} to ${address} with a token alone on a line`);
}

export { cloneDemoWorld, createDatabase, testDatabaseUrl } from './template-database.ts';

/** After each statement that may write, waits until the service has received the notification of the change. */
function ownerOf(url: string, service: Service): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  pool.on('error', () => undefined);
  const send = pool.query.bind(pool) as (text: unknown, values?: unknown[]) => Promise<pg.QueryResult>;
  const query = async (text: unknown, values?: unknown[]): Promise<pg.QueryResult> => {
    // The pool may hold a connection that was closed while idle. Nothing was sent on it: a repetition is safe.
    const result = await send(text, values).catch((error) => {
      if (!/not queryable/.test(error.message)) throw error;
      return send(text, values);
    });
    if (!/^\s*select\b/i.test(String(text))) await service.catchUp();
    return result;
  };
  return Object.assign(pool, { query });
}

export async function startFixture(flags: string[] = [], database?: TestDatabase): Promise<Fixture> {
  const home = await mkdtemp(join(tmpdir(), 'pbtest-'));
  const own = database ?? (await (buildsUsualWorld(flags) ? cloneDemoWorld() : createDatabase()));
  if (own.keyFile) await writeFile(join(home, 'keys.json'), own.keyFile, { mode: 0o600 });
  const logs: string[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void logs.push(line) });
  const locations = ['--data', home, '--database-url', own.url];
  const { settings } = readSettings([...usualFlags, ...locations, ...flags], {});
  const service = await startService(settings, logger, () => undefined);
  const ca = await readFile(service.authorityFile ?? join(home, 'tls', 'ca.pem'), 'utf8');
  const url = `https://localhost:${service.port}`;
  const plain = createClient(url, ca);
  const document = (await plain.get('/openapi.json')).body as ApiDocument;
  plain.close();
  const checker = createChecker(document);
  const client = createClient(url, ca, checker);
  const owner = ownerOf(own.url, service);
  const { rows } = await owner.query('select id, name from organisations');
  const idOf = (name: string): string => rows.find((row) => row.name === name)?.id ?? '';

  const signIn: Fixture['signIn'] = async (email, password = demoPassword) => {
    const response = await client.post(
      '/auth/token',
      { grant_type: 'password', scope: 'everything', username: email, password },
      { basic },
    );
    if (response.status !== 200) throw new Error(`${email} cannot sign in: ${response.text}`);
    return response.body;
  };
  const close = async () => {
    client.close();
    await owner.end();
    await service.close(1000);
    if (!database) await own.drop();
    await rm(home, { recursive: true, force: true });
  };
  return {
    service,
    client,
    checker,
    document,
    data: home,
    databaseUrl: own.url,
    owner,
    logs,
    as: async (email, options = {}) => client.with({ token: (await signIn(email)).access_token, ...options }),
    signIn,
    organisations: {
      meridian: idOf('Meridian Exchange'),
      atlas: idOf('Atlas Retail'),
      boreal: idOf('Boreal Bank'),
      cobalt: idOf('Cobalt Games'),
      labs: idOf('Cobalt Labs'),
    },
    close,
  };
}

/** A fixture that closes when the test file ends. */
export async function fixture(flags: string[] = []): Promise<Fixture> {
  const started = await startFixture(flags);
  after(() => started.close());
  return started;
}
