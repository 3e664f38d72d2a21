// Deployments on the simulated fabric: the deploy call, its outcome, drift repair and status changes.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { FencedError, type Item, planFor } from '../src/fabric/driver.ts';
import { SimulatedFabric } from '../src/fabric/simulated/simulated-fabric.ts';
import { openKeyFile } from '../src/host/key-file.ts';
import { PostgresStore } from '../src/store/postgres-store.ts';
import { connectorOf, eventually, openDeployableGroup, type Step, stepOutcomes } from './harness/deployable-group.ts';
import { cleanEnvironment, root } from './harness/process.ts';
import { fixture, startFixture } from './harness/service.ts';

const run = promisify(execFile);

const f = await fixture();
const { admin, groupId, connector, deploy, deployLink, link, readDeployment } = await openDeployableGroup(f);

/** A change makes the group due once more; after that reconciliation the group is left alone for minutes. */
const untilReconciled = () =>
  eventually(
    async () => (await f.owner.query('select is_due from fabric_groups where group_id = $1', [groupId])).rows[0].is_due,
    (isDue) => !isDue,
  );

const command = async (...words: string[]) =>
  run(
    process.execPath,
    [join(root, 'src/commands/fabric.ts'), ...words, '--data', f.data, '--database-url', f.databaseUrl],
    { env: cleanEnvironment() },
  );

describe('a deployment', () => {
  test('shows its origin and each step with start and end', async () => {
    const { id } = await connector();
    assert.deepEqual(await readDeployment(id), {
      state: 'registered',
      origin: null,
      steps: [],
      cause: null,
      advice: null,
    });
    await deploy(id);
    const { state, origin, steps, cause } = await readDeployment(id);
    assert.deepEqual([state, origin, cause], ['delivered', 'simulated', null]);
    assert.deepEqual(stepOutcomes(steps), ['order done', 'plan done', 'apply done', 'verify done']);
    for (const { startedAt, endedAt } of steps) assert.ok(startedAt <= endedAt);
    assert.match(steps[1].message, /^add .*port c\d+ at 1000 Mbps on r\d+; add BGP session with AS64710 at 100\./);
  });
  test('repeated with the same idempotency key returns the final response', async () => {
    const { id } = await connector();
    const headers = { 'idempotency-key': `deploy ${id}` };
    const path = `/flow/connector/${id}/set-in-deployment`;
    const [one, two] = [await admin.post(path, {}, { headers }), await admin.post(path, {}, { headers })];
    assert.equal(one.body.state, 'delivered');
    assert.deepEqual(two.body, one.body);
  });
  test('of a crashed process is resumed by another process', async () => {
    const { id } = await connector();
    await f.owner.query(
      `with marked as (update connectors set state = 'in-deployment' where id = $1 returning organisation_id, group_id)
       insert into deployments (organisation_id, group_id, connector_id, run, alive_at, asked_at)
       select organisation_id, group_id, $1, 1, now(), now() from marked`,
      [id],
    );
    assert.equal(
      (await eventually(connectorOf(admin, id), ({ state }) => state !== 'in-deployment')).state,
      'delivered',
    );
  });
  test('of a connector that is deleted meanwhile leaves nothing in the fabric', async () => {
    const ends = await Promise.all(Array.from({ length: 6 }, () => connector()));
    await Promise.all(
      ends.map(async ({ id }, index) => {
        const deploying = admin.post(`/flow/connector/${id}/set-in-deployment`, {});
        await pause(index * 25);
        assert.equal((await admin.delete(`/flow/connector/${id}`)).status, 200);
        assert.ok([200, 404].includes((await deploying).status));
      }),
    );
    const ids = ends.map(({ id }) => id);
    await eventually(
      async () => (await f.owner.query('select key from simulated_items where concerns && $1', [ids])).rows,
      (rows) => rows.length === 0,
    );
    assert.equal((await f.owner.query('select from deployments where connector_id = any($1)', [ids])).rowCount, 0);
  });
  test('of two connectors with overlapping subnets on one router is an error with advice', async () => {
    const addresses = { providerAAddress: '169.254.77.1/30', customerAddress: '169.254.77.2/30' };
    const [first, second] = [await connector('Amsterdam', addresses), await connector('Amsterdam')];
    // Earlier versions accepted such connectors.
    await f.owner.query('update connectors set details = details || $2 where id = $1', [second.id, addresses]);
    assert.equal((await deploy(first.id)).state, 'delivered');
    const refused = await deploy(second.id);
    assert.deepEqual([refused.state, refused.status], ['error', 2]);
    const { cause, advice, steps } = await readDeployment(second.id);
    assert.match(cause, new RegExp(`169\\.254\\.77\\.0/30 overlaps with .* of the connector ${first.name}`));
    assert.match(advice, /Change the addresses/);
    assert.equal(steps.at(-1).outcome, 'failed');
    const other = { providerAAddress: '169.254.78.1/30', customerAddress: '169.254.78.2/30' };
    await admin.put(`/flow/connector/${second.id}`, { csp: { providerA: other } });
    const corrected = await eventually(connectorOf(admin, second.id), ({ state }) => state !== 'in-deployment');
    assert.deepEqual([corrected.state, corrected.status], ['delivered', 0]);
  });
});

describe('a deployed record', () => {
  test('is repaired after drift, and a step shows the repair', async () => {
    const { link: made, from } = await link();
    assert.equal((await deployLink(made.id)).state, 'delivered');
    const gone = async () =>
      (await f.owner.query('delete from simulated_items where $1 = any(concerns)', [made.id])).rowCount ?? 0;
    assert.equal(await gone(), 1);
    await f.owner.query(`update fabric_groups set swept_at = '-infinity' where group_id = $1`, [groupId]);
    const { steps, state } = await eventually(
      () => readDeployment(made.id, 'link'),
      ({ steps }) => steps.some(({ name }: Step) => name === 'repair'),
    );
    assert.equal(state, 'delivered');
    assert.match(steps.at(-1).message, /^cord l\d+ between c\d+ and c\d+ on .* was missing: repaired\.$/);
    assert.deepEqual(
      stepOutcomes((await readDeployment(from.id)).steps).at(-1),
      'verify done',
      'the repair adds no step to other records',
    );
  });
  test('is KO with a cause during a far-end fault, and recovers after it', async () => {
    const { id } = await connector();
    await deploy(id);
    await command('fault', '--connector', id, '--kind', 'asn');
    await eventually(connectorOf(admin, id), ({ status }) => status === 2);
    const wrong = await readDeployment(id);
    assert.equal(wrong.state, 'delivered');
    assert.match(wrong.cause, /AS number/);
    assert.match(wrong.advice, /Compare the AS numbers/);
    const listed = (await admin.get(`/connectors?status=KO&groupID=${groupId}&limit=100`)).body;
    assert.ok(listed.some((one: { id: string }) => one.id === id));
    await command('fault', '--connector', id, '--kind', 'none');
    const { statusSince } = await eventually(connectorOf(admin, id), ({ status }) => status === 0);
    assert.ok(Date.parse(statusSince) > Date.now() - 30_000);
    const { cause, steps } = await readDeployment(id);
    assert.deepEqual([cause, stepOutcomes(steps).slice(-2)], [null, ['watch failed', 'watch done']]);
  });
  test('is shown, planned and repaired from the command line', async () => {
    const { id } = await connector();
    await deploy(id);
    await untilReconciled();
    const { rows } = await f.owner.query(
      `update simulated_items set fingerprint = 'other'
       where $1 = any(concerns) and key like 'port %' returning description`,
      [id],
    );
    const text: string = rows[0].description;
    const status = (await command('status')).stdout;
    assert.match(status, /Fabric: simulated \(seed patchbay\)/);
    assert.match(status, /out of sync: 1 change\n/);
    assert.match((await command('plan', '--group', groupId)).stdout, new RegExp(`change +${text} on r\\d+`));
    assert.match((await command('observe', '--group', groupId)).stdout, new RegExp(`${text} \\[other\\]`));
    assert.match((await command('repair', '--group', groupId)).stdout, /: 1 change\n/);
    assert.match((await command('plan', '--group', groupId)).stdout, /: no changes/);
    for (const [words, complaint] of [
      [['teardown'], /Stop it first/],
      [['dance'], /Unknown or missing subcommand/],
      [['plan', '--group', 'x'], /must be the id of a group/],
      [['fault', '--connector', id, '--kind', 'cat'], /must be one of key, asn, down, flood or none/],
    ] as const)
      await assert.rejects(command(...words), complaint);
  });
  test('has no looking glass on the simulated fabric', async () => {
    const { id } = await connector();
    const path = `/connectors/${id}/looking-glass`;
    const response = await admin.get(`${path}?command=routes`);
    assert.deepEqual([response.status, response.body.code], [409, 'NoLookingGlass']);
    for (const query of [
      '',
      '?command=reboot',
      '?command=ping',
      '?command=ping&target=localhost',
      '?command=routes&target=10.0.0.1',
    ])
      assert.equal((await admin.get(path + query)).status, 400, query);
    const viewer = await f.as('viewer@meridian.example', { scope: f.organisations.boreal });
    assert.equal((await viewer.get(`${path}?command=routes`)).status, 403);
    assert.equal((await viewer.get(`/flow/connector/${id}/deployment`)).status, 200);
  });
});

async function startWithFaults(faults: string): Promise<Awaited<ReturnType<typeof openDeployableGroup>>> {
  const own = await startFixture(['--simulated-fail', faults]);
  after(() => own.close());
  return openDeployableGroup(own);
}

describe('a fabric with injected faults', () => {
  test('in every apply makes the deployment an error with cause and advice', async () => {
    const broken = await startWithFaults('apply');
    const { id } = await broken.connector();
    assert.deepEqual([(await broken.deploy(id)).state], ['error']);
    const { steps, cause, advice } = await broken.readDeployment(id);
    assert.deepEqual(stepOutcomes(steps.slice(1)), Array(3).fill(['plan done', 'apply failed']).flat());
    assert.match(cause, /PATCHBAY_SIMULATED_FAIL/);
    assert.match(advice, /deploy again/);
  });
  test('in two applies delivers the third attempt', async () => {
    const shaky = await startWithFaults('apply:100%:2');
    const { id } = await shaky.connector();
    assert.equal((await shaky.deploy(id)).state, 'delivered');
    assert.deepEqual(
      stepOutcomes((await shaky.readDeployment(id)).steps).filter((step) => step.startsWith('apply')),
      ['apply failed', 'apply failed', 'apply done'],
    );
  });
  test('in every verify leaves the connector deployed and KO, not in error', { timeout: 600_000 }, async () => {
    const dark = await startWithFaults('verify');
    const { id } = await dark.connector();
    const early = await dark.admin.post(`/flow/connector/${id}/set-in-deployment`, {});
    assert.equal(early.body.state, 'in-deployment', 'the call ends before the deployment');
    const { state, status } = await eventually(connectorOf(dark.admin, id), (seen) => seen.state !== 'in-deployment');
    assert.deepEqual([state, status], ['deployed', 2]);
    assert.match((await dark.readDeployment(id)).cause, /configured to fail/);
  });
  test('returns 404 to a deploy call and its repetition when the record is deleted meanwhile', async () => {
    const dark = await startWithFaults('verify');
    const { id } = await dark.connector();
    const options = { headers: { 'idempotency-key': `deleted ${id}` } };
    const deploying = dark.admin.post(`/flow/connector/${id}/set-in-deployment`, {}, options);
    await pause(500);
    const early = await dark.admin.post(`/flow/connector/${id}/set-in-deployment`, {}, options);
    assert.deepEqual([early.status, early.body.code], [409, 'StillRunning']);
    assert.equal((await dark.admin.delete(`/flow/connector/${id}`)).status, 200);
    assert.equal((await deploying).status, 404);
    assert.equal((await dark.admin.post(`/flow/connector/${id}/set-in-deployment`, {}, options)).status, 404);
  });
});

test('a fabric rejects a fencing token lower than one it has seen', async () => {
  const store = new PostgresStore(f.databaseUrl, () => undefined);
  const keys = await openKeyFile(join(f.data, 'keys.json'));
  const driver = new SimulatedFabric({ store, keys, seed: 'x', faultRules: [] });
  const unknownGroupId = '0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10';
  const item: Item = { key: 'router r0', on: 'r0', text: 'a router', concerns: [], fingerprint: 'x' };
  const desiredState = { groupId: unknownGroupId, routers: [], connectors: [], links: [] };
  const lease = (token: number) => ({ token, renew: async () => undefined });
  try {
    const plan = planFor(unknownGroupId, [item], []);
    await driver.apply(desiredState, plan, lease(9));
    await assert.rejects(driver.apply(desiredState, planFor(unknownGroupId, [], [item]), lease(8)), FencedError);
    assert.deepEqual(await driver.observe(unknownGroupId), [item]);
    await assert.rejects(driver.apply(desiredState, plan, lease(9)), 'an existing item cannot be added again');
    await driver.remove(unknownGroupId, lease(10));
    assert.deepEqual(await driver.observe(unknownGroupId), []);
  } finally {
    await store.close();
  }
});
