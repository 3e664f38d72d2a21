// A whole service for a test file: the real HTTPS server on a database of its own in the PostgreSQL that test/run.ts started.
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
  /** The database's owner, behind the service's back. */
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

/** The reset token of the latest of so many mails, once they have arrived. */
export async function mailedToken(data: string, address: string, count = 1): Promise<string> {
  for (const until = Date.now() + 60_000; Date.now() < until; await pause(50)) {
    const mail = (await mailsTo(data, address))[count - 1];
    const token = mail?.split('\n').find((line) => /^pbx_\w+$/.test(line));
    if (token) return token;
  }
  throw new Error(`No mail ${count} to ${address} with a token alone on a line`);
}

export { createDatabase, testDatabaseUrl } from './template-database.ts';

/** A new database for a fixture in the data folder `home`. */
async function prepareDatabase(flags: string[], home: string): Promise<TestDatabase> {
  if (!buildsUsualWorld(flags)) return createDatabase();
  const { database, keyFile } = await cloneDemoWorld();
  await writeFile(join(home, 'keys.json'), keyFile, { mode: 0o600 });
  return database;
}

/** Whoever changes something behind the service's back finds it known there, as if they had waited for a second. */
function ownerOf(url: string, service: Service): pg.Pool {
  const pool = new pg.Pool({ connectionString: url, max: 4 });
  pool.on('error', () => undefined);
  const ask = pool.query.bind(pool) as (text: unknown, values?: unknown[]) => Promise<pg.QueryResult>;
  const query = async (text: unknown, values?: unknown[]): Promise<pg.QueryResult> => {
    // A connection that was lost while nobody used it has not been sent anything: another one is.
    const result = await ask(text, values).catch((error) => {
      if (!/not queryable/.test(error.message)) throw error;
      return ask(text, values);
    });
    if (!/^\s*select\b/i.test(String(text))) await service.catchUp();
    return result;
  };
  return Object.assign(pool, { query });
}

export async function startFixture(flags: string[] = [], database?: TestDatabase): Promise<Fixture> {
  const home = await mkdtemp(join(tmpdir(), 'pbtest-'));
  const own = database ?? (await prepareDatabase(flags, home));
  const logs: string[] = [];
  const logger = pino({ level: 'info' }, { write: (line: string) => void logs.push(line) });
  const places = ['--data', home, '--database-url', own.url];
  const { settings } = readSettings([...usualFlags, ...places, ...flags], {});
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
    const answer = await client.post(
      '/auth/token',
      { grant_type: 'password', scope: 'everything', username: email, password },
      { basic },
    );
    if (answer.status !== 200) throw new Error(`${email} cannot sign in: ${answer.text}`);
    return answer.body;
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

/** The same, closed by itself when the test file ends. */
export async function fixture(flags: string[] = []): Promise<Fixture> {
  const started = await startFixture(flags);
  after(() => started.close());
  return started;
}
