import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { fixture, mailedToken } from '../../../test/harness/service.ts';

const f = await fixture();
const admin = await f.as('admin@meridian.example');
const { meridian, atlas, boreal, cobalt, labs } = f.organisations;
const secret = 'tidal lantern orbit cedar';

describe('reading', () => {
  test('the own organisation has every specified field, and its children', async () => {
    const { body, headers } = await admin.get(`/organisations/${meridian}`);
    assert.equal(body.name, 'Meridian Exchange');
    assert.equal(body.parentId, null);
    assert.equal(body.parent_id, null);
    assert.equal(body.reseller, true);
    assert.deepEqual(
      body.capacities.map((one: { capacity: number; isRegional: boolean }) => [one.capacity, one.isRegional]),
      [[100_000_000_000, true]],
    );
    assert.equal(body.address.organisationId, meridian);
    assert.equal(body.invoice.tvasubjection, true);
    assert.deepEqual(body.children, [
      { id: atlas, name: 'Atlas Retail', reseller: false, childrenCount: 0 },
      { id: boreal, name: 'Boreal Bank', reseller: false, childrenCount: 0 },
      { id: cobalt, name: 'Cobalt Games', reseller: true, childrenCount: 1 },
    ]);
    assert.equal(headers['content-range'], '0-2/3');
  });
  test('offset and limit page the children', async () => {
    const { body, headers } = await admin.get(`/organisations/${meridian}?offset=2&limit=1`);
    assert.deepEqual(
      body.children.map((child: { name: string }) => child.name),
      ['Cobalt Games'],
    );
    assert.equal(headers['content-range'], '2-2/3');
  });
  test('a direct child is readable with and without scope; others respond 404', async () => {
    assert.equal((await admin.get(`/organisations/${cobalt}`)).body.children[0].name, 'Cobalt Labs');
    assert.equal((await admin.get(`/organisations/${cobalt}`, { scope: cobalt })).status, 200);
    assert.equal(
      (await admin.get(`/organisations/${labs}`, { scope: cobalt })).status,
      404,
      'a caller who acts for a child reaches only that child',
    );
    assert.equal((await admin.put(`/organisations/${labs}`, { phone: '1' }, { scope: cobalt })).status, 404);
    assert.equal((await (await f.as('admin@cobalt.example')).get(`/organisations/${labs}`)).status, 200);
    const absent = await admin.get('/organisations/0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10');
    const child = await f.as('admin@atlas.example');
    for (const response of [
      await admin.get(`/organisations/${labs}`),
      await child.get(`/organisations/${meridian}`),
      await child.get(`/organisations/${boreal}`),
      await admin.get(`/organisations/${meridian}`, { scope: atlas }),
    ])
      assert.deepEqual(
        [response.status, response.body.error, response.body.code],
        [404, absent.body.error, 'NotFound'],
      );
  });
  test('the list contains the direct children, sorted as requested', async () => {
    const names = async (query: string) =>
      (await admin.get(`/organisations${query}`)).body.map((one: { name: string }) => one.name);
    assert.deepEqual(await names(''), ['Atlas Retail', 'Boreal Bank', 'Cobalt Games']);
    assert.deepEqual(await names('?sort=name,DESC'), ['Cobalt Games', 'Boreal Bank', 'Atlas Retail']);
    assert.deepEqual(await names('?sort=createdAt,DESC&sort=name&limit=2'), ['Cobalt Games', 'Boreal Bank']);
    assert.deepEqual(
      await (await f.as('admin@atlas.example')).get('/organisations').then((response) => response.body),
      [],
    );
    const second = await admin.get('/organisations?offset=2&limit=2&sort=name');
    assert.equal(second.headers['content-range'], '2-2/3');
    assert.match(second.headers.link ?? '', /<\/organisations\?sort=name&offset=0&limit=2>; rel="previous"/);
  });
});

describe('creating', () => {
  test('a reseller creates a child with its admin, who can sign in', async () => {
    const response = await admin.post('/organisations', {
      name: 'Delta Foods',
      phone: '+1',
      address: { city: 'Lyon' },
      invoice: { tvanumber: 'FR1' },
      admin: { email: 'admin@delta.example', lastName: 'Costa', password: secret },
    });
    assert.equal(response.status, 201, response.text);
    assert.equal(response.body.parentId, meridian);
    assert.equal(response.body.reseller, false);
    assert.deepEqual(
      [response.body.address.city, response.body.address.street, response.body.invoice.tvanumber],
      ['Lyon', null, 'FR1'],
    );
    const delta = f.client.with({ token: (await f.signIn('admin@delta.example', secret)).access_token });
    assert.equal((await delta.get('/me/info')).body.role, 'admin');
    assert.equal((await delta.get(`/organisations/${response.body.id}`)).body.name, 'Delta Foods');
    const entries = (await delta.get('/audit')).body.map(
      (entry: { action: string; serviceType: string; userName: string }) =>
        `${entry.action} ${entry.serviceType} ${entry.userName}`,
    );
    assert.deepEqual(entries, [
      'sign-in session Costa',
      'create user Mara Lindqvist',
      'create organisation Mara Lindqvist',
    ]);
  });
  test('an admin without a password gets a reset mail', async () => {
    const response = await admin.post('/organisations', {
      name: 'Echo Media',
      admin: { email: 'admin@echo.example', lastName: 'Voss' },
    });
    assert.equal(response.status, 201);
    const token = await mailedToken(f.data, 'admin@echo.example');
    assert.equal((await f.client.put('/me/info', { password: secret }, { token })).status, 200);
    assert.ok((await f.signIn('admin@echo.example', secret)).access_token);
  });
  test('only resellers may create children, and a failed creation leaves no record', async () => {
    const child = await f.as('admin@atlas.example');
    assert.equal((await child.post('/organisations', { name: 'X' })).body.code, 'NotReseller');
    assert.equal((await admin.post('/organisations', { name: 'X' }, { scope: atlas })).body.code, 'NotReseller');
    const before = (await admin.get('/organisations')).headers['content-range'];
    assert.equal(
      (
        await admin.post('/organisations', {
          name: 'X',
          admin: { email: 'admin@atlas.example', lastName: 'Y', password: secret },
        })
      ).body.code,
      'EmailTaken',
    );
    assert.equal(
      (
        await admin.post('/organisations', {
          name: 'X',
          admin: { email: 'a@x.example', lastName: 'Y', password: 'weak' },
        })
      ).body.code,
      'PasswordTooWeak',
    );
    assert.equal((await admin.post('/organisations', { name: '' })).status, 400);
    assert.equal((await admin.post('/organisations', { name: 'X', parentId: cobalt })).body.code, 'ReadOnlyField');
    assert.equal((await admin.get('/organisations')).headers['content-range'], before);
  });
});

describe('the input of a creation', () => {
  test('unknown and read-only keys of address and invoice are ignored', async () => {
    const response = await admin.post('/organisations', {
      name: 'Foxtrot',
      address: { foo: 'bar', city: 'Oslo', created_at: '1999-01-01' },
      invoice: { colour: 'red' },
    });
    assert.equal(response.status, 201, response.text);
    assert.equal(response.body.address.city, 'Oslo');
    assert.ok(response.body.address.createdAt > '2020');
  });
  test('naming an admin requires the permissions of an admin', async () => {
    const policies = ['read', 'write'].map((action) => ({
      act: '*',
      eft: 'allow',
      obj: '/organisations*',
      res: `organisations:${action}:organisation`,
    }));
    await admin.post('/acl/roles', { role: 'seller', policies });
    await admin.post('/users', {
      email: 'seller@organisations.example',
      lastName: 'Seller',
      password: secret,
      role: 'seller',
    });
    const seller = f.client.with({ token: (await f.signIn('seller@organisations.example', secret)).access_token });
    const response = await seller.post('/organisations', {
      name: 'Puppet',
      admin: { email: 'a@puppet.example', lastName: 'P', password: secret },
    });
    assert.equal(response.body.code, 'MoreThanHeld');
    assert.equal((await seller.post('/organisations', { name: 'Honest' })).status, 201);
  });
  test('a reseller who acts for a reseller child creates grandchildren', async () => {
    const response = await admin.post('/organisations', { name: 'Cobalt Studio' }, { scope: cobalt });
    assert.equal(response.body.parentId, cobalt);
    assert.equal((await admin.get('/organisations', { scope: cobalt })).body.length, 2);
    assert.equal((await admin.get(`/organisations/${response.body.id}`)).status, 404);
  });
});

describe('changing', () => {
  test('absent keys are unchanged, null clears, address and invoice are merged', async () => {
    const before = await admin.get(`/organisations/${boreal}`);
    assert.equal((await admin.put(`/organisations/${boreal}`, before.body)).status, 200);
    assert.equal((await admin.get(`/organisations/${boreal}`)).headers.etag, before.headers.etag);
    const changed = (
      await admin.put(`/organisations/${boreal}`, {
        name: 'Boreal Bank AB',
        address: { street: 'Hamngatan 1' },
        invoice: { tvanumber: null },
        phone: null,
      })
    ).body;
    assert.equal(changed.name, 'Boreal Bank AB');
    assert.equal(changed.phone, null);
    assert.deepEqual([changed.address.street, changed.address.city], ['Hamngatan 1', 'Stockholm']);
    assert.deepEqual([changed.invoice.tvanumber, changed.invoice.tvasubjection], [null, true]);
    assert.ok(changed.updatedAt > before.body.updatedAt);
    const cleared = (await admin.put(`/organisations/${boreal}`, { address: null })).body;
    assert.deepEqual(
      [cleared.address.street, cleared.address.city, cleared.address.id],
      [null, null, before.body.address.id],
    );
    const today = new Date(Date.now() - 3600_000).toISOString();
    const entries = await (await f.as('admin@boreal.example')).get(
      `/audit?serviceType=organisation&action=update&start-d=${today}`,
    );
    assert.equal(entries.body.length, 3, 'writes of the parent are in the audit of the child');
  });
  test('changes of read-only fields are rejected by name', async () => {
    for (const [body, path] of [
      [{ reseller: true }, 'reseller'],
      [{ capacities: [] }, 'capacities'],
      [{ irn: 'irn:x' }, 'irn'],
      [{ parentId: cobalt }, 'parentId'],
      [{ parent_id: null }, 'parent_id'],
      [{ id: atlas, createdAt: 'x' }, 'createdAt'],
      [{ address: { id: 'x' } }, 'address.id'],
      [{ invoice: { organisationId: boreal } }, 'invoice.organisationId'],
    ] as const) {
      const response = await admin.put(`/organisations/${atlas}`, body);
      assert.equal(response.body.code, 'ReadOnlyField');
      assert.equal(response.body.details[0].path, path);
    }
  });
  test('a child can change itself but not its parent or sibling', async () => {
    const child = await f.as('admin@atlas.example');
    assert.equal((await child.put(`/organisations/${atlas}`, { phone: '+33 1' })).status, 200);
    for (const id of [meridian, boreal])
      assert.equal((await child.put(`/organisations/${id}`, { phone: '+33 1' })).status, 404);
    assert.equal(
      (await (await f.as('billing@meridian.example')).put(`/organisations/${meridian}`, { phone: '1' })).status,
      403,
    );
  });
});
