// kill -9 in the middle of deployments, again and again: what was begun is finished or explained, and the fabric holds what the records say.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import type { RunningService } from '../test/harness/process.ts';
import {
  asOwner,
  complaintsAboutItems,
  complaintsAboutRecords,
  countOvercome,
  countStates,
  explainedErrors,
  plannedChanges,
} from './fabric-invariants.ts';
import { clearLab, complaintsAboutLab, instanceOf, killSomeDaemon, remainsOfLab } from './lab-inspector.ts';
import {
  clientOf,
  deliver,
  type Fabric,
  type NetworkStage,
  openNetworkStage,
  type Ring,
  registerRing,
  startOn,
} from './network-fixture.ts';
import { type Book, compareWithBook, type LoadSize, newBook, work } from './network-load.ts';
import { range } from './race-fixture.ts';
import { chance } from './seed.ts';

const settleWithinMs = 30_000;
const warmUpMs = 3000;

/** How one harms a fabric, and what one sees of it, without its driver. */
interface Eyes {
  size: LoadSize & { regions: number };
  killsPerLook: number;
  /** Takes something away that nobody asked to have taken away: kills fall into repairs, too. */
  harm(data: string): Promise<void>;
  /** The harm may have been done behind the back of a look that was under way: another one is due. */
  callForLook(data: string): Promise<void>;
  complaints(data: string): Promise<string[]>;
}

const look = `update fabric_groups set swept_at = '-infinity' where group_id in (select id from groups where name like 'ring %')`;
const takeItems = `delete from simulated_items where (group_id, key) in (select i.group_id, i.key
  from simulated_items i join groups g on g.id = i.group_id where g.name like 'ring %' order by random() limit 4)`;

const eyes: Record<Fabric, Eyes> = {
  simulated: {
    // Many groups: one that was being changed when its service died waits for ten seconds, and the load goes on elsewhere.
    size: { regions: 5, groups: 12, connectorsPerGroup: 8, workers: 10 },
    killsPerLook: 50,
    harm: (data) => asOwner(data, async (owner) => void (await owner.query(`${takeItems}; ${look}`))),
    callForLook: (data) => asOwner(data, async (owner) => void (await owner.query(look))),
    complaints: (data) => asOwner(data, complaintsAboutItems),
  },
  lab: {
    size: { regions: 3, groups: 5, connectorsPerGroup: 4, workers: 5 },
    killsPerLook: 10,
    harm: killSomeDaemon,
    // A lab is looked at every few seconds anyway.
    callForLook: async () => undefined,
    complaints: complaintsAboutLab,
  },
};

interface Ground {
  fabric: Fabric;
  data: string;
  stage: NetworkStage;
  book: Book;
}

/** Load until the service is killed in the middle of it. */
async function strike({ fabric, data, stage, book }: Ground, running: RunningService, warmUpMs = 0): Promise<void> {
  const client = await clientOf(running, stage.organisationId);
  const { size, harm } = eyes[fabric];
  let over = false;
  const load = Promise.all(range(size.workers).map(() => work({ client, stage, book, size }, () => over)));
  await pause(warmUpMs);
  const killAt = Date.now() + 50 + chance() * 850;
  if (chance() < 0.4) await harm(data);
  await pause(Math.max(0, killAt - Date.now()));
  running.child.kill('SIGKILL');
  await running.exited;
  over = true;
  await load;
  client.close();
  if (book.faults.length) throw book.faults[0];
}

/** Waits until everything is as it should be; answers after how long since the last start. */
async function settle({ fabric, data }: Ground, startedAt: number): Promise<number> {
  await eyes[fabric].callForLook(data);
  let complaints: string[] = [];
  do {
    complaints = await asOwner(data, complaintsAboutRecords);
    if (complaints.length === 0) complaints = await eyes[fabric].complaints(data);
    if (complaints.length === 0) complaints = await plannedChanges(data);
    if (complaints.length === 0) return Date.now() - startedAt;
    await pause(100);
  } while (Date.now() < startedAt + settleWithinMs);
  return assert.fail(`after ${settleWithinMs / 1000} s without load:\n${complaints.slice(0, 40).join('\n')}`);
}

async function verify({ data, stage: { organisationId } }: Ground, running: RunningService) {
  const client = await clientOf(running, organisationId);
  const counts = await asOwner(data, async (owner) => ({
    errors: await explainedErrors(owner, client, organisationId),
    overcome: await countOvercome(owner),
    states: await countStates(owner),
  }));
  assert.ok(counts.states['delivered link'], 'no link was delivered: nothing was seen');
  client.close();
  return counts;
}

/** What the killed service was at: the last step of its runs, and turns to change a group for which nobody waits. */
const atWork = `
  select coalesce(steps -> -1 ->> 'name', 'order') as what, run::text as token from deployments where is_open and alive_at is not null
  union all select 'errand or repair', token::text from fabric_groups g where held_until > clock_timestamp()
    and not exists (select from deployments d where d.group_id = g.group_id and is_open)`;

async function noteInterrupted(owner: pg.Client, interrupted: Map<string, string>): Promise<void> {
  for (const { what, token } of (await owner.query(atWork)).rows) interrupted.set(token, what);
}

const countsOf = (words: Iterable<string>): Record<string, number> =>
  Object.fromEntries([...Map.groupBy(words, (word) => word)].map(([word, all]) => [word, all.length]));

export interface Killed {
  kills: number;
  acknowledged: number;
  worstSettleMs: number;
  looks: number;
  errors: number;
  overcome: number;
  /** Of all records, at the last look. */
  states: Record<string, number>;
  /** Of which kind the steps were that kills fell into. */
  interrupted: Record<string, number>;
  outcomes: Book['outcomes'];
}

interface Options {
  log?: (line: string) => void;
  /** What is done with the service and its standing ring when nothing is killed any more. */
  finale?: (data: string, ring: Ring) => Promise<void>;
}

export async function killDeployments(
  fabric: Fabric,
  kills: number,
  { log = () => undefined, finale = async () => undefined }: Options = {},
): Promise<Killed> {
  const data = await mkdtemp(join(tmpdir(), 'pbdeploy-'));
  const killed: Killed = {
    ...{ kills, acknowledged: 0, worstSettleMs: 0, looks: 0, errors: 0, overcome: 0 },
    ...{ states: {}, interrupted: {}, outcomes: {} },
  };
  const interrupted = new Map<string, string>();
  let running = await startOn(fabric, data);
  try {
    if (fabric === 'lab') await instanceOf(data);
    const stage = await openNetworkStage(running, eyes[fabric].size.regions);
    const ground = { fabric, data, stage, book: newBook() };
    const ring = await standRing(running, ground);
    for (let kill = 1; kill <= kills; kill++) {
      await strike(ground, running, kill === 1 ? warmUpMs : 0);
      const startedAt = Date.now();
      running = await startOn(fabric, data);
      await asOwner(data, async (owner) => {
        await noteInterrupted(owner, interrupted);
        assert.deepEqual(await compareWithBook(owner, stage.organisationId, ground.book), [], `after kill ${kill}`);
      });
      if (kill % eyes[fabric].killsPerLook === 0 || kill === kills) {
        killed.worstSettleMs = Math.max(killed.worstSettleMs, await settle(ground, startedAt));
        const { errors, overcome, states } = await verify(ground, running);
        killed.looks++;
        killed.errors += errors;
        killed.overcome += overcome;
        killed.states = states;
      }
      killed.acknowledged = ground.book.acknowledged;
      killed.outcomes = ground.book.outcomes;
      killed.interrupted = countsOf(interrupted.values());
      if (kill % 10 === 0)
        log(
          `${fabric}: ${kill} kills, ${killed.acknowledged} deeds acknowledged, longest settle ${(killed.worstSettleMs / 1000).toFixed(1)} s`,
        );
    }
    await finale(data, ring);
    running.child.kill('SIGTERM');
    assert.equal((await running.exited).code, 0, running.output().slice(-3000));
    if (fabric === 'lab')
      assert.deepEqual(await remainsOfLab(data), [], 'a lab that was stopped left something behind');
    return killed;
  } finally {
    running.child.kill('SIGTERM');
    await running.exited;
    if (fabric === 'lab') await clearLab(data);
    await rm(data, { recursive: true, force: true });
  }
}

/** A network that nobody changes: only it is harmed, so that no repair hides what a lost errand left behind elsewhere. */
async function standRing(running: RunningService, { stage }: Ground): Promise<Ring> {
  const client = await clientOf(running, stage.organisationId);
  const ring = await registerRing(client, stage, stage.places);
  await Promise.all(ring.links.map((link) => deliver(client, 'link', link)));
  client.close();
  return ring;
}
