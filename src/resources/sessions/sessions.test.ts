import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { basic, fixture, mailedToken, mailsTo } from '../../../test/harness/service.ts';
import { demoPassword } from '../../demo/demo-world.ts';
import { openKeyFile } from '../../host/key-file.ts';
import { PostgresStore } from '../../store/postgres-store.ts';
import { readResetRequest } from './operations.ts';

const f = await fixture();
const grant = (body: Record<string, unknown>, options = {}) =>
  f.client.post('/auth/token', body, { basic, ...options });
const password = (username: string, secret = demoPassword) =>
  grant({ grant_type: 'password', scope: 'everything', username, password: secret });
const refresh = (token: string, options = {}) => grant({ grant_type: 'refresh_token', refresh_token: token }, options);
const works = async (token: string): Promise<boolean> => (await f.client.get('/me/info', { token })).status === 200;
const admin = await f.as('admin@meridian.example');
let made = 0;
const newUser = async (extra = {}) => {
  const email = `person${++made}@sessions.example`;
  const answer = await admin.post('/users', { email, lastName: 'Person', password: demoPassword, ...extra });
  assert.equal(answer.status, 201, answer.text);
  return { email, id: answer.body.id as string };
};

test('a reset mail that the version before was asked for is still sent', async () => {
  const { id, email } = await newUser();
  const store = new PostgresStore(f.databaseUrl, () => undefined);
  const keys = await openKeyFile(join(f.data, 'keys.json'));
  const wish = await readResetRequest(store, keys, { key: email });
  assert.deepEqual([wish?.userId, await readResetRequest(store, keys, { key: 'nobody@sessions.example' })], [id, null]);
  assert.deepEqual(await readResetRequest(store, keys, { wish }), wish);
  await store.close();
});

describe('the password grant', () => {
  test('answers as specified and is never stored by caches', async () => {
    const answer = await password('admin@meridian.example');
    assert.equal(answer.status, 200);
    assert.deepEqual(Object.keys(answer.body).sort(), [
      'access_token',
      'expires_in',
      'refresh_token',
      'scope',
      'token_type',
    ]);
    assert.equal(answer.body.expires_in, 3600);
    assert.equal(answer.body.token_type, 'Bearer');
    assert.equal(answer.headers['cache-control'], 'no-store');
  });
  test('takes the address in any case, and a form as OAuth libraries send it', async () => {
    assert.equal((await password('Admin@Meridian.EXAMPLE')).status, 200);
    const form = new URLSearchParams({
      grant_type: 'password',
      scope: 'everything',
      username: 'admin@meridian.example',
      password: demoPassword,
    });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    assert.equal((await f.client.call('POST', '/auth/token', { basic, raw: form.toString(), headers })).status, 200);
    form.set('client_id', 'demo');
    form.set('client_secret', 'demo-client-secret');
    assert.equal((await f.client.call('POST', '/auth/token', { raw: form.toString(), headers })).status, 200);
  });
  test('without the right client it is 401, whatever the rest', async () => {
    for (const wrong of ['demo:wrong', 'nobody:demo-client-secret', 'demo', ':']) {
      const answer = await grant(
        { grant_type: 'password', scope: 'everything', username: 'admin@meridian.example', password: demoPassword },
        { basic: wrong },
      );
      assert.equal(answer.status, 401);
      assert.equal(answer.body.code, 'InvalidClient');
    }
    assert.equal((await f.client.post('/auth/token', { grant_type: 'password' })).status, 401);
  });
  test('wrong user, wrong password, locked, disabled and refused refresh are one answer', async () => {
    const locked = await newUser();
    for (let index = 0; index < 5; index++) await password(locked.email, 'wrong wrong wrong');
    const disabled = await newUser();
    await admin.put(`/users/${disabled.id}`, { enabled: false });
    const answers = [
      await password('nobody@nowhere.example'),
      await password('admin@atlas.example', 'wrong wrong wrong'),
      await password(locked.email),
      await password(disabled.email),
      await refresh(`pbr_${'x'.repeat(49)}`),
      await refresh('rubbish'),
    ];
    for (const answer of answers) {
      assert.equal(answer.status, 400);
      assert.deepEqual({ ...answer.body, requestId: '' }, { ...answers[0]?.body, requestId: '' });
      assert.equal(answer.headers['cache-control'], 'no-store');
    }
  });
  test('an address or client that no database could hold is simply unknown', async () => {
    assert.equal((await password('a\u0000@b.example')).body.code, 'InvalidGrant');
    assert.equal((await grant({ grant_type: 'password' }, { basic: 'de\u0000mo:x' })).status, 401);
  });
  test('missing or wrong fields are named', async () => {
    assert.deepEqual(
      (await grant({ grant_type: 'password' })).body.details.map((detail: { path: string }) => detail.path),
      ['scope', 'username', 'password'],
    );
    assert.equal(
      (await grant({ grant_type: 'password', scope: 'some', username: 'a', password: 'b' })).body.details[0].path,
      'scope',
    );
    assert.equal((await grant({ grant_type: 'implicit' })).body.code, 'UnsupportedGrant');
    assert.equal((await grant({})).body.details[0].path, 'grant_type');
  });
  test('keeps the login record true and changes nothing else of the user', async () => {
    const { email, id } = await newUser();
    const before = await admin.get(`/users/${id}`);
    assert.equal(before.body.login.numberLogin, 0);
    assert.equal(before.body.login.firstLoginAt, null);
    await password(email, 'wrong wrong wrong');
    await grant(
      { grant_type: 'password', scope: 'everything', username: email, password: demoPassword },
      { headers: { 'user-agent': 'first/1' } },
    );
    await grant(
      { grant_type: 'password', scope: 'everything', username: email, password: demoPassword },
      { headers: { 'user-agent': 'second/2' } },
    );
    const { body, headers } = await admin.get(`/users/${id}`);
    assert.equal(body.login.numberLogin, 2);
    assert.equal(body.login.numberFaileLogin, 1);
    assert.equal(body.login.userAgentFirstLogin, 'first/1');
    assert.equal(body.login.ipFirstLogin, '127.0.0.1');
    assert.ok(body.login.firstLoginAt < body.login.lastLoginAt);
    assert.ok(body.login.lastFailedLoginAt < body.login.firstLoginAt);
    assert.equal(body.updatedAt, before.body.updatedAt);
    assert.notEqual(headers.etag, before.headers.etag, 'a reader of the login record sees it change');
    assert.equal(
      (await admin.put(`/users/${id}`, { firstName: 'Pat' }, { headers: { 'if-match': before.headers.etag ?? '' } }))
        .status,
      200,
      'a writer of the user is not stale',
    );
  });
});

describe('an account that fails', () => {
  test('and is locked while the right password is compared lets nobody in, and leaves nothing behind', async () => {
    const { email, id } = await newUser();
    const left = async () =>
      (
        await f.owner.query(
          `select (select count(*)::int from tokens where user_id = $1) as tokens,
             (select count(*)::int from session_families where user_id = $1) as families`,
          [id],
        )
      ).rows[0];
    assert.equal((await password(email)).status, 200);
    const before = await left();
    const holder = await f.owner.connect();
    await holder.query('begin');
    await holder.query(`update logins set locked_until = now() + interval '1 minute' where user_id = $1`, [id]);
    const signingIn = password(email);
    // It has been let through by what stood before, and waits for the row.
    const until = Date.now() + 30_000;
    for (let waiting = 0; waiting === 0; await pause(20)) {
      assert.ok(Date.now() < until, 'nobody waits for the row');
      const { rows } = await f.owner.query(
        `select count(*)::int as waiting from pg_stat_activity where wait_event_type = 'Lock' and query like 'update "logins"%'
           and datname = current_database()`,
      );
      waiting = rows[0].waiting;
    }
    await holder.query('commit');
    holder.release();
    const { status, body } = await signingIn;
    assert.deepEqual([status, body.code], [400, 'InvalidGrant']);
    assert.deepEqual(await left(), before);
  });
  test('waits after five failures, 1 minute doubling to 15; attempts while it waits neither count nor extend', async () => {
    const { email, id } = await newUser();
    const minutes = async () => {
      const { rows } = await f.owner.query(
        'select failures_in_a_row as failures, extract(epoch from locked_until - last_failed_login_at) / 60 as minutes from logins where user_id = $1',
        [id],
      );
      return {
        failures: rows[0].failures,
        minutes: rows[0].minutes === null ? null : Math.round(Number(rows[0].minutes)),
      };
    };
    const endWait = () =>
      f.owner.query(`update logins set locked_until = now() - interval '1 second' where user_id = $1`, [id]);
    for (let index = 0; index < 4; index++) await password(email, 'wrong wrong wrong');
    assert.deepEqual(await minutes(), { failures: 4, minutes: null });
    for (const [failures, expected] of [
      [5, 1],
      [6, 2],
      [7, 4],
      [8, 8],
      [9, 15],
      [10, 15],
    ]) {
      await password(email, 'wrong wrong wrong');
      assert.deepEqual(await minutes(), { failures, minutes: expected });
      assert.equal((await password(email)).status, 400, 'the right password waits too');
      await password(email, 'wrong wrong wrong');
      assert.deepEqual(await minutes(), { failures, minutes: expected });
      await endWait();
    }
    assert.equal((await password(email)).status, 200);
    assert.deepEqual(await minutes(), { failures: 0, minutes: null });
  });
  test('keeps its living tokens', async () => {
    const { email } = await newUser();
    const { access_token } = await f.signIn(email);
    for (let index = 0; index < 5; index++) await password(email, 'wrong wrong wrong');
    assert.equal((await password(email)).status, 400);
    assert.ok(await works(access_token));
  });
  test('gets no more than five guesses from 30 at once, even if the last one is right', async () => {
    const { email, id } = await newUser();
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) => password(email, index < 29 ? `wrong wrong ${index}` : demoPassword)),
    );
    assert.ok(answers.every((answer) => answer.status === 400));
    const { rows } = await f.owner.query('select failures from logins where user_id = $1', [id]);
    assert.equal(rows[0].failures, 5);
  });
});

describe('a refresh token', () => {
  test('gives new tokens once and leaves the earlier access token alive', async () => {
    const first = await f.signIn('operator@meridian.example');
    const second = await refresh(first.refresh_token);
    assert.equal(second.status, 200);
    assert.ok((await works(first.access_token)) && (await works(second.body.access_token)));
    assert.equal((await refresh(second.body.refresh_token)).status, 200);
  });
  test('used again within ten seconds is refused and nothing more', async () => {
    const first = await f.signIn('operator@meridian.example');
    const second = await refresh(first.refresh_token);
    assert.equal((await refresh(first.refresh_token)).status, 400);
    assert.ok(await works(second.body.access_token));
    assert.equal((await refresh(second.body.refresh_token)).status, 200);
  });
  test('used again later ends the whole family, access tokens included', async () => {
    const first = await f.signIn('operator@meridian.example');
    const second = await refresh(first.refresh_token);
    const other = await f.signIn('operator@meridian.example');
    await f.owner.query(
      `update tokens set rotated_at = rotated_at - interval '11 seconds' where rotated_at is not null`,
    );
    assert.equal((await refresh(first.refresh_token)).status, 400);
    assert.ok(!(await works(first.access_token)) && !(await works(second.body.access_token)));
    assert.equal((await refresh(second.body.refresh_token)).status, 400);
    assert.ok(await works(other.access_token), 'another sign-in of the same user goes on');
  });
  test('opens nothing as a bearer token, and an access token refreshes nothing', async () => {
    const pair = await f.signIn('operator@meridian.example');
    assert.ok(!(await works(pair.refresh_token)));
    assert.equal((await refresh(pair.access_token)).status, 400);
  });
  test('expires after an hour, like its access token', async () => {
    const pair = await f.signIn('viewer@meridian.example');
    await f.owner.query(
      `update tokens set expires_at = now() - interval '1 second' where user_id = (select id from users where email = 'viewer@meridian.example')`,
    );
    assert.equal((await refresh(pair.refresh_token)).status, 400);
    const late = await f.client.get('/me/info', { token: pair.access_token });
    assert.equal(late.status, 401);
    assert.equal(late.body.code, 'InvalidToken');
  });
  test('is of use to its own client only', async () => {
    const { createHmac } = await import('node:crypto');
    const keys = JSON.parse(await readFile(join(f.data, 'keys.json'), 'utf8'));
    const hash = createHmac('sha256', Buffer.from(keys.tokenKey, 'base64'))
      .update('client secret\0other-secret')
      .digest();
    await f.owner.query(`insert into api_clients (name, secret_hash) values ('other', $1)`, [hash]);
    const pair = await f.signIn('operator@meridian.example');
    assert.equal((await refresh(pair.refresh_token, { basic: 'other:other-secret' })).status, 400);
    assert.equal((await refresh(pair.refresh_token)).status, 200);
  });
  test('used 20 times at once has one winner, and nobody fails in another way', async () => {
    for (let round = 0; round < 3; round++) {
      const { refresh_token } = await f.signIn('operator@meridian.example');
      const answers = await Promise.all(Array.from({ length: 20 }, () => refresh(refresh_token)));
      const won = answers.filter((answer) => answer.status === 200);
      assert.equal(won.length, 1);
      assert.ok(answers.every((answer) => answer.status === 200 || answer.status === 400));
      assert.ok(await works(won[0]?.body.access_token));
    }
  });
});

test('50 correct sign-ins at once all succeed', async () => {
  const { email, id } = await newUser();
  const answers = await Promise.all(Array.from({ length: 50 }, () => password(email)));
  assert.deepEqual(new Set(answers.map((answer) => answer.status)), new Set([200]));
  assert.equal((await admin.get(`/users/${id}`)).body.login.numberLogin, 50);
});

const ask = (username: string, path = '/auth/reset') =>
  f.client.post(path, { grant_type: 'client_credentials', scope: 'reset', username }, { basic });

describe('a reset', () => {
  const fresh = 'velvet harbour ninety maples';

  test('sets the password once, ends the lock, every session and every token', async () => {
    const { email } = await newUser();
    const { access_token, refresh_token } = await f.signIn(email);
    const personal = (
      await f.client.post('/personal/tokens', { name: 'script', expiresIn: 600 }, { token: access_token })
    ).body.accessToken;
    for (let index = 0; index < 5; index++) await password(email, 'wrong wrong wrong');
    assert.equal((await ask(email)).status, 200);
    const token = await mailedToken(f.data, email);
    const [mail = ''] = await mailsTo(f.data, email);
    assert.ok(mail.includes(`${f.service.url}/portal/new-password#${token}`));
    const answer = await f.client.put('/me/info', { password: fresh }, { token });
    assert.equal(answer.status, 200, answer.text);
    assert.ok(!(await works(access_token)) && !(await works(personal)));
    assert.equal((await refresh(refresh_token)).status, 400);
    assert.equal((await f.client.put('/me/info', { password: fresh }, { token })).status, 401, 'it is spent');
    assert.equal((await password(email, fresh)).status, 200, 'the lock has ended');
    assert.equal((await password(email)).status, 400);
  });
  test('token opens nothing else', async () => {
    const { email } = await newUser();
    await ask(email, '/auth/token');
    const token = await mailedToken(f.data, email, 1);
    for (const path of ['/me/info', '/users', '/regions', '/personal/tokens', '/nowhere']) {
      const answer = await f.client.get(path, { token });
      assert.equal(answer.status, 403, path);
      assert.equal(answer.body.code, 'ResetTokenOnly');
    }
    assert.equal((await f.client.put('/me/info', { password: fresh, lastName: 'X' }, { token })).status, 403);
    assert.equal((await f.client.put('/me/info', {}, { token })).status, 400);
    assert.equal((await f.client.put('/me/info', { password: 'short' }, { token })).body.code, 'PasswordTooWeak');
    assert.equal(
      (await f.client.put('/me/info', { password: fresh }, { token })).status,
      200,
      'a refused password does not spend it',
    );
  });
  test('asked for again voids the earlier token; 15 minutes later it is void too', async () => {
    const { email } = await newUser();
    await ask(email);
    const first = await mailedToken(f.data, email, 1);
    await ask(email);
    const second = await mailedToken(f.data, email, 2);
    assert.equal((await f.client.put('/me/info', { password: fresh }, { token: first })).status, 401);
    const { rows } = await f.owner.query(
      `select extract(epoch from expires_at - created_at)::int as life from tokens where kind = 'reset' order by created_at desc limit 1`,
    );
    assert.equal(rows[0].life, 900);
    await f.owner.query(`update tokens set expires_at = now() where kind = 'reset'`);
    assert.equal((await f.client.put('/me/info', { password: fresh }, { token: second })).status, 401);
  });
  test('answers the same for an unknown or disabled address, and sends no mail then', async () => {
    const disabled = await newUser();
    await admin.put(`/users/${disabled.id}`, { enabled: false });
    const known = await newUser();
    const answers = [await ask('nobody@nowhere.example'), await ask(disabled.email), await ask(known.email)];
    assert.equal(new Set(answers.map((answer) => `${answer.status} ${answer.text}`)).size, 1);
    await mailedToken(f.data, known.email);
    assert.deepEqual(
      [await mailsTo(f.data, 'nobody@nowhere.example'), await mailsTo(f.data, disabled.email)],
      [[], []],
    );
  });
  test('needs the client, the scope and the address', async () => {
    assert.equal(
      (await f.client.post('/auth/reset', { grant_type: 'client_credentials', scope: 'reset', username: 'x' })).status,
      401,
    );
    assert.equal((await f.client.post('/auth/reset', { grant_type: 'client_credentials' }, { basic })).status, 400);
    assert.equal(
      (await f.client.post('/auth/reset', { grant_type: 'password', scope: 'reset', username: 'x' }, { basic })).status,
      400,
    );
  });
});

describe('what is issued while it is revoked does not survive', () => {
  /** Asks over and over until told to stop; what came back is tried afterwards. */
  const flood = (width: number, ask: () => Promise<string | undefined>) => {
    let over = false;
    const got: string[] = [];
    const loops = Promise.all(
      Array.from({ length: width }, async () => {
        while (!over) {
          const token = await ask();
          if (token) got.push(token);
        }
      }),
    );
    return async () => {
      over = true;
      await loops;
      return got;
    };
  };
  const alive = async (tokens: string[]) => (await Promise.all(tokens.map(works))).filter(Boolean).length;
  const signing = (email: string) => async () => (await password(email)).body.access_token as string | undefined;
  const creating = (token: string) => async () =>
    (await f.client.post('/personal/tokens', { name: 'flood', expiresIn: 600 }, { token })).body?.accessToken as
      | string
      | undefined;

  for (const [name, kind] of [
    ['personal tokens', creating],
    ['sign-ins', undefined],
  ] as const)
    test(`${name} during disabling and enabling`, async () => {
      for (let round = 0; round < 3; round++) {
        const { email, id } = await newUser();
        const stop = flood(5, kind ? kind((await f.signIn(email)).access_token) : signing(email));
        await pause(60 + 40 * round);
        await admin.put(`/users/${id}`, { enabled: false });
        const got = await stop();
        await admin.put(`/users/${id}`, { enabled: true });
        assert.equal(await alive(got), 0);
      }
    });
  test('personal tokens and sign-ins with the old password during a reset', async () => {
    for (let round = 0; round < 3; round++) {
      const { email } = await newUser();
      const stolen = (await f.signIn(email)).access_token;
      await ask(email);
      const token = await mailedToken(f.data, email, 1);
      const stops = [flood(4, creating(stolen)), flood(3, signing(email))];
      await pause(60 + 40 * round);
      assert.equal(
        (await f.client.put('/me/info', { password: 'velvet harbour ninety maples' }, { token })).status,
        200,
      );
      const got = (await Promise.all(stops.map((stop) => stop()))).flat();
      assert.ok(got.length > 0);
      assert.equal(await alive(got), 0);
    }
  });
  test('a reset token used four times at once sets one password', async () => {
    const { email } = await newUser();
    await ask(email);
    const token = await mailedToken(f.data, email, 1);
    const answers = await Promise.all(
      ['maples', 'lanterns', 'harbours', 'orchards'].map((word) =>
        f.client.put('/me/info', { password: `velvet ninety granite ${word}` }, { token }),
      ),
    );
    assert.deepEqual(answers.map((answer) => answer.status).sort(), [200, 401, 401, 401]);
  });
  test('personal tokens made with a token that is being deleted', async () => {
    for (let round = 0; round < 5; round++) {
      const { email } = await newUser();
      const session = (await f.signIn(email)).access_token;
      const first = await creating(session)();
      const stop = flood(4, creating(first ?? ''));
      await pause(40 + 20 * round);
      assert.equal((await f.client.delete('/personal/tokens', { token: session })).status, 204);
      assert.equal(await alive(await stop()), 0);
    }
  });
  /** Waits until every mail that was asked for was sent or found to have no address. */
  const quiet = async () => {
    const open = `select count(*)::int as count from pgboss.job where name = 'reset-mail' and state in ('created', 'retry', 'active')`;
    for (const until = Date.now() + 20_000; (await f.owner.query(open)).rows[0].count > 0; await pause(50))
      assert.ok(Date.now() < until, 'the jobs do not end');
  };
  test('reset tokens, of which one lives at a time and none after a change of address or switch', async () => {
    for (let round = 0; round < 3; round++) {
      const { id, email } = await newUser();
      await Promise.all(Array.from({ length: 6 }, () => ask(email)));
      await mailedToken(f.data, email, 2);
      await admin.put(`/users/${id}`, round % 2 ? { enabled: false } : { email: `moved.${email}` });
      await quiet();
      const { rows } = await f.owner.query(
        `select count(*)::int as count from tokens where user_id = $1 and kind = 'reset'`,
        [id],
      );
      assert.equal(rows[0].count, 0);
    }
    const { id, email } = await newUser();
    await Promise.all(Array.from({ length: 8 }, () => ask(email)));
    await mailedToken(f.data, email, 8);
    const { rows } = await f.owner.query(
      `select count(*)::int as count from tokens where user_id = $1 and kind = 'reset'`,
      [id],
    );
    assert.equal(rows[0].count, 1);
  });
  test('a user deleted meanwhile leaves no error behind', async () => {
    const { email, id } = await newUser();
    const { access_token } = await f.signIn(email);
    const statuses = new Set<number>();
    const stop = flood(6, async () => {
      statuses.add(
        (await f.client.post('/personal/tokens', { name: 'flood', expiresIn: 600 }, { token: access_token })).status,
      );
      return undefined;
    });
    await pause(80);
    // Whoever revokes is not kept out by a flood of those who are revoked.
    assert.equal((await admin.delete(`/users/${id}`)).status, 204);
    for (const until = Date.now() + 20_000; !statuses.has(401) && Date.now() < until; ) await pause(10);
    await stop();
    assert.deepEqual([...statuses].sort(), [200, 401]);
  });
});

describe('a change of password', () => {
  test("ends the user's other sessions and keeps this one and the personal tokens", async () => {
    const { email } = await newUser();
    const here = await f.signIn(email);
    const there = await f.signIn(email);
    const personal = (
      await f.client.post('/personal/tokens', { name: 'script', expiresIn: 600 }, { token: here.access_token })
    ).body.accessToken;
    assert.equal(
      (await f.client.put('/me/info', { password: 'granite puzzle seven lanterns' }, { token: here.access_token }))
        .status,
      200,
    );
    assert.deepEqual(
      [await works(here.access_token), await works(there.access_token), await works(personal)],
      [true, false, true],
    );
    assert.equal((await refresh(there.refresh_token)).status, 400);
    assert.equal((await refresh(here.refresh_token)).status, 200);
  });
  test('by an admin ends all sessions of the user', async () => {
    const { email, id } = await newUser();
    const session = await f.signIn(email);
    assert.equal((await admin.put(`/users/${id}`, { password: 'granite puzzle seven lanterns' })).status, 200);
    assert.ok(!(await works(session.access_token)));
  });
});

test('only hashes are stored: no token, secret or password is in the database', async () => {
  const pair = await f.signIn('admin@boreal.example');
  const { rows } = await f.owner.query(
    `select table_name from information_schema.tables where table_schema in ('public', 'pgboss')`,
  );
  for (const { table_name } of rows) {
    const schema = (
      await f.owner.query(`select to_regclass('public.' || quote_ident($1)) is not null as here`, [table_name])
    ).rows[0].here
      ? 'public'
      : 'pgboss';
    const text = JSON.stringify((await f.owner.query(`select t::text from ${schema}."${table_name}" t`)).rows);
    for (const secret of [pair.access_token, pair.refresh_token, demoPassword, 'demo-client-secret'])
      assert.ok(!text.includes(secret), `${table_name} holds a secret`);
  }
});
