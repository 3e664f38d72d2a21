// Connectors through the HTTP API: creation, deployment, update and deletion.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../../../test/harness/client.ts';
import { deploy, waitForDeployment, withBlockedFabric } from '../../../test/harness/deployable-group.ts';
import { root } from '../../../test/harness/process.ts';
import { fixture } from '../../../test/harness/service.ts';

const f = await fixture();
const { atlas } = f.organisations;
const parent = await f.as('admin@meridian.example');
const admin = await f.as('admin@atlas.example');
const destinations = (await admin.get('/cloud-gateways-types')).body.cloudGatewayTypes;
const destination = (family: string, region = 'europe'): string =>
  destinations.find(
    (one: { region: string; family: { shortName: string } }) =>
      one.family.shortName === family && one.region === region,
  ).id;
const [appliance] = (await admin.get('/cloud-appliances')).body;
const group = (await admin.post('/groups', { name: 'connectors-test' })).body;
const pool = async (family: string, region = 'europe') =>
  (await admin.get(`/organisations/${atlas}/products/${family}/${region}`)).body;
const setPoolTotal = async (family: string, total = 100, region = 'europe') => {
  const response = await parent.put(`/organisations/${atlas}/products/${family}/${region}`, { total });
  assert.equal(response.status, 200, response.text);
};
for (const family of ['providerA', 'providerAHostedConnection', 'providerB', 'providerC']) await setPoolTotal(family);

const onA = (name: string, more: object = {}, groupId = group.id) => ({
  name,
  groupId,
  csp: { cloudDestinationID: destination('providerA'), providerA: { asNumber: 64710, providerAAccount: 42, ...more } },
});
const onC = { cloudDestinationID: destination('providerC'), providerC: { pairingKey: 'pairing key' } };
const site = (name: string, vlan: number, more: object = {}) => ({
  name,
  groupId: group.id,
  entreprise: { cloudApplianceID: appliance.id, vlan, customerASN: 65010, ...more },
});
const create = async (body: object, client: Client = admin) => {
  const response = await client.post('/flow/connector/set-registered', body);
  assert.equal(response.status, 200, response.text);
  return response.body;
};
const model = async (id: string, client: Client = admin) => (await client.get(`/flow/connector/${id}`)).body;
const jobs = async (id: string): Promise<number> =>
  (await f.owner.query(`select from pgboss.job where name = 'deploy' and data ->> 'id' = $1`, [id])).rowCount ?? 0;
const settled = async (id: string) => {
  for (const until = Date.now() + 60_000; Date.now() < until; await pause(50)) {
    const { body } = await admin.get(`/connectors/${id}`);
    if (body.state !== 'in-deployment') return body;
  }
  return assert.fail('still in deployment after 60 s');
};
const setState = (id: string, state: string) =>
  f.owner.query('update connectors set state = $2 where id = $1', [id, state]);

describe('creation', () => {
  test('a provider’s connector is placed in its destination’s region and takes one product', async () => {
    const { used } = await pool('providerA');
    const created = await create(onA('create-a'));
    assert.deepEqual(
      [created.connectorType, created.slug, created.region, created.state, created.status, created.bandwidth],
      ['cloudGateway', 'europe', 'Europe', 'registered', 3, 1e9],
    );
    assert.equal((await pool('providerA')).used, used + 1);
    assert.equal(await jobs(created.id), 0, 'it is not deployed yet');
    assert.deepEqual((await admin.get(`/connectors/${created.id}`)).body, created);
  });
  test('the platform fills in unique addresses, AS number and description', async () => {
    const created = [await create(onA('fill-1')), await create(onA('fill-2'))];
    const read = await Promise.all(created.map(async ({ id }) => (await model(id)).read.csp.providerA));
    for (const one of read) {
      assert.match(one.providerAAddress, /^100\.\d+\.\d+\.\d+\/30$/);
      assert.equal(one.platformAsNumber, 64512);
      assert.equal(one.dxvif, null);
    }
    assert.equal(new Set(read.flatMap((one) => [one.providerAAddress, one.customerAddress])).size, 4);
    assert.match(created[0].description, /^To Amsterdam, AMS1$/);
    const one = await create(onA('fill-3', { customerAddress: '169.254.9.2/30' }));
    assert.equal((await model(one.id)).read.csp.providerA.providerAAddress, '169.254.9.1/30');
    const hosted = await create({
      name: 'fill-4',
      groupId: group.id,
      csp: {
        cloudDestinationID: destination('providerAHostedConnection'),
        providerAHostedConnection: { asNumber: 4200000001, providerAAccount: '000000000042' },
      },
    });
    const { portSpeed, providerAAccount, asNumber } = (await model(hosted.id)).read.csp.providerAHostedConnection;
    assert.deepEqual([portSpeed, providerAAccount, asNumber, hosted.bandwidth], ['50Mbps', 42, 4200000001, 50e6]);
  });
  test('the platform’s AS number that is filled in differs from the caller’s, also after a change', async () => {
    const numbersOf = async (id: string): Promise<number[]> => {
      const { csp, entreprise } = (await model(id)).write;
      return csp
        ? [csp.providerA.asNumber, csp.providerA.platformAsNumber]
        : [entreprise.customerASN, entreprise.serviceCloudApplianceASN];
    };
    const internal = await create(onA('as-1', { asNumber: 64512 }));
    assert.deepEqual(await numbersOf(internal.id), [64512, 64513]);
    const own = await create(site('as-2', 3005, { customerASN: 64512 }));
    assert.deepEqual(await numbersOf(own.id), [64512, 64513]);
    const changed = await create(onA('as-3'));
    assert.deepEqual(await numbersOf(changed.id), [64710, 64512]);
    const path = `/flow/connector/${changed.id}`;
    assert.equal((await admin.put(path, { csp: { providerA: { asNumber: 64512 } } })).status, 200);
    assert.deepEqual(await numbersOf(changed.id), [64512, 64513]);
    const given = await create(onA('as-4', { asNumber: 64512, platformAsNumber: 64512 }));
    assert.deepEqual(await numbersOf(given.id), [64512, 64512], 'a given number is the caller’s choice');
    const elsewhere = await create(onA('as-5', { platformAsNumber: 65001 }));
    const taken = { csp: { providerA: { asNumber: 65001 } } };
    assert.equal((await admin.put(`/flow/connector/${elsewhere.id}`, taken)).status, 200);
    assert.deepEqual(await numbersOf(elsewhere.id), [65001, 65001], 'a given number stays');
  });
  test('a site’s connector takes no product, has its appliance’s region and adds a virtual interface', async () => {
    const created = await create(site('site-1', 3001, { cmeBGPKey: 'a key of a site' }));
    assert.deepEqual([created.connectorType, created.slug], ['virtualGateway', appliance.region]);
    const read = (await admin.get(`/cloud-appliances/${appliance.id}`)).body;
    const one = Object.values(read.cloudVirtualInterfaces).find(
      (item) => (item as { GatewayID: string }).GatewayID === created.connectorTypeId,
    ) as { id: string; custParameters: { vlanID: number } };
    assert.equal(one.custParameters.vlanID, 3001);
    const path = `/cloud-appliances/${appliance.id}/cloud-virtual-interfaces/${one.id}`;
    assert.deepEqual((await admin.get(path)).body, one);
    assert.equal((await admin.delete(`/flow/connector/${created.id}`)).status, 200);
    assert.equal((await admin.get(path)).status, 404);
  });
  test('fails with 402 if the pool is empty, and a failed creation returns its product', async () => {
    const { used } = await pool('providerC');
    await setPoolTotal('providerC', used);
    const csp = { cloudDestinationID: destination('providerC'), providerC: { pairingKey: 'pairing key' } };
    const response = await admin.post('/flow/connector/set-registered', { name: 'none', groupId: group.id, csp });
    assert.deepEqual([response.status, response.body.code], [402, 'NotEnoughSpareProducts']);
    await setPoolTotal('providerC', used + 1);
    const refused = await admin.post('/flow/connector/set-registered', { name: 'create-a', groupId: group.id, csp });
    assert.deepEqual([refused.status, refused.body.code], [409, 'NameTaken']);
    assert.equal((await pool('providerC')).used, used);
    assert.deepEqual((await admin.post('/flow/connector/check-name', { name: 'none' })).body, { name: 'none' });
    assert.equal((await admin.post('/flow/connector/check-name', { name: 'create-a' })).status, 409);
    const created = await create({ name: 'none', groupId: group.id, csp });
    await admin.delete(`/flow/connector/${created.id}`);
  });
  test('alternative names of groupId and entreprise are accepted', async () => {
    const { groupId, entreprise, ...rest } = site('spelt', 3002);
    const created = await create({ ...rest, groupID: groupId, enterprise: entreprise });
    const { read } = await model(created.id);
    assert.deepEqual([read.groupId, read.groupID, read.entreprise.vlan], [group.id, group.id, 3002]);
    const two = await admin.post('/flow/connector/set-registered', { ...site('spelt-2', 3003), groupID: created.id });
    assert.deepEqual([two.status, two.body.details[0].path], [400, 'groupID']);
  });
});

describe('creation with deployment', () => {
  test('responds when the connector is delivered, and writes two audit entries', async () => {
    const response = await admin.post('/flow/connector/auto-deploy', onA('auto'));
    assert.deepEqual(
      [response.status, response.body.state, response.body.status],
      [200, 'delivered', 0],
      response.text,
    );
    assert.equal(await jobs(response.body.id), 1);
    const entries = (await admin.get('/audit?limit=2')).body.map(
      (entry: { action: string; serviceName: string }) => `${entry.action} ${entry.serviceName}`,
    );
    assert.deepEqual(entries, ['deploy auto', 'create auto']);
  });
  test('repeated with the same Idempotency-Key creates one connector', async () => {
    const headers = { 'idempotency-key': 'connector once' };
    const [one, two] = [
      await admin.post('/flow/connector/set-registered', onA('once'), { headers }),
      await admin.post('/flow/connector/set-registered', onA('once'), { headers }),
    ];
    assert.deepEqual([one.status, two.status], [200, 200]);
    assert.deepEqual(two.body, one.body);
  });
  test('needs the permissions to write and to deploy', async () => {
    const secret = 'tidal lantern orbit cedar';
    for (const [role, actions] of [
      ['writer', ['write']],
      ['deployer', ['deploy']],
    ] as const) {
      const policies = ['read', ...actions].map((action) => ({
        act: '*',
        eft: 'allow',
        obj: '/*',
        res: `connectors:${action}:organisation`,
      }));
      await admin.post('/acl/roles', { role, policies });
      await admin.post('/users', { email: `${role}@connectors.example`, lastName: role, password: secret, role });
      const client = f.client.with({ token: (await f.signIn(`${role}@connectors.example`, secret)).access_token });
      const response = await client.post('/flow/connector/auto-deploy', onA(`by-${role}`));
      assert.deepEqual([response.status, response.body.code], [403, 'Forbidden'], role);
      const { id } = (await admin.get('/connectors?limit=1')).body[0];
      const { actions: may } = await model(id, client);
      assert.deepEqual(may.includes('update'), role === 'writer');
    }
  });
});

describe('deployment', () => {
  test('twenty concurrent requests result in one job', async () => {
    const created = await create(onA('twenty'));
    // A request after the end of the deployment would start another one.
    const responses = await withBlockedFabric(f, () =>
      Promise.all(Array.from({ length: 20 }, () => admin.post(`/flow/connector/${created.id}/set-in-deployment`, {}))),
    );
    for (const { status, body } of responses) assert.deepEqual([status, body.state], [200, 'in-deployment']);
    assert.equal((await waitForDeployment(admin, 'connector', created.id)).state, 'delivered');
    assert.equal(await jobs(created.id), 1);
    const { steps } = (await admin.get(`/flow/connector/${created.id}/deployment`)).body;
    assert.deepEqual(
      steps.map((step: { name: string }) => step.name),
      ['order', 'plan', 'apply', 'verify'],
    );
  });
  test('is possible again after an error', async () => {
    const created = await create(onA('again'));
    await setState(created.id, 'error');
    assert.deepEqual((await model(created.id)).actions, ['update', 'delete', 'deploy']);
    assert.equal((await deploy(admin, 'connector', created.id)).state, 'delivered');
  });
  test('shows the router interface, the BGP session and the values that the provider assigned', async () => {
    const { id } = (await admin.post('/flow/connector/auto-deploy', onA('shown'))).body;
    const { routerInterface, bgpDescriptions } = (await admin.get(`/connectors/${id}`)).body;
    assert.match(routerInterface.join(), /^c\d+$/);
    assert.match(bgpDescriptions.join(), /^AS64512 100\.[\d.]+ – AS64710 100\.[\d.]+$/);
    assert.match((await model(id)).read.csp.providerA.dxvif, /^dxvif-[a-z0-9]{8}$/);
  });
  test('of a hosted connection shows the addresses of its session without a prefix length', async () => {
    const providerAHostedConnection = { asNumber: 64710, providerAAccount: 42 };
    const csp = { cloudDestinationID: destination('providerAHostedConnection'), providerAHostedConnection };
    const body = { name: 'hosted-addresses', groupId: group.id, csp };
    const created = await admin.post('/flow/connector/auto-deploy', body);
    assert.equal(created.body.state, 'delivered', created.text);
    const path = `/flow/connector/${created.body.id}`;
    const { read } = (await admin.get(path)).body;
    const { customerPeerIP, providerAPeerIP } = read.csp.providerAHostedConnection;
    for (const shown of [customerPeerIP, providerAPeerIP]) assert.match(shown, /^100(\.\d+){3}$/);
    assert.notEqual(customerPeerIP, providerAPeerIP);
    const { steps } = (await admin.get(`${path}/deployment`)).body;
    const messages = steps.map(({ message }: { message: string | null }) => message).join();
    assert.ok(messages.includes(customerPeerIP) && !messages.includes(`${customerPeerIP}/`), messages);
    assert.equal((await admin.put(path, read)).status, 200, 'a read sent back');
    assert.deepEqual((await admin.get(path)).body.read, read);
  });
});

describe('update', () => {
  test('leaves absent fields unchanged, merges the others and resets cleared fields to their default', async () => {
    const created = await create(
      onA('merge', { providerAAddress: '169.254.30.1/30', customerAddress: '169.254.30.2/30' }),
    );
    const path = `/flow/connector/${created.id}`;
    const changed = await admin.put(path, { name: 'merged', csp: { providerA: { asNumber: 64999 } } });
    assert.deepEqual([changed.body.name, changed.body.description], ['merged', created.description]);
    const { providerA } = (await model(created.id)).write.csp;
    assert.deepEqual([providerA.asNumber, providerA.providerAAddress], [64999, '169.254.30.1/30']);
    await admin.put(path, { description: null, csp: { providerA: { providerAAddress: null, customerAddress: null } } });
    const after = await model(created.id);
    assert.equal(after.read.description, null);
    assert.match(after.read.csp.providerA.providerAAddress, /^100\./);
    assert.equal(after.read.csp.providerA.asNumber, 64999);
    // Validation applies to the merged values, not only to the fields sent.
    const half = await admin.put(path, { csp: { providerA: { customerAddress: '10.0.0.2/30' } } });
    assert.deepEqual([half.status, half.body.details[0].path], [400, 'csp.providerA.customerAddress']);
  });
  test('deploys again only if the connector was deployed and the change affects the fabric', async () => {
    const created = await create(onA('redeploy'));
    const path = `/flow/connector/${created.id}`;
    await admin.put(path, { csp: { providerA: { asNumber: 64800 } } });
    assert.deepEqual([(await model(created.id)).state, await jobs(created.id)], ['registered', 0]);
    await setState(created.id, 'delivered');
    await admin.put(path, { description: 'only words' });
    assert.deepEqual([(await model(created.id)).state, await jobs(created.id)], ['delivered', 0]);
    assert.equal((await admin.put(path, { csp: { providerA: { asNumber: 64801 } } })).body.state, 'in-deployment');
    assert.equal(await jobs(created.id), 1);
  });
  test('during a deployment is applied as well: the fabric converges to the last update', async () => {
    const { id } = (await admin.post('/flow/connector/auto-deploy', onA('busy'))).body;
    for (const asNumber of [64810, 64811, 64812]) {
      const { status, body } = await admin.put(`/flow/connector/${id}`, { csp: { providerA: { asNumber } } });
      assert.deepEqual([status, body.state], [200, 'in-deployment']);
    }
    assert.match((await settled(id)).bgpDescriptions.join(), /AS64812/);
  });
  test('fails with a stale If-Match; a change of state does not make the ETag stale', async () => {
    const created = await create(onA('match'));
    const path = `/flow/connector/${created.id}`;
    const { etag = '' } = (await admin.get(path)).headers;
    await setState(created.id, 'deployed');
    assert.equal((await admin.put(path, { name: 'match-1' }, { headers: { 'if-match': etag } })).status, 200);
    assert.equal((await admin.put(path, { name: 'match-2' }, { headers: { 'if-match': etag } })).status, 412);
    assert.equal((await admin.delete(path, { headers: { 'if-match': etag } })).status, 412);
  });
  test('accepts a free VLAN and rejects one in use', async () => {
    const [one] = [await create(site('vlan-1', 3101)), await create(site('vlan-2', 3102))];
    const path = `/flow/connector/${one.id}`;
    const taken = await admin.put(path, { entreprise: { vlan: 3102 } });
    assert.deepEqual([taken.status, taken.body.code], [409, 'VlanTaken']);
    assert.equal((await admin.put(path, { entreprise: { vlan: 3103 } })).status, 200);
    assert.equal((await model(one.id)).read.entreprise.vlan, 3103);
  });
});

test('the audit record of an update names changed fields and masks secrets', async () => {
  const { id } = await create({
    name: 'audited',
    groupId: group.id,
    csp: { cloudDestinationID: destination('providerC'), providerC: { pairingKey: 'the f1rst key' } },
  });
  const change = { name: 'audited twice', csp: { providerC: { pairingKey: 'the s3cond key' } } };
  assert.equal((await admin.put(`/flow/connector/${id}`, change)).status, 200);
  const { body, text } = await admin.get('/audit?serviceType=connector&action=update&limit=1');
  assert.deepEqual(body[0].changes, [
    { path: 'name', before: 'audited', after: 'audited twice' },
    { path: 'pairingKey', before: '***', after: '***' },
  ]);
  assert.doesNotMatch(text, /f1rst|s3cond/);
  assert.equal((await admin.delete(`/flow/connector/${id}`)).status, 200);
});

describe('addresses that the platform chooses', () => {
  const blocks = async (): Promise<{ drawn: string; held: number }> =>
    (
      await f.owner.query(`select (select last_value from address_blocks) as drawn,
        (select count(*)::int from connector_address_blocks) as held`)
    ).rows[0];
  const post = (body: object, path = 'set-registered') => admin.post(`/flow/connector/${path}`, body);
  const blockOf = async (id: string): Promise<number> =>
    (await f.owner.query('select block from connector_address_blocks where connector_id = $1', [id])).rows[0]?.block;
  const addressOf = async (id: string): Promise<string> => (await model(id)).read.csp.providerA.providerAAddress;

  test('are not used up by refused creations, nor by checks and updates without a change', async () => {
    await create(onA('name-in-use'));
    await create(site('vlan-in-use', 3301));
    const before = await blocks();
    const absent = '0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10';
    const refused: [object, number][] = [
      [onA('drawn', {}, absent), 404],
      [onA('drawn', { asNumber: 0 }), 400],
      [onA('name-in-use'), 409],
      [site('drawn', 3301), 409],
      [{ ...onA('drawn'), tagIds: [absent] }, 404],
    ];
    for (const [body, status] of refused) assert.equal((await post(body)).status, status);
    assert.equal((await post(onA('drawn'), 'check')).status, 200);
    const { id } = await create({
      name: 'no-addresses',
      groupId: group.id,
      csp: { cloudDestinationID: destination('providerC'), providerC: { pairingKey: 'pairing key' } },
    });
    assert.equal((await admin.put(`/flow/connector/${id}`, (await model(id)).write)).status, 200);
    await create(onA('own-addresses', { providerAAddress: '169.254.40.1/30' }));
    // The tag is written after the draw: the sequence advanced, but nothing is held.
    const after = await blocks();
    assert.equal(after.held, before.held);
    assert.ok(Number(after.drawn) <= Number(before.drawn) + 1);
  });
  test('never come round again while another connector has them', async () => {
    const { id } = await create(onA('first-of-all'));
    const taken = await blockOf(id);
    // As after a million draws.
    await f.owner.query('select setval($1, $2, false)', ['address_blocks', taken]);
    const next = await create(onA('a-million-later'));
    assert.notEqual(await blockOf(next.id), taken);
    assert.notEqual(await addressOf(next.id), await addressOf(id));
    await assert.rejects(
      f.owner.query('update connector_address_blocks set block = $1 where connector_id = $2', [taken, next.id]),
      /connector_address_blocks_once/,
    );
  });
  test('are free again after a deletion, once the teardown had time', async () => {
    await f.owner.query('delete from free_address_blocks');
    const { id } = await create(onA('to-be-freed'));
    const freed = await blockOf(id);
    assert.equal((await admin.delete(`/flow/connector/${id}`)).status, 200);
    assert.notEqual(await blockOf((await create(onA('at-once'))).id), freed);
    await f.owner.query(`update free_address_blocks set freed_at = now() - interval '2 hours'`);
    assert.equal(await blockOf((await create(onA('an-hour-later'))).id), freed);
  });
  test('stay with their connectors when an earlier version is upgraded', async () => {
    await setPoolTotal('providerC');
    const serviceKey = 'a service key';
    const csp = { cloudDestinationID: destination('providerB'), providerB: { serviceKey } };
    const { id } = await create({ name: 'both-blocks', groupId: group.id, csp });
    await create(site('site-block', 3302));
    await deploy(admin, 'connector', (await create({ name: 'later-block', groupId: group.id, csp: onC })).id);
    const all = async (): Promise<Record<string, number>> => {
      const { rows } = await f.owner.query(`select connector_id || ' ' || position as place, block
        from connector_address_blocks`);
      return Object.fromEntries(rows.map(({ place, block }) => [place, block]));
    };
    const before = await all();
    const migration = await readFile(join(root, 'src/store/migrations/000010_bounds_and_blocks.sql'), 'utf8');
    const [backfill = ''] = /^with held as [^;]*;/m.exec(migration) ?? [];
    await f.owner.query('delete from connector_address_blocks');
    await f.owner.query(backfill);
    const after = await all();
    assert.deepEqual([after[`${id} 0`], after[`${id} 1`]], [before[`${id} 0`], before[`${id} 1`]]);
    assert.deepEqual(after, before);
  });
  test('return when the caller clears its own', async () => {
    const { id } = await create(onA('cleared'));
    const chosen = await addressOf(id);
    const path = `/flow/connector/${id}`;
    const own = { providerAAddress: '169.254.41.1/30', customerAddress: '169.254.41.2/30' };
    assert.equal((await admin.put(path, { csp: { providerA: own } })).status, 200);
    assert.equal(await addressOf(id), '169.254.41.1/30');
    const none = { providerAAddress: null, customerAddress: null };
    assert.equal((await admin.put(path, { csp: { providerA: none } })).status, 200);
    assert.equal(await addressOf(id), chosen);
  });
  test('avoid a subnet of the shared range that another connector on the router chose', async () => {
    const wide = '100.99.0.0/24';
    const onB = (name: string) => ({
      name,
      groupId: group.id,
      csp: {
        cloudDestinationID: destination('providerB'),
        providerB: { serviceKey: 'a service key', primarySubnet: wide, secondarySubnet: '169.254.42.0/30' },
      },
    });
    const made = await create(onB('wide'));
    const edge = (id: string) => destinations.find((one: { id: string }) => one.id === id).edgeCode;
    assert.equal(edge(destination('providerB')), edge(destination('providerA')), 'both are on one router');
    // The next block lies in the wide subnet: 100.64.0.0 and 35 × 65536 addresses.
    await f.owner.query('select setval($1, $2, false)', ['address_blocks', (35 * 65_536) / 4]);
    await f.owner.query('delete from free_address_blocks');
    const { id } = await create(onA('beside-wide'));
    assert.match(await addressOf(id), /^100\.99\.1\./);
    assert.equal((await admin.delete(`/flow/connector/${made.id}`)).status, 200);
  });
});

describe('a subnet that overlaps with another connector’s on the same router', () => {
  const pair = (network: string, first = 1) => ({
    providerAAddress: `${network}.${first}/30`,
    customerAddress: `${network}.${first + 1}/30`,
  });
  const overlaps = (response: Awaited<ReturnType<Client['post']>>, name: string, path: string) => {
    assert.deepEqual([response.status, response.body.code], [409, 'Overlaps'], response.text);
    assert.match(response.body.error, new RegExp(`of the connector ${name} on the same router`));
    assert.deepEqual(
      response.body.details.map((one: { path: string }) => one.path),
      [path],
    );
  };
  test('is refused by creation, check and deployment at once, which name the other', async () => {
    await create(onA('holds-43', pair('169.254.43')));
    for (const path of ['set-registered', 'check', 'auto-deploy'])
      overlaps(
        await admin.post(`/flow/connector/${path}`, onA('wants-43', pair('169.254.43'))),
        'holds-43',
        'csp.providerA.providerAAddress',
      );
    const within = {
      name: 'around-43',
      groupId: group.id,
      csp: {
        cloudDestinationID: destination('providerB'),
        providerB: { serviceKey: 'a service key', secondarySubnet: '169.254.0.0/16' },
      },
    };
    overlaps(await admin.post('/flow/connector/set-registered', within), '[a-z0-9-]+', 'csp.providerB.secondarySubnet');
    assert.equal((await admin.post('/flow/connector/check-name', { name: 'wants-43' })).status, 200);
  });
  test('is refused by an update; other fields of a connector can still change', async () => {
    await create(onA('holds-44', pair('169.254.44')));
    const { id } = await create(onA('moves-to-44'));
    const path = `/flow/connector/${id}`;
    overlaps(
      await admin.put(path, { csp: { providerA: pair('169.254.44') } }),
      'holds-44',
      'csp.providerA.providerAAddress',
    );
    assert.equal((await admin.put(path, { csp: { providerA: pair('169.254.44', 5) } })).status, 200);
    // As earlier versions accepted it.
    await f.owner.query(`update connectors set details = details || $2 where id = $1`, [id, pair('169.254.44')]);
    assert.equal((await admin.put(path, { csp: { providerA: { asNumber: 64801 } } })).status, 200);
    assert.equal((await admin.put(path, (await model(id)).write)).status, 200);
  });
  test('is refused for the sites of an appliance too, whatever mask the other has', async () => {
    const wide = { cmeGatewayIP: '172.31.8.1', cloudApplianceCloudVirtualInterfaceIP: '172.31.8.2' };
    await create(site('wide-mask', 3401, { ...wide, cmeMask: '255.255.240.0' }));
    overlaps(
      await admin.post('/flow/connector/set-registered', site('narrow-mask', 3402, { cmeGatewayIP: '172.31.15.33' })),
      'wide-mask',
      'entreprise.cmeGatewayIP',
    );
    await create(site('next-to-it', 3402, { cmeGatewayIP: '172.31.16.33' }));
  });
  test('is accepted on another router and in another group', async () => {
    await create(onA('holds-45', pair('169.254.45')));
    const other = (await admin.post('/groups', { name: 'other-router' })).body;
    await create(onA('other-group', pair('169.254.45'), other.id));
    await setPoolTotal('providerA', 100, 'north-america');
    const far = onA('other-edge', pair('169.254.45'));
    await create({ ...far, csp: { ...far.csp, cloudDestinationID: destination('providerA', 'north-america') } });
  });
});

describe('deletion', () => {
  test('frees name, product and VLAN at once, and removes the connector from the fabric', async () => {
    const { used } = await pool('providerA');
    const [cloud, ground] = [await create(onA('gone')), await create(site('gone-site', 3201))];
    await deploy(admin, 'connector', cloud.id);
    const itemsInFabric = async () =>
      (await f.owner.query(`select from simulated_items where $1 = any(concerns)`, [cloud.id])).rowCount ?? 0;
    assert.ok((await itemsInFabric()) > 0);
    for (const { id } of [cloud, ground]) {
      const response = await admin.delete(`/flow/connector/${id}`);
      assert.deepEqual([response.status, response.body], [200, {}]);
      assert.equal((await admin.delete(`/flow/connector/${id}`)).status, 404);
    }
    assert.equal((await pool('providerA')).used, used);
    for (const until = Date.now() + 60_000; (await itemsInFabric()) > 0; await pause(50))
      assert.ok(Date.now() < until, 'still in the fabric after 60 s');
    await create(onA('gone'));
    await create(site('gone-site', 3201));
  });
  test('fails while the connector is linked', async () => {
    const [from, to] = [await create(onA('linked-1')), await create(onA('linked-2'))];
    const link = await admin.post('/flow/link/set-registered', { name: 'tie', from: from.id, to: to.irn });
    assert.equal(link.status, 200, link.text);
    assert.deepEqual((await model(to.id)).actions, ['update', 'deploy']);
    const refused = await admin.delete(`/flow/connector/${to.id}`);
    assert.deepEqual([refused.status, refused.body.code], [405, 'ConnectorLinked']);
    await admin.delete(`/flow/link/${link.body.id}`);
    assert.equal((await admin.delete(`/flow/connector/${to.id}`)).status, 200);
  });
});
