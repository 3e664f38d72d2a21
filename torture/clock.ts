// Clocks that jump. The database's is set to just before and just after something expires, and back by an hour, a day or a year; of two replicas, one is on a
// machine whose own clock is wrong. What expires does so when it should, by both, and what was over stays over.
import assert from 'node:assert/strict';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { type Client, createClient } from '../test/harness/client.ts';
import { startDebianPostgres } from '../test/harness/debian-postgres.ts';
import { createFakeClock, type FakeClock } from '../test/harness/faketime.ts';
import { start } from '../test/harness/process.ts';
import { createSeededRandom, type SeededRandom } from '../test/harness/seeded-random.ts';
import { expiries, type Made } from './expiring-records.ts';
import { signIn } from './ledger.ts';

export interface Turned {
  cases: Record<string, number>;
  /** Answers that were held against what should have been. */
  answers: number;
  /** Cases in which the machine was so slow that it cannot be said whether something had expired. */
  unsure: number;
  noticedMilliseconds: number;
}

export interface ClockStage {
  dice: SeededRandom;
  /** The replica whose machine has the right time, and the one whose has not. */
  replicas: [right: Client, wrong: Client];
  data: string;
  owner: pg.Client;
  seen: Turned;
  presentMs(): Promise<number>;
  /** Jumps ahead to this moment of the present. */
  moveTo(presentMs: number): Promise<void>;
  setBack(milliseconds: number): Promise<void>;
  /** Until somebody has noticed that the clock was set back. */
  noticed(): Promise<void>;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const yearMs = 365 * dayMs;
const wrongByMs = [-400 * dayMs, -hourMs, hourMs, 400 * dayMs];

async function numberIn(owner: pg.Client, text: string): Promise<number> {
  return Number((await owner.query(text)).rows[0].number);
}

function setStage(
  stage: Pick<ClockStage, 'dice' | 'replicas' | 'data' | 'owner' | 'seen'>,
  clock: FakeClock,
): ClockStage {
  const presentMs = () => numberIn(stage.owner, `select extract(epoch from moment) * 1000 as number from present`);
  return {
    ...stage,
    presentMs,
    moveTo: async (ms) => clock.setOffset(clock.offsetMs + Math.round(ms - (await presentMs()))),
    setBack: (ms) => clock.setOffset(clock.offsetMs - ms),
    async noticed() {
      const began = performance.now();
      const behind = 'select (latest > clock_timestamp() + ahead)::int as number from clock';
      while (await numberIn(stage.owner, behind)) {
        assert.ok(performance.now() - began < 15_000, 'nobody notices that the clock was set back');
        await pause(20);
      }
      stage.seen.noticedMilliseconds = Math.max(stage.seen.noticedMilliseconds, Math.round(performance.now() - began));
    },
  };
}

/** A little before it expires it is good, a little after it is not, and so it stays, whatever becomes of the clock. */
async function outlive(stage: ClockStage, { expiresMs, isGood, spend }: Made): Promise<void> {
  const { dice, replicas, seen } = stage;
  const expect = async (client: Client, wanted: boolean, when: string): Promise<void> => {
    assert.equal(await isGood(client), wanted, `${when} it should be ${wanted ? 'good' : 'over'}`);
    seen.answers++;
  };
  const [first, second] = dice.below(2) ? replicas : replicas.toReversed();
  assert.ok(first && second);
  await stage.moveTo(expiresMs - 400 - dice.below(600));
  const wereGood = await Promise.all((spend ? [first] : replicas).map(spend ?? isGood));
  if ((await stage.presentMs()) < expiresMs) {
    assert.deepEqual(new Set(wereGood), new Set([true]), 'just before it expires it is good');
    seen.answers += wereGood.length;
  } else seen.unsure++;
  // It expires while time passes, not in a jump: who remembers who somebody is must not remember it for longer.
  for (let leftMs = 1; leftMs > 0; leftMs = expiresMs - (await stage.presentMs())) await pause(leftMs + 1);
  // Either somebody is refused and the clock is set back the same instant, or nobody asks and it is noticed within a second all the same.
  if (dice.below(2)) await expect(first, false, 'just after it expires');
  else await pause(1300);
  const isFar = dice.below(10) === 0;
  const farMs = isFar ? (dice.below(2) ? dayMs : yearMs) : 0;
  if (isFar) {
    await stage.moveTo(expiresMs + farMs);
    await expect(second, false, 'long after it expired');
    await pause(1300);
  }
  await stage.setBack(farMs + hourMs);
  for (const client of replicas) await expect(client, false, 'as soon as the clock was set back');
  await stage.noticed();
  for (const client of replicas) await expect(client, false, 'when the clock has been set back');
}

/** What the replica with the wrong clock is told by agents has the right time, and what others have told is not too old for it. */
async function checkMetrics({ owner, replicas, seen }: ClockStage, admin: Client, token: string): Promise<void> {
  const [connector] = (await admin.get('/connectors?limit=1')).body;
  const answer = await replicas[1].call('POST', '/metrics/write', {
    token,
    raw: `clock,irn=${connector.irn} bits_send=1`,
    headers: { 'content-type': 'text/plain' },
  });
  assert.equal(answer.status, 204, answer.text);
  const lateMs = await numberIn(
    owner,
    `select abs(max(to_ms) - extract(epoch from clock_timestamp()) * 1000) as number from metric_batches`,
  );
  assert.ok(lateMs < 5000, `a point has a time that is ${lateMs} ms off`);
  const kept = await numberIn(owner, 'select count(*) as number from metric_blocks');
  assert.ok(kept > 0, 'a replica whose clock runs ahead has thrown away what was measured');
  seen.answers += 2;
}

/** Something that was measured a week ago, packed. */
async function measureBefore(owner: pg.Client): Promise<void> {
  await owner.query(
    `insert into metric_series (organisation_id, subject_id, field, origin)
       select organisation_id, id, 1, 3 from connectors limit 1;
     insert into metric_blocks select organisation_id, id, (extract(epoch from now()) / 86400)::int - 7, '', '' from metric_series limit 1`,
  );
}

export async function turnClocks(size: { cases: number; seed: string }, log: (line: string) => void): Promise<Turned> {
  const home = await mkdtemp(join(tmpdir(), 'pbclock-'));
  // The database's account reads its clock there.
  await chmod(home, 0o755);
  const clock = await createFakeClock(home, 'database');
  const wrong = await createFakeClock(home, 'replica', 400 * dayMs);
  const opened = new AsyncDisposableStack();
  opened.defer(() => rm(home, { recursive: true, force: true }));
  try {
    const postgres = await startDebianPostgres(clock.env);
    opened.defer(() => postgres.stop());
    const data = join(home, 'one');
    const shared = ['--database-url', postgres.url, '--keys', join(home, 'keys.json'), '--metrics-retention', '35'];
    const launched = async (folder: string, args: string[], env: Record<string, string>) => {
      const running = await start(folder, { args: [...shared, ...args], env });
      opened.defer(async () => {
        running.child.kill('SIGTERM');
        await running.exited;
      });
      return running;
    };
    const one = await launched(data, [], {});
    const owner = new pg.Client({ connectionString: postgres.url });
    await owner.connect();
    opened.defer(() => owner.end());
    await measureBefore(owner);
    const tls = ['--tls-cert', join(data, 'tls', 'server.pem'), '--tls-key', join(data, 'tls', 'server.key')];
    // Mails lie in one outbox, whoever sends them.
    const two = await launched(join(home, 'two'), tls, wrong.env);
    const ca = await one.ca();
    const replicas: [Client, Client] = [createClient(one.url, ca), createClient(two.url, ca)];
    opened.defer(() => void replicas.map((client) => client.close()));
    const seen: Turned = { cases: {}, answers: 0, unsure: 0, noticedMilliseconds: 0 };
    const dice = createSeededRandom(`clock ${size.seed}`);
    const stage = setStage({ dice, replicas, data: home, owner, seen }, clock);

    const token = await signIn(replicas[0]);
    await checkMetrics(stage, replicas[0].with({ token }), token);
    for (let count = 0; count < size.cases; count++) {
      await wrong.setOffset(wrongByMs[dice.below(wrongByMs.length)] ?? 0);
      const expiry = expiries[count % expiries.length] ?? assert.fail('nothing expires');
      seen.cases[expiry.name] = (seen.cases[expiry.name] ?? 0) + 1;
      try {
        if (expiry.run) await expiry.run(stage);
        else await outlive(stage, await expiry.make(stage));
      } catch (error) {
        throw new Error(`case ${count}, ${expiry.name}: ${(error as Error).message}\n${one.output().slice(-2000)}`, {
          cause: error,
        });
      }
      if ((count + 1) % 20 === 0) log(`${count + 1} cases, ${seen.answers} answers`);
    }
    return seen;
  } finally {
    await opened.disposeAsync();
  }
}
