// npm run backup and npm run restore, as an operator runs them.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { command } from '../torture/backup-command.ts';
import { backUpAndRestore } from '../torture/backups.ts';
import { createDatabase, startFixture } from './harness/service.ts';

const home = await mkdtemp(join(tmpdir(), 'pbbackup-'));
const f = await startFixture();
after(async () => {
  await f.close();
  await rm(home, { recursive: true, force: true });
});
const of = ['--data', f.data, '--database-url', f.databaseUrl];
const backup = join(home, 'first.backup.gz');

/** An empty database and a data folder, with or without the key file. */
async function freshPlace(keys = true) {
  const data = await mkdtemp(join(home, 'place-'));
  const database = await createDatabase();
  if (keys) await copyFile(join(f.data, 'keys.json'), join(data, 'keys.json'));
  const owner = new pg.Client({ connectionString: database.url });
  await owner.connect();
  return {
    data,
    owner,
    url: database.url,
    flags: ['--data', data, '--database-url', database.url],
    async [Symbol.asyncDispose]() {
      await owner.end();
      await database.drop();
    },
  };
}
const tablesOf = async (client: pg.Client): Promise<number> =>
  (await client.query(`select count(*)::int as count from pg_tables where schemaname in ('public', 'pgboss')`)).rows[0]
    .count;

/** A digest of the rows of every table. */
async function contentOf(client: pg.Client | pg.Pool): Promise<Record<string, string>> {
  const { rows } = await client.query(
    `select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'pgboss') order by 1`,
  );
  const found: Record<string, string> = {};
  for (const { name } of rows)
    found[name] = (
      await client.query(`select md5(string_agg(t::text, E'\\n' order by t::text)) as digest from ${name} t`)
    ).rows[0].digest;
  return found;
}

/** The same backup as earlier versions wrote it: with the job queue, and the version of its schema in the header. */
async function withJobQueue(content: string): Promise<string> {
  const client = await f.owner.connect();
  try {
    const { rows: version } = await client.query('select version from pgboss.version');
    const { rows: tables } = await client.query(
      `select format('%I.%I', schemaname, tablename) as table,
         array(select column_name::text from information_schema.columns
           where table_schema = schemaname and table_name = tablename order by ordinal_position) as columns
       from pg_tables join pg_class on oid = format('%I.%I', schemaname, tablename)::regclass
       where schemaname = 'pgboss' and relkind = 'r' order by 1`,
    );
    const queue: string[] = [];
    for (const { table, columns } of tables) {
      queue.push(`${JSON.stringify({ table, columns, part: { of: 'pgboss.job', bound: 'DEFAULT' } })}\n`);
      const copy = client.query(copyTo(`copy ${table} (${columns.join(', ')}) to stdout`));
      for await (const chunk of copy) queue.push(chunk.toString('latin1'));
      queue.push('\\.\n');
    }
    const [header = '', ...lines] = content.trimEnd().split('\n');
    const { end } = JSON.parse(lines.pop() ?? '');
    const start = header.replace('"jobs":null', `"jobs":${version[0].version}`);
    assert.notEqual(start, header);
    const body = `${start}\n${queue.join('')}${lines.join('\n')}\n`;
    const sha256 = createHash('sha256').update(Buffer.from(body, 'latin1')).digest('hex');
    return `${body}${JSON.stringify({ end: { ...end, tables: end.tables + tables.length, sha256 } })}\n`;
  } finally {
    client.release();
  }
}

describe('a backup', () => {
  test('is one file that only its owner can read, and names the key file', async () => {
    const { code, output } = await command('backup', [backup, ...of]);
    assert.equal(code, 0, output);
    assert.match(output, /\d+ rows of \d+ tables/);
    assert.ok(output.includes(join(f.data, 'keys.json')), output);
    assert.equal((await stat(backup)).mode & 0o777, 0o600);
    assert.deepEqual(await readdir(home), ['first.backup.gz'], 'no draft is left');
    const checked = await command('restore', [backup, '--check']);
    assert.equal(checked.code, 0, checked.output);
    assert.match(checked.output, /The backup is complete/);
  });
  test('replaces no file, and chooses a name in a folder', async () => {
    const before = await readFile(backup);
    const { code, output } = await command('backup', [backup, ...of]);
    assert.equal(code, 1);
    assert.match(output, /exists, and is never replaced/);
    assert.deepEqual(await readFile(backup), before);
    const folder = join(home, 'folder');
    const missing = await command('backup', [`${folder}/`, ...of]);
    assert.equal(missing.code, 1);
    assert.ok(missing.output.includes(`The folder ${folder} does not exist. Create it first.`), missing.output);
    await mkdir(folder);
    assert.equal((await command('backup', [folder, ...of])).code, 0);
    assert.match((await readdir(folder)).join(), /^patchbay-[\dT-]+Z\.backup\.gz$/);
  });
  test('is refused for a database that is not of Patchbay', async () => {
    await using place = await freshPlace();
    const { code, output } = await command('backup', [join(home, 'none.gz'), ...place.flags]);
    assert.equal(code, 1);
    assert.match(output, /is not a Patchbay database/);
    const nowhere = await command('backup', [join(home, 'none.gz'), '--data', join(home, 'nowhere')]);
    assert.match(nowhere.output, /There is no Patchbay in the data folder/);
    assert.ok(!(await readdir(home)).some((name) => name.includes('none.gz')));
  });
});

describe('a backup that fails', () => {
  test('on interruption leaves no file behind', async () => {
    const holder = await f.owner.connect();
    try {
      // The backup waits for this lock.
      await holder.query('begin; lock table demo_history in access exclusive mode');
      const file = join(home, 'interrupted.gz');
      const waits = `select from pg_stat_activity where datname = current_database() and application_name = 'patchbay-owner' and wait_event_type = 'Lock'`;
      const untilItWaits = async (isOver: () => boolean) => {
        while (!isOver() && !(await f.owner.query(waits)).rowCount) await pause(20);
      };
      const { code, output } = await command('backup', [file, ...of], untilItWaits, 'SIGINT');
      assert.equal(code, 1, output);
      assert.match(output, /No backup was made\.\nInterrupted\./);
      assert.ok(!(await readdir(home)).some((name) => name.includes('interrupted')));
    } finally {
      await holder.query('rollback');
      holder.release();
    }
  });
  test('without the right to read all rows leaves no file behind', async () => {
    const account = 'test_backup_reader';
    await f.owner.query(`drop role if exists ${account}`);
    await f.owner.query(`create role ${account} login password 'reader'`);
    await f.owner.query(`grant usage on schema public, pgboss to ${account}`);
    await f.owner.query(`grant select on all tables in schema public, pgboss to ${account}`);
    await f.owner.query(`grant select on all sequences in schema public, pgboss to ${account}`);
    try {
      const url = new URL(f.databaseUrl);
      url.username = account;
      url.password = 'reader';
      const { code, output } = await command('backup', [
        join(home, 'less.gz'),
        '--database-url',
        url.href,
        '--data',
        f.data,
      ]);
      assert.equal(code, 1, output);
      assert.match(output, /cannot read every row .*row-level security.*Use the account that owns the tables/);
      assert.ok(!(await readdir(home)).includes('less.gz'));
    } finally {
      await f.owner.query(`drop owned by ${account}`);
      await f.owner.query(`drop role ${account}`);
    }
  });
});

describe('a restore', () => {
  test('restores every row of every table', async () => {
    await using place = await freshPlace();
    const { code, output } = await command('restore', [backup, ...place.flags]);
    assert.equal(code, 0, output);
    // The service runs and changes other tables all the time.
    const [was, is] = [await contentOf(f.owner), await contentOf(place.owner)];
    for (const name of ['organisations', 'users', 'roles', 'audit', 'destinations', 'api_clients'])
      assert.equal(is[`public.${name}`], was[`public.${name}`] ?? assert.fail(name), name);
    // No service uses the restored database: a second backup and restore reproduces it exactly.
    await using second = await freshPlace();
    const again = join(home, 'again.backup.gz');
    assert.equal((await command('backup', [again, ...place.flags])).code, 0);
    assert.equal((await command('restore', [again, ...second.flags])).code, 0);
    assert.ok(Object.keys(is).length > 40);
    assert.deepEqual(await contentOf(second.owner), is);
    // Sequences continue.
    const { rows } = await place.owner.query(
      `select nextval('users_number_seq') > (select max(number) from users) as ahead`,
    );
    assert.equal(rows[0].ahead, true);
    // Foreign keys are in force again.
    await assert.rejects(place.owner.query('delete from organisations'), { code: '23503' });
  });
  test('leaves out the job queue, also that of a backup by an earlier version', async () => {
    const content = gunzipSync(await readFile(backup)).toString('latin1');
    assert.ok(!content.includes('"table":"pgboss.'), 'the queue is not backed up');
    const earlier = await withJobQueue(content);
    assert.ok(earlier.includes('"table":"pgboss.job'));
    const file = join(home, 'earlier.backup.gz');
    await writeFile(file, gzipSync(Buffer.from(earlier, 'latin1')));
    const contents: Record<string, string>[] = [];
    for (const source of [backup, file]) {
      await using place = await freshPlace();
      const { code, output } = await command('restore', [source, ...place.flags]);
      assert.equal(code, 0, output);
      contents.push(await contentOf(place.owner));
    }
    assert.deepEqual(contents[1], contents[0]);
    assert.ok(!Object.keys(contents[0] ?? {}).some((table) => table.startsWith('pgboss.')));
  });
  test('needs no superuser: the owner of the database can restore it', async () => {
    await using place = await freshPlace();
    const account = 'test_backup_owner';
    const database = new URL(place.url).pathname.slice(1);
    await place.owner.query(`drop role if exists ${account}`);
    await place.owner.query(`create role ${account} login password 'owner' in role patchbay_app`);
    await place.owner.query(`alter database ${database} owner to ${account}`);
    const url = new URL(place.url);
    url.username = account;
    url.password = 'owner';
    const flags = ['--data', place.data, '--database-url', url.href];
    try {
      const { code, output } = await command('restore', [backup, ...flags]);
      assert.equal(code, 0, output);
      assert.equal((await command('restore', [backup, '--replace', database, ...flags])).code, 0);
      assert.equal((await command('backup', [join(home, 'owned.backup.gz'), ...flags])).code, 0);
    } finally {
      await place.owner.query(`alter database ${database} owner to current_user`);
      await place.owner.query(`drop owned by ${account} cascade`);
      await place.owner.query(`drop role ${account}`);
    }
  });
});

describe('a restore with preconditions', () => {
  test('needs the matching key file', async () => {
    await using place = await freshPlace(false);
    const without = await command('restore', [backup, ...place.flags]);
    assert.equal(without.code, 1);
    assert.match(without.output, /needs the key file of its service, and .*keys\.json does not exist/);
    const key = (): string => Buffer.alloc(32, 7).toString('base64');
    await writeFile(join(place.data, 'keys.json'), JSON.stringify({ version: 1, tokenKey: key() }));
    const other = await command('restore', [backup, ...place.flags]);
    assert.match(other.output, /belongs to another key file/);
    assert.equal(await tablesOf(place.owner), 0);
  });
  test('takes the key file from a backup that includes it', async () => {
    await using place = await freshPlace(false);
    const file = join(home, 'keys.backup.gz');
    const taken = await command('backup', [file, '--with-keys', ...of]);
    assert.equal(taken.code, 0, taken.output);
    assert.match(taken.output, /decrypts every secret/);
    const { code, output } = await command('restore', [file, ...place.flags]);
    assert.equal(code, 0, output);
    const [was, is] = await Promise.all([f.data, place.data].map((data) => readFile(join(data, 'keys.json'), 'utf8')));
    assert.equal(is, was);
    assert.equal((await stat(join(place.data, 'keys.json'))).mode & 0o777, 0o600);
  });
  test('refuses a database that is not empty or that a service uses', async () => {
    await using place = await freshPlace();
    await place.owner.query('create table something (content text)');
    const full = await command('restore', [backup, ...place.flags]);
    assert.equal(full.code, 1);
    assert.match(full.output, /The database is not empty \(1 tables, public\.something/);
    assert.equal(await tablesOf(place.owner), 1);
    const name = new URL(place.url).pathname.slice(1);
    assert.equal((await command('restore', [backup, '--replace', name, ...place.flags])).code, 0);
    assert.equal((await place.owner.query(`select to_regclass('something') as gone`)).rows[0].gone, null);
    const served = await command('restore', [
      backup,
      '--replace',
      new URL(f.databaseUrl).pathname.slice(1),
      '--data',
      place.data,
      '--database-url',
      f.databaseUrl,
    ]);
    assert.equal(served.code, 1);
    assert.match(served.output, /A service is using this database/);
    assert.equal((await f.client.get('/ready')).status, 200);
  });
});

describe('a restore that fails', () => {
  test('of a truncated, changed or foreign file leaves the database empty', async () => {
    const whole = await readFile(backup);
    const text = gunzipSync(whole).toString('latin1');
    const changed = text.replace('Meridian Exchange', 'Meridian Exchangf');
    assert.notEqual(changed, text);
    const last = text.trimEnd().lastIndexOf('\n') + 1;
    const cases: [string, Buffer, RegExp][] = [
      ['cut', whole.subarray(0, whole.length >> 1), /not a complete backup: it is truncated/],
      ['short', gzipSync(Buffer.from(text.slice(0, last), 'latin1')), /not a complete backup: it is truncated/],
      ['changed', gzipSync(Buffer.from(changed, 'latin1')), /its content has been changed/],
      ['flipped', Buffer.concat([whole.subarray(0, -6), Buffer.alloc(6)]), /cannot be decompressed|is truncated/],
      ['other', gzipSync('{"some":"thing"}\n'), /is not a backup made by npm run backup/],
      ['plain', Buffer.from('something else'), /cannot be decompressed/],
      ['newer', gzipSync(text.replace(/"version":\d+/, '"version":999')), /made by a newer Patchbay/],
    ];
    for (const [name, content, expected] of cases) {
      await using place = await freshPlace();
      const file = join(home, `${name}.gz`);
      await writeFile(file, content);
      const { code, output } = await command('restore', [file, ...place.flags]);
      assert.equal(code, 1, name);
      assert.match(output, expected, name);
      assert.equal(await tablesOf(place.owner), 0, name);
      await rm(file);
    }
    assert.match((await command('restore', [join(home, 'absent.gz')])).output, /There is no file/);
    assert.match((await command('restore', [])).output, /Give the backup file/);
  });
});

test('a backup under load contains all earlier acknowledged writes; a killed restore or pruning does no harm', async (t) => {
  const result = await backUpAndRestore(2, 4, (line) => t.diagnostic(line));
  t.diagnostic(JSON.stringify(result));
  assert.equal(result.lost, 0);
  assert.ok(result.expected > 10 && result.points > 100, 'too little was written');
  assert.ok(result.pruning.killed > 0 && result.pruning.deleted > 0, 'no pruning was killed');
});
