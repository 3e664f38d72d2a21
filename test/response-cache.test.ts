// The response cache of two replicas on one database: never stale on the replica that acknowledged a write, and stale
// for at most a second on the other, whatever happens to the connections of the change feed.
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from './harness/client.ts';
import { openSocket, readAll, splitResponses } from './harness/raw-socket.ts';
import { cloneDemoWorld, type Fixture, startFixture } from './harness/service.ts';

const database = await cloneDemoWorld();
const one = await startFixture(['--monitor-port', '0'], database);
const two = await startFixture(['--monitor-port', '0'], database);
after(async () => {
  await Promise.all([one.close(), two.close()]);
  await database.drop();
});
const here = await one.as('admin@atlas.example');
const there = await two.as('admin@atlas.example');
const reseller = await one.as('admin@meridian.example');

async function figureOf(f: Fixture, name: string): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${f.service.monitorPort}/metrics`)).text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]);
}

/** Counts the cache misses during some work. */
async function missesDuring(f: Fixture, work: () => Promise<unknown>): Promise<number> {
  const before = await figureOf(f, 'patchbay_cache_misses_total');
  await work();
  return (await figureOf(f, 'patchbay_cache_misses_total')) - before;
}

const firstOf = async (client: Client, path: string): Promise<{ id: string; name: string }> =>
  (await client.get(path)).body[0];

const connector = (await here.get('/connectors?limit=1')).body[0];
const group = await firstOf(here, '/groups');
const appliance = await firstOf(here, '/cloud-appliances');
const link = (await here.get(`/link/group/${group.id}`)).body[0];
const tag = (await here.post('/tags', { name: 'cached' })).body;
const capacity = (await here.get('/capacities/available')).body[0];

/** Every cached route, according to the API document. */
const examples: Record<string, string> = {
  '/regions': '/regions',
  '/cities': '/cities?limit=5',
  '/cloud-gateways-types': '/cloud-gateways-types',
  '/cloud-destination-families': '/cloud-destination-families',
  '/capacities/available': '/capacities/available',
  '/capacities/available/{subscribedCapacityId}': `/capacities/available/${capacity.subscribedCapacityId}`,
  '/cloud-appliances': '/cloud-appliances',
  '/cloud-appliances/{cloudAppliancesId}': `/cloud-appliances/${appliance.id}`,
  '/cloud-appliances/{cloudAppliancesId}/cloud-virtual-interfaces': `/cloud-appliances/${appliance.id}/cloud-virtual-interfaces`,
  '/cloud-appliance-models': '/cloud-appliance-models',
  '/acl/roles': '/acl/roles',
  '/acl/roles/{roleName}': '/acl/roles/viewer',
  '/connectors': '/connectors?limit=3',
  '/connectors/group/{groupid}': `/connectors/group/${group.id}`,
  '/connectors/{connid}': `/connectors/${connector.id}`,
  '/link/group/{groupId}': `/link/group/${group.id}`,
  '/links': '/links?sort=name,DESC&search=o',
  '/flow/link/{linkid}': `/flow/link/${link.id}`,
  '/organisations': '/organisations',
  '/groups': '/groups',
  '/groups/{groupId}': `/groups/${group.id}`,
  '/groups/{groupId}/capacities': `/groups/${group.id}/capacities`,
  '/tags': '/tags',
  '/tags/{tagId}': `/tags/${tag.id}`,
};

describe('a response', () => {
  for (const path of Object.values(examples))
    test(`${path.replace(/[0-9a-f-]{36}/, '…')} is cached: the second request reads nothing and gets the same`, async () => {
      await one.service.catchUp();
      const first = await here.get(path);
      assert.equal(first.status, 200, first.text);
      let second = first;
      assert.equal(
        await missesDuring(one, async () => {
          second = await here.get(path);
        }),
        0,
      );
      assert.equal(second.text, first.text);
      for (const name of ['etag', 'content-type', 'content-range', 'link', 'cache-control', 'content-length'])
        assert.equal(second.headers[name], first.headers[name], name);
      const known = await here.get(path, { headers: { 'if-none-match': first.headers.etag ?? '' } });
      assert.equal(known.status, 304);
      const head = await here.call('HEAD', path);
      assert.equal(head.headers.etag, first.headers.etag);
      assert.equal(head.text, '');
    });

  test('is not sent to another organisation, nor to a caller without permission', async () => {
    const path = `/connectors/${connector.id}`;
    assert.equal((await here.get(path)).status, 200);
    const stranger = await one.as('admin@boreal.example');
    assert.equal((await stranger.get(path)).status, 404);
    const asParent = reseller.with({ scope: one.organisations.atlas });
    assert.equal((await asParent.get(path)).body.id, connector.id);
    const policies = [{ act: 'GET', eft: 'allow', obj: '/tags', res: 'tags:read:organisation' }];
    assert.equal((await here.post('/acl/roles', { role: 'tag-reader', policies })).status, 201);
    const passphrase = 'a lantern over seven quiet fields';
    const user = { email: 'tags@cached.example', lastName: 'Reader', password: passphrase, role: 'tag-reader' };
    assert.equal((await here.post('/users', user)).status, 201);
    const reader = here.with({ token: (await one.signIn(user.email, passphrase)).access_token });
    assert.equal((await reader.get('/tags')).status, 200);
    assert.equal((await reader.get(path)).status, 403);
    await here.put('/acl/roles/tag-reader', { policies: [{ ...policies[0], eft: 'deny' }] });
    assert.equal((await reader.get('/tags')).status, 403, 'from the moment the role may do less');
    assert.equal((await one.client.get(path)).status, 401);
  });

  test('is not cached if it is an error', async () => {
    const missing = '/connectors/6b1f2c52-2f51-4d0e-8a55-1f0d8f9d5b21';
    for (let n = 0; n < 2; n++) assert.equal(await missesDuring(one, () => here.get(missing)), 1);
    assert.equal((await here.get('/connectors?limit=0')).status, 400);
  });

  test('belongs to its caller on a connection that several callers share, as behind a proxy', async () => {
    const path = '/connectors?limit=3';
    const { access_token: atlas } = await one.signIn('admin@atlas.example');
    const { access_token: boreal } = await one.signIn('admin@boreal.example');
    const leaving = (await here.post('/personal/tokens', { name: 'leaving', expiresIn: 3600 })).body;
    const forged = `${atlas.slice(0, -1)}${atlas.endsWith('x') ? 'y' : 'x'}`;
    const callers = [atlas, boreal, leaving.access_token, forged];
    const socket = await openSocket(one.service.port, true);
    let received = '';
    socket.on('data', (bytes) => {
      received += bytes;
    });
    const ask = (who: number, more = ''): void =>
      void socket.write(
        `GET ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${callers[who]}\r\n${more}\r\n`,
      );
    // All callers are cached, and the connection has completed a request, before one token is revoked.
    for (const [count, who] of [0, 1, 2].entries())
      for (ask(who); received.split('HTTP/1.1 200').length - 1 <= count; ) await pause(5);
    assert.equal((await here.delete(`/personal/tokens/${leaving.id}`)).status, 204);
    const expected = await Promise.all(callers.map((token) => one.client.get(path, { token })));
    assert.deepEqual(
      expected.map(({ status }) => status),
      [200, 200, 401, 401],
    );
    assert.notEqual(expected[0]?.text, expected[1]?.text);

    // Each caller after itself and after every other, and the forged token after the token it imitates.
    const turns = [2, 0, 0, 3, 0, 1, 1, 3, 3, 1, 2, 2, 3, 2, 1, 0, 2, 0];
    received = '';
    const reading = readAll(socket);
    for (const who of turns) ask(who);
    ask(0, 'connection: close\r\n');
    const responses = splitResponses(await reading);
    for (const [n, who] of [...turns, 0].entries()) {
      assert.equal(responses[n]?.status, expected[who]?.status, `response ${n}`);
      if (expected[who]?.status === 200) assert.equal(responses[n]?.text, expected[who]?.text, `response ${n}`);
    }
    assert.equal(responses.length, turns.length + 1);
  });

  test('is read once for concurrent requests', async () => {
    await one.service.catchUp();
    await here.put(`/tags/${tag.id}`, { description: 'touched' });
    const count = await missesDuring(one, () => Promise.all(Array.from({ length: 20 }, () => here.get('/tags'))));
    assert.ok(count <= 3, `${count} reads for 20 concurrent requests`);
  });

  test('stays cached during sign-ins, telemetry, unchanged statuses and changes of other records', async () => {
    await one.service.catchUp();
    await here.get('/connectors?limit=4');
    await here.get('/tags');
    await one.signIn('admin@atlas.example');
    await one.owner.query('update connectors set reported_at = clock_timestamp() where organisation_id = $1', [
      one.organisations.atlas,
    ]);
    await one.owner.query('update connectors set status = status');
    await (await one.as('admin@boreal.example')).post('/tags', { name: 'of another tenant' });
    const count = await missesDuring(one, async () => {
      await here.get('/connectors?limit=4');
      await here.get('/tags');
    });
    assert.equal(count, 0);
  });
});

describe('a change is visible at once on the replica that acknowledged it', () => {
  const cases: Record<string, { act: () => Promise<unknown>; look: string[] }> = {
    'of a connector': {
      act: () => here.put(`/flow/connector/${connector.id}`, { description: `changed ${Date.now()}` }),
      look: ['/connectors?limit=3', `/connectors/${connector.id}`, `/connectors/group/${group.id}`],
    },
    'of a tag, where it hangs': {
      act: async () => {
        await here.put(`/groups/${group.id}`, { tagIds: [tag.id] });
        await here.put(`/tags/${tag.id}`, { name: `cached ${Date.now()}` });
      },
      look: ['/tags', `/tags/${tag.id}`, '/groups', `/groups/${group.id}`],
    },
    'of what a child has, to its parent': {
      act: () => reseller.put(`/organisations/${one.organisations.atlas}`, { phone: `+49 ${Date.now() % 1e9}` }),
      look: ['parent /organisations'],
    },
    'by the operator, behind the back of the service': {
      act: () => one.owner.query(`update regions set updated_at = clock_timestamp() where slug = 'europe'`),
      look: ['/regions'],
    },
  };
  for (const [name, { act, look }] of Object.entries(cases))
    test(name, async () => {
      const get = async (path: string) =>
        path.startsWith('parent ') ? (await reseller.get(path.slice(7))).text : (await here.get(path)).text;
      const before = await Promise.all(look.map(get));
      await act();
      for (const [index, path] of look.entries()) assert.notEqual(await get(path), before[index], path);
    });
});

interface Acknowledged {
  at: number;
  number: number;
}

const leastWrites = 40;
const leastMs = 3000;

/** Renames without a pause and records when each name was acknowledged. */
async function rename(client: Client, acknowledged: Acknowledged[]): Promise<void> {
  const from = performance.now();
  while (acknowledged.length < leastWrites || performance.now() - from < leastMs) {
    assert.ok(performance.now() - from < 120_000, `only ${acknowledged.length} writes`);
    const number = (acknowledged.at(-1)?.number ?? 0) + 1;
    const { status } = await client.put(`/tags/${tag.id}`, { description: String(number) });
    if (status === 200) acknowledged.push({ at: performance.now(), number });
  }
}

/** Reads without a pause. A response must not be older than what was acknowledged this long before the request. */
async function follow(
  client: Client,
  isOver: () => boolean,
  acknowledged: Acknowledged[],
  slackMs: number,
): Promise<void> {
  let seen = 0;
  while (!isOver()) {
    const askedMs = performance.now();
    const least = acknowledged.findLast(({ at }) => at <= askedMs - slackMs)?.number ?? 0;
    for (const path of ['/tags', `/tags/${tag.id}`]) {
      const { status, body } = await client.get(path);
      if (status === 503) continue;
      assert.equal(status, 200);
      const found = Array.isArray(body) ? body.find(({ id }: { id: string }) => id === tag.id) : body;
      const number = Number(found.description) || 0;
      assert.ok(number >= least, `${path} shows ${number}, but ${least} was acknowledged ${slackMs} ms before`);
      seen++;
    }
    await pause(1);
  }
  assert.ok(seen > 10, `only ${seen} were read`);
}

/** A writer on one replica and readers on both, while something disturbs the change feed. */
async function race(meanwhile: (isOver: () => boolean) => Promise<void> = async () => undefined): Promise<void> {
  const acknowledged: Acknowledged[] = [];
  let isDone = false;
  const isOver = () => isDone;
  await Promise.all([
    rename(here, acknowledged).finally(() => {
      isDone = true;
    }),
    follow(here, isOver, acknowledged, 0),
    follow(here, isOver, acknowledged, 0),
    follow(there, isOver, acknowledged, 1000),
    follow(there, isOver, acknowledged, 1000),
    meanwhile(isOver),
  ]);
}

const newsPids = async (): Promise<number[]> => {
  const { rows } = await one.owner.query(
    `select pid from pg_stat_activity where application_name = 'patchbay-changes' and datname = current_database()`,
  );
  return rows.map(({ pid }) => pid);
};

test('under load one replica shows every acknowledged write at once, the other within a second', () => race());

test('the same while the connections of the change feed are cut repeatedly', () =>
  race(async (isOver) => {
    for (; !isOver(); await pause(200))
      await one.owner.query('select pg_terminate_backend(pid) from unnest($1::int[]) pid', [await newsPids()]);
  }));

test('the same while they are silent: the cache is disabled, and enabled when they recover', async () => {
  const pids = await newsPids();
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  try {
    await race();
  } finally {
    for (const pid of pids) process.kill(pid, 'SIGCONT');
  }
  await two.service.catchUp();
  await there.get('/tags');
  assert.equal(await missesDuring(two, () => there.get('/tags')), 0);
});

describe('a revoked caller', () => {
  const known = async (f: Fixture, token: string) => (await f.client.get('/tags', { token })).status;
  const signIn = async () => (await one.signIn('viewer@meridian.example')).access_token;
  const viewerId = async (): Promise<string> =>
    (await reseller.get('/users?limit=100')).body.find(
      ({ email }: { email: string }) => email === 'viewer@meridian.example',
    ).id;

  async function revoked(token: string, revoke: () => Promise<{ status: number; text: string }>): Promise<void> {
    // Both replicas have cached it.
    for (const f of [one, two, one, two]) assert.equal(await known(f, token), 200);
    const response = await revoke();
    assert.ok(response.status < 300, response.text);
    const from = performance.now();
    assert.equal(await known(one, token), 401);
    while ((await known(two, token)) !== 401)
      assert.ok(performance.now() - from < 1000, 'it is still let in elsewhere');
  }

  test('with a deleted personal token is rejected at once here, and within a second there', async () => {
    const me = one.client.with({ token: await signIn() });
    const made = await me.post('/personal/tokens', { name: 'short-lived', expiresIn: 3600 });
    assert.ok(made.status < 300, made.text);
    await revoked(made.body.accessToken, () => me.delete(`/personal/tokens/${made.body.id}`));
  });

  test('whose account is disabled is rejected', async () => {
    const id = await viewerId();
    await revoked(await signIn(), () => reseller.put(`/users/${id}`, { enabled: false }));
    await reseller.put(`/users/${id}`, { enabled: true });
  });

  test('whose token has expired is rejected, also where it was cached', async () => {
    const token = await signIn();
    assert.equal(await known(one, token), 200);
    await one.owner.query(
      `update tokens set expires_at = clock_timestamp() + interval '1 second' where user_id = $1 and kind = 'access'`,
      [await viewerId()],
    );
    assert.equal(await known(one, token), 200);
    await pause(1100);
    assert.equal(await known(one, token), 401);
  });
});

test('every table that cached responses depend on notifies of its changes, and no excluded table does', async () => {
  const { rows } = await one.owner.query(
    `select relname, array_agg(distinct tgname::text order by tgname::text) as triggers
     from pg_trigger join pg_class on pg_class.oid = tgrelid
     where tgname like 'tells\\_%' group by relname`,
  );
  const triggersOf = new Map<string, string[]>(rows.map(({ relname, triggers }) => [relname, triggers]));
  for (const table of ['connectors', 'links', 'groups', 'tags', 'roles', 'users'])
    assert.deepEqual(triggersOf.get(table), ['tells_changes', 'tells_comings', 'tells_goings'], table);
  assert.deepEqual(triggersOf.get('tokens'), ['tells_changes', 'tells_goings'], 'a sign-in invalidates nothing');
  for (const table of ['logins', 'login_networks', 'audit', 'metric_batches', 'metric_blocks', 'deployments'])
    assert.ok(!triggersOf.has(table), table);
});
