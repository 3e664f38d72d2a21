// Asking whether a connector can be created: what a creation would say, and nothing of it done.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import pg from 'pg';
import { absentId, stateOf, type Tenant } from '../torture/tenant-fixture.ts';
import type { ApiResponse, Client } from './harness/client.ts';
import { fixture } from './harness/service.ts';

const f = await fixture(['--monitor-port', '0']);
const parent = await f.as('admin@meridian.example');
const stranger = await f.as('admin@atlas.example');
const must = async (asked: Promise<ApiResponse>) => {
  const answer = await asked;
  assert.ok(answer.status < 300, answer.text);
  return answer.body;
};

// An organisation in which nothing happens by itself; its parent acts for it.
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
const group = await must(child.post('/groups', { name: 'asked' }));
const tag = await must(child.post('/tags', { name: 'asked' }));
const [model] = await must(child.get('/cloud-appliance-models'));
const appliance = await must(
  child.post('/cloud-appliances', {
    ...{ name: 'cpe', siteName: 'Harbour', slacity: 'marseille', kind: 'cloudAppliance' },
    cloudApplianceModelID: model.id,
  }),
);

const key = 'a secret that nobody repeats';
const least: Record<string, object> = {
  providerA: { asNumber: 64710, providerAAccount: 42 },
  providerAHostedConnection: { asNumber: 4200000710, providerAAccount: '000000000042' },
  providerB: { serviceKey: key },
  providerC: { pairingKey: key },
  entreprise: { cloudApplianceID: appliance.id, vlan: 100, customerASN: 65010, cmeBGPKey: key },
};
const kinds = Object.keys(least);
/** A body that is right but for what is said. */
const wish = (kind: string, name: string, fields: object = {}, more: object = {}) => {
  const given = { ...least[kind], ...fields };
  const lead =
    kind === 'entreprise' ? { entreprise: given } : { csp: { cloudDestinationID: destinationOf(kind), [kind]: given } };
  return { name, groupId: group.id, ...lead, ...more };
};
const check = (body: unknown, client: Client = child) => client.post('/flow/connector/check', body);
const create = (body: unknown, client: Client = child) => client.post('/flow/connector/set-registered', body);

/** The problem as it was sent, but for the id of the request. */
const told = ({ status, text, body }: ApiResponse): string => `${status} ${text.replace(body.requestId, '…')}`;

/** Checking is refused as both ways of creating are, to the byte. */
async function refusedAlike(body: unknown, client: Client = child): Promise<ApiResponse> {
  const checked = await check(body, client);
  assert.ok(checked.status >= 400, checked.text);
  assert.equal(told(checked), told(await create(body, client)));
  assert.equal(told(checked), told(await client.post('/flow/connector/auto-deploy', body)));
  assert.ok(!checked.text.includes(key), checked.text);
  return checked;
}

const pathsOf = ({ body }: ApiResponse): string[] => body.details.map(({ path }: { path: string }) => path);

await must(create(wish('providerA', 'standing')));
await must(create(wish('entreprise', 'standing-site', { vlan: 77 })));

describe('a wrong body is refused as a creation refuses it', () => {
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
      const refused = await refusedAlike(wish(kind, 'wrong', fields));
      assert.equal(refused.status, 400);
      const prefix = kind === 'entreprise' ? kind : `csp.${kind}`;
      assert.deepEqual(pathsOf(refused).sort(), places.map((place) => `${prefix}.${place}`).sort());
    });
  for (const kind of kinds) {
    test(`${kind}: the form first, all of it at once`, async () => {
      const refused = await refusedAlike(wish(kind, '', {}, { groupId: 'x', tagIds: ['y'], description: 7 }));
      assert.deepEqual(pathsOf(refused).sort(), ['description', 'groupId', 'name', 'tagIds.0']);
    });
    test(`${kind}: a name that is taken, a group and a tag that are nobody’s`, async () => {
      assert.equal((await refusedAlike(wish(kind, 'standing'))).body.code, 'NameTaken');
      const nowhere = await refusedAlike(wish(kind, 'x', {}, { groupId: absentId }));
      assert.deepEqual([nowhere.status, pathsOf(nowhere)], [404, ['groupId']]);
      const untagged = await refusedAlike(wish(kind, 'x', {}, { tagIds: [tag.id, absentId] }));
      assert.deepEqual([untagged.status, pathsOf(untagged)], [404, ['tagIds']]);
      assert.equal((await refusedAlike(wish(kind, 'x', {}, { irn: 'irn:x' }))).body.code, 'ReadOnlyField');
    });
  }
  test('no kind, two kinds, two providers, another family’s destination, nothing at all', async () => {
    const [one, two] = [wish('providerA', 'x'), wish('entreprise', 'x')];
    for (const body of [
      { name: 'x', groupId: group.id },
      { ...two, ...one },
      { ...one, csp: { ...(one as { csp?: object }).csp, providerC: least.providerC } },
      { ...one, csp: { cloudDestinationID: destinationOf('providerB'), providerA: least.providerA } },
      { ...one, csp: { cloudDestinationID: destinationOf('providerB') } },
      {},
      [],
    ])
      assert.equal((await refusedAlike(body)).status, 400);
  });
  test('a VLAN that is taken; a destination that is not there; an empty pool', async () => {
    assert.equal((await refusedAlike(wish('entreprise', 'x', { vlan: 77 }))).body.code, 'VlanTaken');
    const csp = { cloudDestinationID: absentId, providerA: least.providerA };
    assert.deepEqual(pathsOf(await refusedAlike(wish('providerA', 'x', {}, { csp }))), ['csp.cloudDestinationID']);
    await must(parent.put(poolPath('providerA'), { total: 1 }));
    const refused = await refusedAlike(wish('providerA', 'x'));
    assert.deepEqual([refused.status, refused.body.code], [402, 'NotEnoughSpareProducts']);
    await must(parent.put(poolPath('providerA'), { total: 5 }));
  });
});

describe('others’ records', () => {
  test('are not there, whoever’s they are', async () => {
    const [theirGroup] = await must(stranger.get('/groups'));
    const [theirAppliance] = await must(stranger.get('/cloud-appliances'));
    const [theirTag] = await must(stranger.get('/tags'));
    for (const [theirs, nobodys] of [
      [wish('providerA', 'x', {}, { groupId: theirGroup.id }), wish('providerA', 'x', {}, { groupId: absentId })],
      [
        wish('entreprise', 'x', { cloudApplianceID: theirAppliance.id }),
        wish('entreprise', 'x', { cloudApplianceID: absentId }),
      ],
      [wish('providerC', 'x', {}, { tagIds: [theirTag.id] }), wish('providerC', 'x', {}, { tagIds: [absentId] })],
    ]) {
      assert.equal((await refusedAlike(theirs)).status, 404);
      assert.equal(told(await check(theirs)), told(await check(nobodys)));
    }
    assert.equal((await refusedAlike(wish('providerA', 'x'), stranger)).status, 404, 'nor one’s own for others');
    assert.equal((await check(wish('providerA', 'x'), stranger.with({ scope }))).body.code, 'ForbiddenScope');
  });
  test('are asked about by who may write connectors alone', async () => {
    for (const role of ['viewer', 'billing']) {
      const client = (await f.as(`${role}@meridian.example`)).with({ scope });
      assert.deepEqual(
        [(await check(wish('providerA', 'x'), client)).status, (await check({}, client)).status],
        [403, 403],
      );
    }
    const operator = (await f.as('operator@meridian.example')).with({ scope });
    assert.equal((await check(wish('providerA', 'x'), operator)).status, 200);
  });
});

describe('a right body', () => {
  const filled: Record<string, object> = {
    providerA: { platformAsNumber: 64512 },
    providerAHostedConnection: { platformAsNumber: 64512, portSpeed: '50Mbps' },
    providerB: { platformAsNumber: 64512 },
    providerC: { platformAsNumber: 64512, bandwidth: 'BPS_50M' },
    entreprise: { serviceCloudApplianceASN: 64512, cmeMask: '255.255.255.252' },
  };
  for (const kind of kinds)
    test(`of ${kind} can be created, as was said`, async () => {
      const body = wish(kind, `right-${kind}`, {}, { tagIds: [tag.id] });
      const answer = await check(body);
      assert.equal(answer.status, 200, answer.text);
      assert.ok(!answer.text.includes(key));
      const { takes, filledIn } = answer.body;
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
  test('is told what goes with what was given, and not what was given', async () => {
    const body = wish('providerA', 'beside', { providerAAddress: '169.254.9.1/30' }, { description: 'ours' });
    assert.deepEqual((await check(body)).body.filledIn, {
      csp: { providerA: { platformAsNumber: 64512, customerAddress: '169.254.9.2/30' } },
    });
  });
  test('changes nothing, however often it is asked about; nobody hears of it', async (t) => {
    const lists = ['/connectors', '/groups', `/cloud-appliances/${appliance.id}/cloud-virtual-interfaces`, '/tags'];
    const tagsOf = async () => Promise.all(lists.map(async (path) => (await child.get(path)).headers.etag));
    const kept = async () => {
      const text = await (await fetch(`http://127.0.0.1:${f.service.monitorPort}/metrics`)).text();
      return /^patchbay_kept_read (\d+)$/m.exec(text)?.[1];
    };
    // The group comes to this edge first: not even its router stays.
    const bodies = kinds.map((kind) => wish(kind, `never-${kind}`, { vlan: 200 }, { tagIds: [tag.id] }));
    const elsewhere = await must(child.post('/groups', { name: 'elsewhere' }));
    const sequences = `select (select last_value from address_blocks) as blocks, (select count(*) from pgboss.job where name = 'deploy') as jobs`;
    const stateNow = async () => [
      await stateOf(f, { id: scope } as Tenant),
      (await f.owner.query(sequences)).rows,
      await tagsOf(),
      await kept(),
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
    const headers = { 'idempotency-key': 'asked once' };
    for (const body of bodies.slice(0, 2))
      assert.equal((await child.post('/flow/connector/check', body, { headers })).status, 200, 'a key says nothing');
    assert.deepEqual(await stateNow(), before);
    await ear.query('select 1');
    assert.deepEqual(heard, []);
    assert.ok(!f.logs.join('').includes(key));
  });
});

test('however many wait for one pool, others are served meanwhile', async () => {
  const holder = await f.owner.connect();
  const asked: Promise<ApiResponse>[] = [];
  try {
    await holder.query('begin');
    await holder.query('select from product_pools where organisation_id = $1 for update', [scope]);
    for (let n = 0; n < 40; n++) asked.push(check(wish('providerA', `waits-${n}`)));
    const waiting = `select count(*)::int as count from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`;
    for (const until = Date.now() + 30_000; Date.now() < until; )
      if ((await f.owner.query(waiting)).rows[0].count >= 4) break;
    const made = await must(stranger.post('/groups', { name: 'not in the queue' }));
    await must(stranger.put(`/groups/${made.id}`, { description: 'served while they wait' }));
    assert.equal((await f.owner.query(waiting)).rows[0].count >= 4, true, 'they still wait');
  } finally {
    await holder.query('rollback');
    holder.release();
  }
  const statuses = new Set((await Promise.all(asked)).map(({ status, body }) => `${status} ${body.code ?? ''}`.trim()));
  assert.ok(
    [...statuses].every((one) => one === '200' || one === '503 Busy'),
    [...statuses].join(),
  );
});
