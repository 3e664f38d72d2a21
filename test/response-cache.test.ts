// Answers that are kept, with two services on one database: never stale where a write was acknowledged, and elsewhere for a second at the most, whatever
// happens to the connection that brings the news.
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

/** How often the service had to look for what is asked for here. */
async function readings(f: Fixture, work: () => Promise<unknown>): Promise<number> {
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
const tag = (await here.post('/tags', { name: 'kept' })).body;
const capacity = (await here.get('/capacities/available')).body[0];

/** Every route whose answers are kept, as the document of the API says it. */
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

describe('an answer', () => {
  for (const path of Object.values(examples))
    test(`${path.replace(/[0-9a-f-]{36}/, '…')} is kept: the second time nothing is read, and it is the same`, async () => {
      await one.service.catchUp();
      const first = await here.get(path);
      assert.equal(first.status, 200, first.text);
      let second = first;
      assert.equal(
        await readings(one, async () => {
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

  test('is not given to another organisation, nor to who may not see it', async () => {
    const path = `/connectors/${connector.id}`;
    assert.equal((await here.get(path)).status, 200);
    const stranger = await one.as('admin@boreal.example');
    assert.equal((await stranger.get(path)).status, 404);
    const asParent = reseller.with({ scope: one.organisations.atlas });
    assert.equal((await asParent.get(path)).body.id, connector.id);
    const policies = [{ act: 'GET', eft: 'allow', obj: '/tags', res: 'tags:read:organisation' }];
    assert.equal((await here.post('/acl/roles', { role: 'tag-reader', policies })).status, 201);
    const passphrase = 'a lantern over seven quiet fields';
    const user = { email: 'tags@kept.example', lastName: 'Reader', password: passphrase, role: 'tag-reader' };
    assert.equal((await here.post('/users', user)).status, 201);
    const reader = here.with({ token: (await one.signIn(user.email, passphrase)).access_token });
    assert.equal((await reader.get('/tags')).status, 200);
    assert.equal((await reader.get(path)).status, 403);
    await here.put('/acl/roles/tag-reader', { policies: [{ ...policies[0], eft: 'deny' }] });
    assert.equal((await reader.get('/tags')).status, 403, 'from the moment the role may do less');
    assert.equal((await one.client.get(path)).status, 401);
  });

  test('that refuses is not kept', async () => {
    const missing = '/connectors/6b1f2c52-2f51-4d0e-8a55-1f0d8f9d5b21';
    for (let n = 0; n < 2; n++) assert.equal(await readings(one, () => here.get(missing)), 1);
    assert.equal((await here.get('/connectors?limit=0')).status, 400);
  });

  test('is each caller’s own where many share a connection, as behind a proxy', async () => {
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
    // All are known, and the connection has asked for something whole, before one of them leaves.
    for (const [count, who] of [0, 1, 2].entries())
      for (ask(who); received.split('HTTP/1.1 200').length - 1 <= count; ) await pause(5);
    assert.equal((await here.delete(`/personal/tokens/${leaving.id}`)).status, 204);
    const told = await Promise.all(callers.map((token) => one.client.get(path, { token })));
    assert.deepEqual(
      told.map(({ status }) => status),
      [200, 200, 401, 401],
    );
    assert.notEqual(told[0]?.text, told[1]?.text);

    // Each after itself and after each other, and the forged one after the one that it was made of.
    const turns = [2, 0, 0, 3, 0, 1, 1, 3, 3, 1, 2, 2, 3, 2, 1, 0, 2, 0];
    received = '';
    const reading = readAll(socket);
    for (const who of turns) ask(who);
    ask(0, 'connection: close\r\n');
    const answers = splitResponses(await reading);
    for (const [n, who] of [...turns, 0].entries()) {
      assert.equal(answers[n]?.status, told[who]?.status, `answer ${n}`);
      if (told[who]?.status === 200) assert.equal(answers[n]?.text, told[who]?.text, `answer ${n}`);
    }
    assert.equal(answers.length, turns.length + 1);
  });

  test('is made once for those who ask for it together', async () => {
    await one.service.catchUp();
    await here.put(`/tags/${tag.id}`, { description: 'touched' });
    const count = await readings(one, () => Promise.all(Array.from({ length: 20 }, () => here.get('/tags'))));
    assert.ok(count <= 3, `${count} readings for 20 who asked at once`);
  });

  test('stays while people sign in, telemetry arrives, statuses stay as they are, and others are changed', async () => {
    await one.service.catchUp();
    await here.get('/connectors?limit=4');
    await here.get('/tags');
    await one.signIn('admin@atlas.example');
    await one.owner.query('update connectors set reported_at = clock_timestamp() where organisation_id = $1', [
      one.organisations.atlas,
    ]);
    await one.owner.query('update connectors set status = status');
    await (await one.as('admin@boreal.example')).post('/tags', { name: 'somebody else’s' });
    const count = await readings(one, async () => {
      await here.get('/connectors?limit=4');
      await here.get('/tags');
    });
    assert.equal(count, 0);
  });
});

describe('a change is seen at once where it was acknowledged', () => {
  const cases: Record<string, { act: () => Promise<unknown>; look: string[] }> = {
    'of a connector': {
      act: () => here.put(`/flow/connector/${connector.id}`, { description: `changed ${Date.now()}` }),
      look: ['/connectors?limit=3', `/connectors/${connector.id}`, `/connectors/group/${group.id}`],
    },
    'of a tag, where it hangs': {
      act: async () => {
        await here.put(`/groups/${group.id}`, { tagIds: [tag.id] });
        await here.put(`/tags/${tag.id}`, { name: `kept ${Date.now()}` });
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

/** Renames without a pause, and tells what was acknowledged when, until there was enough of it. */
async function rename(client: Client, acknowledged: Acknowledged[]): Promise<void> {
  const from = performance.now();
  while (acknowledged.length < leastWrites || performance.now() - from < leastMs) {
    assert.ok(performance.now() - from < 120_000, `only ${acknowledged.length} writes`);
    const number = (acknowledged.at(-1)?.number ?? 0) + 1;
    const { status } = await client.put(`/tags/${tag.id}`, { description: String(number) });
    if (status === 200) acknowledged.push({ at: performance.now(), number });
  }
}

/** Reads without a pause while somebody writes; what is seen must be no older than what was acknowledged so long before it was asked for. */
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

/** One who writes here, and readers here and there; meanwhile something happens to those who bring the news. */
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

test('writers and readers race: here nothing acknowledged is missing, there after a second at the latest', () =>
  race());

test('also while the connections that bring the news are cut, again and again', () =>
  race(async (isOver) => {
    for (; !isOver(); await pause(200))
      await one.owner.query('select pg_terminate_backend(pid) from unnest($1::int[]) pid', [await newsPids()]);
  }));

test('also while they are silent: nothing is trusted then, and it is again when they speak', async () => {
  const pids = await newsPids();
  for (const pid of pids) process.kill(pid, 'SIGSTOP');
  try {
    await race();
  } finally {
    for (const pid of pids) process.kill(pid, 'SIGCONT');
  }
  await two.service.catchUp();
  await there.get('/tags');
  assert.equal(await readings(two, () => there.get('/tags')), 0);
});

describe('who is revoked', () => {
  const known = async (f: Fixture, token: string) => (await f.client.get('/tags', { token })).status;
  const signIn = async () => (await one.signIn('viewer@meridian.example')).access_token;
  const viewerId = async (): Promise<string> =>
    (await reseller.get('/users?limit=100')).body.find(
      ({ email }: { email: string }) => email === 'viewer@meridian.example',
    ).id;

  async function revoked(token: string, revoke: () => Promise<{ status: number; text: string }>): Promise<void> {
    // Both have it in mind.
    for (const f of [one, two, one, two]) assert.equal(await known(f, token), 200);
    const answer = await revoke();
    assert.ok(answer.status < 300, answer.text);
    const from = performance.now();
    assert.equal(await known(one, token), 401);
    while ((await known(two, token)) !== 401)
      assert.ok(performance.now() - from < 1000, 'it is still let in elsewhere');
  }

  test('by deleting a personal token is out here at once, and there within a second', async () => {
    const me = one.client.with({ token: await signIn() });
    const made = await me.post('/personal/tokens', { name: 'short-lived', expiresIn: 3600 });
    assert.ok(made.status < 300, made.text);
    await revoked(made.body.accessToken, () => me.delete(`/personal/tokens/${made.body.id}`));
  });

  test('by being disabled is out', async () => {
    const id = await viewerId();
    await revoked(await signIn(), () => reseller.put(`/users/${id}`, { enabled: false }));
    await reseller.put(`/users/${id}`, { enabled: true });
  });

  test('by its time is out, also where it was let in a moment ago', async () => {
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

test('every table that a kept answer may be made of tells its changes, and those that must not tell do not', async () => {
  const { rows } = await one.owner.query(
    `select relname, array_agg(distinct tgname::text order by tgname::text) as triggers from pg_trigger join pg_class on pg_class.oid = tgrelid
     where tgname like 'tells\\_%' group by relname`,
  );
  const told = new Map<string, string[]>(rows.map(({ relname, triggers }) => [relname, triggers]));
  for (const table of ['connectors', 'links', 'groups', 'tags', 'roles', 'users'])
    assert.deepEqual(told.get(table), ['tells_changes', 'tells_comings', 'tells_goings'], table);
  assert.deepEqual(told.get('tokens'), ['tells_changes', 'tells_goings'], 'signing in changes nothing');
  for (const table of ['logins', 'audit', 'metric_batches', 'metric_blocks', 'deployments'])
    assert.ok(!told.has(table), table);
});
