// npm run admin: the operator administers users, organisations and the audit trail beside a running service.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { launchAdmin } from './harness/admin-command.ts';
import { createNetwork } from './harness/customer-network.ts';
import { deploy, eventually } from './harness/deployable-group.ts';
import { bodyOf } from './harness/populated-organisations.ts';
import { start } from './harness/process.ts';
import { fixture } from './harness/service.ts';

const f = await fixture();
const home = await mkdtemp(join(tmpdir(), 'pbadmin-'));
after(() => rm(home, { recursive: true, force: true }));
const meridian = await f.as('admin@meridian.example');
const password = 'a long passphrase of a test';
const of = ['--data', f.data, '--database-url', f.databaseUrl, '--base-url', 'https://patchbay.example'];

const admin = (...words: string[]) => launchAdmin(words, of).ended;

const recordTables = [
  ...['organisations', 'addresses', 'invoices', 'roles', 'users', 'logins', 'login_networks', 'tokens', 'audit'],
  ...['session_families', 'product_pools', 'subscribed_capacities', 'tags', 'groups', 'allocations', 'appliances'],
  ...['routers', 'connectors', 'links', 'connector_address_blocks', 'pgboss.job'],
];
async function contentOf(): Promise<string[]> {
  const digests: string[] = [];
  for (const table of recordTables) {
    const text = `select md5(string_agg(t::text, E'\\n' order by t::text)) as digest from ${table} t`;
    digests.push(`${table} ${(await f.owner.query(text)).rows[0].digest}`);
  }
  return digests;
}

/** Runs a command with --dry-run, which must change nothing, and then in earnest, with the same result. */
async function change(...words: string[]): Promise<string> {
  const content = await contentOf();
  const dry = await admin(...words, '--dry-run');
  assert.equal(dry.code, 0, dry.errors);
  assert.match(dry.errors, /Dry run: nothing was changed\. Without --dry-run this changes:\n/);
  assert.deepEqual(await contentOf(), content, 'a dry run changes nothing');
  assert.equal(dry.out, '');
  const real = await admin(...words);
  assert.equal(real.code, 0, real.errors);
  const changesOf = (text: string): string => text.slice(text.search(/^ {2}(?!…)/m));
  assert.equal(changesOf(real.errors), changesOf(dry.errors));
  return `${real.errors}${real.out}`;
}

/** The newest audit entries of an organisation, as `action type name by user`. */
async function newestEntries(organisationId: string, limit: number): Promise<string[]> {
  const { rows } = await f.owner.query(
    `select action, service_type, service_name, user_name from audit where organisation_id = $1
     order by created_at desc, id desc limit $2`,
    [organisationId, limit],
  );
  return rows.map((row) => `${row.action} ${row.service_type} ${row.service_name} by ${row.user_name}`);
}

/** A new child of the reseller with its admin and a second user. */
async function createCustomer(name: string): Promise<{ id: string; emails: [string, string] }> {
  const emails: [string, string] = [`admin@${name}.example`, `second@${name}.example`];
  const { id } = await bodyOf(
    meridian.post('/organisations', { name, admin: { email: emails[0], lastName: 'First', password } }),
  );
  const own = f.client.with({ token: (await f.signIn(emails[0], password)).access_token });
  await bodyOf(own.post('/users', { email: emails[1], lastName: 'Second', password }));
  return { id, emails };
}
const tokenOf = async (email: string): Promise<string> => (await f.signIn(email, password)).access_token;
const statusOf = async (token: string): Promise<number> => (await f.client.with({ token }).get('/me/info')).status;

describe('lists', () => {
  test('users and organisations are listed as text and as JSON lines', async () => {
    const { id } = await createCustomer('listed');
    const text = await admin('users', '--organisation', 'listed');
    assert.equal(text.code, 0, text.errors);
    assert.match(
      text.out,
      /^listed \(.*\)\n {2}admin@listed\.example +First +admin +enabled, last sign-in .*, 1 session$/m,
    );
    assert.match(text.out, /second@listed\.example .* never signed in, 0 sessions/);
    const all = (await admin('users', '--json')).out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const { rows } = await f.owner.query('select count(*)::int as users from users');
    assert.equal(all.length, rows[0].users);
    const second = all.find(({ email }) => email === 'second@listed.example');
    assert.deepEqual(
      [second.organisation, second.enabled, second.lockedUntil, second.sessions],
      ['listed', true, null, 0],
    );
    const organisations = (await admin('organisations', '--json')).out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const listed = organisations.find((one) => one.id === id);
    assert.deepEqual(
      [listed.name, listed.parent, listed.users, listed.children],
      ['listed', 'Meridian Exchange', 2, 0],
    );
    assert.match(
      (await admin('organisations')).out,
      /^listed \(.*\): child of Meridian Exchange, 0 children, 2 users,/m,
    );
  });
});

describe('users', () => {
  test('a disabled user is refused at once and cannot sign in until enabled again', async () => {
    const { id, emails } = await createCustomer('disabled');
    const token = await tokenOf(emails[1]);
    assert.equal(await statusOf(token), 200);
    const text = await change('disable', '--email', emails[1].toUpperCase());
    assert.match(text, /user second@disabled\.example: enabled true → false/);
    assert.match(text, /user second@disabled\.example loses 1 session and 0 personal tokens/);
    assert.equal(await statusOf(token), 401);
    await assert.rejects(tokenOf(emails[1]), /cannot sign in/);
    assert.deepEqual(await newestEntries(id, 1), ['update user Second by npm run admin']);
    assert.match((await admin('disable', '--email', emails[1])).errors, /There is nothing to change/);
    await change('enable', '--email', emails[1]);
    assert.equal(await statusOf(await tokenOf(emails[1])), 200);
  });

  test('the last admin is disabled only on explicit request', async () => {
    const { emails } = await createCustomer('lastadmin');
    const refused = await admin('disable', '--email', emails[0]);
    assert.equal(refused.code, 1);
    assert.match(refused.errors, /is the last enabled admin of the organisation\..*--last-admin/);
    await change('disable', '--email', emails[0], '--last-admin');
    await assert.rejects(tokenOf(emails[0]), /cannot sign in/);
    await change('enable', '--email', emails[0]);
  });

  test('a user that is locked out can sign in after unlock', async () => {
    const { id, emails } = await createCustomer('lockedout');
    for (let attempt = 0; attempt < 6; attempt++) await f.signIn(emails[1], 'wrong').catch(() => undefined);
    await assert.rejects(tokenOf(emails[1]), /cannot sign in/);
    assert.match((await admin('users', '--organisation', id)).out, /second@lockedout\.example .* locked until 20/);
    assert.match(await change('unlock', '--email', emails[1]), /the lockout until .* ends/);
    assert.equal(await statusOf(await tokenOf(emails[1])), 200);
    const { rows } = await f.owner.query(
      `select user_name, changes from audit where organisation_id = $1 and action = 'update' order by created_at desc`,
      [id],
    );
    assert.deepEqual(rows[0], {
      user_name: 'npm run admin',
      changes: [{ path: 'locked', before: true, after: false }],
    });
    assert.match((await admin('unlock', '--email', emails[1])).errors, /There is nothing to change/);
  });

  test('sessions of one user or of all users of an organisation end at once; personal tokens on request', async () => {
    const { id, emails } = await createCustomer('sessions');
    const [first, second] = [await tokenOf(emails[0]), await tokenOf(emails[1])];
    const own = f.client.with({ token: second });
    const { accessToken: personal } = await bodyOf(own.post('/personal/tokens', { name: 'script', expiresIn: 3600 }));
    assert.match(
      await change('sessions', 'end', '--email', emails[1]),
      /user second@sessions\.example loses 1 session$/m,
    );
    assert.deepEqual([await statusOf(first), await statusOf(second), await statusOf(personal)], [200, 401, 200]);
    assert.deepEqual(await newestEntries(id, 1), ['sign-out session Second by npm run admin']);
    const third = await tokenOf(emails[1]);
    await change('sessions', 'end', '--organisation', 'sessions', '--personal-tokens');
    assert.deepEqual([await statusOf(first), await statusOf(third), await statusOf(personal)], [401, 401, 401]);
    assert.equal(await statusOf(await tokenOf(emails[1])), 200);
  });
});

describe('reset-password', () => {
  test('sends the usual mail through the running service', async () => {
    const { id, emails } = await createCustomer('mailed');
    const mailsTo = async () => {
      const files = await readdir(join(f.data, 'outbox')).catch(() => []);
      const texts = await Promise.all(files.map((name) => readFile(join(f.data, 'outbox', name), 'utf8')));
      return texts.filter((text) => text.includes(`To: ${emails[1]}`) && text.includes('Set your Patchbay password'));
    };
    await change('reset-password', '--email', emails[1]);
    const [mail = ''] = await eventually(mailsTo, (found) => found.length > 0);
    assert.match(mail, /https:\/\/localhost:\d+\/portal\/new-password#\S+/);
    assert.equal((await mailsTo()).length, 1, 'the dry run sends none');
    assert.deepEqual(await newestEntries(id, 1), ['reset-asked session Second by npm run admin']);
  });

  test('--print prints a link that sets a password once; no flag takes a password', async () => {
    const { emails } = await createCustomer('printed');
    const before = await tokenOf(emails[1]);
    const [link = ''] = /https:\S+/.exec(await change('reset-password', '--email', emails[1], '--print')) ?? [];
    assert.match(link, /^https:\/\/patchbay\.example\/portal\/new-password#/);
    const withLink = f.client.with({ token: link.slice(link.indexOf('#') + 1) });
    const fresh = 'another long passphrase of a test';
    assert.equal((await withLink.put('/me/info', { password: fresh })).status, 200);
    assert.equal((await withLink.put('/me/info', { password: fresh })).status, 401);
    assert.equal(await statusOf(before), 401);
    assert.ok((await f.signIn(emails[1], fresh)).access_token);
    const refused = await admin('reset-password', '--email', emails[1], '--password', fresh);
    assert.equal(refused.code, 1);
    assert.match(refused.errors, /Unknown option '--password'/);
    await change('disable', '--email', emails[1]);
    assert.match((await admin('reset-password', '--email', emails[1])).errors, /is disabled and cannot set a password/);
  });
});

describe('remove-organisation', () => {
  test('says what stands in the way: children, deployed connectors, a name that is not repeated', async () => {
    const network = await createNetwork(meridian, 'obstructed');
    await deploy(network.client, 'link', network.links[0]?.id ?? '');
    const content = await contentOf();
    const deployed = await admin('remove-organisation', '--organisation', 'obstructed', '--confirm', 'obstructed');
    assert.equal(deployed.code, 1);
    assert.match(
      deployed.errors,
      /obstructed \(.*\) cannot be removed\.\nIt has 2 connectors in the state delivered: /,
    );
    assert.match(deployed.errors, /It has 1 link in the state delivered: obstructed link 0 \(delivered\)\./);
    const parent = await admin('remove-organisation', '--organisation', 'Cobalt Games', '--dry-run');
    assert.match(parent.errors, /It has 1 child: Cobalt Labs\./);
    await createCustomer('unconfirmed');
    for (const confirm of [[], ['--confirm', 'Unconfirmed']]) {
      const { code, errors } = await admin('remove-organisation', '--organisation', 'unconfirmed', ...confirm);
      assert.equal(code, 1);
      assert.match(errors, /Repeat the name of the organisation to remove it: --confirm "unconfirmed"/);
    }
    assert.equal((await contentOf())[recordTables.indexOf('links')], content[recordTables.indexOf('links')]);
  });

  test('removes every record at once, in the caches of the service too, and leaves the audit trail', async () => {
    const { id, client } = await createNetwork(meridian, 'removed');
    await bodyOf(client.post('/tags', { name: 'red' }));
    await bodyOf(
      client.post('/acl/roles', {
        role: 'watcher',
        policies: [{ act: 'GET', eft: 'allow', obj: '/audit', res: 'audit:read:organisation' }],
      }),
    );
    await bodyOf(client.post('/users', { email: 'user@removed.example', lastName: 'User', password }));
    const token = await tokenOf('user@removed.example');
    const childNames = async () =>
      (await meridian.get('/organisations?limit=100')).body.map(({ name }: { name: string }) => name);
    assert.ok((await childNames()).includes('removed'));
    assert.equal(await statusOf(token), 200);
    const text = await change('remove-organisation', '--organisation', id, '--confirm', 'removed');
    for (const line of ['5 links', '6 connectors', '1 appliance', '1 group', '1 tag', '2 product pools', '1 user'])
      assert.match(text, new RegExp(`^ {2}${line} removed$`, 'm'));
    assert.equal(await statusOf(token), 401);
    assert.ok(!(await childNames()).includes('removed'));
    assert.equal((await meridian.get(`/organisations/${id}`)).status, 404);
    const { rows } = await f.owner.query(
      `select table_name as name from information_schema.columns where table_schema = 'public' and column_name = 'organisation_id'`,
    );
    for (const { name } of rows.filter((row) => row.name !== 'audit')) {
      const left = await f.owner.query(`select count(*)::int as count from ${name} where organisation_id = $1`, [id]);
      assert.equal(left.rows[0].count, 0, name);
    }
    assert.deepEqual(await newestEntries(id, 2), [
      'delete organisation removed by npm run admin',
      'delete user User by npm run admin',
    ]);
    assert.deepEqual(await newestEntries(f.organisations.meridian, 1), [
      'delete organisation removed by npm run admin',
    ]);
    const { children_count } = (
      await f.owner.query(
        `select children_count - (select count(*)::int from organisations child where child.parent_id = o.id) as children_count
         from organisations o where name = 'Meridian Exchange'`,
      )
    ).rows[0];
    assert.equal(children_count, 0);
  });
});

describe('the audit trail', () => {
  const [old, entries] = ['2020-01-01', 23_000];
  let organisationId = '';
  before(async () => {
    organisationId = (await createCustomer('audited')).id;
    await f.owner.query(
      `insert into audit (organisation_id, action, client_ip, service_irn, service_name, service_type, user_name, created_at)
       select $1, 'create', '192.0.2.1', 'irn:tag:abcdefghijkl::1111111', 'old ' || n, 'tag', 'A. User',
         timestamptz '2019-01-01T00:00:00Z' + n * interval '1 minute' from generate_series(1, $2::int) as n`,
      [organisationId, entries],
    );
  });
  const idsInDatabase = async (): Promise<Set<string>> =>
    new Set(
      (await f.owner.query('select id from audit where organisation_id = $1', [organisationId])).rows.map(
        ({ id }) => id,
      ),
    );
  const countEntries = async (): Promise<number> =>
    (await f.owner.query('select count(*)::int as count from audit where organisation_id = $1', [organisationId]))
      .rows[0].count;
  const file = join(home, 'audit.jsonl');

  test('is exported as JSON lines to standard output or to a file that is never replaced', async () => {
    const { code, out, errors } = await admin('audit', 'export', '--organisation', 'audited', '--after', '2019-01-16');
    assert.equal(code, 0, errors);
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.equal(lines[0].createdAt, '2019-01-16T00:00:00.000000Z');
    const { body } = await meridian.with({ scope: organisationId }).get('/audit?limit=1');
    assert.deepEqual(lines.at(-1), body[0], 'the format of the API');
    assert.equal((await admin('audit', 'export', file, '--organisation', organisationId, '--before', old)).code, 0);
    const exported = (await readFile(file, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual([exported.length, exported[0].serviceName], [entries, 'old 1']);
    const again = await admin('audit', 'export', file, '--before', old);
    assert.equal(again.code, 1);
    assert.match(again.errors, /audit\.jsonl exists, and is never replaced/);
    const everything = await admin('audit', 'export');
    const { rows } = await f.owner.query('select count(*)::int as count from audit');
    assert.equal(everything.out.trim().split('\n').length, rows[0].count);
  });

  test('is pruned in steps; a kill loses nothing that was not exported', async () => {
    const before = await idsInDatabase();
    const exported = (await readFile(file, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).id);
    const words = ['audit', 'prune', '--before', old, '--organisation', 'audited'];
    const dry = await admin(...words, '--dry-run');
    assert.match(dry.errors, /audited \(.*\): 23000 audit entries before 2020-01-01T00:00:00\.000000Z deleted/);
    assert.deepEqual(await idsInDatabase(), before);
    const { child, ended } = launchAdmin(words, of);
    while (child.exitCode === null && (await countEntries()) >= before.size) await pause(1);
    child.kill('SIGKILL');
    await ended;
    const left = await idsInDatabase();
    const exportedIds = new Set(exported);
    for (const id of before) assert.ok(left.has(id) || exportedIds.has(id), `${id} is lost`);
    assert.ok(left.size < before.size, 'nothing was deleted before the kill');
    assert.deepEqual(await newestEntries(organisationId, 1), ['delete audit audited by npm run admin']);
    await admin(...words);
    const final = await idsInDatabase();
    assert.ok(!exported.some((id) => final.has(id)), 'the second run completes the first');
    for (const id of before) assert.ok(final.has(id) || exportedIds.has(id), `${id} is lost`);
    const { rows } = await f.owner.query(
      `select changes from audit where organisation_id = $1 and service_type = 'audit'`,
      [organisationId],
    );
    assert.equal(rows[0].changes[0].path, 'entries before 2020-01-01T00:00:00.000000Z');
  });

  test('of the last 30 days is never pruned, and the service itself cannot delete an entry', async () => {
    const before = await idsInDatabase();
    for (const date of [new Date().toISOString(), new Date(Date.now() - 29 * 86_400_000).toISOString().slice(0, 10)]) {
      const { code, errors } = await admin('audit', 'prune', '--before', date);
      assert.equal(code, 1);
      assert.match(errors, /entries of the last 30 days are never deleted: the latest possible time is 20/);
    }
    assert.deepEqual(await idsInDatabase(), before);
    const client = await f.owner.connect();
    try {
      await client.query('begin; set local role patchbay_app');
      await assert.rejects(client.query('delete from audit'), /permission denied/);
    } finally {
      await client.query('rollback');
      client.release();
    }
  });
});

const wrong: [string, string[], RegExp][] = [
  ['no subcommand', [], /Unknown or missing subcommand/],
  ['half a subcommand', ['audit'], /Unknown or missing subcommand/],
  ['another word', ['users', 'all'], /"all" is unexpected/],
  ['no address', ['disable'], /--email is missing/],
  ['an unknown address', ['unlock', '--email', 'x@nowhere.example'], /There is no user with the address/],
  ['an unknown organisation', ['users', '--organisation', 'Nobody'], /There is no organisation "Nobody"/],
  ['sessions of nobody', ['sessions', 'end'], /Give either --email or --organisation/],
  ['no time', ['audit', 'prune'], /--before is missing/],
  ['a time that is none', ['audit', 'prune', '--before', '2020-02-30'], /must be a day such as 2026-01-31 or a time/],
];
for (const [what, words, reason] of wrong)
  test(`${what} is rejected with a reason, without a stack trace`, async () => {
    const { code, errors } = await admin(...words);
    assert.equal(code, 1);
    assert.match(errors, reason);
    assert.ok(!/\bat .*\.ts:/.test(errors), errors);
  });

test('--help describes every subcommand, also without a database', async () => {
  const { code, out } = await launchAdmin(['--help'], []).ended;
  assert.equal(code, 0);
  const words = [...out.matchAll(/^npm run admin -- ([a-z-]+(?: [a-z]+)?)(?= [-[])/gm)].map(([, name = '']) => name);
  assert.ok(new Set(words).size >= 10, words.join());
  for (const name of new Set(words)) {
    const help = await launchAdmin([...name.split(' '), '--help'], []).ended;
    assert.equal(help.code, 0, help.errors);
    assert.ok(help.out.startsWith(`npm run admin -- ${name}`), help.out);
  }
});

test('a stopped service with an embedded database is administered as well', async () => {
  const data = join(home, 'stopped');
  const running = await start(data);
  running.child.kill('SIGTERM');
  await running.exited;
  const disabled = await launchAdmin(['disable', '--email', 'viewer@meridian.example'], ['--data', data]).ended;
  const listed = await launchAdmin(['users', '--organisation', 'Meridian Exchange'], ['--data', data]).ended;
  assert.equal(disabled.code, 0, disabled.errors);
  assert.match(listed.out, /viewer@meridian\.example .* disabled/);
});
