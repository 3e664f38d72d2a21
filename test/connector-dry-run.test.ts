// The dry run of a connector's creation: it responds as the creation would, and changes nothing.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import pg from 'pg';
import { absentId, stateOf, type Tenant } from '../torture/tenant-fixture.ts';
import type { ApiResponse, Client } from './harness/client.ts';
import { fixture } from './harness/service.ts';

const f = await fixture(['--monitor-port', '0']);
const parent = await f.as('admin@meridian.example');
const stranger = await f.as('admin@atlas.example');
const must = async (sending: Promise<ApiResponse>) => {
  const response = await sending;
  assert.ok(response.status < 300, response.text);
  return response.body;
};

// An organisation without background activity; its parent acts for it.
const { id: scope } = await must(parent.post('/organisations', { name: 'Asked before' }));
const child = parent.with({ scope });
const families = ['providerA', 'providerAHostedConnection', 'providerB', 'providerC'];
const poolPath = (family: string) => `/organisations/${scope}/products/${family}/europe`;
for (const family of families) await must(parent.put(poolPath(family), { total: 5 }));
const destinations: { id: string; region: string; family: { shortName: string } }[] = (
  await must(child.get('/cloud-gateways-types'))
).cloudGatewayTypes;
const destinationOf = (family: string): string =>
  destinations.find((one) => one.family.shortName === family && one.region === 'europe')?.id ?? '';
const group = await must(child.post('/groups', { name: 'dry-run' }));
const tag = await must(child.post('/tags', { name: 'dry-run' }));
const [model] = await must(child.get('/cloud-appliance-models'));
const appliance = await must(
  child.post('/cloud-appliances', {
    ...{ name: 'cpe', siteName: 'Harbour', slacity: 'marseille', kind: 'cloudAppliance' },
    cloudApplianceModelID: model.id,
  }),
);

const key = 'a secret that is never repeated';
const least: Record<string, object> = {
  providerA: { asNumber: 64710, providerAAccount: 42 },
  providerAHostedConnection: { asNumber: 4200000710, providerAAccount: '000000000042' },
  providerB: { serviceKey: key },
  providerC: { pairingKey: key },
  entreprise: { cloudApplianceID: appliance.id, vlan: 100, customerASN: 65010, cmeBGPKey: key },
};
const kinds = Object.keys(least);
/** A valid body with these changes. */
const input = (kind: string, name: string, fields: object = {}, more: object = {}) => {
  const given = { ...least[kind], ...fields };
  const lead =
    kind === 'entreprise' ? { entreprise: given } : { csp: { cloudDestinationID: destinationOf(kind), [kind]: given } };
  return { name, groupId: group.id, ...lead, ...more };
};
const check = (body: unknown, client: Client = child) => client.post('/flow/connector/check', body);
const create = (body: unknown, client: Client = child) => client.post('/flow/connector/set-registered', body);

/** The problem without the id of the request. */
const problemOf = ({ status, text, body }: ApiResponse): string => `${status} ${text.replace(body.requestId, '…')}`;

/** The dry run and both ways of creation fail with the same bytes. */
async function rejectedAlike(body: unknown, client: Client = child): Promise<ApiResponse> {
  const checked = await check(body, client);
  assert.ok(checked.status >= 400, checked.text);
  assert.equal(problemOf(checked), problemOf(await create(body, client)));
  assert.equal(problemOf(checked), problemOf(await client.post('/flow/connector/auto-deploy', body)));
  assert.ok(!checked.text.includes(key), checked.text);
  return checked;
}

const pathsOf = ({ body }: ApiResponse): string[] => body.details.map(({ path }: { path: string }) => path);

await must(create(input('providerA', 'standing')));
await must(create(input('entreprise', 'standing-site', { vlan: 77 })));

describe('an invalid body is rejected as in a creation', () => {
  const wrong: [kind: string, what: string, fields: object, places: string[]][] = [
    [
      'providerA',
      'nothing typed yet',
      { asNumber: undefined, providerAAccount: undefined },
      ['asNumber', 'providerAAccount'],
    ],
    [
      'providerA',
      'reserved AS number, account of letters',
      { asNumber: 23456, providerAAccount: 'x' },
      ['asNumber', 'providerAAccount'],
    ],
    [
      'providerA',
      'two addresses that are none of a host',
      { providerAAddress: '10.0.0.0/30', customerAddress: '10.0.0.3/30' },
      ['providerAAddress', 'customerAddress'],
    ],
    [
      'providerA',
      'addresses of two subnets',
      { providerAAddress: '10.0.0.1/30', customerAddress: '10.0.0.5/30' },
      ['customerAddress'],
    ],
    ['providerA', 'what the provider assigns', { dxvif: 'dxvif-1' }, ['dxvif']],
    ['providerAHostedConnection', 'no such speed', { portSpeed: '51Mbps', asNumber: 0 }, ['asNumber', 'portSpeed']],
    [
      'providerAHostedConnection',
      'what the provider assigns',
      { connectionId: 'x', vlanId: 7 },
      ['connectionId', 'vlanId'],
    ],
    [
      'providerB',
      'a key too short, a subnet that is none',
      { serviceKey: 'short', primarySubnet: '10.0.0.0' },
      ['serviceKey', 'primarySubnet'],
    ],
    [
      'providerB',
      'host bits twice',
      { primarySubnet: '10.0.0.1/30', secondarySubnet: '10.0.0.5/30' },
      ['primarySubnet', 'secondarySubnet'],
    ],
    [
      'providerB',
      'subnets that overlap',
      { primarySubnet: '10.0.0.0/24', secondarySubnet: '10.0.0.4/30' },
      ['secondarySubnet'],
    ],
    [
      'providerC',
      'no key, no such bandwidth',
      { pairingKey: undefined, bandwidth: 'BPS_1M', med: -1 },
      ['bandwidth', 'med', 'pairingKey'],
    ],
    ['providerC', 'what the provider assigns', { interconnectId: 'x' }, ['interconnectId']],
    ['entreprise', 'no VLAN, no appliance', { vlan: 0, cloudApplianceID: 'x' }, ['cloudApplianceID', 'vlan']],
    [
      'entreprise',
      'a mask with a hole',
      { cmeMask: '255.0.255.0', cmeGatewayIP: '224.0.0.1' },
      ['cmeGatewayIP', 'cmeMask'],
    ],
    [
      'entreprise',
      'one address for both',
      { cmeGatewayIP: '10.0.0.1', cloudApplianceCloudVirtualInterfaceIP: '10.0.0.1' },
      ['cmeGatewayIP'],
    ],
    ['entreprise', 'the network itself', { cmeGatewayIP: '10.0.0.4', cmeMask: '255.255.255.252' }, ['cmeGatewayIP']],
  ];
  for (const [kind, what, fields, places] of wrong)
    test(`${kind}: ${what}`, async () => {
      const rejected = await rejectedAlike(input(kind, 'wrong', fields));
      assert.equal(rejected.status, 400);
      const prefix = kind === 'entreprise' ? kind : `csp.${kind}`;
      assert.deepEqual(pathsOf(rejected).sort(), places.map((place) => `${prefix}.${place}`).sort());
    });
  for (const kind of kinds) {
    test(`${kind}: all schema errors at once, before other checks`, async () => {
      const rejected = await rejectedAlike(input(kind, '', {}, { groupId: 'x', tagIds: ['y'], description: 7 }));
      assert.deepEqual(pathsOf(rejected).sort(), ['description', 'groupId', 'name', 'tagIds.0']);
    });
    test(`${kind}: a duplicate name, a missing group and a missing tag`, async () => {
      assert.equal((await rejectedAlike(input(kind, 'standing'))).body.code, 'NameTaken');
      const nowhere = await rejectedAlike(input(kind, 'x', {}, { groupId: absentId }));
      assert.deepEqual([nowhere.status, pathsOf(nowhere)], [404, ['groupId']]);
      const untagged = await rejectedAlike(input(kind, 'x', {}, { tagIds: [tag.id, absentId] }));
      assert.deepEqual([untagged.status, pathsOf(untagged)], [404, ['tagIds']]);
      assert.equal((await rejectedAlike(input(kind, 'x', {}, { irn: 'irn:x' }))).body.code, 'ReadOnlyField');
    });
  }
  test('no kind, two kinds, two providers, a destination of another family, an empty body', async () => {
    const [one, two] = [input('providerA', 'x'), input('entreprise', 'x')];
    for (const body of [
      { name: 'x', groupId: group.id },
      { ...two, ...one },
      { ...one, csp: { ...(one as { csp?: object }).csp, providerC: least.providerC } },
      { ...one, csp: { cloudDestinationID: destinationOf('providerB'), providerA: least.providerA } },
      { ...one, csp: { cloudDestinationID: destinationOf('providerB') } },
      {},
      [],
    ])
      assert.equal((await rejectedAlike(body)).status, 400);
  });
  test('a VLAN in use, a missing destination, an empty pool', async () => {
    assert.equal((await rejectedAlike(input('entreprise', 'x', { vlan: 77 }))).body.code, 'VlanTaken');
    const csp = { cloudDestinationID: absentId, providerA: least.providerA };
    assert.deepEqual(pathsOf(await rejectedAlike(input('providerA', 'x', {}, { csp }))), ['csp.cloudDestinationID']);
    await must(parent.put(poolPath('providerA'), { total: 1 }));
    const rejected = await rejectedAlike(input('providerA', 'x'));
    assert.deepEqual([rejected.status, rejected.body.code], [402, 'NotEnoughSpareProducts']);
    await must(parent.put(poolPath('providerA'), { total: 5 }));
  });
});

describe('records of other tenants', () => {
  test('look missing', async () => {
    const [theirGroup] = await must(stranger.get('/groups'));
    const [theirAppliance] = await must(stranger.get('/cloud-appliances'));
    const [theirTag] = await must(stranger.get('/tags'));
    for (const [theirs, missing] of [
      [input('providerA', 'x', {}, { groupId: theirGroup.id }), input('providerA', 'x', {}, { groupId: absentId })],
      [
        input('entreprise', 'x', { cloudApplianceID: theirAppliance.id }),
        input('entreprise', 'x', { cloudApplianceID: absentId }),
      ],
      [input('providerC', 'x', {}, { tagIds: [theirTag.id] }), input('providerC', 'x', {}, { tagIds: [absentId] })],
    ]) {
      assert.equal((await rejectedAlike(theirs)).status, 404);
      assert.equal(problemOf(await check(theirs)), problemOf(await check(missing)));
    }
    assert.equal((await rejectedAlike(input('providerA', 'x'), stranger)).status, 404, 'for another tenant');
    assert.equal((await check(input('providerA', 'x'), stranger.with({ scope }))).body.code, 'ForbiddenScope');
  });
  test('need the permission to write connectors', async () => {
    for (const role of ['viewer', 'billing']) {
      const client = (await f.as(`${role}@meridian.example`)).with({ scope });
      assert.deepEqual(
        [(await check(input('providerA', 'x'), client)).status, (await check({}, client)).status],
        [403, 403],
      );
    }
    const operator = (await f.as('operator@meridian.example')).with({ scope });
    assert.equal((await check(input('providerA', 'x'), operator)).status, 200);
  });
});

describe('a valid body', () => {
  const filled: Record<string, object> = {
    providerA: { platformAsNumber: 64512 },
    providerAHostedConnection: { platformAsNumber: 64512, portSpeed: '50Mbps' },
    providerB: { platformAsNumber: 64512 },
    providerC: { platformAsNumber: 64512, bandwidth: 'BPS_50M' },
    entreprise: { serviceCloudApplianceASN: 64512, cmeMask: '255.255.255.252' },
  };
  for (const kind of kinds)
    test(`of ${kind} can be created afterwards with the same values`, async () => {
      const body = input(kind, `right-${kind}`, {}, { tagIds: [tag.id] });
      const response = await check(body);
      assert.equal(response.status, 200, response.text);
      assert.ok(!response.text.includes(key));
      const { takes, filledIn } = response.body;
      const pool = kind === 'entreprise' ? null : await must(parent.get(poolPath(kind)));
      assert.deepEqual(
        takes,
        pool && { family: kind, region: 'europe', total: 5, used: pool.used, spare: 5 - pool.used },
      );
      const made = await must(create(body));
      const { write } = await must(child.get(`/flow/connector/${made.id}`));
      assert.equal(filledIn.description, made.description);
      const fields = kind === 'entreprise' ? filledIn.entreprise : filledIn.csp[kind];
      assert.deepEqual(fields, filled[kind]);
      const became = kind === 'entreprise' ? write.entreprise : write.csp[kind];
      assert.deepEqual({ ...became, ...fields }, became);
    });
  test('gets the derived values in the response, not its own', async () => {
    const body = input('providerA', 'beside', { providerAAddress: '169.254.9.1/30' }, { description: 'ours' });
    assert.deepEqual((await check(body)).body.filledIn, {
      csp: { providerA: { platformAsNumber: 64512, customerAddress: '169.254.9.2/30' } },
    });
  });
  test('changes nothing and notifies nothing, however often it is sent', async (t) => {
    const lists = ['/connectors', '/groups', `/cloud-appliances/${appliance.id}/cloud-virtual-interfaces`, '/tags'];
    const tagsOf = async () => Promise.all(lists.map(async (path) => (await child.get(path)).headers.etag));
    const snapshot = async () => {
      const text = await (await fetch(`http://127.0.0.1:${f.service.monitorPort}/metrics`)).text();
      return /^patchbay_cache_misses_total (\d+)$/m.exec(text)?.[1];
    };
    // The group has no router at this edge yet, and none is created.
    const bodies = kinds.map((kind) => input(kind, `never-${kind}`, { vlan: 200 }, { tagIds: [tag.id] }));
    const elsewhere = await must(child.post('/groups', { name: 'elsewhere' }));
    const sequences = `select (select last_value from address_blocks) as blocks,
      (select count(*) from pgboss.job where name = 'deploy') as jobs`;
    const stateNow = async () => [
      await stateOf(f, { id: scope } as Tenant),
      (await f.owner.query(sequences)).rows,
      await tagsOf(),
      await snapshot(),
    ];
    const ear = new pg.Client({ connectionString: f.databaseUrl });
    await ear.connect();
    t.after(() => ear.end());
    const heard: string[] = [];
    ear.on('notification', ({ payload = '' }) => void (payload.includes(scope) && heard.push(payload)));
    await ear.query('listen patchbay_touched');
    await tagsOf();
    const before = await stateNow();
    for (let turn = 0; turn < 3; turn++)
      for (const body of bodies) assert.equal((await check({ ...body, groupId: elsewhere.id })).status, 200);
    const headers = { 'idempotency-key': 'dry run' };
    for (const body of bodies.slice(0, 2))
      assert.equal((await child.post('/flow/connector/check', body, { headers })).status, 200, 'a key says nothing');
    assert.deepEqual(await stateNow(), before);
    await ear.query('select 1');
    assert.deepEqual(heard, []);
    assert.ok(!f.logs.join('').includes(key));
  });
});

test('requests that wait for a locked pool do not block other requests', async () => {
  const holder = await f.owner.connect();
  const pending: Promise<ApiResponse>[] = [];
  try {
    await holder.query('begin');
    await holder.query('select from product_pools where organisation_id = $1 for update', [scope]);
    for (let n = 0; n < 40; n++) pending.push(check(input('providerA', `waits-${n}`)));
    const waiting = `select count(*)::int as count from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database()`;
    for (const until = Date.now() + 30_000; Date.now() < until; )
      if ((await f.owner.query(waiting)).rows[0].count >= 4) break;
    const made = await must(stranger.post('/groups', { name: 'not in the queue' }));
    await must(stranger.put(`/groups/${made.id}`, { description: 'served while they wait' }));
    assert.equal((await f.owner.query(waiting)).rows[0].count >= 4, true, 'they still wait');
  } finally {
    await holder.query('rollback');
    holder.release();
  }
  const statuses = new Set(
    (await Promise.all(pending)).map(({ status, body }) => `${status} ${body.code ?? ''}`.trim()),
  );
  assert.ok(
    [...statuses].every((one) => one === '200' || one === '503 Busy'),
    [...statuses].join(),
  );
});
