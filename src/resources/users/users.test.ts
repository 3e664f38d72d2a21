import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { openSocket, parseResponse, readAll } from '../../../test/harness/raw-socket.ts';
import { basic, fixture, mailsTo } from '../../../test/harness/service.ts';
import { demoPassword } from '../../demo/demo-world.ts';
import { acceptedHash, createPasswords } from './passwords.ts';
import { emptyContact, mergeFields } from './rules.ts';

const f = await fixture();
const admin = await f.as('admin@meridian.example');
const secret = 'tidal lantern orbit cedar';
let userCount = 0;
const body = (extra = {}) => ({
  email: `user${++userCount}@users.example`,
  lastName: 'Moreau',
  password: secret,
  ...extra,
});
const create = async (extra = {}, client = admin) => {
  const response = await client.post('/users', body(extra));
  assert.equal(response.status, 201, response.text);
  return response.body;
};
const works = async (token: string): Promise<boolean> => (await f.client.get('/me/info', { token })).status === 200;

describe('creating a user', () => {
  test('responds 201 with the record; the default role is viewer', async () => {
    const user = await create({
      firstName: 'Ines',
      contact: { phone: '+46 8', site: 'Kista' },
      preference: { language: 'sv' },
    });
    assert.equal(user.role, 'viewer');
    assert.equal(user.organisationId, f.organisations.meridian);
    assert.equal(user.enabled, true);
    assert.deepEqual(user.contact, { phone: '+46 8', site: 'Kista' });
    assert.equal(user.createdAt, user.updatedAt);
    assert.ok(!JSON.stringify(user).includes('password'));
    assert.deepEqual((await admin.get(`/users/${user.id}`)).body, user);
    assert.deepEqual((await admin.get(`/users/${user.number}`)).body, user, 'by number too');
  });
  test('names missing and invalid fields', async () => {
    const bad: [object, string, string][] = [
      [{ email: undefined }, 'InvalidInput', 'email'],
      [{ password: undefined }, 'InvalidInput', 'password'],
      [{ lastName: undefined }, 'InvalidInput', 'lastName'],
      [{ email: 'no address' }, 'InvalidInput', 'email'],
      [{ lastName: 'x'.repeat(300) }, 'InvalidInput', 'lastName'],
      [{ lastName: '' }, 'InvalidInput', 'lastName'],
      [{ role: 'emperor' }, 'InvalidRole', 'role'],
      [{ email: 'Admin@MERIDIAN.example' }, 'EmailTaken', 'email'],
      [{ email: 'admin@boreal.example' }, 'EmailTaken', 'email'],
      [{ contact: { phone: 7 } }, 'InvalidInput', 'contact.phone'],
      [{ id: '0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10' }, 'ReadOnlyField', 'id'],
      [{ organisationId: f.organisations.boreal }, 'ReadOnlyField', 'organisationId'],
    ];
    for (const [extra, code, path] of bad) {
      const response = await admin.post('/users', body(extra));
      assert.equal(response.status, 400, JSON.stringify(extra));
      assert.equal(response.body.code, code);
      assert.equal(response.body.details[0].path, path);
    }
  });
  test('20 concurrent creations with one address in different cases: one 201, the others 400', async () => {
    for (let round = 0; round < 3; round++) {
      const address = [...`race${round}@users.example`];
      const responses = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          admin.post(
            '/users',
            body({
              email: address
                .map((letter, place) => ((index >> (place % 4)) & 1 ? letter.toUpperCase() : letter))
                .join(''),
            }),
          ),
        ),
      );
      assert.equal(responses.filter((response) => response.status === 201).length, 1);
      assert.equal(
        responses.filter((response) => response.status === 400 && response.body.code === 'EmailTaken').length,
        19,
      );
    }
  });
});

test('60 creations and 20 sign-ins at once do not deadlock, and reads succeed', async () => {
  const creations = Array.from({ length: 60 }, () => admin.post('/users', body()));
  const signIns = Array.from({ length: 20 }, () => f.signIn('operator@meridian.example'));
  const reads = Array.from({ length: 20 }, () => admin.get('/me/info'));
  const refused = (await Promise.all(creations)).filter((response) => response.status !== 201);
  assert.deepEqual(
    refused.map((response) => response.text),
    [],
  );
  assert.equal((await Promise.all(signIns)).length, 20);
  assert.ok((await Promise.all(reads)).every((response) => response.status === 200));
});

describe('passwords', () => {
  const refused = async (password: string, extra = {}) => {
    const response = await admin.post('/users', body({ password, ...extra }));
    assert.equal(response.status, 400, password);
    assert.equal(response.body.code, 'PasswordTooWeak', password);
  };
  test('too short, too long, common, guessable or personal ones are rejected', async () => {
    for (const password of [
      'short',
      'elevenchars',
      'a'.repeat(40),
      'password1234',
      'qwertyuiop12',
      'aaaaaaaaaaaaaaaaaa',
      `${'x4$Kq'.repeat(26)}`,
    ])
      await refused(password);
    await refused('tidal MOREAU orbit cedar');
    await refused('tidal quartermaine cedar', { email: 'Quartermaine@users.example' });
    await refused('tidal bartholomew cedar', { firstName: 'Bartholomew' });
  });
  test('12 to 128 characters count as code points after composition; short names do not matter', async () => {
    const passwords = createPasswords();
    const person = { email: 'bo@x.example', firstName: 'Al', lastName: 'Ng' };
    const accepted = async (password: string) =>
      acceptedHash((await passwords.prepare('', password)) ?? assert.fail(), person);
    assert.ok(await accepted('bo al ng tidal lantern'));
    assert.ok(await accepted('🌋🦜🧭🪁🛰🧊🪐🦔🫐🪺🧿🦑'));
    await assert.rejects(accepted('🌋🦜🧭🪁🛰'), { code: 'PasswordTooWeak' });
    const decomposed = 'cafe\u0301 tidal lantern';
    const stored = await accepted(decomposed);
    assert.ok(await passwords.verify(stored, decomposed.normalize('NFC')));
    assert.ok(!(await passwords.verify(stored, 'cafe tidal lantern')));
  });
  test('a flood of hostile passwords does not block other requests', { timeout: 60_000 }, async () => {
    const viewer = await f.as('viewer@meridian.example');
    const hostile = Array.from({ length: 60 }, (_, index) =>
      viewer.put('/me/info', {
        password: `4@8({[<3691!|1|70$5+7%2${index}`.repeat(3).slice(0, 64),
        currentPassword: demoPassword,
      }),
    );
    const others = await Promise.all(Array.from({ length: 20 }, () => admin.get('/users')));
    assert.ok(others.every((response) => response.status === 200));
    assert.ok((await Promise.all(hostile)).every((response) => [200, 400, 401, 409, 503].includes(response.status)));
  });
});

describe('the own password and e-mail address', () => {
  const fresh = 'velvet harbour ninety maples';
  const signedIn = async () => {
    const user = await create({ firstName: 'Ines' });
    const { access_token: token } = await f.signIn(user.email, secret);
    return { user, me: f.client.with({ token }) };
  };
  test('change only with the current password, and a wrong one counts as a failed sign-in', async () => {
    const { user, me } = await signedIn();
    for (const change of [{ password: fresh }, { email: 'moved@users.example' }]) {
      const missing = await me.put('/me/info', change);
      assert.deepEqual([missing.status, missing.body.details[0].path], [400, 'currentPassword']);
      const wrong = await me.put('/me/info', { ...change, currentPassword: 'wrong wrong wrong' });
      assert.deepEqual([wrong.status, wrong.body.code], [400, 'CurrentPasswordWrong']);
    }
    assert.equal((await admin.get(`/users/${user.id}`)).body.login.numberFaileLogin, 2);
    assert.equal((await me.put('/me/info', { email: user.email })).status, 200, 'the same address is no change');
    assert.equal((await me.put('/me/info', { password: fresh, currentPassword: secret })).status, 200);
    assert.equal(
      (
        await f.client.post(
          '/auth/token',
          { grant_type: 'password', scope: 'everything', username: user.email, password: fresh },
          { basic },
        )
      ).status,
      200,
    );
  });
  test('change by the id only with the current password, too', async () => {
    const user = await create({ role: 'admin' });
    const { access_token: token } = await f.signIn(user.email, secret);
    const me = f.client.with({ token });
    for (const path of [`/users/${user.id}`, `/users/${user.number}`])
      for (const change of [{ password: fresh }, { email: 'moved.by.id@users.example' }]) {
        const missing = await me.put(path, change);
        assert.deepEqual([missing.status, missing.body.details[0].path], [400, 'currentPassword']);
        const wrong = await me.put(path, { ...change, currentPassword: 'wrong wrong wrong' });
        assert.deepEqual([wrong.status, wrong.body.code], [400, 'CurrentPasswordWrong']);
      }
    assert.equal((await me.put(`/users/${user.id}`, { email: user.email, lastName: 'Berg' })).status, 200);
    assert.equal((await me.put(`/users/${user.id}`, { password: fresh, currentPassword: secret })).status, 200);
    await f.signIn(user.email, fresh);
  });
  test('guesses of the current password lock the account like sign-ins', async () => {
    const { me } = await signedIn();
    const guesses = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        me.put('/me/info', { password: fresh, currentPassword: `wrong wrong ${index}` }),
      ),
    );
    assert.ok(guesses.every(({ status }) => status === 400 || status === 503));
    const right = await me.put('/me/info', { password: fresh, currentPassword: secret });
    assert.equal(right.body.code, 'CurrentPasswordWrong', 'the right password is refused while locked');
  });
  test('a change is announced to the address from before', async () => {
    const { user, me } = await signedIn();
    const email = `moved.${user.number}@users.example`;
    assert.equal((await me.put('/me/info', { email, currentPassword: secret })).status, 200);
    await admin.put(`/users/${user.id}`, { password: fresh });
    const mailed = async (address: string) => {
      for (const until = Date.now() + 30_000; Date.now() < until; await pause(50)) {
        const [mail] = await mailsTo(f.data, address);
        if (mail) return mail;
      }
      return assert.fail(`no mail to ${address}`);
    };
    const first = await mailed(user.email);
    assert.match(first, /^Subject: Your Patchbay e-mail address was changed$/m);
    assert.match(first, /^Address: 127\.0\.0\.1$/m);
    assert.match(first, /^Time: {4}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$/m);
    assert.ok(!first.includes(email), 'the new address is not in the mail');
    assert.match(await mailed(email), /password of your Patchbay account was changed by another user/);
  });
  test('a password set by another user ends the personal tokens too', async () => {
    const { user, me } = await signedIn();
    const personal = (await me.post('/personal/tokens', { name: 'script', expiresIn: 600 })).body.accessToken;
    await admin.put(`/users/${user.id}`, { password: fresh });
    assert.equal((await f.client.get('/me/info', { token: personal })).status, 401);
  });
});

test('a flood of password changes of one user delays nobody else', { timeout: 120_000 }, async () => {
  const { email } = await create({});
  const { access_token: token } = await f.signIn(email, secret);
  // The password contains the name, which is known only after it was hashed.
  const change = { password: 'tidal MOREAU orbit cedar', currentPassword: secret };
  let answered = 0;
  const flood = Array.from({ length: 80 }, async () => {
    const { status } = await f.client.put('/me/info', change, { token });
    answered++;
    return status;
  });
  await Promise.all(Array.from({ length: 3 }, () => create({})));
  assert.ok(answered < flood.length, 'users are created before the flood has ended');
  for (const status of await Promise.all(flood)) assert.ok(status === 400 || status === 503, String(status));
});

describe('changing a user', () => {
  test('a representation that is sent back changes nothing', async () => {
    const user = await create({ firstName: 'Ines', contact: { phone: '1' } });
    const before = await admin.get(`/users/${user.id}`);
    const response = await admin.put(`/users/${user.id}`, before.body);
    assert.equal(response.status, 200, response.text);
    assert.deepEqual(response.body, before.body);
    assert.equal((await admin.get(`/users/${user.id}`)).headers.etag, before.headers.etag);
    const me = await admin.get('/me/info');
    assert.deepEqual((await admin.put('/me/info', me.body)).body, me.body);
  });
  test('absent keys are unchanged, null clears, contact and preference are merged', async () => {
    const { id } = await create({ firstName: 'Ines', contact: { phone: '1', site: 'A' } });
    const put = async (change: object) => (await admin.put(`/users/${id}`, change)).body;
    assert.deepEqual((await put({ contact: { site: 'B' } })).contact, { phone: '1', site: 'B' });
    assert.deepEqual((await put({ contact: { phone: null } })).contact, { phone: null, site: 'B' });
    assert.equal((await put({ contact: null })).contact, null);
    assert.deepEqual((await put({ preference: { language: 'fr' } })).preference, { language: 'fr' });
    const last = await put({ firstName: null });
    assert.equal(last.firstName, null);
    assert.equal(last.lastName, 'Moreau');
  });
  test('merging equals writing field by field', () => {
    const part = fc.option(
      fc.record({ phone: fc.option(fc.string()), site: fc.option(fc.string()) }, { requiredKeys: [] }),
    );
    fc.assert(
      fc.property(part, part, (current, change) => {
        const merged = mergeFields(current, change, emptyContact);
        if (change === null) return assert.equal(merged, null);
        for (const key of ['phone', 'site'] as const)
          assert.equal(merged?.[key], change[key] === undefined ? (current?.[key] ?? null) : change[key]);
      }),
    );
  });
  test('changes of read-only fields are rejected by name; login is ignored', async () => {
    const user = await create();
    for (const [key, value] of Object.entries({
      id: 'x',
      number: 1,
      organisationId: f.organisations.atlas,
      createdAt: '2020',
      updatedAt: null,
    })) {
      const response = await admin.put(`/users/${user.id}`, { [key]: value });
      assert.equal(response.body.code, 'ReadOnlyField', key);
      assert.equal(response.body.details[0].path, key);
    }
    assert.equal(
      (await admin.put(`/users/${user.id}`, { id: user.id, login: { numberLogin: 99 } })).body.login.numberLogin,
      0,
    );
  });
});

describe('changing names, role and address', () => {
  test('/me/info cannot change role, enabled or organisation', async () => {
    for (const change of [{ role: 'viewer' }, { enabled: false }, { organisationId: f.organisations.atlas }]) {
      const response = await admin.put('/me/info', change);
      assert.equal(response.status, 400);
      assert.equal(response.body.code, 'ReadOnlyField');
    }
    assert.equal((await admin.put('/me/info', { role: 'admin' })).status, 200, 'the current value is accepted');
  });
  test('/me/info accepts both spellings of the names and rejects two different changes', async () => {
    const { email } = await create();
    const me = f.client.with({ token: (await f.signIn(email, secret)).access_token });
    const read = async () => (await me.get('/me/info')).body;
    assert.equal((await me.put('/me/info', { ...(await read()), firstname: 'Anna' })).body.firstName, 'Anna');
    assert.equal((await me.put('/me/info', { ...(await read()), firstName: 'Bo' })).body.firstname, 'Bo');
    assert.equal((await me.put('/me/info', { lastName: 'One', lastname: 'Two' })).status, 400);
  });
  test('an address of any other user is rejected', async () => {
    const { id } = await create();
    assert.equal((await admin.put(`/users/${id}`, { email: 'ADMIN@labs.example' })).body.code, 'EmailTaken');
    const changed = await admin.put(`/users/${id}`, { email: 'new.address@users.example' });
    assert.equal(changed.status, 200);
    assert.equal(
      (await f.client.get('/me/info', { token: (await f.signIn('New.Address@users.example', secret)).access_token }))
        .body.id,
      id,
    );
  });
});

describe('disabling, demoting, deleting', () => {
  test('take effect with the next request; enabling restores nothing', async () => {
    const { id, email } = await create({ role: 'operator' });
    const { access_token, refresh_token } = await f.signIn(email, secret);
    const personal = (await f.client.post('/personal/tokens', { name: 'p', expiresIn: 600 }, { token: access_token }))
      .body.accessToken;
    await admin.put(`/users/${id}`, { role: 'billing' });
    assert.equal((await f.client.get('/users', { token: access_token })).status, 403);
    await admin.put(`/users/${id}`, { enabled: false });
    assert.ok(!(await works(access_token)) && !(await works(personal)));
    await admin.put(`/users/${id}`, { enabled: true });
    assert.ok(!(await works(access_token)) && !(await works(personal)) && !(await works(refresh_token)));
    assert.ok(await works((await f.signIn(email, secret)).access_token));
    assert.equal((await admin.delete(`/users/${id}`)).status, 204);
    assert.equal((await admin.get(`/users/${id}`)).status, 404);
    assert.equal((await admin.delete(`/users/${id}`)).status, 404);
  });
  test('the last enabled admin cannot be deleted, disabled or demoted', async () => {
    const labs = await f.as('admin@labs.example');
    const { body: me } = await labs.get('/me/info');
    for (const attempt of [
      () => labs.delete(`/users/${me.id}`),
      () => labs.put(`/users/${me.id}`, { enabled: false }),
      () => labs.put(`/users/${me.id}`, { role: 'viewer' }),
    ]) {
      const response = await attempt();
      assert.equal(response.status, 409);
      assert.equal(response.body.code, 'LastAdmin');
    }
    const second = await create({ role: 'admin' }, labs);
    await labs.put(`/users/${second.id}`, { enabled: false });
    assert.equal((await labs.delete(`/users/${me.id}`)).status, 409, 'a disabled admin does not count');
  });
  test('two admins who disable each other concurrently leave one enabled', async () => {
    for (let round = 0; round < 5; round++) {
      const boreal = await f.as('admin@boreal.example');
      const { body: one } = await boreal.get('/me/info');
      const two = await create({ role: 'admin' }, boreal);
      const other = f.client.with({ token: (await f.signIn(two.email, secret)).access_token });
      const responses = await Promise.all([
        other.put(`/users/${one.id}`, { enabled: false }),
        boreal.put(`/users/${two.id}`, { enabled: false }),
      ]);
      const { rows } = await f.owner.query(
        'select count(*)::int as count from users where organisation_id = $1 and enabled',
        [f.organisations.boreal],
      );
      assert.ok(rows[0].count >= 1, JSON.stringify(responses.map((response) => response.body)));
      assert.ok(responses.every((response) => [200, 401, 409].includes(response.status)));
      await f.owner.query(`update users set enabled = true where id = $1`, [one.id]);
      await f.owner.query(`delete from users where id = $1`, [two.id]);
    }
  });
});

test('14 concurrent demotions or deletions of admins neither deadlock nor time out', async () => {
  for (const act of ['demote', 'remove'] as const) {
    const cobalt = await f.as('admin@cobalt.example');
    const staff = await Promise.all(Array.from({ length: 14 }, () => create({ role: 'admin' }, cobalt)));
    const responses = await Promise.all(
      staff.map(({ id }) =>
        act === 'demote' ? cobalt.put(`/users/${id}`, { role: 'viewer' }) : cobalt.delete(`/users/${id}`),
      ),
    );
    assert.ok(
      responses.every((response) => [200, 204].includes(response.status)),
      JSON.stringify(responses.map((response) => response.status)),
    );
  }
});

test('a request with a slow body fails after a revocation', async () => {
  const rival = await create({ role: 'admin' });
  for (const [change, expected] of [
    [{ role: 'viewer' }, 409],
    [{ enabled: false }, 401],
  ] as const) {
    const { access_token } = await f.signIn(rival.email, secret);
    const socket = await openSocket(f.service.port, true);
    const late = JSON.stringify(body({ role: 'admin' }));
    socket.write(
      [
        'POST /users HTTP/1.1',
        'Host: x',
        `Authorization: Bearer ${access_token}`,
        'Content-Type: application/json',
        'Connection: close',
        `Content-Length: ${late.length}`,
        '',
        late.slice(0, 5),
      ].join('\r\n'),
    );
    await pause(200);
    assert.equal((await admin.put(`/users/${rival.id}`, change)).status, 200);
    const reading = readAll(socket);
    socket.write(late.slice(5));
    assert.equal(parseResponse(await reading).status, expected);
    if ('role' in change) await admin.put(`/users/${rival.id}`, { role: 'admin' });
  }
});

describe('privilege escalation', () => {
  test('a user manager cannot create, take over, rename, disable or delete an admin', async () => {
    const policies = [
      { act: '*', obj: '/users*', res: 'users:write:organisation', eft: 'allow' },
      { act: '*', obj: '/users*', res: 'users:read:organisation', eft: 'allow' },
    ];
    assert.equal((await admin.post('/acl/roles', { role: 'user-manager', policies })).status, 201);
    const manager = await create({ role: 'user-manager' });
    const client = f.client.with({ token: (await f.signIn(manager.email, secret)).access_token });
    const victim = await create({ role: 'admin' });
    const attempts = [
      () => client.post('/users', body({ role: 'admin' })),
      () => client.put(`/users/${victim.id}`, { password: 'granite puzzle seven lanterns' }),
      () => client.put(`/users/${victim.id}`, { email: 'mine@users.example' }),
      () => client.put(`/users/${victim.id}`, { firstName: 'Renamed' }),
      () => client.put(`/users/${victim.id}`, { contact: { phone: '+46 8' } }),
      () => client.put(`/users/${victim.id}`, { enabled: false }),
      () => client.put(`/users/${victim.id}`, { role: 'user-manager' }),
      () => client.put(`/users/${manager.id}`, { role: 'admin' }),
      () => client.delete(`/users/${victim.id}`),
    ];
    for (const attempt of attempts) {
      const response = await attempt();
      assert.equal(response.status, 403);
      assert.equal(response.body.code, 'MoreThanHeld');
    }
    const peer = await create({ role: 'user-manager' });
    assert.equal((await client.put(`/users/${peer.id}`, { enabled: false })).status, 200);
    assert.equal((await client.delete(`/users/${peer.id}`)).status, 204);
  });
});

test('the list contains the users of the scope, oldest first, in pages', async () => {
  const { body: all } = await admin.get('/users?limit=100');
  assert.deepEqual(
    all.slice(0, 4).map((user: { email: string }) => user.email.split('@')[0]),
    ['admin', 'operator', 'viewer', 'billing'],
  );
  const second = await admin.get('/users?page=2&limit=2');
  assert.deepEqual(second.body, all.slice(2, 4));
  assert.equal(second.headers['content-range'], `2-3/${all.length}`);
  const child = await admin.get('/users', { scope: f.organisations.atlas });
  assert.deepEqual(
    child.body.map((user: { email: string }) => user.email),
    ['admin@atlas.example'],
  );
});

test('a reseller manages the users of a child, and the child sees the audit entries', async () => {
  const acting = admin.with({ scope: f.organisations.atlas });
  const user = await create({ role: 'operator' }, acting);
  assert.equal(user.organisationId, f.organisations.atlas);
  assert.equal((await admin.get(`/users/${user.id}`)).status, 404, 'the user does not belong to the reseller');
  assert.equal((await acting.put(`/users/${user.id}`, { firstName: 'Remote' })).status, 200);
  const atlas = await f.as('admin@atlas.example');
  const { body: entries } = await atlas.get('/audit?serviceType=user&limit=2');
  assert.deepEqual(
    entries.map((entry: { action: string; userName: string }) => [entry.action, entry.userName]),
    [
      ['update', 'Mara Lindqvist'],
      ['create', 'Mara Lindqvist'],
    ],
  );
  assert.ok(await works((await f.signIn('admin@atlas.example', demoPassword)).access_token));
});
