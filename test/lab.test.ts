// The lab fabric end to end: from the deploy request to a ping between far ends.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { demoPassword } from '../src/demo/demo-world.ts';
import { createClient } from './harness/client.ts';
import { connectorOf, eventually, openDeployableGroup, stepOutcomes } from './harness/deployable-group.ts';
import { walk } from './harness/documented-walk.ts';
import { cleanEnvironment, root, start } from './harness/process.ts';
import { basic, startFixture } from './harness/service.ts';

const run = promisify(execFile);
const f = await startFixture(['--fabric', 'lab']);
after(() => f.close());
const group = await openDeployableGroup(f);
const { admin, connector, createLink, link, deploy, deployLink, readDeployment } = group;

const { rows } = await f.owner.query(`select value from service_facts where name = 'lab instance'`);
const instance: string = rows[0].value;
const namespaces = async (): Promise<string[]> =>
  (await run('ip', ['netns', 'list'])).stdout
    .split('\n')
    .map((line) => line.split(' ')[0] ?? '')
    .filter((name) => name.startsWith(`pb-${instance}-`));
const numberOf = async (id: string): Promise<number> =>
  Number((await f.owner.query('select number from connectors where id = $1', [id])).rows[0].number);
const addressOf = async (id: string): Promise<string> => {
  const number = await numberOf(id);
  return `10.${number >> 8}.${number & 255}.1`;
};
const lookingGlass = async (id: string, command: string, target?: string): Promise<string[]> => {
  const query = `command=${command}${target ? `&target=${target}` : ''}`;
  const response = await admin.get(`/connectors/${id}/looking-glass?${query}`);
  assert.equal(response.status, 200, response.text);
  return response.body.lines;
};
/** Round-trip times of the pings that crossed from one connector's far end to another's. */
const ping = async (from: string, to: string): Promise<number[]> =>
  [...((await lookingGlass(from, 'ping', await addressOf(to)))[0] ?? '').matchAll(/ (\d+(?:\.\d+)?)(?= |$)/g)].map(
    ([, time]) => Number(time),
  );
const command = (...words: string[]) =>
  run(
    process.execPath,
    [join(root, 'src/commands/fabric.ts'), ...words, '--data', f.data, '--database-url', f.databaseUrl],
    { env: cleanEnvironment() },
  );

describe('a link between two regions', { timeout: 600_000 }, () => {
  test('carries pings with the propagation delay, until it is deleted', async () => {
    const { from, to, link: created } = await link();
    const [unlinked, otherGroup] = [await connector('Amsterdam'), await openDeployableGroup(f)];
    const foreign = await otherGroup.connector('Ashburn');
    assert.equal((await deployLink(created.id)).state, 'delivered');
    for (const { id } of [unlinked, foreign]) assert.equal((await deploy(id)).state, 'delivered');
    const { origin, steps } = await readDeployment(created.id, 'link');
    assert.equal(origin, 'lab');
    assert.deepEqual(stepOutcomes(steps).slice(-4), ['plan done', 'apply done', 'verify ends done', 'probe done']);

    // Amsterdam and Ashburn are 6,200 km apart: 40 ms each way in fibre.
    const times = await ping(from.id, to.id);
    assert.equal(times.length, 3);
    for (const time of times) assert.ok(time > 78 && time < 200, `${time} ms`);
    const hops = (await lookingGlass(from.id, 'traceroute', await addressOf(to.id))).slice(1);
    assert.equal(hops.length, 3, hops.join('\n'));

    const prefixes = (await admin.get(`/connectors/${from.id}/prefixes`)).body.prefixes;
    const other = prefixes.filter((one: { connectorId: string }) => one.connectorId === to.id);
    assert.deepEqual(
      other.map((one: { prefix: string; path: string; interface: string }) => [one.path, one.interface[0]]),
      [
        ['64710', 'l'],
        ['64710', 'l'],
      ],
    );
    assert.ok(other.some((one: { prefix: string }) => one.prefix.startsWith('10.')));

    assert.deepEqual(await ping(unlinked.id, from.id), [], 'unlinked, on the same router');
    assert.deepEqual(await ping(from.id, unlinked.id), []);
    assert.deepEqual(await ping(foreign.id, to.id).catch(() => 'refused'), [], 'in another group');

    assert.equal((await admin.delete(`/flow/link/${created.id}`)).status, 200);
    await eventually(
      () => ping(from.id, to.id),
      (seen) => seen.length === 0,
    );
  });

  test('is not transitive, even for a far end with a manually added route', async () => {
    const [a, b, c] = [await connector('Amsterdam'), await connector('Amsterdam'), await connector('Amsterdam')];
    assert.equal((await deployLink((await createLink(a, b)).id)).state, 'delivered');
    assert.equal((await deployLink((await createLink(b, c)).id)).state, 'delivered');
    assert.equal((await ping(a.id, b.id)).length, 3, 'within a router');
    assert.deepEqual(await ping(a.id, c.id), [], 'links are not transitive');
    const far = `pb-${instance}-f${await numberOf(a.id)}`;
    const [{ customerAddress }] = [(await admin.get(`/flow/connector/${a.id}`)).body.read.csp.providerA];
    const via = customerAddress.split('/')[0];
    await run('ip', [
      '-n',
      far,
      'route',
      'add',
      `${await addressOf(c.id)}/32`,
      'via',
      via,
      'src',
      await addressOf(a.id),
    ]);
    assert.deepEqual(await ping(a.id, c.id), [], 'the router uses only the table of connector a');
  });

  test('is delivered for every connector kind, shaped to its bandwidth', async () => {
    const pairs: [string, object][] = [
      ['providerAHostedConnection', { asNumber: 4200000710, providerAAccount: 7, portSpeed: '50Mbps' }],
      ['providerB', { serviceKey: 'a "quoted" key; }' }],
      ['providerC', { pairingKey: 'pair/ing"key\\', bandwidth: 'BPS_10G', med: 77 }],
    ];
    const hub = await connector('Ashburn');
    for (const [family, fields] of pairs) {
      const end = await connector('Amsterdam', fields, family);
      const created = await createLink(end, hub);
      assert.equal((await deployLink(created.id)).state, 'delivered', family);
      // The deployments of a link and of its connectors are verified independently.
      const { routerInterface, bandwidth } = await eventually(
        async () => (await admin.get(`/connectors/${end.id}`)).body,
        ({ state }) => state === 'delivered',
      );
      assert.equal(routerInterface.length, family === 'providerB' ? 2 : 1);
      const router = (
        await f.owner.query(
          'select routers.number from connectors join routers on routers.id = router_id where connectors.id = $1',
          [end.id],
        )
      ).rows[0].number;
      const { stdout } = await run('tc', [
        '-n',
        `pb-${instance}-r${router}`,
        '-j',
        'qdisc',
        'show',
        'dev',
        routerInterface[0],
      ]);
      assert.equal(JSON.parse(stdout)[0].options.rate * 8, bandwidth, family);
    }
  });
});

describe('a far end with a fault', { timeout: 600_000, concurrency: true }, () => {
  const causes: [string, RegExp, RegExp][] = [
    ['key', /keys \(MD5\) of the two sides differ/, /Compare|agree/],
    ['asn', /another AS number than AS64710/, /AS64710/],
    ['down', /does not answer on the cable/, /port/],
    ['flood', /more than 100 prefixes/, /aggregate/],
  ];
  for (const [kind, cause, advice] of causes)
    test(`(${kind}) is KO with the right cause, and recovers without it`, async () => {
      const { id } = await connector();
      await deploy(id);
      // Several concurrent deployments on a busy machine may outlast the request.
      await eventually(connectorOf(admin, id), ({ state }) => state === 'delivered', 40);
      await command('fault', '--connector', id, '--kind', kind);
      const failed = await eventually(
        () => readDeployment(id),
        (deployment) => cause.test(deployment.cause ?? ''),
        40,
      );
      assert.match(failed.advice, advice);
      assert.equal((await connectorOf(admin, id)()).status, 2);
      await command('fault', '--connector', id, '--kind', 'none');
      await eventually(connectorOf(admin, id), ({ status }) => status === 0, 40);
      assert.equal((await readDeployment(id)).cause, null);
    });
  test('from the start leaves the connector deployed and KO, and delivered without it', async () => {
    const { id } = await connector();
    await command('fault', '--connector', id, '--kind', 'asn');
    await deploy(id);
    const { state, status } = await eventually(connectorOf(admin, id), (seen) => seen.state !== 'in-deployment');
    assert.deepEqual([state, status], ['deployed', 2]);
    await command('fault', '--connector', id, '--kind', 'none');
    await eventually(connectorOf(admin, id), (seen) => seen.state === 'delivered' && seen.status === 0, 40);
  });
});

describe('the lab fabric', { timeout: 600_000 }, () => {
  test('passes the documented walk through the life of a link', () => walk(f, 'inventory-walk.md'));

  test('of another service on this machine is separate', async () => {
    const before = await namespaces();
    const second = await startFixture(['--fabric', 'lab']);
    try {
      const other = await openDeployableGroup(second);
      assert.equal((await other.deployLink((await other.link()).link.id)).state, 'delivered');
    } finally {
      await second.close();
    }
    // The far ends of connectors that were deleted meanwhile may be gone.
    const { rows: connectors } = await f.owner.query('select number from connectors');
    const expected = new Set(connectors.map(({ number }) => `pb-${instance}-f${number}`));
    const after = new Set(await namespaces());
    const lost = before.filter((name) => !after.has(name) && (expected.has(name) || /(core|relay)$/.test(name)));
    assert.deepEqual(lost, [], 'the other service removed only its own namespaces');
  });

  test('works without root in a user namespace, and leaves no process behind', async () => {
    const data = await mkdtemp(join(tmpdir(), 'pbuser-'));
    // Root maps itself to the unprivileged user nobody, which still owns its files.
    const wrapper = ['unshare', '--user', '--map-user=65534', '--map-group=65534', '--'];
    const running = await start(data, { args: ['--fabric', 'lab'], ...(process.getuid?.() === 0 ? { wrapper } : {}) });
    try {
      const client = createClient(running.url, await running.ca());
      const signIn = {
        grant_type: 'password',
        scope: 'everything',
        password: demoPassword,
        username: 'admin@atlas.example',
      };
      const token = (await client.post('/auth/token', signIn, { basic })).body.access_token;
      const user = client.with({ token });
      const [{ id: group }] = (await user.get('/groups')).body;
      const [first] = (await user.get(`/link/group/${group}`)).body;
      await user.post(`/flow/link/${first.id}/set-in-deployment`, {});
      const { steps } = await eventually(
        async () => (await user.get(`/flow/link/${first.id}/deployment`)).body,
        ({ state }) => state === 'delivered',
      );
      assert.match(steps.at(-1).message, /^A probe crossed from far end to far end and back in [\d.]+ ms/);
      const routes = await user.get(`/connectors/${first.from}/looking-glass?command=routes`);
      assert.equal(routes.body.origin, 'lab');
      client.close();
    } finally {
      running.child.kill('SIGTERM');
      await running.exited;
    }
    const leftover = (await run('ps', ['-eo', 'args'])).stdout.split('\n').filter((line) => line.includes(data));
    assert.deepEqual(leftover, []);
    await rm(data, { recursive: true, force: true });
  });

  test('never shows a BGP key', async () => {
    const site = (await admin.get('/cloud-appliances')).body[0];
    const key = 'very secret "key" 1';
    const created = await admin.post('/flow/connector/auto-deploy', {
      name: 'secret-site',
      groupId: group.groupId,
      entreprise: { cloudApplianceID: site.id, vlan: 3999, customerASN: 65010, cmeBGPKey: key },
    });
    await eventually(connectorOf(admin, created.body.id), ({ state }) => state === 'delivered');
    const shown = JSON.stringify([
      await lookingGlass(created.body.id, 'neighbours'),
      await lookingGlass(created.body.id, 'routes'),
      await readDeployment(created.body.id),
      (await command('observe')).stdout,
    ]);
    assert.ok(!shown.includes('very secret'));
    for (const namespace of await namespaces()) {
      const file = join(f.data, 'lab', `${namespace.split('-')[2]}.conf`);
      assert.ok(!(await readFile(file, 'utf8').catch(() => '')).includes('very secret'), namespace);
    }
  });
});
