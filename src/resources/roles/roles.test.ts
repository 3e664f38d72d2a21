import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fixture } from '../../../test/harness/service.ts';

const f = await fixture();
const admin = await f.as('admin@meridian.example');
const secret = 'tidal lantern orbit cedar';
const readUsers = { act: 'GET', eft: 'allow', obj: '/users*', res: 'users:read:organisation' };
let userCount = 0;
const createUserWithRole = async (role: string, client = admin) => {
  const response = await client.post('/users', {
    email: `role${++userCount}@roles.example`,
    lastName: 'Role',
    password: secret,
    role,
  });
  assert.equal(response.status, 201, response.text);
  const { access_token: token } = await f.signIn(response.body.email, secret);
  return { ...response.body, client: f.client.with({ token }) };
};

test('built-in roles are listed with their policies and cannot be changed or deleted', async () => {
  const { body } = await admin.get('/acl/roles');
  assert.deepEqual(
    body.map((role: { role: string }) => role.role),
    ['admin', 'operator', 'viewer', 'billing'],
  );
  for (const { role, policies } of body) {
    assert.ok(policies.length > 0);
    assert.deepEqual((await admin.get(`/acl/roles/${role}`)).body, { role, policies });
    assert.equal((await admin.put(`/acl/roles/${role}`, { policies: [] })).body.code, 'ShippedRole');
    const refused = await admin.delete(`/acl/roles/${role}`);
    assert.deepEqual([refused.status, refused.headers.allow], [405, 'GET, HEAD, OPTIONS']);
    assert.equal((await admin.post('/acl/roles', { role, policies: [] })).status, 409);
  }
});

describe('a custom role', () => {
  test('is created, read, changed, assigned and deleted', async () => {
    const created = await admin.post('/acl/roles', { role: 'auditor', policies: [readUsers] });
    assert.equal(created.status, 201);
    assert.deepEqual(created.body, { role: 'auditor', policies: [readUsers] });
    assert.equal((await admin.post('/acl/roles', { role: 'auditor', policies: [] })).body.code, 'RoleTaken');
    const { client, id } = await createUserWithRole('auditor');
    assert.equal((await client.get('/users')).status, 200);
    assert.equal((await client.get('/audit')).status, 403);
    assert.equal((await client.get('/me/info')).status, 200, 'the baseline includes the profile');
    assert.equal((await client.get('/regions')).status, 200, 'the baseline includes the places');
    const audit = { act: 'GET', eft: 'allow', obj: '/audit', res: 'audit:read:organisation' };
    assert.equal((await admin.put('/acl/roles/auditor', { policies: [audit] })).status, 200);
    assert.equal((await client.get('/audit')).status, 200, 'a change applies to the next request');
    assert.equal((await client.get('/users')).status, 403);
    const policies = (await admin.get(`/acl/users/${id}/policies`)).body;
    assert.deepEqual(policies[0], audit);
    assert.ok(policies.some((policy: { obj: string }) => policy.obj === '/me/info'));
    assert.equal((await admin.delete('/acl/roles/auditor')).body.code, 'RoleInUse');
    await admin.put(`/users/${id}`, { role: 'viewer' });
    assert.equal((await admin.delete('/acl/roles/auditor')).status, 204);
    assert.equal((await admin.get('/acl/roles/auditor')).status, 404);
  });
  test('lets deny win over every allow', async () => {
    const all = { act: '*', eft: 'allow', obj: '/*', res: '*:read:*' };
    await admin.post('/acl/roles', { role: 'nearly', policies: [all, { ...readUsers, eft: 'deny' }] });
    const { client } = await createUserWithRole('nearly');
    assert.equal((await client.get('/audit')).status, 200);
    assert.equal((await client.get('/users')).status, 403);
    assert.equal((await client.get('/users/1')).status, 403);
  });
  test('is visible in its own organisation only', async () => {
    await admin.post('/acl/roles', { role: 'ours', policies: [readUsers] });
    const atlas = await f.as('admin@atlas.example');
    assert.equal((await atlas.get('/acl/roles/ours')).status, 404);
    assert.equal((await atlas.put('/acl/roles/ours', { policies: [] })).status, 404);
    assert.equal((await atlas.delete('/acl/roles/ours')).status, 404);
    assert.equal(
      (await atlas.post('/users', { email: 'x@roles.example', lastName: 'X', password: secret, role: 'ours' })).body
        .code,
      'InvalidRole',
    );
    assert.equal(
      (await atlas.post('/acl/roles', { role: 'ours', policies: [] })).status,
      201,
      'another organisation can use the name',
    );
    assert.equal((await admin.get('/acl/roles', { scope: f.organisations.atlas })).body.at(-1).role, 'ours');
  });
  test('is unchanged by its own representation; its name is immutable', async () => {
    await admin.post('/acl/roles', { role: 'steady', policies: [readUsers, { ...readUsers, eft: 'deny', act: '*' }] });
    const before = await admin.get('/acl/roles/steady');
    assert.deepEqual((await admin.put('/acl/roles/steady', before.body)).body, before.body);
    assert.equal((await admin.put('/acl/roles/steady', { role: 'other' })).body.code, 'ReadOnlyField');
  });
  test('rejects malformed names and policies by path', async () => {
    const bad: [object, string][] = [
      [{ role: 'Not This', policies: [] }, 'role'],
      [{ role: '', policies: [] }, 'role'],
      [{ role: 'x' }, 'policies'],
      [{ role: 'x', policies: [{ ...readUsers, act: 'FETCH' }] }, 'policies.0.act'],
      [{ role: 'x', policies: [{ ...readUsers, obj: 'users' }] }, 'policies.0.obj'],
      [{ role: 'x', policies: [{ ...readUsers, obj: '/*/users' }] }, 'policies.0.obj'],
      [{ role: 'x', policies: [readUsers, { ...readUsers, res: 'users:read' }] }, 'policies.1.res'],
      [{ role: 'x', policies: [{ ...readUsers, res: 'users:execute:own' }] }, 'policies.0.res'],
      [{ role: 'x', policies: [{ ...readUsers, eft: 'maybe' }] }, 'policies.0.eft'],
    ];
    for (const [body, path] of bad) {
      const response = await admin.post('/acl/roles', body);
      assert.equal(response.status, 400, JSON.stringify(body));
      assert.equal(response.body.details[0].path, path);
    }
  });
});

test('the roles of an organisation have at most 20,000 policies', async () => {
  const { body: child } = await admin.post('/organisations', { name: 'Many Roles' });
  const client = admin.with({ scope: child.id });
  await f.owner.query(
    `insert into roles (organisation_id, name, policies)
     select $1, 'role-' || n, (select jsonb_agg($2::jsonb) from generate_series(1, 200)) from generate_series(1, 100) n`,
    [child.id, JSON.stringify(readUsers)],
  );
  const create = () => client.post('/acl/roles', { role: 'one-more', policies: [readUsers] });
  const refused = await create();
  assert.deepEqual([refused.status, refused.body.code], [409, 'TooManyRoles']);
  assert.equal((await client.put('/acl/roles/role-7', { policies: [readUsers] })).status, 200);
  const grown = await client.put('/acl/roles/role-7', { policies: Array(200).fill(readUsers) });
  assert.equal(grown.status, 200, 'the limit is reached, not passed');
  assert.equal((await client.put('/acl/roles/role-8', { policies: [] })).status, 200);
  assert.equal((await create()).status, 201);
  const again = await client.put('/acl/roles/role-8', { policies: Array(200).fill(readUsers) });
  assert.deepEqual([again.status, again.body.code], [409, 'TooManyRoles']);
});

test('a policy with a typing error is rejected by its index, so that a deny does not fail open', async () => {
  const mistyped = [
    { ...readUsers, eft: 'deny', obj: '/user' },
    { ...readUsers, eft: 'deny', res: 'user:read:organisation' },
    { ...readUsers, eft: 'deny', act: 'DELETE' },
    { ...readUsers, obj: '/users/{userid}' },
  ];
  for (const policy of mistyped) {
    const refused = await admin.post('/acl/roles', { role: 'mistyped', policies: [readUsers, policy] });
    assert.equal(refused.status, 400, JSON.stringify(policy));
    assert.deepEqual(
      refused.body.details.map(({ path }: { path: string }) => path),
      ['policies.1'],
    );
  }
  assert.equal((await admin.get('/acl/roles/mistyped')).status, 404);
  assert.equal((await admin.post('/acl/roles', { role: 'mistyped', policies: [readUsers] })).status, 201);
  const changed = await admin.put('/acl/roles/mistyped', { policies: [mistyped[0], readUsers, mistyped[1]] });
  assert.deepEqual(
    changed.body.details.map(({ path }: { path: string }) => path),
    ['policies.0', 'policies.2'],
  );
});

test('a role that an earlier version stored with such a policy can be sent back unchanged', async () => {
  await admin.post('/acl/roles', { role: 'earlier', policies: [readUsers] });
  await f.owner.query(`update roles set policies = jsonb_set(policies, '{0,obj}', '"/userz"') where name = 'earlier'`);
  const { body } = await admin.get('/acl/roles/earlier');
  assert.equal((await admin.put('/acl/roles/earlier', body)).status, 200);
});

test('a caller cannot create, extend, reduce or delete a role with more permissions than its own', async () => {
  const manage = [
    { act: '*', eft: 'allow', obj: '/acl/*', res: 'roles:write:organisation' },
    { act: '*', eft: 'allow', obj: '/acl/*', res: 'roles:read:organisation' },
  ];
  await admin.post('/acl/roles', { role: 'role-manager', policies: manage });
  await admin.post('/acl/roles', {
    role: 'powerful',
    policies: [{ act: '*', eft: 'allow', obj: '/*', res: '*:write:*' }],
  });
  const { client } = await createUserWithRole('role-manager');
  assert.equal(
    (
      await client.post('/acl/roles', {
        role: 'big',
        policies: [{ act: '*', eft: 'allow', obj: '/*', res: '*:write:*' }],
      })
    ).body.code,
    'MoreThanHeld',
  );
  assert.equal((await client.put('/acl/roles/role-manager', { policies: [...manage, readUsers] })).status, 403);
  assert.equal((await client.put('/acl/roles/powerful', { policies: [] })).status, 403);
  assert.equal((await client.delete('/acl/roles/powerful')).status, 403);
  assert.equal((await client.post('/acl/roles', { role: 'small', policies: manage.slice(1) })).status, 201);
  assert.equal((await client.delete('/acl/roles/small')).status, 204);
});

test('a role also applies in the children that the caller acts for', async () => {
  await admin.post('/acl/roles', { role: 'child-reader', policies: [readUsers] });
  const { client } = await createUserWithRole('child-reader');
  assert.equal((await client.get('/users', { scope: f.organisations.atlas })).body[0].email, 'admin@atlas.example');
  assert.equal((await client.get('/audit', { scope: f.organisations.atlas })).status, 403);
});

test('20 concurrent creations of one role: one 201, the others 409', async () => {
  const responses = await Promise.all(
    Array.from({ length: 20 }, () => admin.post('/acl/roles', { role: 'contested', policies: [] })),
  );
  assert.deepEqual(responses.map((response) => response.status).sort(), [201, ...Array(19).fill(409)]);
});

test('a role assigned during its deletion is either assigned or deleted', async () => {
  for (let round = 0; round < 10; round++) {
    const role = `fleeting-${round}`;
    await admin.post('/acl/roles', { role, policies: [] });
    const [assigned, deleted] = await Promise.all([
      admin.post('/users', { email: `fleeting${round}@roles.example`, lastName: 'F', password: secret, role }),
      admin.delete(`/acl/roles/${role}`),
    ]);
    assert.ok(
      [201, 400, 409].includes(assigned.status) && [204, 409].includes(deleted.status),
      `${assigned.status} ${deleted.status}`,
    );
    assert.notEqual(assigned.status === 201, deleted.status === 204);
  }
});

test('concurrent deletions and changes of a role: one deletion succeeds, one audit entry per success', async () => {
  const admin = await f.as('admin@meridian.example');
  const policies = [{ act: 'GET', eft: 'allow', obj: '/audit', res: 'audit:read:organisation' }];
  const auditCount = async (action: string) =>
    (
      await f.owner.query(`select count(*)::int as count from audit where service_name = 'goes' and action = $1`, [
        action,
      ])
    ).rows[0].count;
  for (let round = 1; round <= 5; round++) {
    await admin.post('/acl/roles', { role: 'goes', policies: [] });
    const changed = await auditCount('update');
    const deletions = Array.from({ length: 6 }, () => admin.delete('/acl/roles/goes'));
    const changes = Array.from({ length: 6 }, () => admin.put('/acl/roles/goes', { policies }));
    assert.deepEqual((await Promise.all(deletions)).map(({ status }) => status).sort(), [204, ...Array(5).fill(404)]);
    const succeeded = (await Promise.all(changes)).filter(({ status }) => status === 200);
    assert.equal((await auditCount('update')) - changed, succeeded.length);
    assert.equal(await auditCount('delete'), round);
  }
});
