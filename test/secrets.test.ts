// Customers' secrets: shown only to callers who may write, and stored sealed.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { openKeyFile } from '../src/host/key-file.ts';
import { rotate, rotateUnderLoad } from '../torture/rotation.ts';
import { deploy } from './harness/deployable-group.ts';
import { basic, fixture } from './harness/service.ts';

const f = await fixture(['--log', 'debug']);
const { atlas } = f.organisations;
const parent = await f.as('admin@meridian.example');
const admin = parent.with({ scope: atlas });
const viewer = (await f.as('viewer@meridian.example')).with({ scope: atlas });
const [group] = (await admin.get('/groups')).body;
const destinations = (await admin.get('/cloud-gateways-types')).body.cloudGatewayTypes;
const destinationOf = (family: string): string =>
  destinations.find(
    (one: { region: string; family: { shortName: string } }) =>
      one.family.shortName === family && one.region === 'europe',
  ).id;
for (const family of ['providerB', 'providerC'])
  await parent.put(`/organisations/${atlas}/products/${family}/europe`, { total: 50 });
const [appliance] = (await admin.get('/cloud-appliances')).body;

const planted = {
  service: 'PLANTED-service-key-0001',
  pairing: 'PLANTED-pairing-key-0002',
  bgp: 'PLANTED bgp key 0003',
  changed: 'PLANTED-service-key-0004',
  typed: 'planted-where-the-address-belongs-0005',
};
const create = async (name: string, kind: object, key: string) => {
  const body = { name, groupId: group.id, ...kind };
  const response = await admin.post('/flow/connector/set-registered', body, { headers: { 'idempotency-key': key } });
  assert.equal(response.status, 200, response.text);
  return response.body.id as string;
};
const made = {
  service: await create(
    'planted-b',
    { csp: { cloudDestinationID: destinationOf('providerB'), providerB: { serviceKey: planted.service } } },
    'b',
  ),
  pairing: await create(
    'planted-c',
    { csp: { cloudDestinationID: destinationOf('providerC'), providerC: { pairingKey: planted.pairing } } },
    'c',
  ),
  bgp: await create(
    'planted-site',
    { entreprise: { cloudApplianceID: appliance.id, vlan: 4001, customerASN: 65010, cmeBGPKey: planted.bgp } },
    'site',
  ),
};
const shown = async (id: string, client = admin) => (await client.get(`/flow/connector/${id}`)).body;

describe('a secret', () => {
  test('is in the read and write models for callers who may write, and null for others', async () => {
    const b = await shown(made.service);
    assert.deepEqual(
      [b.read.csp.providerB.providerBServiceKey, b.write.csp.providerB.serviceKey],
      [planted.service, planted.service],
    );
    assert.equal((await shown(made.pairing)).write.csp.providerC.pairingKey, planted.pairing);
    assert.equal((await shown(made.bgp)).write.entreprise.cmeBGPKey, planted.bgp);
    const seen = await shown(made.service, viewer);
    assert.deepEqual(
      [seen.read.csp.providerB.providerBServiceKey, seen.write.csp.providerB.serviceKey, seen.actions],
      [null, null, []],
    );
  });
  test('stays in an update without it or with null, and changes with a value', async () => {
    for (const providerB of [{}, { serviceKey: null }, { primarySubnet: '10.9.0.0/30' }]) {
      assert.equal((await admin.put(`/flow/connector/${made.service}`, { csp: { providerB } })).status, 200);
      assert.equal((await shown(made.service)).write.csp.providerB.serviceKey, planted.service);
    }
    // A viewer's response contains null; an update with it changes nothing.
    const { write } = await shown(made.service, viewer);
    assert.equal((await admin.put(`/flow/connector/${made.service}`, write)).status, 200);
    assert.equal((await shown(made.service)).write.csp.providerB.serviceKey, planted.service);
    await admin.put(`/flow/connector/${made.service}`, { csp: { providerB: { serviceKey: planted.changed } } });
    assert.equal((await shown(made.service)).write.csp.providerB.serviceKey, planted.changed);
  });
  test('is in no list, other response, log, audit entry, idempotency record, job or dump', async () => {
    await deploy(admin, 'connector', made.bgp);
    await admin.put(`/flow/connector/${made.bgp}`, { entreprise: { cmeBGPKey: planted.bgp, vlan: 4002 } });
    // Users type a password where their address belongs.
    for (const [path, grant] of [
      ['/auth/reset', { grant_type: 'client_credentials', scope: 'reset' }],
      ['/auth/token', { grant_type: 'password', scope: 'everything', password: 'x' }],
    ] as const)
      await f.client.post(path, { ...grant, username: planted.typed }, { basic });
    const paths = [
      '/connectors?limit=100',
      `/connectors/group/${group.id}?limit=100`,
      ...Object.values(made).map((id) => `/connectors/${id}`),
      '/cloud-appliances',
      `/cloud-appliances/${appliance.id}`,
      `/cloud-appliances/${appliance.id}/cloud-virtual-interfaces`,
      '/audit?limit=100',
    ];
    for (const path of paths) assert.ok(!(await admin.get(path)).text.includes('PLANTED'), path);
    // Errors do not repeat the input.
    const refused = await admin.put(`/flow/connector/${made.bgp}`, {
      entreprise: { cmeBGPKey: `PLANTED ${'x'.repeat(80)}`, vlan: 0 },
    });
    assert.equal(refused.status, 400);
    assert.ok(!refused.text.includes('PLANTED'));
    assert.ok(f.logs.length > 20);
    assert.ok(!f.logs.some((line) => /planted/i.test(line)), 'the log holds a secret');

    const { rows: tables } = await f.owner.query(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    assert.ok(tables.length > 30);
    const encoded = Object.values(planted).flatMap((secret) => [
      secret,
      Buffer.from(secret).toString('hex'),
      Buffer.from(secret).toString('base64').slice(0, -4),
    ]);
    for (const { name } of tables) {
      const { rows } = await f.owner.query(`select t::text as row from ${name} t`);
      for (const { row } of rows)
        for (const secret of encoded) assert.ok(!row.includes(secret), `${name} holds a secret: ${row}`);
    }
    const { rows } = await f.owner.query('select count(*)::int as count from connector_secrets');
    assert.ok(rows[0].count >= 3);
  });
  test('is not in a pg_dump', async (t) => {
    const { rows } = await f.owner.query(`select current_setting('server_version_num')::int / 10000 as major`);
    // The embedded PostgreSQL has no pg_dump; the dump of all rows above replaces it.
    const program = globSync(`/usr/lib/postgresql/${rows[0].major}/bin/pg_dump`)[0];
    if (!program) return t.diagnostic(`there is no pg_dump of PostgreSQL ${rows[0].major} here`);
    const { stdout } = await promisify(execFile)(program, [f.databaseUrl], { maxBuffer: 2 ** 30 });
    assert.match(stdout, /COPY public\.connector_secrets/);
    assert.ok(!stdout.includes('PLANTED'));
    assert.ok(!stdout.includes(Buffer.from('PLANTED').toString('hex')));
  });
  test('can be unsealed only for its record and field', async () => {
    const keys = await openKeyFile(join(f.data, 'keys.json'));
    const { rows } = await f.owner.query(
      `select connector_id, field, key_id, sealed from connector_secrets where connector_id = any($1)`,
      [[made.service, made.pairing]],
    );
    const of = (field: string) => rows.find((row) => row.field === field);
    const [service, pairing] = [of('providerBServiceKey'), of('pairingKey')];
    const open = (row: typeof service, place: typeof service) =>
      keys.unseal(row.key_id, `connector ${place.connector_id} ${place.field}`, row.sealed);
    assert.equal(open(service, service), planted.changed);
    assert.throws(() => open(service, pairing));
    service.sealed[20] ^= 1;
    assert.throws(() => open(service, service), 'a bit that was changed is noticed');
  });
});

describe('a key rotation', () => {
  test('under load loses no secret, also if it is killed', { timeout: 600_000 }, async () => {
    const outcome = await rotateUnderLoad(f, { connectors: 30, rotations: 2, kills: 2 });
    assert.equal(outcome.lost, 0);
    assert.ok(outcome.writes > 10 && outcome.reads > 10, JSON.stringify(outcome));
    const { sealingKeys } = JSON.parse(await readFile(join(f.data, 'keys.json'), 'utf8'));
    assert.equal(sealingKeys.length, 1);
    const { rows } = await f.owner.query('select distinct key_id from connector_secrets');
    assert.deepEqual(rows, [{ key_id: sealingKeys[0].id }]);
    assert.equal((await shown(made.bgp)).write.entreprise.cmeBGPKey, planted.bgp);
  });
  test('removes drafts of the key file that a killed rotation left', async () => {
    const [draft, backup] = [join(f.data, 'keys.json.draft-99999'), join(f.data, 'keys.json.20261114')];
    for (const file of [draft, backup]) await writeFile(file, await readFile(join(f.data, 'keys.json')));
    assert.equal((await rotate(f)).code, 0);
    await assert.rejects(readFile(draft), { code: 'ENOENT' });
    assert.ok(await readFile(backup), 'a backup beside it stays');
  });
  test('waits for transactions that seal with the old key, and rejects later ones', async () => {
    const writer = await f.owner.connect();
    const seal = () => writer.query('update connector_secrets set sealed = sealed where connector_id = $1', [made.bgp]);
    try {
      await writer.query('begin');
      await seal();
      let isDone = false;
      const rotation = rotate(f).then((outcome) => {
        isDone = true;
        return outcome;
      });
      await pause(1500);
      assert.equal(isDone, false, 'the writer is waited for');
      await writer.query('commit');
      assert.equal((await rotation).code, 0);
      await writer.query('begin');
      const late = writer.query(`update connector_secrets set key_id = 'retired' where connector_id = $1`, [made.bgp]);
      await assert.rejects(late, { code: '40001' });
    } finally {
      await writer.query('rollback');
      writer.release();
    }
    assert.equal((await shown(made.bgp)).write.entreprise.cmeBGPKey, planted.bgp);
  });
  test('excludes a concurrent rotation', async () => {
    const outcomes = await Promise.all([rotate(f), rotate(f), rotate(f)]);
    assert.ok(outcomes.some(({ code }) => code === 0));
    for (const { code, output } of outcomes) if (code !== 0) assert.match(output, /Another rotation is running/);
    assert.equal((await shown(made.pairing)).write.csp.providerC.pairingKey, planted.pairing);
  });
});
