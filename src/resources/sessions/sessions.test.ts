import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { basic, fixture, mailedToken, mailsTo, startFixture } from '../../../test/harness/service.ts';
import { demoPassword } from '../../demo/demo-world.ts';
import { openKeyFile } from '../../host/key-file.ts';
import { PostgresStore } from '../../store/postgres-store.ts';
import { readResetRequest } from './password-reset.ts';

const f = await fixture();
const grant = (body: Record<string, unknown>, options = {}) =>
  f.client.post('/auth/token', body, { basic, ...options });
const password = (username: string, secret = demoPassword) =>
  grant({ grant_type: 'password', scope: 'everything', username, password: secret });
const refresh = (token: string, options = {}) => grant({ grant_type: 'refresh_token', refresh_token: token }, options);
const works = async (token: string): Promise<boolean> => (await f.client.get('/me/info', { token })).status === 200;
const admin = await f.as('admin@meridian.example');
let userCount = 0;
const newUser = async (extra = {}) => {
  const email = `person${++userCount}@sessions.example`;
  const response = await admin.post('/users', { email, lastName: 'Person', password: demoPassword, ...extra });
  assert.equal(response.status, 201, response.text);
  return { email, id: response.body.id as string };
};

test('a reset job of an earlier version is still readable', async () => {
  const { id, email } = await newUser();
  const store = new PostgresStore(f.databaseUrl, () => undefined);
  const keys = await openKeyFile(join(f.data, 'keys.json'));
  const request = await readResetRequest(store, keys, { key: email });
  assert.deepEqual(
    [request?.userId, await readResetRequest(store, keys, { key: 'nobody@sessions.example' })],
    [id, null],
  );
  assert.deepEqual(await readResetRequest(store, keys, { wish: request }), request);
  await store.close();
});

describe('the password grant', () => {
  test('responds as specified and forbids caching', async () => {
    const response = await password('admin@meridian.example');
    assert.equal(response.status, 200);
    assert.deepEqual(Object.keys(response.body).sort(), [
      'access_token',
      'expires_in',
      'refresh_token',
      'scope',
      'token_type',
    ]);
    assert.equal(response.body.expires_in, 3600);
    assert.equal(response.body.token_type, 'Bearer');
    assert.equal(response.headers['cache-control'], 'no-store');
  });
  test('accepts the address in any case, and a form as OAuth libraries send it', async () => {
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
  test('responds 401 without valid client credentials', async () => {
    for (const wrong of ['demo:wrong', 'nobody:demo-client-secret', 'demo', ':']) {
      const response = await grant(
        { grant_type: 'password', scope: 'everything', username: 'admin@meridian.example', password: demoPassword },
        { basic: wrong },
      );
      assert.equal(response.status, 401);
      assert.equal(response.body.code, 'InvalidClient');
    }
    assert.equal((await f.client.post('/auth/token', { grant_type: 'password' })).status, 401);
  });
  test('wrong user, wrong password, locked, disabled and refused refresh give the same response', async () => {
    const locked = await newUser();
    for (let index = 0; index < 5; index++) await password(locked.email, 'wrong wrong wrong');
    const disabled = await newUser();
    await admin.put(`/users/${disabled.id}`, { enabled: false });
    const responses = [
      await password('nobody@nowhere.example'),
      await password('admin@atlas.example', 'wrong wrong wrong'),
      await password(locked.email),
      await password(disabled.email),
      await refresh(`pbr_${'x'.repeat(49)}`),
      await refresh('rubbish'),
    ];
    for (const response of responses) {
      assert.equal(response.status, 400);
      assert.deepEqual({ ...response.body, requestId: '' }, { ...responses[0]?.body, requestId: '' });
      assert.equal(response.headers['cache-control'], 'no-store');
    }
  });
});

describe('the input of a password grant', () => {
  test('an address or client with a NUL character is unknown', async () => {
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
  test('updates the login record and nothing else of the user', async () => {
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
    assert.notEqual(headers.etag, before.headers.etag, 'the ETag covers the login record');
    assert.equal(
      (await admin.put(`/users/${id}`, { firstName: 'Pat' }, { headers: { 'if-match': before.headers.etag ?? '' } }))
        .status,
      200,
      'If-Match ignores the login record',
    );
  });
});

describe('account lockout', () => {
  test('a lockout during the verification of the right password refuses the sign-in', async () => {
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
    await holder.query(`update login_networks set locked_until = now() + interval '1 minute' where user_id = $1`, [id]);
    const signingIn = password(email);
    // The sign-in has read the unlocked row and now waits for the row lock.
    const until = Date.now() + 30_000;
    for (let waiting = 0; waiting === 0; await pause(20)) {
      assert.ok(Date.now() < until, 'the sign-in does not wait for the row');
      const { rows } = await f.owner.query(
        `select count(*)::int as waiting from pg_stat_activity
         where wait_event_type = 'Lock' and query like '%insert into login_networks%'
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
  test('starts at five failures with 1 minute, doubling to 15; attempts meanwhile do not count', async () => {
    const { email, id } = await newUser();
    const minutes = async () => {
      const { rows } = await f.owner.query(
        'select failures_in_a_row as failures, extract(epoch from locked_until - last_failed_login_at) / 60 as ' +
          'minutes from login_networks where user_id = $1',
        [id],
      );
      return {
        failures: rows[0].failures,
        minutes: rows[0].minutes === null ? null : Math.round(Number(rows[0].minutes)),
      };
    };
    const endWait = () =>
      f.owner.query(`update login_networks set locked_until = now() - interval '1 second' where user_id = $1`, [id]);
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
      assert.equal((await password(email)).status, 400, 'the right password is refused too');
      await password(email, 'wrong wrong wrong');
      assert.deepEqual(await minutes(), { failures, minutes: expected });
      await endWait();
    }
    assert.equal((await password(email)).status, 200);
    assert.deepEqual(await minutes(), { failures: 0, minutes: null });
  });
});

describe('a lockout by others', () => {
  const behindProxy = async () =>
    startFixture(['--behind-proxy', '127.0.0.1', '--base-url', 'https://patchbay.example', '--demo', 'public']);
  test('leaves networks alone from which the user has signed in before', { timeout: 120_000 }, async () => {
    const p = await behindProxy();
    try {
      const from = (address: string, secret: string, username = 'viewer@meridian.example') =>
        p.client.post(
          '/auth/token',
          { grant_type: 'password', scope: 'everything', username, password: secret },
          { basic, headers: { 'x-forwarded-for': address } },
        );
      const wrong = 'wrong wrong wrong';
      assert.equal((await from('198.51.100.7', demoPassword)).status, 200, 'the user signs in at home');
      for (let count = 0; count < 5; count++) await from('203.0.113.9', wrong);
      assert.equal((await from('203.0.113.200', demoPassword)).status, 400, 'the /24 of the failures is locked');
      assert.equal((await from('198.51.100.250', demoPassword)).status, 200, 'the network at home is not');
      assert.equal((await from('2001:db8:1:100::1', demoPassword)).status, 200, 'nor is an unknown one, so far');
      for (let count = 0; count < 45; count++) await from(`192.0.${count}.1`, wrong);
      assert.equal((await from('192.0.99.1', demoPassword)).status, 400, 'fifty failures lock unknown networks');
      assert.equal((await from('198.51.100.250', demoPassword)).status, 200, 'and never the known ones');
      assert.equal((await from('2001:db8:1:1ff::2', demoPassword)).status, 200, 'an IPv6 network is a /56');
      assert.equal((await from('2001:db8:1:200::2', demoPassword)).status, 400);
      await p.owner.query(`update logins set strangers_locked_until = now() where strangers_locked_until is not null`);
      assert.equal((await from('192.0.99.1', demoPassword)).status, 200, 'after an hour the lockout ends');
    } finally {
      await p.close();
    }
  });
});

describe('a locked account', () => {
  test('leaves valid tokens valid', async () => {
    const { email } = await newUser();
    const { access_token } = await f.signIn(email);
    for (let index = 0; index < 5; index++) await password(email, 'wrong wrong wrong');
    assert.equal((await password(email)).status, 400);
    assert.ok(await works(access_token));
  });
  test('allows five of 30 concurrent guesses, even if the last one is right', async () => {
    const { email, id } = await newUser();
    const responses = await Promise.all(
      Array.from({ length: 30 }, (_, index) => password(email, index < 29 ? `wrong wrong ${index}` : demoPassword)),
    );
    assert.ok(responses.every((response) => response.status === 400));
    const { rows } = await f.owner.query('select failures from logins where user_id = $1', [id]);
    assert.equal(rows[0].failures, 5);
  });
});

describe('a refresh token', () => {
  test('gives new tokens once and leaves the earlier access token valid', async () => {
    const first = await f.signIn('operator@meridian.example');
    const second = await refresh(first.refresh_token);
    assert.equal(second.status, 200);
    assert.ok((await works(first.access_token)) && (await works(second.body.access_token)));
    assert.equal((await refresh(second.body.refresh_token)).status, 200);
  });
  test('used again within ten seconds is only refused', async () => {
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
    assert.ok(await works(other.access_token), 'another session of the user stays valid');
  });
  test('is no bearer token, and an access token is no refresh token', async () => {
    const pair = await f.signIn('operator@meridian.example');
    assert.ok(!(await works(pair.refresh_token)));
    assert.equal((await refresh(pair.access_token)).status, 400);
  });
  test('expires after an hour, like its access token', async () => {
    const pair = await f.signIn('viewer@meridian.example');
    await f.owner.query(
      `update tokens set expires_at = now() - interval '1 second'
       where user_id = (select id from users where email = 'viewer@meridian.example')`,
    );
    assert.equal((await refresh(pair.refresh_token)).status, 400);
    const late = await f.client.get('/me/info', { token: pair.access_token });
    assert.equal(late.status, 401);
    assert.equal(late.body.code, 'InvalidToken');
  });
  test('is valid for its own client only', async () => {
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
  test('used 20 times concurrently succeeds once, and the others respond 400', async () => {
    for (let round = 0; round < 3; round++) {
      const { refresh_token } = await f.signIn('operator@meridian.example');
      const responses = await Promise.all(Array.from({ length: 20 }, () => refresh(refresh_token)));
      const won = responses.filter((response) => response.status === 200);
      assert.equal(won.length, 1);
      assert.ok(responses.every((response) => response.status === 200 || response.status === 400));
      assert.ok(await works(won[0]?.body.access_token));
    }
  });
});

test('50 concurrent correct sign-ins succeed', async () => {
  const { email, id } = await newUser();
  const responses = await Promise.all(Array.from({ length: 50 }, () => password(email)));
  assert.deepEqual(new Set(responses.map((response) => response.status)), new Set([200]));
  assert.equal((await admin.get(`/users/${id}`)).body.login.numberLogin, 50);
});

const requestReset = (username: string, path = '/auth/reset') =>
  f.client.post(path, { grant_type: 'client_credentials', scope: 'reset', username }, { basic });

const fresh = 'velvet harbour ninety maples';

describe('a password reset', () => {
  test('sets the password once, and ends the lockout, every session and every token', async () => {
    const { email } = await newUser();
    const { access_token, refresh_token } = await f.signIn(email);
    const personal = (
      await f.client.post('/personal/tokens', { name: 'script', expiresIn: 600 }, { token: access_token })
    ).body.accessToken;
    for (let index = 0; index < 5; index++) await password(email, 'wrong wrong wrong');
    assert.equal((await requestReset(email)).status, 200);
    const token = await mailedToken(f.data, email);
    const [mail = ''] = await mailsTo(f.data, email);
    assert.ok(mail.includes(`${f.service.url}/portal/new-password#${token}`));
    const response = await f.client.put('/me/info', { password: fresh }, { token });
    assert.equal(response.status, 200, response.text);
    assert.ok(!(await works(access_token)) && !(await works(personal)));
    assert.equal((await refresh(refresh_token)).status, 400);
    assert.equal(
      (await f.client.put('/me/info', { password: fresh }, { token })).status,
      401,
      'the reset token is used',
    );
    assert.equal((await password(email, fresh)).status, 200, 'the lockout has ended');
    assert.equal((await password(email)).status, 400);
  });
  test('token is valid for nothing else', async () => {
    const { email } = await newUser();
    await requestReset(email, '/auth/token');
    const token = await mailedToken(f.data, email, 1);
    for (const path of ['/me/info', '/users', '/regions', '/personal/tokens', '/nowhere']) {
      const response = await f.client.get(path, { token });
      assert.equal(response.status, 403, path);
      assert.equal(response.body.code, 'ResetTokenOnly');
    }
    assert.equal((await f.client.put('/me/info', { password: fresh, lastName: 'X' }, { token })).status, 403);
    assert.equal((await f.client.put('/me/info', {}, { token })).status, 400);
    assert.equal((await f.client.put('/me/info', { password: 'short' }, { token })).body.code, 'PasswordTooWeak');
    assert.equal(
      (await f.client.put('/me/info', { password: fresh }, { token })).status,
      200,
      'a rejected password does not use the token',
    );
  });
  test('another request does not void the first token; success voids the others', async () => {
    const { email } = await newUser();
    await requestReset(email);
    const first = await mailedToken(f.data, email, 1);
    await requestReset(email);
    const second = await mailedToken(f.data, email, 2);
    assert.equal((await f.client.put('/me/info', { password: fresh }, { token: first })).status, 200);
    assert.equal((await f.client.put('/me/info', { password: fresh }, { token: second })).status, 401);
  });
  test('a token expires after 15 minutes', async () => {
    const { email } = await newUser();
    await requestReset(email);
    const token = await mailedToken(f.data, email, 1);
    const { rows } = await f.owner.query(
      `select extract(epoch from expires_at - created_at)::int as seconds from tokens where kind = 'reset'
       order by created_at desc limit 1`,
    );
    assert.equal(rows[0].seconds, 900);
    await f.owner.query(`update tokens set expires_at = now() where kind = 'reset'`);
    assert.equal((await f.client.put('/me/info', { password: fresh }, { token })).status, 401);
  });
});

describe('a reset request', () => {
  test('responds the same for unknown and disabled users, without a mail', async () => {
    const disabled = await newUser();
    await admin.put(`/users/${disabled.id}`, { enabled: false });
    const known = await newUser();
    const responses = [
      await requestReset('nobody@nowhere.example'),
      await requestReset(disabled.email),
      await requestReset(known.email),
    ];
    assert.equal(new Set(responses.map((response) => `${response.status} ${response.text}`)).size, 1);
    await mailedToken(f.data, known.email);
    assert.deepEqual(
      [await mailsTo(f.data, 'nobody@nowhere.example'), await mailsTo(f.data, disabled.email)],
      [[], []],
    );
  });
  test('sends an account at most three mails in 15 minutes, and responds alike', async () => {
    const { email, id } = await newUser();
    const responses = [];
    for (let count = 0; count < 5; count++) responses.push(await requestReset(email));
    assert.equal(new Set(responses.map((response) => `${response.status} ${response.text}`)).size, 1);
    await mailedToken(f.data, email, 3);
    const other = await newUser();
    await requestReset(other.email);
    await mailedToken(f.data, other.email, 1);
    assert.equal((await mailsTo(f.data, email)).length, 3, 'jobs run in order, so a fourth mail would be there');
    await f.owner.query(
      `update logins set reset_requests = array(select at - interval '15 minutes' from unnest(reset_requests) as at)
       where user_id = $1`,
      [id],
    );
    await requestReset(email);
    await mailedToken(f.data, email, 4);
  });
  test('requires the client, the scope and the address', async () => {
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

/** Requests tokens in parallel loops until the returned function is called, which returns the tokens. */
const flood = (width: number, issue: () => Promise<string | undefined>) => {
  let isStopped = false;
  const issued: string[] = [];
  const loops = Promise.all(
    Array.from({ length: width }, async () => {
      while (!isStopped) {
        const token = await issue();
        if (token) issued.push(token);
      }
    }),
  );
  return async () => {
    isStopped = true;
    await loops;
    return issued;
  };
};
const countValid = async (tokens: string[]) => (await Promise.all(tokens.map(works))).filter(Boolean).length;
const signing = (email: string) => async () => (await password(email)).body.access_token as string | undefined;
const creating = (token: string) => async () =>
  (await f.client.post('/personal/tokens', { name: 'flood', expiresIn: 600 }, { token })).body?.accessToken as
    | string
    | undefined;

describe('tokens issued during a revocation are invalid', () => {
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
        const issued = await stop();
        await admin.put(`/users/${id}`, { enabled: true });
        assert.equal(await countValid(issued), 0);
      }
    });
  test('personal tokens and sign-ins with the old password during a reset', async () => {
    for (let round = 0; round < 3; round++) {
      const { email } = await newUser();
      const stolen = (await f.signIn(email)).access_token;
      await requestReset(email);
      const token = await mailedToken(f.data, email, 1);
      const stops = [flood(4, creating(stolen)), flood(3, signing(email))];
      await pause(60 + 40 * round);
      assert.equal(
        (await f.client.put('/me/info', { password: 'velvet harbour ninety maples' }, { token })).status,
        200,
      );
      const issued = (await Promise.all(stops.map((stop) => stop()))).flat();
      assert.ok(issued.length > 0);
      assert.equal(await countValid(issued), 0);
    }
  });
  test('a reset token used four times at once sets one password', async () => {
    const { email } = await newUser();
    await requestReset(email);
    const token = await mailedToken(f.data, email, 1);
    const responses = await Promise.all(
      ['maples', 'lanterns', 'harbours', 'orchards'].map((word) =>
        f.client.put('/me/info', { password: `velvet ninety granite ${word}` }, { token }),
      ),
    );
    assert.deepEqual(responses.map((response) => response.status).sort(), [200, 401, 401, 401]);
  });
  test('personal tokens created with a token that is being deleted', async () => {
    for (let round = 0; round < 5; round++) {
      const { email } = await newUser();
      const session = (await f.signIn(email)).access_token;
      const first = await creating(session)();
      const stop = flood(4, creating(first ?? ''));
      await pause(40 + 20 * round);
      assert.equal((await f.client.delete('/personal/tokens', { token: session })).status, 204);
      assert.equal(await countValid(await stop()), 0);
    }
  });
});

describe('concurrent resets and deletions', () => {
  /** Waits until no reset job is open. */
  const waitForJobs = async () => {
    const open = `select count(*)::int as count from pgboss.job
      where name = 'reset-mail' and state in ('created', 'retry', 'active')`;
    for (const until = Date.now() + 20_000; (await f.owner.query(open)).rows[0].count > 0; await pause(50))
      assert.ok(Date.now() < until, 'the jobs have ended');
  };
  test('reset tokens: three at most are valid, and none after a change of address or disabling', async () => {
    for (let round = 0; round < 3; round++) {
      const { id, email } = await newUser();
      await Promise.all(Array.from({ length: 6 }, () => requestReset(email)));
      await mailedToken(f.data, email, 2);
      await admin.put(`/users/${id}`, round % 2 ? { enabled: false } : { email: `moved.${email}` });
      await waitForJobs();
      const { rows } = await f.owner.query(
        `select count(*)::int as count from tokens where user_id = $1 and kind = 'reset'`,
        [id],
      );
      assert.equal(rows[0].count, 0);
    }
    const { id, email } = await newUser();
    await Promise.all(Array.from({ length: 8 }, () => requestReset(email)));
    await mailedToken(f.data, email, 3);
    await waitForJobs();
    const { rows } = await f.owner.query(
      `select count(*)::int as count from tokens where user_id = $1 and kind = 'reset'`,
      [id],
    );
    assert.equal(rows[0].count, 3);
  });
  test('deleting the user causes no other status than 200 and 401', async () => {
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
    // The flood does not block the deletion.
    assert.equal((await admin.delete(`/users/${id}`)).status, 204);
    for (const until = Date.now() + 20_000; !statuses.has(401) && Date.now() < until; ) await pause(10);
    await stop();
    assert.deepEqual([...statuses].sort(), [200, 401]);
  });
});

describe('a change of password', () => {
  test("ends the user's other sessions; this one and the personal tokens stay valid", async () => {
    const { email } = await newUser();
    const here = await f.signIn(email);
    const there = await f.signIn(email);
    const personal = (
      await f.client.post('/personal/tokens', { name: 'script', expiresIn: 600 }, { token: here.access_token })
    ).body.accessToken;
    assert.equal(
      (
        await f.client.put(
          '/me/info',
          { password: 'granite puzzle seven lanterns', currentPassword: demoPassword },
          { token: here.access_token },
        )
      ).status,
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

test('the database stores hashes only: no token, secret or password', async () => {
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
