// Backups under load, each restored to a fresh target and compared with what was acknowledged before the backup began:
// all of it is found, no write is half applied, secrets can be decrypted, sign-in works and open deployments continue.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { createClient } from '../test/harness/client.ts';
import { createNetwork } from '../test/harness/customer-network.ts';
import { type RunningService, start } from '../test/harness/process.ts';
import { createDatabase } from '../test/harness/service.ts';
import { command } from './backup-command.ts';
import { type ConnectorLoad, prepareConnectorLoad, verifyConnectors } from './connector-load.ts';
import { databaseUrlOf, type Log, mustSucceed, noLog, signIn } from './helpers.ts';
import { Ledger } from './ledger.ts';
import { type Agent, countLostPoints, newAgents, writePoints } from './metrics.ts';
import { killPruning, type PruneResult } from './pruning.ts';
import { createAndDelete, roles, verifyRoles } from './record-load.ts';
import { random } from './seed.ts';

/** The points that a backup that begins now must contain; the result is to be called after the backup. */
function snapshotPoints(agent: Agent): () => Agent {
  const before = new Map(agent.acknowledged);
  return () => {
    const acknowledged = new Map([...before].filter(([bucket, value]) => agent.acknowledged.get(bucket) === value));
    return { ...agent, acknowledged, unchecked: new Set(acknowledged.keys()) };
  };
}

interface Context {
  data: string;
  running: RunningService;
  connectorLoad: ConnectorLoad;
  organisationId: string;
  ledger: Ledger;
  agents: Agent[];
}

/** An organisation has at most 1,000 roles, and there are up to 20 cycles. */
const mostRoles = 40;

/** Runs `work` while roles, connectors and points are written. */
async function underLoad<T>(context: Context, cycle: number, work: () => Promise<T>): Promise<T> {
  const { running, connectorLoad, ledger, agents, organisationId } = context;
  const client = createClient(running.url, await running.ca());
  const admin = client.with({ token: await signIn(client) });
  const inLoad = admin.with({ scope: connectorLoad.organisationId });
  let isOver = false;
  const load = Promise.all([
    createAndDelete(admin, roles, ledger, `b${cycle}-0`, () => isOver, mostRoles),
    ...[1, 2, 3].map((index) =>
      createAndDelete(inLoad, connectorLoad.connectors, ledger, `b${cycle}-${index}`, () => isOver),
    ),
    ...agents.map((agent) => writePoints(admin.with({ scope: organisationId }), agent, () => isOver)),
  ]);
  load.catch(() => undefined);
  try {
    await pause(400 + random.next() * 600);
    const result = await work();
    await pause(100);
    return result;
  } finally {
    isOver = true;
    await load;
    client.close();
  }
}

async function countOpenDeployments(databaseUrl: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const query = 'select count(*) from deployments where is_open';
  const { rows } = await client.query(query).finally(() => client.end());
  return Number(rows[0].count);
}

interface Target {
  data: string;
  /** The name that --replace repeats. */
  name: string;
  databaseFlags: string[];
  flags: string[];
  url: () => string;
  remove: () => Promise<void>;
}

/** Kills a restore. The service must refuse to start on the result. Returns whether the kill hit the restore. */
async function killRestore(file: string, target: Target): Promise<boolean> {
  const mark = join(target.data, 'restore-unfinished');
  const { code } = await command('restore', [file, ...target.flags], async (isOver) => {
    while (!existsSync(mark) && !isOver()) await pause(3);
    await pause(random.next() * 500);
  });
  if (code !== null || !existsSync(mark)) return false;
  await assert.rejects(
    start(target.data, { args: target.databaseFlags }),
    /A restore of .* was started and did not complete/,
  );
  return true;
}

/** Alternates between an embedded database and a database on another server. */
async function openTarget(home: string, cycle: number): Promise<Target> {
  const data = join(home, `restored-${cycle}`);
  await mkdir(data, { mode: 0o700 });
  const database = cycle % 2 ? await createDatabase() : undefined;
  const databaseFlags = database ? ['--database-url', database.url] : [];
  return {
    data,
    name: database ? new URL(database.url).pathname.slice(1) : basename(data),
    databaseFlags,
    flags: ['--data', data, ...databaseFlags],
    url: () => database?.url ?? databaseUrlOf(data),
    async remove() {
      await database?.drop();
      await rm(data, { recursive: true, force: true });
    },
  };
}

interface Expected {
  ledger: Ledger;
  agents: Agent[];
}

/** Starts a service on the restored data and compares. Returns the number of lost records and points. */
async function compare({ connectorLoad, organisationId }: Context, target: Target, expected: Expected) {
  const running = await start(target.data, { args: target.databaseFlags });
  const client = createClient(running.url, await running.ca());
  try {
    const admin = client.with({ token: await signIn(client) });
    const inLoad = admin.with({ scope: connectorLoad.organisationId });
    const records = [
      ...(await verifyRoles(admin, expected.ledger)),
      ...(await verifyConnectors(inLoad, expected.ledger, connectorLoad, target.url(), true)),
    ];
    assert.deepEqual(records, [], 'acknowledged records are not in the backup');
    let lost = 0;
    for (const agent of expected.agents) lost += await countLostPoints(admin.with({ scope: organisationId }), agent);
    for (const until = Date.now() + 120_000; await countOpenDeployments(target.url()); await pause(100))
      assert.ok(Date.now() < until, 'a deployment that was open in the backup does not continue');
    await mustSucceed(roles.create(admin, 'after-the-restore'));
    return lost;
  } finally {
    client.close();
    running.child.kill('SIGTERM');
    await running.exited;
  }
}

export interface BackupResult {
  cycles: number;
  killed: number;
  expected: number;
  points: number;
  openDeployments: number;
  lost: number;
  slowestBackupMilliseconds: number;
  megabytes: number;
  pruning: PruneResult;
}

async function openContext(home: string): Promise<Context> {
  const data = join(home, 'serving');
  const running = await start(data);
  const client = createClient(running.url, await running.ca());
  const network = await createNetwork(client.with({ token: await signIn(client) }), 'agents');
  client.close();
  return {
    data,
    running,
    connectorLoad: await prepareConnectorLoad(running),
    organisationId: network.id,
    ledger: new Ledger(),
    agents: newAgents(network.connectors.slice(0, 2)),
  };
}

/** Takes a backup under load. Returns what it must contain. */
async function backUp(context: Context, cycle: number, args: string[], result: BackupResult): Promise<Expected> {
  const { ledger, agents } = context;
  const snapshots = await underLoad(context, cycle, async () => {
    const marked = { ledger: ledger.snapshot(), agents: agents.map(snapshotPoints) };
    const startMs = performance.now();
    const { code, output } = await command('backup', args);
    assert.equal(code, 0, output);
    const milliseconds = Math.round(performance.now() - startMs);
    result.slowestBackupMilliseconds = Math.max(result.slowestBackupMilliseconds, milliseconds);
    return marked;
  });
  return { ledger: snapshots.ledger(), agents: snapshots.agents.map((finish) => finish()) };
}

async function runCycle(context: Context, home: string, cycle: number, result: BackupResult): Promise<void> {
  const { data } = context;
  const file = join(home, `${cycle}.backup.gz`);
  const hasKeys = cycle % 3 === 2;
  const args = [file, '--data', data, ...(hasKeys ? ['--with-keys'] : [])];
  const expected = await backUp(context, cycle, args, result);
  result.megabytes = Math.max(result.megabytes, Math.round((await stat(file)).size / 1e5) / 10);
  const target = await openTarget(home, cycle);
  if (!hasKeys) await copyFile(join(data, 'keys.json'), join(target.data, 'keys.json'));
  const isKilled = cycle % 2 === 0;
  if (isKilled && (await killRestore(file, target))) result.killed++;
  const restored = await command('restore', [file, ...target.flags, ...(isKilled ? ['--replace', target.name] : [])]);
  assert.equal(restored.code, 0, restored.output);
  if (target.databaseFlags.length) result.openDeployments += await countOpenDeployments(target.url());
  result.expected += expected.ledger.acknowledged;
  result.points += expected.agents.reduce((sum, { acknowledged }) => sum + acknowledged.size, 0);
  result.lost += await compare(context, target, expected);
  assert.equal(result.lost, 0, `cycle ${cycle}: ${result.lost} acknowledged points are not in the backup`);
  await target.remove();
  await rm(file);
}

/** Needs a PostgreSQL server at TEST_DATABASE_URL, for every other restore. `prunings` are killed. */
export async function backUpAndRestore(cycles: number, prunings: number, log: Log = noLog): Promise<BackupResult> {
  const home = await mkdtemp(join(tmpdir(), 'pbbackups-'));
  const result: BackupResult = {
    ...{ cycles, killed: 0, expected: 0, points: 0, openDeployments: 0, lost: 0 },
    ...{ slowestBackupMilliseconds: 0, megabytes: 0, pruning: { runs: 0, killed: 0, deleted: 0 } },
  };
  let context: Context | undefined;
  try {
    context = await openContext(home);
    for (let cycle = 0; cycle < cycles; cycle++) {
      await runCycle(context, home, cycle, result);
      log(`${cycle + 1} restored, ${result.expected} records and ${result.points} points as acknowledged`);
    }
    result.pruning = await killPruning(home, context.data, prunings);
    return result;
  } finally {
    context?.running.child.kill('SIGTERM');
    await context?.running.exited;
    await rm(home, { recursive: true, force: true });
  }
}
