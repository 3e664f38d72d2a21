// npm run entitlements: the operator sets the products and capacities of organisations.
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

async function entitlements(...words: string[]): Promise<{ code: number | null; out: string; errors: string }> {
  const args = [
    join(root, 'src/commands/entitlements.ts'),
    ...words,
    '--data',
    f.data,
    '--database-url',
    f.databaseUrl,
  ];
  const child = spawn(process.execPath, args, { env: cleanEnvironment(), stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, errors] = ['', ''];
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const [code] = (await once(child, 'exit')) as [number | null];
  return { code, out: out.trim(), errors };
}

test('a top organisation gets products and capacities beside a running service, with audit entries', async () => {
  const who = ['--organisation', 'Meridian Exchange'];
  const product = await entitlements('product', ...who, '--family', 'providerC', '--region', 'japan', '--total', '7');
  assert.equal(product.code, 0, product.errors);
  const pool = (await admin.get(`/organisations/${meridian}/products/providerC/japan`)).body;
  assert.deepEqual([pool.total, pool.used], [7, 0]);

  const between = ['--capacity', '10Gbps', '--region', 'europe', '--region2', 'japan', '--months', '24'];
  const { code, out: id, errors } = await entitlements('subscribe', ...who, ...between);
  assert.equal(code, 0, errors);
  const path = `/organisations/${meridian}/capacities/${id}`;
  const capacity = (await admin.get(path)).body;
  assert.deepEqual([capacity.capacity, capacity.duration, capacity.isRegional], [10_000_000_000, 24, false]);
  const change = await entitlements('change', '--organisation', meridian, '--id', id, '--capacity', '500Mbps');
  assert.equal(change.code, 0, change.errors);
  assert.deepEqual([(await admin.get(path)).body.capacity, (await admin.get(path)).body.duration], [500_000_000, 24]);
  assert.match((await entitlements('list', ...who)).out, new RegExp(`0 of 0\\.5 Gbps allocated, 24 months, ${id}`));
  assert.equal((await entitlements('end', ...who, '--id', id)).code, 0);
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

test('an organisation is found by id, even if another has that id as its name', async () => {
  const { atlas, boreal } = f.organisations;
  assert.equal((await admin.put(`/organisations/${atlas}`, { name: boreal })).status, 200);
  assert.match((await entitlements('list', '--organisation', boreal)).out, /^Boreal Bank /);
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
  test(`${what} is rejected with a reason, without a stack trace`, async () => {
    const { code, errors } = await entitlements(...words);
    assert.equal(code, 1);
    assert.match(errors, reason);
    assert.ok(!/\bat .*\.ts:/.test(errors), errors);
  });
