// Sessions of browsers, as the portal's pages and other people's pages ask for them.
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
const ask = (path: string, cookie: string, body: object = {}) =>
  f.client.post(`/portal/session${path}`, body, { headers: { ...own.headers, cookie } });
const works = async (token: string): Promise<boolean> => (await f.client.get('/me/info', { token })).status === 200;
const admin = await f.as('admin@meridian.example');
let made = 0;
const newUser = async () => {
  const email = `browser${++made}@sessions.example`;
  const { body } = await admin.post('/users', { email, lastName: 'Browser', password: demoPassword });
  return { email, id: body.id as string };
};

describe('a session', () => {
  test('begins with an access token for the page and a cookie that only this host is sent and no script reads', async () => {
    const answer = await begin('admin@atlas.example');
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(Object.keys(answer.body).sort(), ['accessToken', 'expiresIn', 'userId']);
    assert.match(
      setCookie(answer.headers),
      /^__Host-patchbay=pbr_\w+; Path=\/; Secure; HttpOnly; SameSite=Strict; Max-Age=43200$/,
    );
    assert.equal(answer.headers['cache-control'], 'no-store');
    assert.ok(await works(answer.body.accessToken));
  });

  test('is renewed any number of times at once by the same cookie, and the tokens before stay good', async () => {
    const first = await begin('admin@atlas.example');
    const cookie = cookieIn(first.headers);
    const renewed = await Promise.all(Array.from({ length: 8 }, () => ask('/renew', cookie)));
    for (const { body } of renewed) assert.ok(await works(body.accessToken));
    assert.ok(await works(first.body.accessToken));
    assert.ok(renewed.every(({ headers }) => cookieIn(headers) === cookie));
  });

  test('says whose it is, and stands no longer for a page that nobody has touched', async () => {
    const { email, id } = await newUser();
    const begun = await begin(email);
    const cookie = cookieIn(begun.headers);
    const endOf = async () =>
      (await f.owner.query(`select expires_at::text from tokens where kind = 'refresh' and user_id = $1`, [id])).rows;
    const end = await endOf();
    const unused = await ask('/renew', cookie, { isUsed: false });
    assert.deepEqual([unused.body.userId, unused.headers['set-cookie']], [id, undefined]);
    assert.ok(await works(unused.body.accessToken));
    assert.deepEqual(await endOf(), end);
    const used = await ask('/renew', cookie, { isUsed: true });
    assert.deepEqual([begun.body.userId, used.body.userId, cookieIn(used.headers)], [id, id, cookie]);
    assert.notDeepEqual(await endOf(), end);
  });

  test('of nobody is no error, and a cookie that leads nowhere is taken away', async () => {
    const nobody = await f.client.post('/portal/session/renew', {}, own);
    assert.deepEqual(
      [nobody.status, nobody.body, nobody.headers['set-cookie']],
      [200, { accessToken: null, expiresIn: 0, userId: null }, undefined],
    );
    const { access_token } = await f.signIn('admin@atlas.example');
    const { refresh_token } = await f.signIn('admin@atlas.example');
    for (const token of [access_token, 'nonsense', '']) {
      const answer = await ask('/renew', `__Host-patchbay=${token}`);
      assert.deepEqual([answer.status, answer.body.accessToken], [200, null], token);
    }
    const foreign = await ask('/renew', `__Host-patchbay=${refresh_token}`);
    assert.equal(foreign.body.accessToken, null, "another client's refresh token is no session");
    assert.match(setCookie(foreign.headers), /^__Host-patchbay=; .*Max-Age=0$/);
  });

  test('is no refresh token for other programs', async () => {
    const session = cookieIn((await begin('admin@atlas.example')).headers).split('=')[1];
    const answer = await f.client.post(
      '/auth/token',
      { grant_type: 'refresh_token', refresh_token: session },
      { basic },
    );
    assert.deepEqual([answer.status, answer.body.code], [400, 'InvalidGrant']);
  });

  test('ends with its use, with its idle time, and after a week', async () => {
    const cookie = cookieIn((await begin('admin@atlas.example')).headers);
    await f.owner.query(
      `update session_families set created_at = created_at - interval '6 days 23 hours' where client_id = (select id from api_clients where name = 'portal')`,
    );
    assert.ok((await ask('/renew', cookie)).body.accessToken);
    await f.owner.query(
      `update session_families set created_at = created_at - interval '2 hours' where client_id = (select id from api_clients where name = 'portal')`,
    );
    assert.equal((await ask('/renew', cookie)).body.accessToken, null);
    const idle = cookieIn((await begin('admin@atlas.example')).headers);
    await f.owner.query(`update tokens set expires_at = now() where kind = 'refresh'`);
    assert.equal((await ask('/renew', idle)).body.accessToken, null);
  });

  test('ends alone, or with all others of its user, who keeps personal tokens', async () => {
    const { email } = await newUser();
    const [one, two, three] = [await begin(email), await begin(email), await f.signIn(email)];
    const personal = (
      await f.client.post('/personal/tokens', { name: 'script', expiresIn: 600 }, { token: one.body.accessToken })
    ).body.accessToken;
    const out = await ask('/end', cookieIn(one.headers));
    assert.equal(out.status, 204);
    assert.match(setCookie(out.headers), /Max-Age=0$/);
    assert.deepEqual([await works(one.body.accessToken), await works(two.body.accessToken)], [false, true]);
    assert.equal((await ask('/renew', cookieIn(one.headers))).body.accessToken, null);
    assert.equal((await ask('/end', cookieIn(two.headers), { everywhere: true })).status, 204);
    assert.deepEqual(
      [await works(two.body.accessToken), await works(three.access_token), await works(personal)],
      [false, false, true],
    );
  });

  test('ends with a new password elsewhere, and with being disabled', async () => {
    const { email, id } = await newUser();
    const session = await begin(email);
    const other = await f.signIn(email);
    await f.client.put('/me/info', { password: 'granite puzzle seven lanterns' }, { token: other.access_token });
    assert.equal((await ask('/renew', cookieIn(session.headers))).body.accessToken, null);
    const again = await begin(email, 'granite puzzle seven lanterns');
    await admin.put(`/users/${id}`, { enabled: false });
    assert.equal((await ask('/renew', cookieIn(again.headers))).body.accessToken, null);
    assert.equal(await works(again.body.accessToken), false);
  });
});

describe('other sites', () => {
  const paths = ['', '/renew', '/end', '/reset'];
  for (const site of [undefined, 'cross-site', 'same-site', 'none'])
    test(`are refused before anything is looked at (Sec-Fetch-Site: ${site ?? 'absent'})`, async () => {
      const cookie = cookieIn((await begin('admin@atlas.example')).headers);
      const headers = { cookie, ...(site ? { 'sec-fetch-site': site } : {}) };
      for (const path of paths) {
        const body = { username: 'admin@atlas.example', password: demoPassword };
        const answer = await f.client.post(`/portal/session${path}`, body, { headers });
        assert.deepEqual(
          [answer.status, answer.body.code, answer.headers['set-cookie']],
          [403, 'CrossSite', undefined],
          path,
        );
      }
      assert.ok((await ask('/renew', cookie)).body.accessToken, 'and nothing was ended');
    });
});

test('many who renew a session while it is ended: it is ended, and nobody waits for a deadlock', async () => {
  const { email } = await newUser();
  for (let round = 0; round < 10; round++) {
    const session = await begin(email);
    const cookie = cookieIn(session.headers);
    const answers = await Promise.all(
      ['/renew', '/renew', '/end', '/renew', '/renew'].map((path) => ask(path, cookie)),
    );
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 204, 200, 200],
    );
    const issued = [session, ...answers].flatMap(({ body }) => body?.accessToken ?? []);
    for (const token of issued) assert.equal(await works(token), false);
  }
  const { rows } = await f.owner.query(
    'select deadlocks::int from pg_stat_database where datname = current_database()',
  );
  assert.equal(rows[0].deadlocks, 0);
});

test("another program's refresh token in the cookie ends nothing", async () => {
  const { access_token, refresh_token } = await f.signIn('admin@cobalt.example');
  assert.equal((await ask('/end', `__Host-patchbay=${refresh_token}`, { everywhere: true })).status, 204);
  assert.ok(await works(access_token));
});

test('wrong passwords are refused as everywhere, count as everywhere, and lock as everywhere', async () => {
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
  assert.equal((await begin(email)).status, 400, 'the account waits');
  const unknown = await begin('nobody@nowhere.example', 'wrong wrong wrong');
  assert.deepEqual([unknown.status, unknown.body.error], [elsewhere.status, elsewhere.body.error]);
});

test('a new password is asked for by mail, whether or not anybody has the address', async () => {
  const { email } = await newUser();
  const known = await f.client.post('/portal/session/reset', { username: email }, own);
  const unknown = await f.client.post('/portal/session/reset', { username: 'nobody@nowhere.example' }, own);
  assert.deepEqual([known.status, known.text], [unknown.status, unknown.text]);
  const token = await mailedToken(f.data, email);
  assert.equal((await f.client.put('/me/info', { password: 'velvet harbour ninety maples' }, { token })).status, 200);
});

test('no cookie and no token is in the log', async () => {
  const answer = await begin('admin@atlas.example');
  await ask('/renew', cookieIn(answer.headers));
  const text = f.logs.join('\n');
  for (const secret of [answer.body.accessToken, cookieIn(answer.headers).split('=')[1], demoPassword])
    assert.ok(!text.includes(secret), secret.slice(0, 6));
});
