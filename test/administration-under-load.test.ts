// npm run admin while users of the organisation are active: no other tenant waits, and no session is missed.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { launchAdmin } from './harness/admin-command.ts';
import { eventually } from './harness/deployable-group.ts';
import { bodyOf } from './harness/populated-organisations.ts';
import { basic, fixture } from './harness/service.ts';

const f = await fixture();
const meridian = await f.as('admin@meridian.example');
const password = 'a long passphrase of a test';
const of = ['--data', f.data, '--database-url', f.databaseUrl];
const admin = (...words: string[]) => launchAdmin(words, of).ended;

async function createCustomer(name: string): Promise<{ id: string; email: string }> {
  const email = `admin@${name}.example`;
  const body = { name, admin: { email, lastName: 'First', password } };
  return { id: (await bodyOf(meridian.post('/organisations', body))).id, email };
}

/** Users with the password of the organisation's admin. */
const insertUsers = (organisationId: string, name: string, count: number) =>
  f.owner.query(
    `with created as (
       insert into users (organisation_id, role_id, email, email_key, last_name, created_at, password_hash)
       select $1, (select id from roles where name = 'viewer' and organisation_id is null), address, address, n::text,
         now() + n * interval '1 ms', (select password_hash from users where organisation_id = $1)
       from (select n, 'u' || n || '@' || $2 || '.example' as address from generate_series(1, $3::int) as n) as numbered
       returning id, organisation_id)
     insert into logins (user_id, organisation_id) select id, organisation_id from created`,
    [organisationId, name, count],
  );

const insertSessions = (organisationId: string) =>
  f.owner.query(
    `insert into session_families (user_id, organisation_id, client_id)
     select id, organisation_id, (select min(id::text)::uuid from api_clients) from users where organisation_id = $1`,
    [organisationId],
  );

/** Runs `work` while another transaction holds a lock. */
async function whileLocked<T>(statement: string, id: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: f.databaseUrl });
  await client.connect();
  try {
    await client.query('begin');
    await client.query(statement, [id]);
    return await work(client);
  } finally {
    await client.end();
  }
}
const lockOrganisation = 'select from organisations where id = $1 for update';

const refresh = (token: string) =>
  f.client.post('/auth/token', { grant_type: 'refresh_token', refresh_token: token }, { basic });
describe('an organisation that is locked for long', () => {
  test('delays no sign-in and no read of another tenant, however many sign in to it', async () => {
    const { id } = await createCustomer('locked');
    await insertUsers(id, 'locked', 24);
    let flood: Promise<unknown> = Promise.resolve();
    await whileLocked(lockOrganisation, id, async () => {
      flood = Promise.allSettled(Array.from({ length: 24 }, (_, n) => f.signIn(`u${n + 1}@locked.example`, password)));
      await pause(500);
      const signedIn = f.signIn('admin@boreal.example').then(() => 'signed in');
      const read = meridian.get('/audit?limit=1&offset=3').then(({ status }) => `read with ${status}`);
      const tooLate = pause(15_000, 'waited for the lock');
      assert.deepEqual(await Promise.all([signedIn, read].map((outcome) => Promise.race([outcome, tooLate]))), [
        'signed in',
        'read with 200',
      ]);
    });
    await flood;
  });

  test('delays no uncached read of another tenant, however many sessions of it are refreshed', async () => {
    const { id, email } = await createCustomer('refreshed');
    const tokens = await Promise.all(Array.from({ length: 24 }, () => f.signIn(email, password)));
    let flood: Promise<unknown> = Promise.resolve();
    await whileLocked(lockOrganisation, id, async () => {
      flood = Promise.allSettled(tokens.map(({ refresh_token }) => refresh(refresh_token)));
      await pause(500);
      const reads = Array.from({ length: 5 }, (_, n) => meridian.get(`/audit?limit=1&offset=${n + 10}`));
      const outcome = Promise.all(reads).then((answers) => answers.map(({ status }) => status));
      assert.deepEqual(
        await Promise.race([outcome, pause(3000, 'waited for a connection')]),
        [200, 200, 200, 200, 200],
      );
    });
    await flood;
  });
});

describe('remove-organisation', () => {
  test('counts for a dry run without a lock on the organisation', async () => {
    const { id } = await createCustomer('counted');
    await whileLocked('select from organisations where id = $1 for key share', id, async () => {
      const { code, errors } = await admin('remove-organisation', '--organisation', id, '--dry-run');
      assert.equal(code, 0, errors);
      assert.match(errors, /^ {2}1 user removed$/m);
    });
  });

  test('completes although its users refresh their sessions, which end', async () => {
    const { id, email } = await createCustomer('busy');
    await f.owner.query(
      `insert into tags (organisation_id, name) select $1, 'tag ' || n from generate_series(1, 1500) as n`,
      [id],
    );
    let isOver = false;
    const refreshUntilOver = async (first: string): Promise<number> => {
      for (let token = first; ; ) {
        const { status, body } = await refresh(token);
        if (status === 200) token = body.refresh_token;
        else if (status === 400 || isOver) return status;
        await pause(20 + Math.random() * 200);
      }
    };
    const signedIn = await Promise.all(Array.from({ length: 10 }, () => f.signIn(email, password)));
    const sessions = Promise.all(signedIn.map(({ refresh_token }) => refreshUntilOver(refresh_token)));
    await pause(300);
    const { code, errors } = await admin('remove-organisation', '--organisation', id, '--confirm', 'busy');
    isOver = true;
    assert.equal(code, 0, errors);
    assert.match(errors, /^ {2}1500 tags removed$/m);
    assert.deepEqual(new Set(await sessions), new Set([400]));
  });
});

describe('sessions end', () => {
  test('ends all sessions although users are deleted meanwhile', async () => {
    const { id } = await createCustomer('ended');
    await insertUsers(id, 'ended', 509);
    await insertSessions(id);
    const userAt = async (offset: number): Promise<string> =>
      (
        await f.owner.query(
          'select id from users where organisation_id = $1 order by created_at, id offset $2 limit 1',
          [id, offset],
        )
      ).rows[0].id;
    const [blocked, next] = [await userAt(200), await userAt(203)];
    const command = await whileLocked('select from users where id = $1 for update', blocked, async () => {
      const { ended } = launchAdmin(['sessions', 'end', '--organisation', id], of);
      const waiting = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
      await eventually(
        async () => (await f.owner.query(waiting)).rowCount,
        (waiters) => Boolean(waiters),
      );
      await f.owner.query(
        `delete from users where id = $2 or id in (
           select id from users where organisation_id = $1 order by created_at, id limit 8)`,
        [id, next],
      );
      return { ended };
    });
    const { code, errors } = await command.ended;
    assert.equal(code, 0, errors);
    const { rows } = await f.owner.query(
      'select count(*)::int as count from session_families where organisation_id = $1',
      [id],
    );
    assert.equal(rows[0].count, 0);
  });
});
