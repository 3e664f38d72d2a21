// Browser sessions: requests of the portal's pages and of other sites.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { basic, fixture, mailedToken } from '../../../test/harness/service.ts';
import { demoPassword } from '../../demo/demo-world.ts';

const f = await fixture();
const own = { headers: { 'sec-fetch-site': 'same-origin' } };
const begin = (username: string, password = demoPassword) =>
  f.client.post('/portal/session', { username, password }, own);
const setCookie = (headers: Record<string, string>): string => String(headers['set-cookie'] ?? '');
const cookieIn = (headers: Record<string, string>): string => setCookie(headers).split(';')[0] ?? '';
const post = (path: string, cookie: string, body: object = {}) =>
  f.client.post(`/portal/session${path}`, body, { headers: { ...own.headers, cookie } });
const works = async (token: string): Promise<boolean> => (await f.client.get('/me/info', { token })).status === 200;
const admin = await f.as('admin@meridian.example');
let userCount = 0;
const newUser = async () => {
  const email = `browser${++userCount}@sessions.example`;
  const { body } = await admin.post('/users', { email, lastName: 'Browser', password: demoPassword });
  return { email, id: body.id as string };
};

describe('a browser session', () => {
  test('starts with an access token and a host-only, HttpOnly cookie', async () => {
    const response = await begin('admin@atlas.example');
    assert.equal(response.status, 200, response.text);
    assert.deepEqual(Object.keys(response.body).sort(), ['accessToken', 'expiresIn', 'userId']);
    assert.match(
      setCookie(response.headers),
      /^__Host-patchbay=pbr_\w+; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=43200$/,
    );
    assert.equal(response.headers['cache-control'], 'no-store');
    assert.ok(await works(response.body.accessToken));
  });

  test('is renewed concurrently with one cookie, and earlier tokens stay valid', async () => {
    const first = await begin('admin@atlas.example');
    const cookie = cookieIn(first.headers);
    const renewed = await Promise.all(Array.from({ length: 8 }, () => post('/renew', cookie)));
    for (const { body } of renewed) assert.ok(await works(body.accessToken));
    assert.ok(await works(first.body.accessToken));
    assert.ok(renewed.every(({ headers }) => cookieIn(headers) === cookie));
  });

  test('names its user, and is not extended by an unused page', async () => {
    const { email, id } = await newUser();
    const begun = await begin(email);
    const cookie = cookieIn(begun.headers);
    const endOf = async () =>
      (await f.owner.query(`select expires_at::text from tokens where kind = 'refresh' and user_id = $1`, [id])).rows;
    const end = await endOf();
    const unused = await post('/renew', cookie, { isUsed: false });
    assert.deepEqual([unused.body.userId, unused.headers['set-cookie']], [id, undefined]);
    assert.ok(await works(unused.body.accessToken));
    assert.deepEqual(await endOf(), end);
    const used = await post('/renew', cookie, { isUsed: true });
    assert.deepEqual([begun.body.userId, used.body.userId, cookieIn(used.headers)], [id, id, cookie]);
    assert.notDeepEqual(await endOf(), end);
  });

  test('is null without a cookie, and an invalid cookie is removed', async () => {
    const nobody = await f.client.post('/portal/session/renew', {}, own);
    assert.deepEqual(
      [nobody.status, nobody.body, nobody.headers['set-cookie']],
      [200, { accessToken: null, expiresIn: 0, userId: null }, undefined],
    );
    const { access_token } = await f.signIn('admin@atlas.example');
    const { refresh_token } = await f.signIn('admin@atlas.example');
    for (const token of [access_token, 'nonsense', '']) {
      const response = await post('/renew', `__Host-patchbay=${token}`);
      assert.deepEqual([response.status, response.body.accessToken], [200, null], token);
    }
    const foreign = await post('/renew', `__Host-patchbay=${refresh_token}`);
    assert.equal(foreign.body.accessToken, null, 'a refresh token of another client is no session');
    assert.match(setCookie(foreign.headers), /^__Host-patchbay=; .*Max-Age=0$/);
  });

  test('cannot be refreshed by another API client', async () => {
    const session = cookieIn((await begin('admin@atlas.example')).headers).split('=')[1];
    const response = await f.client.post(
      '/auth/token',
      { grant_type: 'refresh_token', refresh_token: session },
      { basic },
    );
    assert.deepEqual([response.status, response.body.code], [400, 'InvalidGrant']);
  });
});

describe('a browser session ends', () => {
  test('after the idle time, and after a week', async () => {
    const cookie = cookieIn((await begin('admin@atlas.example')).headers);
    const backdateSessions = (interval: string) =>
      f.owner.query(
        `update session_families set created_at = created_at - $1::interval
         where client_id = (select id from api_clients where name = 'portal')`,
        [interval],
      );
    await backdateSessions('6 days 23 hours');
    assert.ok((await post('/renew', cookie)).body.accessToken);
    await backdateSessions('2 hours');
    assert.equal((await post('/renew', cookie)).body.accessToken, null);
    const idle = cookieIn((await begin('admin@atlas.example')).headers);
    await f.owner.query(`update tokens set expires_at = now() where kind = 'refresh'`);
    assert.equal((await post('/renew', idle)).body.accessToken, null);
  });

  test('alone or with all sessions of its user; personal tokens stay valid', async () => {
    const { email } = await newUser();
    const [one, two, three] = [await begin(email), await begin(email), await f.signIn(email)];
    const personal = (
      await f.client.post('/personal/tokens', { name: 'script', expiresIn: 600 }, { token: one.body.accessToken })
    ).body.accessToken;
    const out = await post('/end', cookieIn(one.headers));
    assert.equal(out.status, 204);
    assert.match(setCookie(out.headers), /Max-Age=0$/);
    assert.deepEqual([await works(one.body.accessToken), await works(two.body.accessToken)], [false, true]);
    assert.equal((await post('/renew', cookieIn(one.headers))).body.accessToken, null);
    assert.equal((await post('/end', cookieIn(two.headers), { everywhere: true })).status, 204);
    assert.deepEqual(
      [await works(two.body.accessToken), await works(three.access_token), await works(personal)],
      [false, false, true],
    );
  });

  test('when the password changes in another session, and when the user is disabled', async () => {
    const { email, id } = await newUser();
    const session = await begin(email);
    const other = await f.signIn(email);
    const change = { password: 'granite puzzle seven lanterns', currentPassword: demoPassword };
    assert.equal((await f.client.put('/me/info', change, { token: other.access_token })).status, 200);
    assert.equal((await post('/renew', cookieIn(session.headers))).body.accessToken, null);
    const again = await begin(email, 'granite puzzle seven lanterns');
    await admin.put(`/users/${id}`, { enabled: false });
    assert.equal((await post('/renew', cookieIn(again.headers))).body.accessToken, null);
    assert.equal(await works(again.body.accessToken), false);
  });
});

describe('requests of other sites', () => {
  const paths = ['', '/renew', '/end', '/reset'];
  for (const site of [undefined, 'cross-site', 'same-site', 'none'])
    test(`are refused before anything else (Sec-Fetch-Site: ${site ?? 'absent'})`, async () => {
      const cookie = cookieIn((await begin('admin@atlas.example')).headers);
      const headers = { cookie, ...(site ? { 'sec-fetch-site': site } : {}) };
      for (const path of paths) {
        const body = { username: 'admin@atlas.example', password: demoPassword };
        const response = await f.client.post(`/portal/session${path}`, body, { headers });
        assert.deepEqual(
          [response.status, response.body.code, response.headers['set-cookie']],
          [403, 'CrossSite', undefined],
          path,
        );
      }
      assert.ok((await post('/renew', cookie)).body.accessToken, 'the session is still valid');
    });
});

test('concurrent renewals while a session ends: it ends, without a deadlock', async () => {
  const { email } = await newUser();
  for (let round = 0; round < 10; round++) {
    const session = await begin(email);
    const cookie = cookieIn(session.headers);
    const responses = await Promise.all(
      ['/renew', '/renew', '/end', '/renew', '/renew'].map((path) => post(path, cookie)),
    );
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200, 200, 204, 200, 200],
    );
    const issued = [session, ...responses].flatMap(({ body }) => body?.accessToken ?? []);
    for (const token of issued) assert.equal(await works(token), false);
  }
  const { rows } = await f.owner.query(
    'select deadlocks::int from pg_stat_database where datname = current_database()',
  );
  assert.equal(rows[0].deadlocks, 0);
});

test('a refresh token of another client in the cookie ends nothing', async () => {
  const { access_token, refresh_token } = await f.signIn('admin@cobalt.example');
  assert.equal((await post('/end', `__Host-patchbay=${refresh_token}`, { everywhere: true })).status, 204);
  assert.ok(await works(access_token));
});

test('wrong passwords respond, count and lock as in the password grant', async () => {
  const { email } = await newUser();
  const elsewhere = await f.client.post(
    '/auth/token',
    { grant_type: 'password', scope: 'everything', username: email, password: 'wrong wrong wrong' },
    { basic },
  );
  for (let count = 0; count < 4; count++) {
    const { status, body } = await begin(email, 'wrong wrong wrong');
    assert.deepEqual([status, body.code, body.error], [elsewhere.status, elsewhere.body.code, elsewhere.body.error]);
  }
  assert.equal((await begin(email)).status, 400, 'the account is locked');
  const unknown = await begin('nobody@nowhere.example', 'wrong wrong wrong');
  assert.deepEqual([unknown.status, unknown.body.error], [elsewhere.status, elsewhere.body.error]);
});

test('a reset mail is requested with the same response for known and unknown addresses', async () => {
  const { email } = await newUser();
  const known = await f.client.post('/portal/session/reset', { username: email }, own);
  const unknown = await f.client.post('/portal/session/reset', { username: 'nobody@nowhere.example' }, own);
  assert.deepEqual([known.status, known.text], [unknown.status, unknown.text]);
  const token = await mailedToken(f.data, email);
  assert.equal((await f.client.put('/me/info', { password: 'velvet harbour ninety maples' }, { token })).status, 200);
});

test('the log contains no cookie and no token', async () => {
  const response = await begin('admin@atlas.example');
  await post('/renew', cookieIn(response.headers));
  const text = f.logs.join('\n');
  for (const secret of [response.body.accessToken, cookieIn(response.headers).split('=')[1], demoPassword])
    assert.ok(!text.includes(secret), secret.slice(0, 6));
});
