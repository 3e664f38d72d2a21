// kill -9 at any moment: what was acknowledged is there, nothing is half done, and the next start is ready by itself.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findRunningUrl } from '../src/store/embedded-postgres.ts';
import { type Client, createClient } from '../test/harness/client.ts';
import { type RunningService, start } from '../test/harness/process.ts';
import { createSeededRandom } from '../test/harness/seeded-random.ts';
import { openWorkshop, verifyConnectors } from './connector-load.ts';
import { type Craft, lostOf, newWitness, signIn, type Witness, write } from './ledger.ts';
import { liveOnce, newMixedLog, prepareGround } from './mixed-load.ts';
import { verifyMixed } from './mixed-load-check.ts';

export const killKinds = ['service', 'database', 'both'] as const;

export const roles: Craft = {
  create: (client, role) =>
    client.post('/acl/roles', {
      role,
      policies: [{ act: 'GET', eft: 'allow', obj: '/audit', res: 'audit:read:organisation' }],
    }),
  created: 201,
  remove: (client, role) => client.delete(`/acl/roles/${role}`),
  deleted: 204,
};

/** The server's process, or 0 while there is none. */
function postmaster(data: string): number {
  try {
    return Number(readFileSync(join(data, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]);
  } catch {
    return 0;
  }
}

interface Size {
  cycles: number;
  seed: string;
}

const isReady = async (client: Client): Promise<boolean> =>
  (await client.get('/ready').catch(() => undefined))?.status === 200;

/** Strikes in the middle of the load; answers the service that is ready again, and after how long. */
export async function strike(kind: (typeof killKinds)[number], running: RunningService, data: string, client: Client) {
  const database = postmaster(data);
  if (kind !== 'service') process.kill(database, 'SIGKILL');
  if (kind !== 'database' && running.child.pid) process.kill(running.child.pid, 'SIGKILL');
  const killedAt = Date.now();
  if (kind !== 'database') {
    await running.exited;
    return { running: await start(data), milliseconds: Date.now() - killedAt };
  }
  // The service starts the database again by itself.
  for (const until = Date.now() + 30_000; Date.now() < until; await pause(10))
    if (![0, database].includes(postmaster(data)) && (await isReady(client)))
      return { running, milliseconds: Date.now() - killedAt };
  return assert.fail(`not ready within 30 s after the database was killed:\n${running.output().slice(-3000)}`);
}

export async function verifyRoles(client: Client, witness: Witness): Promise<number> {
  const found = new Map<string, string>(
    (await client.get('/acl/roles')).body.map((role: { role: string }) => [role.role, JSON.stringify(role)]),
  );
  // Nothing half done: each role has the row that says it was made, each deletion the row that says so.
  const counted = async (action: string) =>
    Number(
      (await client.get(`/audit?serviceType=role&action=${action}&limit=1`)).headers['content-range']?.split('/')[1],
    );
  const shipped = 4;
  assert.equal(
    (await counted('create')) - (await counted('delete')),
    found.size - shipped,
    'audit rows and records disagree',
  );
  return lostOf(witness, found);
}

export async function killCycles({ cycles, seed }: Size, log: (line: string) => void = () => undefined) {
  const dice = createSeededRandom(`kill ${seed}`);
  const data = await mkdtemp(join(tmpdir(), 'pbkill-'));
  const witness = newWitness();
  const wired = newWitness();
  const ready: number[] = [];
  let running: RunningService | undefined;
  let lost = 0;
  try {
    running = await start(data);
    const workshop = await openWorkshop(running);
    const mixed = newMixedLog(workshop.mixedId);
    const first = createClient(running.url, await running.ca());
    const parent = first.with({ token: await signIn(first) });
    const ground = await prepareGround(parent, parent.with({ scope: mixed.organisationId }), mixed.organisationId);
    first.close();
    for (let cycle = 0; cycle < cycles; cycle++) {
      const kind = killKinds[cycle % killKinds.length] ?? 'both';
      const ca = await running.ca();
      const client = createClient(running.url, ca);
      const writing = client.with({ token: await signIn(client) });
      let over = false;
      const isOver = () => over;
      const clients = { own: writing, child: writing.with({ scope: mixed.organisationId }) };
      const live = async (name: string): Promise<void> => {
        const own = createSeededRandom(`${seed} ${name}`);
        for (let life = 0; !over; life++) await liveOnce(mixed, clients, ground, `${name}-${life}`, own);
      };
      const load = Promise.allSettled(
        Array.from({ length: 8 }, (_, index) => {
          const name = `k${cycle}-${index}`;
          if (index < 2) return write(writing, roles, witness, name, isOver);
          if (index < 4)
            return write(writing.with({ scope: workshop.organisationId }), workshop.craft, wired, name, isOver);
          return live(name);
        }),
      );
      const written = () => witness.acknowledged + wired.acknowledged + mixed.acknowledged;
      const enough = written() + 10 + dice.below(40);
      try {
        // In the middle of the work, however slow the machine is.
        for (const until = Date.now() + 15_000; written() < enough && Date.now() < until; ) await pause(10);
        await pause(dice.below(200));
        const struck = await strike(kind, running, data, client);
        running = struck.running;
        ready.push(struck.milliseconds);
        await pause(100);
      } finally {
        over = true;
      }
      for (const end of await load) if (end.status === 'rejected') throw end.reason;
      const after = createClient(running.url, await running.ca());
      const looking = after.with({ token: await signIn(after) });
      lost += await verifyRoles(looking, witness);
      lost += await verifyConnectors(
        looking.with({ scope: workshop.organisationId }),
        wired,
        workshop,
        findRunningUrl(data) ?? assert.fail('no database is running'),
      );
      lost += await verifyMixed(mixed, data);
      // Roles are listed whole: keep the list short.
      if (witness.created.size > 400) {
        for (const { role } of (await looking.get('/acl/roles')).body.slice(4))
          await looking.delete(`/acl/roles/${role}`);
        witness.created.clear();
      }
      after.close();
      client.close();
      assert.equal(lost, 0, `cycle ${cycle} (${kind}) lost ${lost} acknowledged writes`);
      if (cycle % 10 === 9)
        log(`${cycle + 1} kills, ${written()} writes acknowledged, ready again after ${ready.at(-1)} ms`);
    }
    const sorted = [...ready].sort((a, b) => a - b);
    return {
      cycles,
      kinds: killKinds.join(', '),
      acknowledged: witness.acknowledged + wired.acknowledged + mixed.acknowledged,
      cut: mixed.cut,
      cutButDone: mixed.cutButDone,
      lost,
      readyMilliseconds: sorted[Math.floor(sorted.length / 2)] ?? 0,
      worstMilliseconds: sorted.at(-1) ?? 0,
    };
  } finally {
    running?.child.kill('SIGTERM');
    await running?.exited;
    await rm(data, { recursive: true, force: true });
  }
}

/** For so long after it was told to stop the service answers whoever speaks on a connection that looked idle (half a second, less the way). */
const politeMilliseconds = 400;

/** SIGTERM to the process, and Ctrl-C's SIGINT to the whole process group, while requests are on their way. */
export async function stopCycles({ cycles, seed }: Size, log: (line: string) => void = () => undefined) {
  const dice = createSeededRandom(`stop ${seed}`);
  const data = await mkdtemp(join(tmpdir(), 'pbstop-'));
  let answered = 0;
  let cut = 0;
  let clean = 0;
  try {
    for (let cycle = 0; cycle < cycles; cycle++) {
      const running = await start(data);
      const client = createClient(running.url, await running.ca());
      const writing = client.with({ token: await signIn(client) });
      /** Those whose connection is made. */
      const connected = new Set<number>();
      let over = false;
      let toldAt = Number.POSITIVE_INFINITY;
      const load = Promise.allSettled(
        Array.from({ length: 8 }, async (_, index) => {
          for (let turn = 0; !over; turn++) {
            const sentAt = Date.now();
            try {
              const answer = await writing.put('/me/info', { contact: { phone: `${cycle} ${index} ${turn}` } });
              assert.equal(answer.status, 200, answer.text);
              answered++;
              connected.add(index);
            } catch (error) {
              const { code } = error as { code?: string };
              if (code === 'ERR_ASSERTION') throw error;
              // What came too late may be refused or closed; what is being answered may not be cut.
              if (code !== 'ECONNREFUSED' && sentAt < toldAt + politeMilliseconds) cut++;
              break;
            }
          }
        }),
      );
      for (const until = Date.now() + 60_000; connected.size < 8 && Date.now() < until; ) await pause(10);
      await pause(dice.below(300));
      toldAt = Date.now();
      process.kill(-(running.child.pid ?? 0), cycle % 2 ? 'SIGINT' : 'SIGTERM');
      const { code } = await running.exited;
      over = true;
      for (const end of await load) if (end.status === 'rejected') throw end.reason;
      client.close();
      assert.equal(code, 0, running.output());
      if (
        /database system is shut down/.test(
          (await readFile(join(data, 'postgres.log'), 'utf8')).trimEnd().split('\n').at(-1) ?? '',
        )
      )
        clean++;
      if (cycle % 10 === 9) log(`${cycle + 1} stops, ${answered} answered, ${cut} cut`);
    }
    return { cycles, kinds: 'SIGTERM and SIGINT to the process group', answered, cut, clean };
  } finally {
    await rm(data, { recursive: true, force: true });
  }
}
