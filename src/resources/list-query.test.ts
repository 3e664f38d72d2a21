// Sorting and searching of lists, in one of two organisations with the same records.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { ApiResponse, Client } from '../../test/harness/client.ts';
import { type Body, bodyOf, createPopulator } from '../../test/harness/populated-organisations.ts';
import { fixture } from '../../test/harness/service.ts';

const f = await fixture();
const parent = await f.as('admin@meridian.example');
const password = 'tidal lantern orbit cedar';
const settle = await createPopulator(f, parent, password);
const ours = await settle('harbour');
const theirs = await settle('quarry');

// Equal timestamps, states and statuses exercise the tie-breakers of the sort.
for (const table of ['groups', 'appliances', 'connectors', 'links'])
  await f.owner.query(
    `update ${table} set created_at = date_trunc('second', created_at) - (ascii(right(name, 1)) % 3) * interval '1 s',
       updated_at = timestamptz '2026-11-01' + (length(name) % 3) * interval '1 h' where organisation_id = $1`,
    [ours.id],
  );
for (const table of ['connectors', 'links'])
  await f.owner.query(
    `update ${table} set state = (array['registered', 'delivered', 'error'])[length(name) % 3 + 1]
       where organisation_id = $1`,
    [ours.id],
  );
await f.owner.query('update connectors set status = length(name) % 3 where organisation_id = $1', [ours.id]);

const timestamps = { createdAt: 'createdAt', updatedAt: 'updatedAt' };
const listTimestamps = { createdAt: 'created_at', updatedAt: 'updated_at' };
const ofConnectors = {
  ...{ name: 'name', state: 'state', status: 'status', region: 'slug', bandwidth: 'bandwidth' },
  ...timestamps,
};
const ofLinks = { name: 'name', state: 'state', ...listTimestamps };
/** Every list, with the field for each sort column. */
const lists: [string, Record<string, string>][] = [
  ['/connectors', ofConnectors],
  [`/connectors/group/${ours.groups[0].id}`, ofConnectors],
  ['/groups', { name: 'name', ...timestamps }],
  ['/links', ofLinks],
  [`/link/group/${ours.groups[0].id}`, ofLinks],
  ['/cloud-appliances', { name: 'name', siteName: 'siteName', ...timestamps }],
];
const anonymous = (path: string): string => path.replace(/[0-9a-f-]{36}/, '…');
const nextOf = (response: ApiResponse): string | undefined =>
  /<([^>]+)>; rel="next"/.exec(response.headers.link ?? '')?.[1];

async function walk(client: Client, first: string): Promise<Body[]> {
  const seen: Body[] = [];
  for (let path: string | undefined = first; path; ) {
    const response: ApiResponse = await client.get(path);
    assert.equal(response.status, 200, response.text);
    seen.push(...response.body);
    path = nextOf(response);
  }
  return seen;
}
const compare = (fields: string[]) => (a: Body, b: Body) => {
  const field = fields.find((name) => a[name] !== b[name]);
  return field === undefined ? 0 : a[field] < b[field] ? -1 : 1;
};
const idsOf = (records: Body[]): string[] => records.map(({ id }) => id);

describe('sort', () => {
  for (const [path, columns] of lists)
    test(`${anonymous(path)} sorts by each column in both directions, across pages`, async () => {
      const all = await walk(ours.client, `${path}?limit=100`);
      assert.ok(all.length >= 3);
      const createdAt = columns.createdAt ?? '';
      assert.deepEqual(
        idsOf(all),
        idsOf(all.toSorted(compare([createdAt, 'id']))),
        'the default order is the order of creation',
      );
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...Object.keys(columns)),
          fc.constantFrom('', ',ASC', ',DESC', ',desc'),
          fc.integer({ min: 1, max: all.length + 1 }),
          async (column, direction, limit) => {
            const expected = all.toSorted(compare([columns[column] ?? '', createdAt, 'id']));
            if (/desc/i.test(direction)) expected.reverse();
            const walked = await walk(ours.client, `${path}?sort=${column}${direction}&limit=${limit}`);
            assert.deepEqual(idsOf(walked), idsOf(expected));
          },
        ),
        { numRuns: 40 },
      );
    });
  test('the second column orders records that are equal in the first', async () => {
    const walked = await walk(ours.client, '/connectors?sort=state&sort=name,DESC&limit=3');
    const byName = walked.toSorted(compare(['name'])).reverse();
    assert.deepEqual(idsOf(walked), idsOf(byName.toSorted(compare(['state']))));
  });
  test('other columns are rejected, and the error lists the valid ones', async () => {
    const wrong = ['phone', 'name,UP', 'name;drop table links', 'constructor', 'name,ASC,DESC', 'NAME', '', 'links.id'];
    for (const [path, columns] of lists)
      for (const sort of wrong) {
        const response = await ours.client.get(`${path}?sort=${encodeURIComponent(sort)}`);
        assert.deepEqual([response.status, response.body.details?.[0]?.path], [400, 'sort'], response.text);
        for (const column of Object.keys(columns)) assert.match(response.body.details[0].message, new RegExp(column));
      }
    assert.equal((await ours.client.get(`/groups?${'sort=name&'.repeat(4)}`)).status, 400);
  });
});

/** The names of the matching records, without their first word. */
async function namesFound(path: string, search: string, client = ours.client): Promise<string[]> {
  const response = await client.get(`${path}${path.includes('?') ? '&' : '?'}search=${encodeURIComponent(search)}`);
  assert.equal(response.status, 200, response.text);
  return response.body.map(({ name }: Body) => name.slice(name.indexOf(' ') + 1)).sort();
}

describe('search', () => {
  const connectors = '/connectors';
  const cases: [string, string, string[]][] = [
    [connectors, 'qUAy', ['Quay', 'quay']],
    [connectors, '  quay ', ['Quay', 'quay']],
    [connectors, 'été', ['ÉTÉ']],
    [connectors, '%', ['50% off']],
    [connectors, '_', ['50% off']],
    [connectors, '\\', ['back\\slash']],
    [connectors, '\\s', ['back\\slash']],
    [connectors, "' or true --", []],
    [connectors, 'the DOOR', ['till 1']],
    [connectors, '64701', ['hosted', 'quay']],
    [connectors, 'AS64702', ['50% off', 'Quay']],
    [connectors, 'as64801', ['till 1']],
    [connectors, 'AS64999', ['Quay']],
    [connectors, 'AS6470', []],
    [connectors, 'AS64500', ['ÉTÉ']],
    [connectors, 'London S', ['quay']],
    [connectors, 'london', ['quay']],
    [connectors, 'COPENHAGEN', ['till 2']],
    [connectors, 'sao-p', ['50% off']],
    [`${connectors}?state=error&family=providerA`, 'tokyo', ['50 off']],
    [`/connectors/group/${ours.groups[1].id}`, 'paris', ['apart 1']],
    ['/groups', 'STOR', ['stores']],
    ['/groups', '0%', ['bank']],
    ['/groups', 'x_', ['Twin']],
    ['/groups', 'tills', ['stores']],
    ['/links', 'north', ['North', 'north']],
    ['/links', 'east_', ['east_west']],
    ['/links', '5% LOSS', ['north']],
    [`/link/group/${ours.groups[1].id}`, 'a', ['apart']],
    ['/cloud-appliances', 'cpe-', ['cpe-a', 'cpe-b']],
    ['/cloud-appliances', 'bercy', ['CPE', 'cpe-b']],
    ['/cloud-appliances', 'øre', ['cpe-a']],
    ['/cloud-appliances', 'oslo', ['CPE']],
  ];
  for (const [path, search, names] of cases)
    test(`for ${JSON.stringify(search)} in ${anonymous(path)} finds ${names.join(', ') || 'nothing'}`, async () => {
      assert.deepEqual(await namesFound(path, search), names);
    });
});

describe('search in every list', () => {
  test('a blank search text is ignored', async () => {
    for (const [path] of lists) {
      const all = (await ours.client.get(path)).text;
      for (const blank of ['', '%20', '%20%20%20'])
        assert.equal((await ours.client.get(`${path}?search=${blank}`)).text, all);
    }
  });
  test('accepts up to one hundred characters in one line', async () => {
    for (const [path] of lists) {
      assert.deepEqual(await namesFound(path, 'x'.repeat(100)), []);
      for (const wrong of ['x'.repeat(101), 'a\u0000b', 'a\nb']) {
        const response = await ours.client.get(`${path}?search=${encodeURIComponent(wrong)}`);
        assert.deepEqual([response.status, response.body.details?.[0]?.path], [400, 'search']);
      }
    }
  });
  test('matches resource names, complete or from their beginning', async () => {
    for (const [path] of lists) {
      const all: Body[] = (await ours.client.get(path)).body;
      const find = async (search: string) => idsOf((await ours.client.get(`${path}?search=${search}`)).body);
      assert.deepEqual(await find('irn:'), idsOf(all));
      for (const { id, irn } of all.slice(0, 3)) {
        assert.deepEqual(await find(irn), [id]);
        assert.deepEqual(await find(irn.toUpperCase()), [id]);
        assert.deepEqual(await find(irn.replace(/^(irn:\w+)s:/, '$1:')), [id]);
        for (const length of [5, 12, irn.length - 24, irn.length - 22, irn.length - 1]) {
          const prefix = irn.slice(0, length);
          assert.deepEqual(await find(prefix), idsOf(all.filter((one) => one.irn.startsWith(prefix))), prefix);
        }
        assert.deepEqual(await find(irn.slice(4)), [], 'not in the middle');
        assert.deepEqual(await find(`${irn}0`), []);
      }
    }
  });
  test('links to other pages preserve search and sort', async () => {
    const path = '/connectors?sort=name,DESC&sort=state&search=50%25%20o&state=delivered&limit=1';
    const { headers } = await ours.client.get(path);
    assert.match(
      headers.link ?? '',
      /^<\/connectors\?state=\w+&sort=name%2CDESC&sort=state&search=50%25\+o&page=1&limit=1>; rel="first"/,
    );
    for (const [list] of lists) {
      const whole = (await ours.client.get(`${list}?search=a&sort=name`)).body;
      assert.deepEqual(await walk(ours.client, `${list}?search=a&sort=name&limit=1`), whole, list);
    }
  });
  test('cached results expire when a record changes', async () => {
    const path = `/links?search=renamed`;
    assert.deepEqual(await namesFound('/links', 'renamed'), []);
    const { id, name } = ours.links[3];
    await bodyOf(ours.client.put(`/flow/link/${id}`, { name: 'harbour renamed' }));
    assert.deepEqual(idsOf((await ours.client.get(path)).body), [id]);
    await bodyOf(ours.client.put(`/flow/link/${id}`, { name }));
    assert.deepEqual(await namesFound('/links', 'renamed'), []);
  });
  test('finds no records of other organisations, and a parent finds those of a child only in its scope', async () => {
    const ungrouped = lists.filter(([path]) => !path.includes('/group/'));
    const [connector, link, group, site] = [theirs.connectors[0], theirs.links[0], theirs.groups[0], theirs.sites[0]];
    for (const [path] of ungrouped) {
      for (const search of ['quarry', ...[connector, link, group, site].flatMap(({ id, irn }) => [id, irn])])
        assert.deepEqual(await namesFound(path, search), [], `${path} ${search}`);
      const asParent = parent.with({ scope: theirs.id });
      assert.deepEqual(await namesFound(path, 'quarry', asParent), await namesFound(path, 'quarry', theirs.client));
      assert.ok((await namesFound(path, 'quarry', asParent)).length >= 3);
      assert.deepEqual(await namesFound(path, 'quarry', parent), [], 'not without the scope');
    }
  });
});

describe('all links of an organisation', () => {
  const names = async (query: string, client = ours.client): Promise<string[]> =>
    (await walk(client, `/links${query}`)).map(({ name }) => name.split(' ')[1]).sort();
  test('are the links of its groups, in the same representation', async () => {
    const ofGroups = await Promise.all(ours.groups.map(({ id }) => walk(ours.client, `/link/group/${id}`)));
    const all = await walk(ours.client, '/links?limit=2');
    assert.deepEqual(all, ofGroups.flat().toSorted(compare(['created_at', 'id'])));
    assert.match(all[0].created_at, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6} \+0000 UTC$/);
  });
  test('can be filtered by group and state', async () => {
    assert.deepEqual(await names(`?groupId=${ours.groups[1].id}`), ['apart']);
    assert.deepEqual(await names(`?groupId=${ours.groups[2].id}`), []);
    assert.deepEqual(await names(`?groupId=${theirs.groups[0].id}`), []);
    const states = ['registered', 'in-deployment', 'deployed', 'delivered', 'error'];
    const all = await walk(ours.client, '/links');
    for (const state of states)
      for (const path of ['/links', '/connectors']) {
        const whole = await walk(ours.client, path);
        const some = await walk(ours.client, `${path}?state=${state}&limit=2`);
        assert.deepEqual(
          some,
          whole.filter((one) => one.state === state),
        );
      }
    assert.ok(new Set(all.map(({ state }) => state)).size > 1);
    for (const query of ['state=gone', 'state=', 'groupId=x'])
      assert.equal((await ours.client.get(`/links?${query}`)).status, 400, query);
    assert.equal((await ours.client.get('/connectors?state=gone')).body.details[0].path, 'state');
  });
  test('need the permission to read links', async () => {
    const person = { email: 'reader@harbour.example', lastName: 'Reader', password };
    await bodyOf(ours.client.post('/users', { ...person, role: 'viewer' }));
    await bodyOf(ours.client.post('/users', { ...person, email: 'bills@harbour.example', role: 'billing' }));
    const as = async (email: string) => f.client.with({ token: (await f.signIn(email, password)).access_token });
    assert.deepEqual(await names('', await as(person.email)), await names(''));
    assert.equal((await (await as('bills@harbour.example')).get('/links')).status, 403);
    assert.equal((await f.client.get('/links')).status, 401);
    assert.deepEqual(await names('', parent.with({ scope: ours.id })), await names(''));
    assert.equal((await ours.client.get('/links', { scope: theirs.id })).status, 403);
  });
});
