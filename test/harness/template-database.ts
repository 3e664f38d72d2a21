// Databases for fixtures: empty ones, and clones of a template that holds the demo world. A data folder likewise.
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { pino } from 'pino';
import { startService } from '../../src/service.ts';
import { readSettings } from '../../src/settings.ts';
import { findRunningUrl } from '../../src/store/embedded-postgres.ts';
import { untilDeployed } from './bulk-data.ts';
import { start, usualFlags } from './process.ts';

export interface TestDatabase {
  url: string;
  /** The key file that the tokens and secrets in it need. An empty database has none. */
  keyFile?: string;
  drop: () => Promise<void>;
}

export function testDatabaseUrl(): string {
  const url = process.env.TEST_DATABASE_URL;
  if (!url) throw new Error('TEST_DATABASE_URL is not set. Run the tests with: npm test -- FILE…');
  return url;
}

function urlOf(name: string): string {
  const url = new URL(testDatabaseUrl());
  url.pathname = `/${name}`;
  return url.href;
}

async function onServer<T>(work: (client: pg.Client) => Promise<T>, url = testDatabaseUrl()): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return work(client).finally(() => client.end());
}

/** An empty database, or a clone of another one that has no connections. */
export async function createDatabase(template?: string): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await onServer((client) => client.query(`create database ${name} ${template ? `template ${template}` : ''}`));
  return {
    url: urlOf(name),
    drop: () => onServer(async (client) => void (await client.query(`drop database ${name} with (force)`))),
  };
}

const template = 'test_template_demo';

/** Returns the key file of the template once all deployments of the demo world have ended. */
async function buildTemplate(client: pg.Client): Promise<string> {
  // A build that was interrupted leaves a database without a comment.
  await client.query(`drop database if exists ${template} with (force)`);
  await client.query(`create database ${template}`);
  const home = await mkdtemp(join(tmpdir(), 'pbtemplate-'));
  try {
    const { settings } = readSettings([...usualFlags, '--data', home, '--database-url', urlOf(template)], {});
    const service = await startService(settings, pino({ enabled: false }), () => undefined);
    await onServer(untilDeployed, urlOf(template)).finally(() => service.close(1000));
    return await readFile(join(home, 'keys.json'), 'utf8');
  } finally {
    await rm(home, { recursive: true, force: true });
  }
}

/**
 * A database with the demo world as `usualFlags` build it. The first caller on a server builds the template. Its key
 * file is stored as its comment, which also marks it complete.
 */
export async function cloneDemoWorld(): Promise<TestDatabase> {
  const keyFile = await onServer(async (client) => {
    await client.query(`select pg_advisory_lock(hashtextextended('test template', 0))`);
    const find = `select shobj_description(oid, 'pg_database') as keys from pg_database where datname = $1`;
    const { rows } = await client.query(find, [template]);
    if (rows[0]?.keys) return rows[0].keys as string;
    const built = await buildTemplate(client);
    await client.query(`comment on database ${template} is ${client.escapeLiteral(built)}`);
    return built;
  });
  return { ...(await createDatabase(template)), keyFile };
}

/** Fills a data folder with the demo world, embedded database included, and leaves it as a stopped service does. */
export async function prepareDataFolder(data: string): Promise<void> {
  const running = await start(data);
  await onServer(untilDeployed, findRunningUrl(data));
  running.child.kill('SIGTERM');
  await running.exited;
}
