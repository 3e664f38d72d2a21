// Backups taken while everything is written, restored into a fresh place, and compared with what was acknowledged before each of them began:
// all of that is there and whole, nothing is half done, secrets open, who knows the password signs in, and what was being deployed goes on.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { findRunningUrl } from '../src/store/embedded-postgres.ts';
import { createClient } from '../test/harness/client.ts';
import { createNetwork } from '../test/harness/customer-network.ts';
import { cleanEnvironment, type RunningService, root, start } from '../test/harness/process.ts';
import { createDatabase } from '../test/harness/service.ts';
import { openWorkshop, verifyConnectors, type Workshop } from './connector-load.ts';
import { roles, verifyRoles } from './kill.ts';
import { newWitness, signIn, type Witness, write } from './ledger.ts';
import { type Agent, lostPoints, newAgents, writePoints } from './metrics.ts';
import { chance } from './seed.ts';

/** npm run backup or restore, killed as soon as something has come about when that is asked for. */
export async function command(
  name: 'backup' | 'restore',
  args: string[],
  killOnce?: (isOver: () => boolean) => Promise<unknown>,
  signal: 'SIGKILL' | 'SIGINT' = 'SIGKILL',
): Promise<{ code: number | null; output: string }> {
  const child = spawn(process.execPath, [join(root, 'src', 'commands', `${name}.ts`), ...args], {
    env: cleanEnvironment(),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const ended = once(child, 'close') as Promise<[number | null]>;
  await killOnce?.(() => child.exitCode !== null).then(() => child.kill(signal));
  const [code] = await ended;
  return { code, output };
}

/** What must be in a backup that begins now, once it is known what was touched afterwards. */
function freeze(live: Witness): () => Witness {
  const { created, deleted, unsure } = live;
  const now = { created: new Map(created), deleted: new Set(deleted), unsure: new Set(unsure) };
  return () => ({
    acknowledged: now.created.size + now.deleted.size,
    created: now.created,
    deleted: now.deleted,
    unsure: now.unsure.union(live.unsure).union(live.deleted.difference(now.deleted)),
  });
}

function freezePoints(agent: Agent): () => Agent {
  const before = new Map(agent.kept);
  return () => {
    const kept = new Map([...before].filter(([slot, value]) => agent.kept.get(slot) === value));
    return { ...agent, kept, unseen: new Set(kept.keys()) };
  };
}

interface Stage {
  data: string;
  running: RunningService;
  workshop: Workshop;
  organisationId: string;
  made: Witness;
  wired: Witness;
  agents: Agent[];
}

/** Works on the service while `during` is at it. */
async function underLoad<T>(stage: Stage, cycle: number, during: () => Promise<T>): Promise<T> {
  const { running, workshop, made, wired, agents, organisationId } = stage;
  const client = createClient(running.url, await running.ca());
  const writing = client.with({ token: await signIn(client) });
  let isOver = false;
  const name = (index: number) => `b${cycle}-${index}`;
  const load = Promise.all([
    write(writing, roles, made, name(0), () => isOver),
    ...[1, 2, 3].map((index) =>
      write(writing.with({ scope: workshop.organisationId }), workshop.craft, wired, name(index), () => isOver),
    ),
    ...agents.map((agent) => writePoints(writing.with({ scope: organisationId }), agent, () => isOver)),
  ]);
  load.catch(() => undefined);
  try {
    await pause(400 + chance() * 600);
    const result = await during();
    await pause(100);
    return result;
  } finally {
    isOver = true;
    await load;
    client.close();
  }
}

async function ask(databaseUrl: string, text: string): Promise<number> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client.query(text).finally(() => client.end());
  return Number(rows[0].count);
}

const openDeployments = 'select count(*) from deployments where is_open';

/** A restore that is killed leaves nothing that would be taken for a whole one; the next one works. Answers whether it was killed in the middle. */
async function killRestore(file: string, place: Place): Promise<boolean> {
  const mark = join(place.data, 'restore-unfinished');
  const { code } = await command('restore', [file, ...place.flags], async (isOver) => {
    while (!existsSync(mark) && !isOver()) await pause(3);
    await pause(chance() * 500);
  });
  if (code !== null || !existsSync(mark)) return false;
  await assert.rejects(
    start(place.data, { args: place.databaseFlags }),
    /A restore of .* was started and did not complete/,
  );
  return true;
}

interface Place {
  data: string;
  databaseFlags: string[];
  flags: string[];
  url: () => string;
  clear: () => Promise<void>;
}

/** Every other time an embedded database of its own, or a database on another server. */
async function openPlace(home: string, cycle: number): Promise<Place> {
  const data = join(home, `restored-${cycle}`);
  await mkdir(data, { mode: 0o700 });
  const database = cycle % 2 ? await createDatabase() : undefined;
  const databaseFlags = database ? ['--database-url', database.url] : [];
  return {
    data,
    databaseFlags,
    flags: ['--data', data, ...databaseFlags],
    url: () => database?.url ?? findRunningUrl(data) ?? assert.fail('no database is running'),
    async clear() {
      await database?.drop();
      await rm(data, { recursive: true, force: true });
    },
  };
}

/** Starts on what was restored and compares; answers how many records were found as acknowledged, and how many were not. */
async function compare(stage: Stage, place: Place, expected: { made: Witness; wired: Witness; agents: Agent[] }) {
  const running = await start(place.data, { args: place.databaseFlags });
  const client = createClient(running.url, await running.ca());
  try {
    const looking = client.with({ token: await signIn(client) });
    const inWorkshop = looking.with({ scope: stage.workshop.organisationId });
    let lost = await verifyRoles(looking, expected.made);
    lost += await verifyConnectors(inWorkshop, expected.wired, stage.workshop, place.url(), true);
    for (const agent of expected.agents) lost += await lostPoints(looking.with({ scope: stage.organisationId }), agent);
    for (const until = Date.now() + 120_000; await ask(place.url(), openDeployments); await pause(100))
      assert.ok(Date.now() < until, 'a deployment that was open in the backup does not go on');
    // It serves: what is made now is made.
    const made = await roles.create(looking, 'after-the-restore');
    assert.equal(made.status, roles.created, made.text);
    return lost;
  } finally {
    client.close();
    running.child.kill('SIGTERM');
    await running.exited;
  }
}

export interface Restored {
  cycles: number;
  killed: number;
  expected: number;
  points: number;
  open: number;
  lost: number;
  slowestBackupMilliseconds: number;
  megabytes: number;
}

async function openStage(home: string): Promise<Stage> {
  const data = join(home, 'serving');
  const running = await start(data);
  const first = createClient(running.url, await running.ca());
  const network = await createNetwork(first.with({ token: await signIn(first) }), 'agents');
  first.close();
  return {
    data,
    running,
    workshop: await openWorkshop(running),
    organisationId: network.id,
    made: newWitness(),
    wired: newWitness(),
    agents: newAgents(network.connectors.slice(0, 2)),
  };
}

/** Needs a PostgreSQL server at TEST_DATABASE_URL, for every other restore. */
export async function backUpAndRestore(
  cycles: number,
  log: (line: string) => void = () => undefined,
): Promise<Restored> {
  const home = await mkdtemp(join(tmpdir(), 'pbbackups-'));
  const seen: Restored = {
    cycles,
    killed: 0,
    expected: 0,
    points: 0,
    open: 0,
    lost: 0,
    slowestBackupMilliseconds: 0,
    megabytes: 0,
  };
  let stage: Stage | undefined;
  try {
    stage = await openStage(home);
    for (let cycle = 0; cycle < cycles; cycle++) {
      const { data, made, wired, agents } = stage;
      const file = join(home, `${cycle}.backup.gz`);
      const withKeys = cycle % 3 === 2;
      const frozen = await underLoad(stage, cycle, async () => {
        const marks = [freeze(made), freeze(wired)] as const;
        const points = agents.map(freezePoints);
        const begunMs = performance.now();
        const { code, output } = await command('backup', [file, '--data', data, ...(withKeys ? ['--with-keys'] : [])]);
        assert.equal(code, 0, output);
        seen.slowestBackupMilliseconds = Math.max(
          seen.slowestBackupMilliseconds,
          Math.round(performance.now() - begunMs),
        );
        return { marks, points };
      });
      const expected = {
        made: frozen.marks[0](),
        wired: frozen.marks[1](),
        agents: frozen.points.map((thaw) => thaw()),
      };
      seen.megabytes = Math.max(seen.megabytes, Math.round((await stat(file)).size / 1e5) / 10);
      const place = await openPlace(home, cycle);
      if (!withKeys) await copyFile(join(data, 'keys.json'), join(place.data, 'keys.json'));
      if (cycle % 2 === 0 && (await killRestore(file, place))) seen.killed++;
      const again = await command('restore', [file, ...place.flags, ...(cycle % 2 === 0 ? ['--replace'] : [])]);
      assert.equal(again.code, 0, again.output);
      if (place.databaseFlags.length) seen.open += await ask(place.url(), openDeployments);
      seen.lost += await compare(stage, place, expected);
      seen.expected += expected.made.acknowledged + expected.wired.acknowledged;
      seen.points += expected.agents.reduce((sum, { kept }) => sum + kept.size, 0);
      assert.equal(seen.lost, 0, `cycle ${cycle}: ${seen.lost} acknowledged writes are not in the backup`);
      await place.clear();
      await rm(file);
      log(`${cycle + 1} restored, ${seen.expected} records and ${seen.points} points as acknowledged`);
    }
    return seen;
  } finally {
    stage?.running.child.kill('SIGTERM');
    await stage?.running.exited;
    await rm(home, { recursive: true, force: true });
  }
}
