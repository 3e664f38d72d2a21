// Mistakes of an operator that must not change a database: each is refused with a reason, before anything is written.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { demoClient, demoPassword } from '../src/demo/demo-world.ts';
import { createNetwork, type MeasuredRecord } from './harness/customer-network.ts';
import { cleanEnvironment, root, start } from './harness/process.ts';
import { basic, createDatabase, type Fixture, fixture, testDatabaseUrl } from './harness/service.ts';

const home = await mkdtemp(join(tmpdir(), 'pbsafety-'));
after(() => rm(home, { recursive: true, force: true }));
let folders = 0;
const folder = (): string => join(home, `data${++folders}`);

/** Runs a program of src/ as npm would. */
async function run(script: string, args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [join(root, 'src', script), ...args], {
    cwd: root,
    env: cleanEnvironment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
    // A service that should have refused to start would run forever.
    timeout: 180_000,
  });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk) => (stdout += chunk));
  child.stderr.on('data', (chunk) => (stderr += chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

async function refused(script: string, args: string[], reason: RegExp, env: Record<string, string> = {}) {
  const { code, stderr } = await run(script, args, env);
  assert.equal(code, 1, stderr);
  assert.match(stderr, reason);
  assert.ok(!/\n +at /.test(stderr), `a sentence instead of a stack: ${stderr}`);
  return stderr;
}

const nameOf = (url: string): string => new URL(url).pathname.slice(1);

async function query(url: string, text: string): Promise<pg.QueryResult['rows']> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query(text).finally(() => client.end());
  return rows;
}

/** A digest of all rows of all tables. */
async function contentOf(url: string): Promise<Record<string, string>> {
  const tables = await query(
    url,
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'pgboss')`,
  );
  const content: Record<string, string> = {};
  for (const { name } of tables)
    content[name] = (
      await query(url, `select md5(string_agg(t::text, ',' order by t::text)) as digest from ${name} t`)
    )[0].digest;
  return content;
}

/** The database of a service in production, which is stopped: one organisation, no demo world. */
const production = await createDatabase();
after(() => production.drop());
const productionData = folder();
const productionKeys = join(productionData, 'keys.json');
const setUp = (name: string, data: string, url: string, keys = productionKeys) =>
  run('commands/setup.ts', [
    ...['--organisation', name, '--email', `noc@${name.toLowerCase()}.example`],
    ...['--data', data, '--keys', keys, '--database-url', url],
  ]);
assert.equal((await setUp('Acme', productionData, production.url)).code, 0);
// Every start repairs this row: a refused one must not get so far.
await query(production.url, `update roles set policies = '[]' where organisation_id is null and name = 'viewer'`);
const backup = join(home, 'production.backup.gz');
const of = ['--data', productionData, '--database-url', production.url];
// A backup records itself, so it is made before the content is read.
assert.equal((await run('commands/backup.ts', [backup, ...of])).code, 0);
const productionContent = await contentOf(production.url);

describe('the demo world', () => {
  test('is not loaded by npm start into a database with another organisation, and nothing is written', async () => {
    for (const demo of [[], ['--demo', 'public', '--host', '0.0.0.0']])
      await refused(
        'main.ts',
        ['start', '--port', '0', '--data', folder(), '--keys', productionKeys, ...demo],
        new RegExp(`the database ${nameOf(production.url)} on .* contains 1 \\(the oldest: "Acme"\\).*npm run serve`),
        { DATABASE_URL: production.url },
      );
    assert.deepEqual(await contentOf(production.url), productionContent);
  });

  test('that would be exposed is refused before a folder or a table is created', async () => {
    const empty = await createDatabase();
    const exposures = [
      ['--host', '0.0.0.0'],
      ['--behind-proxy', '10.0.0.5'],
      ['--base-url', 'https://patchbay.example'],
    ];
    for (const exposure of exposures) {
      const data = folder();
      const args = ['start', '--port', '0', '--data', data, '--database-url', empty.url, ...exposure];
      await refused('main.ts', args, /well-known passwords and would be served/);
      assert.ok(!existsSync(data), 'the data folder was created');
    }
    assert.deepEqual(await contentOf(empty.url), {});
    await empty.drop();
  });

  test('is not removed where there is none', async () => {
    const args = ['remove', '--data', productionData, '--database-url', production.url];
    await refused('commands/demo.ts', args, /There is no demo world in the database/);
    await refused('commands/demo.ts', ['remove', '--data', productionData], /DATABASE_URL in the environment selects/, {
      DATABASE_URL: production.url,
    });
    assert.deepEqual(await contentOf(production.url), productionContent);
  });
});

/** The organisations that any table refers to. */
async function organisationsIn(f: Fixture): Promise<string[]> {
  const { rows: tables } = await f.owner.query(
    `select table_name as name from information_schema.columns
     where table_schema = 'public' and column_name = 'organisation_id'`,
  );
  const parts = tables.map(({ name }) => `select organisation_id as id from ${name} where organisation_id is not null`);
  const { rows } = await f.owner.query(`${parts.join(' union ')} union select id from organisations`);
  return rows.map(({ id }) => id);
}

const fabricTables = ['fabric_groups', 'simulated_items', 'errands', 'demo_history'];
async function countFabricRows(f: Fixture): Promise<number> {
  const sums = fabricTables.map((table) => `(select count(*)::int from ${table})`).join(' + ');
  return (await f.owner.query(`select ${sums} as count`)).rows[0].count;
}

describe('npm run demo -- remove beside a running service', async () => {
  const f = await fixture();
  const flags = ['--data', f.data, '--database-url', f.databaseUrl];
  const { stdout } = await setUp('Borealis', folder(), f.databaseUrl, join(f.data, 'keys.json'));
  const made = JSON.parse(stdout);
  const grant = { grant_type: 'password', scope: 'everything', username: made.email, password: made.password };
  const signIn = (credentials: string) => f.client.post('/auth/token', grant, { basic: credentials });
  const ownToken: string = (await signIn(`${made.client}:${made.clientSecret}`)).body.access_token;
  const tokenOfDemoClient: string = (await signIn(basic)).body.access_token;
  const admin = await f.as('admin@meridian.example');
  const { client, id, connectors } = await createNetwork(admin, 'later');
  const [{ irn }] = connectors as [MeasuredRecord];
  await client.call('POST', '/metrics/write', { raw: `x,irn=${irn} bits_send=1` });
  const [own] = (await f.owner.query(`select id from organisations where name = 'Borealis'`)).rows;

  test('prints with --dry-run what it would remove, and removes nothing', async () => {
    const before = await organisationsIn(f);
    const { code, stdout: printed, stderr } = await run('commands/demo.ts', ['remove', '--dry-run', ...flags]);
    assert.equal(code, 0, stderr);
    for (const line of ['organisation Meridian Exchange', 'organisation Cobalt Labs', 'API client demo'])
      assert.ok(printed.includes(`${line}\n`), printed);
    assert.match(printed, /organisation .* \(created later, or renamed\)/);
    assert.match(printed, /sessions of other organisations with this API client: 1/);
    assert.match(printed, / +\d+ rows of connectors\n/);
    assert.ok(!printed.includes('Borealis'));
    assert.match(stderr, /Nothing was removed, because of --dry-run/);
    assert.deepEqual((await organisationsIn(f)).sort(), before.sort());
    assert.equal((await admin.get('/connectors')).status, 200);
  });

  test('removes organisations that were created later only with --all', async () => {
    // An operator may have shortened the audit trail. The demo world is recognised without it.
    await f.owner.query(`delete from audit where user_name = 'Patchbay demo'`);
    const reason = /These organisations were created below the demo world, or renamed: .*Add --all/;
    await refused('commands/demo.ts', ['remove', ...flags], reason);
    assert.ok((await organisationsIn(f)).includes(id));
  });

  test('removes everything of the demo world, and nothing of others', async () => {
    const { code, stderr } = await run('commands/demo.ts', ['remove', '--all', ...flags]);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /Removed the demo world \(\d+ rows of \d+ tables\) from the database \w+ on /);
    assert.deepEqual(await organisationsIn(f), [own.id]);
    for (const until = Date.now() + 60_000; (await countFabricRows(f)) && Date.now() < until; ) await pause(200);
    assert.equal(await countFabricRows(f), 0, `${fabricTables.join(', ')} are empty`);
    await f.service.catchUp();
    assert.equal((await admin.get('/connectors')).status, 401, 'tokens of the demo world');
    assert.equal((await f.client.get('/me/info', { token: tokenOfDemoClient })).status, 401, 'of its API client');
    const published = { ...grant, username: 'admin@meridian.example', password: demoPassword };
    assert.equal((await f.client.post('/auth/token', published, { basic })).body.code, 'InvalidClient');
    assert.equal((await f.client.get('/me/info', { token: ownToken })).status, 200);
    assert.equal((await f.client.get('/ready')).status, 200);
    assert.deepEqual(
      f.logs.filter((line) => line.includes('"level":50')),
      [],
    );
    const clients = (await f.owner.query('select name from api_clients')).rows.map(({ name }) => name);
    assert.ok(!clients.includes(demoClient.name) && clients.includes(made.client), clients.join());
  });
});

test('npm run demo -- remove works on the embedded database of a stopped service', async () => {
  const data = folder();
  const first = await start(data);
  first.child.kill('SIGTERM');
  await first.exited;
  const { code, stdout, stderr } = await run('commands/demo.ts', ['remove', '--data', data]);
  assert.equal(code, 0, stderr);
  assert.ok(stdout.includes('organisation Meridian Exchange\n'), stdout);
  const again = await start(data, { args: ['--demo', 'off'] });
  again.child.kill('SIGTERM');
  await again.exited;
  assert.match(again.output(), /No organisation exists yet/);
});

describe('a restore', () => {
  const inherited = { DATABASE_URL: production.url };

  test('with --data beside the DATABASE_URL of the environment is refused, and the message names both', async () => {
    const data = folder();
    const output = await refused(
      'commands/restore.ts',
      [backup, '--data', data],
      new RegExp(
        `--data names ${data}, but DATABASE_URL .* the database ${nameOf(production.url)} on .*--database-url=`,
      ),
      inherited,
    );
    const { password } = new URL(production.url);
    assert.ok(!password || !output.includes(password), 'the password is printed');
    assert.ok(!existsSync(data));
    assert.deepEqual(await contentOf(production.url), productionContent);
  });

  test('into a new folder beside DATABASE_URL works with --database-url=', async () => {
    const data = folder();
    const { code, stderr } = await run(
      'commands/restore.ts',
      [backup, '--data', data, '--keys', productionKeys, '--database-url='],
      inherited,
    );
    assert.equal(code, 0, stderr);
    assert.match(stderr, new RegExp(`restoring into the embedded database of ${data}\n.*creating`, 's'));
    assert.deepEqual(await contentOf(production.url), productionContent);
    const again = [backup, '--data', data, '--keys', productionKeys];
    await refused('commands/restore.ts', again, /not empty .* the embedded database of .*--replace NAME/);
    await refused(
      'commands/restore.ts',
      [...again, '--replace', 'patchbay'],
      /--replace names "patchbay", but .* replace/,
    );
    const replaced = await run('commands/restore.ts', [...again, '--replace', data.slice(home.length + 1)]);
    assert.equal(replaced.code, 0, replaced.stderr);
  });

  test('names host and database first, and replaces content only where --replace repeats its name', async () => {
    const [target, other] = [await createDatabase(), await createDatabase()];
    const data = await mkdtemp(join(home, 'target-'));
    await copyFile(productionKeys, join(data, 'keys.json'));
    const args = [backup, '--data', data, '--database-url', target.url];
    const first = await run('commands/restore.ts', args);
    assert.equal(first.code, 0, first.stderr);
    const named = `restoring into the database ${nameOf(target.url)} on `;
    assert.ok(first.stderr.indexOf(named) < first.stderr.indexOf('checking foreign keys'), first.stderr);
    const content = await contentOf(target.url);
    await refused('commands/restore.ts', args, /The database is not empty .* the database \w+ on .*--replace NAME/);
    const wrong = [...args, '--replace', nameOf(other.url)];
    await refused('commands/restore.ts', wrong, new RegExp(`would replace the database ${nameOf(target.url)} on `));
    await refused('commands/restore.ts', [...args, '--replace'], /--replace/);
    assert.deepEqual(await contentOf(target.url), content);
    await query(target.url, 'create table something (content text)');
    const replaced = await run('commands/restore.ts', [...args, '--replace', nameOf(target.url)]);
    assert.equal(replaced.code, 0, replaced.stderr);
    assert.deepEqual(Object.keys(await contentOf(target.url)).sort(), Object.keys(content).sort());
    await Promise.all([target.drop(), other.drop()]);
  });
});

test('a start without the key file of its database says where it was expected, and writes nothing', async () => {
  const data = folder();
  const args = ['--port', '0', '--data', data, '--database-url', production.url];
  const reason = new RegExp(
    `The key file ${join(data, 'keys.json')} is missing, and the database ${nameOf(production.url)} `,
  );
  assert.match(await refused('main.ts', args, reason), /Set PATCHBAY_KEYS to that file, or move it there/);
  assert.deepEqual(await readdir(data).catch(() => []), []);
  const elsewhere = join(home, 'shared', 'keys.json');
  await refused('main.ts', [...args, '--keys', elsewhere], new RegExp(`The key file ${elsewhere} is missing`));
  await refused('commands/setup.ts', [...args.slice(2), '--organisation', 'X', '--email', 'a@b.example'], reason);
  assert.ok(!existsSync(elsewhere));
  assert.deepEqual(await contentOf(production.url), productionContent);
});

describe('a database', () => {
  test('that is read-only gets 503 for writes and at /ready, and serves reads until it is writable again', async () => {
    const f = await fixture();
    const admin = await f.as('admin@meridian.example');
    const name = nameOf(f.databaseUrl);
    const setReadOnly = async (value: 'on' | 'off'): Promise<void> => {
      await query(testDatabaseUrl(), `alter database ${name} set default_transaction_read_only = ${value}`);
      // The setting holds for new connections.
      await query(
        testDatabaseUrl(),
        `select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`,
      );
    };
    const untilReady = async (status: number) => {
      for (const until = Date.now() + 60_000; Date.now() < until; await pause(100)) {
        const ready = await f.client.get('/ready');
        if (ready.status === status && (status === 200 || /read-only/.test(ready.body.error))) return ready;
      }
      return assert.fail(`/ready is not ${status}`);
    };
    await setReadOnly('on');
    const ready = await untilReady(503);
    assert.deepEqual([ready.body.code, ready.headers['retry-after']], ['DatabaseUnavailable', '1']);
    const write = await admin.post('/tags', { name: 'read-only' });
    assert.deepEqual([write.status, write.headers['retry-after']], [503, '1'], write.text);
    assert.match(write.body.error, /The database is read-only/);
    assert.equal((await admin.get('/connectors')).status, 200);
    for (const username of ['admin@meridian.example', 'nobody@meridian.example']) {
      const grant = { grant_type: 'password', scope: 'everything', username, password: 'a wrong password' };
      // Only failures of known accounts are written. The answer must not reveal which accounts exist.
      assert.equal((await f.client.post('/auth/token', grant, { basic })).status, 503, username);
    }
    const args = ['--port', '0', '--data', folder(), '--keys', join(f.data, 'keys.json')];
    await refused('main.ts', args, /the database \w+ on .* is read-only: default_transaction_read_only is on/, {
      DATABASE_URL: f.databaseUrl,
    });
    await setReadOnly('off');
    await untilReady(200);
    assert.equal((await admin.post('/tags', { name: 'writable again' })).status, 201);
  });

  test('that is not UTF8 is refused at the start, before any migration', async () => {
    const name = `test_${randomBytes(6).toString('hex')}`;
    const url = new URL(testDatabaseUrl());
    url.pathname = `/${name}`;
    await query(
      testDatabaseUrl(),
      `create database ${name} encoding 'SQL_ASCII' locale_provider libc locale 'C' template template0`,
    );
    try {
      const data = folder();
      const args = ['--port', '0', '--data', data, '--database-url', url.href];
      const reason = /The encoding UTF8 is required, but the database \w+ on .* has SQL_ASCII\. .*encoding 'UTF8'/;
      await refused('main.ts', args, reason);
      assert.deepEqual(await contentOf(url.href), {});
      assert.deepEqual(await readdir(data).catch(() => []), []);
    } finally {
      await query(testDatabaseUrl(), `drop database ${name} with (force)`);
    }
  });
});
