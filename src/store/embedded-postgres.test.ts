// The embedded PostgreSQL on data folders of earlier versions, and against a hostile account of the database.
import assert from 'node:assert/strict';
import { execFile, execFileSync } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import {
  chmod,
  chown,
  constants,
  copyFile,
  link,
  mkdir,
  mkdtemp,
  readFile,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import fc from 'fast-check';
import pg from 'pg';
import { startEmbeddedPostgres } from './embedded-postgres.ts';
import { chooseAccount } from './postgres-account.ts';
import { createSocketFolder, findSocketFolder, removeSocketFolder } from './socket-folder.ts';

const run = promisify(execFile);
const isRoot = process.getuid?.() === 0;
const needsRoot = isRoot ? {} : { skip: 'only root gives the database to another account' };
const home = await mkdtemp(join(tmpdir(), 'pbembedded-'));
after(() => rm(home, { recursive: true, force: true }));
let folders = 0;
async function dataFolder(): Promise<string> {
  const folder = join(home, `data${++folders}`);
  await mkdir(folder, { mode: 0o700 });
  return folder;
}

const steps: string[] = [];
const open = (folder: string) =>
  startEmbeddedPostgres({
    folder,
    account: undefined,
    onStep: (step) => void steps.push(step),
    onWarning: (message) => assert.fail(message),
  });

async function query(url: string, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return client
    .query(text)
    .then(({ rows }) => rows)
    .finally(() => client.end());
}

/** Runs work on a started database and stops it. */
async function withDatabase<T>(folder: string, work: (url: string) => Promise<T>): Promise<T> {
  const database = await open(folder);
  return work(database.url).finally(() => database.stop());
}

const authMethods = async (url: string): Promise<unknown[]> =>
  (await query(url, 'select distinct auth_method from pg_hba_file_rules')).map((row) => row.auth_method);

test('a start deletes nothing that the account of the database names', async () => {
  const folder = await dataFolder();
  await withDatabase(folder, async () => undefined);
  const named = await mkdtemp(join(tmpdir(), 'patchbay-'));
  await writeFile(join(named, 'kept'), 'kept');
  const pidFile = join(folder, 'postgres', 'postmaster.pid');
  await writeFile(pidFile, ['4194303', '/', '1', '5432', named, '', '', 'ready', ''].join('\n'));
  const { uid, gid } = statSync(dirname(pidFile));
  await chown(pidFile, uid, gid);
  try {
    await withDatabase(folder, async (url) => assert.equal((await query(url, 'select 1 as one'))[0]?.one, 1));
    assert.equal(await readFile(join(named, 'kept'), 'utf8'), 'kept');
  } finally {
    await rm(named, { recursive: true });
  }
});

describe('the record of the socket folder', () => {
  const socketFiles = ['.s.PGSQL.5432', '.s.PGSQL.5432.lock'];
  const record = (data: string): string => join(data, 'postgres.socket');

  test('lets the next start remove the folder of a killed service', async () => {
    const data = await dataFolder();
    const part = await createSocketFolder(data, undefined);
    for (const name of socketFiles) await writeFile(join(part, name), '');
    assert.equal(findSocketFolder(data), part);
    await removeSocketFolder(data);
    assert.deepEqual([existsSync(dirname(part)), existsSync(record(data))], [false, false]);
  });

  test('a start removes no file of another user from the folder', async () => {
    const data = await dataFolder();
    const part = await createSocketFolder(data, undefined);
    await symlink(home, join(part, 'home'));
    await removeSocketFolder(data);
    assert.ok(existsSync(join(part, 'home')));
    await rm(dirname(part), { recursive: true });
  });

  test('is believed for one name, without symbolic links, of a folder of the same user', async () => {
    const data = await dataFolder();
    const place = join(home, 'place');
    await mkdir(place);
    const plant = async (folder: string): Promise<string> => {
      await mkdir(join(folder, 'socket'), { recursive: true });
      for (const name of socketFiles) await writeFile(join(folder, 'socket', name), 'kept');
      return folder;
    };
    const [other, foreign] = [await plant(join(place, 'other')), await plant(join(place, 'patchbay-aaaaaa'))];
    await symlink(other, join(place, 'patchbay-bbbbbb'));
    if (isRoot) await chown(foreign, 65534, 65534);
    else await rm(foreign, { recursive: true });
    const parts = ['other', 'patchbay-aaaaaa', 'patchbay-bbbbbb', 'patchbay-', 'patchbay-aaaaaa/../other', 'socket'];
    const part = fc.constantFrom(...parts, '..', '.', '', '\n', 'patchbay-aaaaaaa', 'x/patchbay-aaaaa');
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 4 }), fc.boolean(), async (path, isAbsolute) => {
        await writeFile(record(data), `${isAbsolute ? `${place}/` : ''}${path.join('/')}\n`);
        assert.equal(findSocketFolder(data), undefined);
        await removeSocketFolder(data);
        for (const folder of isRoot ? [other, foreign] : [other])
          for (const name of socketFiles) assert.ok(existsSync(join(folder, 'socket', name)), path.join('/'));
      }),
    );
  });

  test('is not believed if another user wrote it', needsRoot, async () => {
    const data = await dataFolder();
    const part = await createSocketFolder(data, undefined);
    await chown(record(data), 65534, 65534);
    await removeSocketFolder(data);
    assert.ok(existsSync(part));
    await rm(dirname(part), { recursive: true });
  });
});

test('another user of the machine who reaches the socket cannot sign in', needsRoot, async () => {
  // The user may be unable to enter the folder of this clone.
  const node = join(home, 'node');
  await copyFile(process.execPath, node, constants.COPYFILE_FICLONE);
  await chmod(home, 0o711);
  await chmod(node, 0o755);
  await withDatabase(await dataFolder(), async (url) => {
    const folder = new URL(url).searchParams.get('host') ?? '';
    await chmod(folder, 0o755);
    const startup = Buffer.from(`\0\x03\0\0user\0patchbay\0database\0patchbay\0\0`, 'latin1');
    const length = Buffer.from([0, 0, 0, startup.length + 4]);
    const script = `
      const socket = require('node:net').connect(${JSON.stringify(join(folder, '.s.PGSQL.5432'))});
      socket.write(Buffer.from('${Buffer.concat([length, startup]).toString('hex')}', 'hex'));
      socket.once('data', (bytes) => { console.log(bytes.toString('latin1')); socket.destroy(); });`;
    const { stdout } = await run(node, ['-e', script], { uid: 65534, gid: 65534, cwd: '/', env: {} });
    assert.match(stdout, /^E[\s\S]*Peer authentication failed for user "patchbay"/);
  });
  await rm(node);
});

const upgraded = 'a data folder of an earlier version starts, and the database no longer trusts every user';

async function checkUpgrade(folder: string): Promise<void> {
  await withDatabase(folder, async (url) => void (await query(url, 'create table kept as select 7 as value')));
  await writeFile(join(folder, 'postgres', 'pg_hba.conf'), 'local all all trust\nhost all all 127.0.0.1/32 trust\n');
  await writeFile(join(folder, 'postgres', 'pg_ident.conf'), '');
  await withDatabase(folder, async (url) => {
    assert.deepEqual(await authMethods(url), ['peer']);
    assert.deepEqual(await query(url, 'table kept'), [{ value: 7 }]);
  });
}

test(upgraded, async () => checkUpgrade(await dataFolder()));

/** Runs Node as user 1, who may enter every folder: that user could not start a clone in root's home otherwise. */
const asOrdinaryUser = ['--reuid=1', '--regid=1', '--clear-groups'].concat(
  ['inh', 'ambient'].map((set) => `--${set}-caps=+dac_read_search`),
);

test(`as an ordinary user, ${upgraded}`, needsRoot, async () => {
  const folder = await dataFolder();
  await chmod(home, 0o711);
  await chown(folder, 1, 1);
  const file = JSON.stringify(join(import.meta.dirname, 'embedded-postgres.ts'));
  const script = `
    import { writeFileSync } from 'node:fs';
    import pg from 'pg';
    import { startEmbeddedPostgres } from ${file};
    const folder = ${JSON.stringify(folder)};
    const open = () => startEmbeddedPostgres({ folder, account: undefined, onStep() {}, onWarning: console.error });
    await (await open()).stop();
    writeFileSync(folder + '/postgres/pg_hba.conf', 'local all all trust');
    const database = await open();
    const client = new pg.Client({ connectionString: database.url });
    await client.connect();
    const { rows } = await client.query('select distinct auth_method from pg_hba_file_rules');
    await client.end();
    await database.stop();
    console.log(JSON.stringify(rows));`;
  const program = [process.execPath, '--input-type=module', '-e', script];
  const { stdout } = await run('setpriv', [...asOrdinaryUser, ...program], {
    cwd: import.meta.dirname,
    env: { PATH: '/usr/bin:/bin', TMPDIR: tmpdir() },
  });
  assert.deepEqual(JSON.parse(stdout), [{ auth_method: 'peer' }]);
});

test('a database that an earlier version ran as nobody is given to another account', needsRoot, async () => {
  const folder = await dataFolder();
  const cluster = join(folder, 'postgres');
  await withDatabase(folder, async (url) => void (await query(url, 'create table kept as select 7 as value')));
  await run('chown', ['-R', '65534:65534', cluster]);
  const secret = join(home, 'secret');
  await writeFile(secret, 'of root');
  await link(secret, join(cluster, 'linked'));
  steps.length = 0;
  await withDatabase(folder, async (url) => assert.deepEqual(await query(url, 'table kept'), [{ value: 7 }]));
  assert.ok(
    steps.some((step) => /from nobody to/.test(step)),
    steps.join(),
  );
  assert.notEqual(statSync(cluster).uid, 65534);
  assert.equal(statSync(secret).uid, 0, 'a file that nobody did not own is not given away');
});

describe('the account of the database', () => {
  test('is never nobody', needsRoot, async () => {
    await assert.rejects(
      chooseAccount('nobody', join(home, 'none'), () => undefined),
      /PATCHBAY_POSTGRES_ACCOUNT is "nobody".*other than root and nobody.*useradd/,
    );
  });

  /** Chooses the account on a machine that has neither a patchbay nor a postgres account. */
  async function chooseOnBareMachine(preparation: string): Promise<string> {
    const etc = await mkdtemp(join(home, 'etc-'));
    await run('cp', ['-a', '/etc/.', etc]);
    for (const name of ['passwd', 'shadow', 'group', 'gshadow']) {
      const lines = (await readFile(join(etc, name), 'utf8')).split('\n');
      await writeFile(join(etc, name), lines.filter((line) => !/^(patchbay|postgres):/.test(line)).join('\n'));
    }
    const script = `
      import { chooseAccount } from ${JSON.stringify(join(import.meta.dirname, 'postgres-account.ts'))};
      const chosen = await chooseAccount(undefined, '/nonexistent', console.log).catch(({ message }) => message);
      console.log(JSON.stringify(chosen));`;
    const inside = `mount --bind "$1" /etc && ${preparation} && shift && exec "$@"`;
    const command = [process.execPath, '--input-type=module', '-e', script];
    return (await run('unshare', ['--mount', 'sh', '-c', inside, 'sh', etc, ...command])).stdout;
  }
  const canMount =
    isRoot &&
    (() => {
      try {
        execFileSync('unshare', ['--mount', 'true'], { stdio: 'ignore' });
        return true;
      } catch {
        return false;
      }
    })();
  const needsMount = canMount ? {} : { skip: 'needs root and a mount namespace' };

  test('is created if there is none', needsMount, async () => {
    const output = await chooseOnBareMachine('true');
    assert.match(output, /^creating the system account patchbay/);
    const { name, uid } = JSON.parse(output.trim().split('\n').at(-1) ?? '');
    assert.equal(name, 'patchbay');
    assert.ok(uid > 0 && uid < 1000, 'a system account');
  });

  test('is named as missing if it cannot be created', needsMount, async () => {
    const output = await chooseOnBareMachine(
      'mount --bind /dev/null "$(command -v useradd || echo /usr/sbin/useradd)"',
    );
    assert.match(
      output,
      /needs an unprivileged account, and none could be created.*useradd.*PATCHBAY_POSTGRES_ACCOUNT/,
    );
  });
});
