// npm run entitlements: the operator's own hand on what organisations have subscribed to.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { test } from 'node:test';
import { cleanEnvironment, root } from './harness/process.ts';
import { fixture } from './harness/service.ts';

const f = await fixture();
const { meridian } = f.organisations;
const admin = await f.as('admin@meridian.example');

async function stock(...words: string[]): Promise<{ code: number | null; out: string; told: string }> {
  const args = [
    join(root, 'src/commands/entitlements.ts'),
    ...words,
    '--data',
    f.data,
    '--database-url',
    f.databaseUrl,
  ];
  const child = spawn(process.execPath, args, { env: cleanEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, told] = ['', ''];
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    told += chunk;
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  return { code, out: out.trim(), told };
}

test('a top organisation gets products and capacities while the service serves, and they are in its audit', async () => {
  const who = ['--organisation', 'Meridian Exchange'];
  const product = await stock('product', ...who, '--family', 'providerC', '--region', 'japan', '--total', '7');
  assert.equal(product.code, 0, product.told);
  const pool = (await admin.get(`/organisations/${meridian}/products/providerC/japan`)).body;
  assert.deepEqual([pool.total, pool.used], [7, 0]);

  const between = ['--capacity', '10Gbps', '--region', 'europe', '--region2', 'japan', '--months', '24'];
  const { code, out: id, told } = await stock('subscribe', ...who, ...between);
  assert.equal(code, 0, told);
  const path = `/organisations/${meridian}/capacities/${id}`;
  const capacity = (await admin.get(path)).body;
  assert.deepEqual([capacity.capacity, capacity.duration, capacity.isRegional], [10_000_000_000, 24, false]);
  const change = await stock('change', '--organisation', meridian, '--id', id, '--capacity', '500Mbps');
  assert.equal(change.code, 0, change.told);
  assert.deepEqual([(await admin.get(path)).body.capacity, (await admin.get(path)).body.duration], [500_000_000, 24]);
  assert.match((await stock('list', ...who)).out, new RegExp(`0 of 0\\.5 Gbps allocated, 24 months, ${id}`));
  assert.equal((await stock('end', ...who, '--id', id)).code, 0);
  assert.equal((await admin.get(path)).status, 404);
  const deeds = (await admin.get('/audit?limit=4')).body.map(
    (deed: { action: string; serviceType: string; userName: string }) =>
      `${deed.action} ${deed.serviceType} ${deed.userName}`,
  );
  assert.deepEqual(
    deeds,
    ['delete capacity', 'update capacity', 'create capacity', 'update organisation'].map(
      (deed) => `${deed} npm run entitlements`,
    ),
  );
});

test('an organisation that calls itself by the id of another does not stand in its way', async () => {
  const { atlas, boreal } = f.organisations;
  assert.equal((await admin.put(`/organisations/${atlas}`, { name: boreal })).status, 200);
  assert.match((await stock('list', '--organisation', boreal)).out, /^Boreal Bank /);
  assert.equal((await admin.put(`/organisations/${atlas}`, { name: 'Atlas Retail' })).status, 200);
});

const wrong: [string, string[], RegExp][] = [
  ['no verb', [], /Unknown or missing subcommand/],
  ['another verb', ['sell', '--organisation', 'Atlas Retail'], /Unknown or missing subcommand/],
  ['no organisation', ['list'], /--organisation is missing/],
  ['an unknown organisation', ['list', '--organisation', 'Nobody'], /There is no organisation "Nobody"/],
  ['what every object has', ['toString', '--organisation', 'Atlas Retail'], /Unknown or missing subcommand/],
  ['no change', ['change', '--organisation', 'Atlas Retail', '--id', meridian], /Nothing to change/],
  ['an id that is none', ['end', '--organisation', 'Atlas Retail', '--id', 'x'], /--id is "x", but must be the id/],
  [
    'one region twice',
    [
      'subscribe',
      '--organisation',
      'Atlas Retail',
      '--capacity',
      '1Gbps',
      '--months',
      '1',
      '--region',
      'europe',
      '--region2',
      'europe',
    ],
    /--region2 must be another region/,
  ],
  [
    'an unknown region',
    ['subscribe', '--organisation', 'Atlas Retail', '--capacity', '1Gbps', '--months', '1', '--region', 'moon'],
    /There is no region moon\. Known regions: europe, /,
  ],
  [
    'a capacity that is none',
    ['subscribe', '--organisation', 'Atlas Retail', '--capacity', 'fast', '--months', '1', '--region', 'europe'],
    /--capacity is "fast", but must be a speed such as/,
  ],
  [
    'fewer products than are in use',
    ['product', '--organisation', 'Atlas Retail', '--family', 'providerA', '--region', 'europe', '--total', '0'],
    /More of this product is in use/,
  ],
  [
    'an unknown family',
    ['product', '--organisation', 'Atlas Retail', '--family', 'x', '--region', 'europe', '--total', '1'],
    /no such family/,
  ],
];
for (const [what, words, reason] of wrong)
  test(`${what} is refused with the reason, without a stack trace`, async () => {
    const { code, told } = await stock(...words);
    assert.equal(code, 1);
    assert.match(told, reason);
    assert.ok(!/\bat .*\.ts:/.test(told), told);
  });
