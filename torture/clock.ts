// Clock jumps. The database's clock is set to just before and just after an expiry, and back by an hour, a day or a
// year; one of two replicas has a wrong system clock. Both expire records on time, and nothing becomes valid again.
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
import { type ExpiringRecord, expiries } from './expiring-records.ts';
import { type Log, signIn } from './helpers.ts';

export interface ClockResult {
  cases: Record<string, number>;
  /** Responses that were checked. */
  responses: number;
  /** Checks that were skipped, since the machine was too slow to respond before the expiry. */
  skipped: number;
  /** The longest time until a clock that was set back was detected. */
  detectedMilliseconds: number;
}

export interface ClockContext {
  random: SeededRandom;
  /** The replica with the right system clock, and the one with a wrong clock. */
  replicas: [right: Client, wrong: Client];
  home: string;
  owner: pg.Client;
  result: ClockResult;
  /** The monotonic database time. */
  nowMs(): Promise<number>;
  /** Moves the clock ahead to this time. */
  moveTo(nowMs: number): Promise<void>;
  setBack(milliseconds: number): Promise<void>;
  /** Waits until a replica has detected that the clock was set back. */
  untilDetected(): Promise<void>;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const yearMs = 365 * dayMs;
const wrongOffsetsMs = [-400 * dayMs, -hourMs, hourMs, 400 * dayMs];

async function queryNumber(owner: pg.Client, text: string): Promise<number> {
  return Number((await owner.query(text)).rows[0].number);
}

function createContext(
  base: Pick<ClockContext, 'random' | 'replicas' | 'home' | 'owner' | 'result'>,
  clock: FakeClock,
): ClockContext {
  const { owner, result } = base;
  const nowMs = () => queryNumber(owner, `select extract(epoch from moment) * 1000 as number from present`);
  return {
    ...base,
    nowMs,
    moveTo: async (ms) => clock.setOffset(clock.offsetMs + Math.round(ms - (await nowMs()))),
    setBack: (ms) => clock.setOffset(clock.offsetMs - ms),
    async untilDetected() {
      const startMs = performance.now();
      const behind = 'select (latest > clock_timestamp() + ahead)::int as number from clock';
      while (await queryNumber(owner, behind)) {
        assert.ok(performance.now() - startMs < 15_000, 'no replica detects that the clock was set back');
        await pause(20);
      }
      const elapsedMs = Math.round(performance.now() - startMs);
      result.detectedMilliseconds = Math.max(result.detectedMilliseconds, elapsedMs);
    },
  };
}

/** Checks that a record is valid just before its expiry, and never after it, also when the clock is set back. */
async function expireRecord(context: ClockContext, { expiresMs, isValid, use }: ExpiringRecord): Promise<void> {
  const { random, replicas, result } = context;
  const expect = async (client: Client, wanted: boolean, when: string): Promise<void> => {
    assert.equal(await isValid(client), wanted, `${when}: it must be ${wanted ? 'valid' : 'expired'}`);
    result.responses++;
  };
  const [first, second] = random.below(2) ? replicas : replicas.toReversed();
  assert.ok(first && second);
  await context.moveTo(expiresMs - 400 - random.below(600));
  const wereValid = await Promise.all((use ? [first] : replicas).map(use ?? isValid));
  if ((await context.nowMs()) < expiresMs) {
    assert.deepEqual(new Set(wereValid), new Set([true]), 'it is invalid just before it expires');
    result.responses += wereValid.length;
  } else result.skipped++;
  // It expires while time passes, not by a jump: caches must not extend its life.
  for (let leftMs = 1; leftMs > 0; leftMs = expiresMs - (await context.nowMs())) await pause(leftMs + 1);
  // Either a request is refused and the clock is set back at once, or it is set back without any request in between.
  if (random.below(2)) await expect(first, false, 'just after it expires');
  else await pause(1300);
  const isFar = random.below(10) === 0;
  const farMs = isFar ? (random.below(2) ? dayMs : yearMs) : 0;
  if (isFar) {
    await context.moveTo(expiresMs + farMs);
    await expect(second, false, 'long after it expires');
    await pause(1300);
  }
  await context.setBack(farMs + hourMs);
  for (const client of replicas) await expect(client, false, 'when the clock was just set back');
  await context.untilDetected();
  for (const client of replicas) await expect(client, false, 'after the clock was set back');
}

/** Points written to the replica with the wrong clock get the right time, and the replica expires no older points. */
async function checkMetrics({ owner, replicas, result }: ClockContext, admin: Client, token: string): Promise<void> {
  const [connector] = (await admin.get('/connectors?limit=1')).body;
  const response = await replicas[1].call('POST', '/metrics/write', {
    token,
    raw: `clock,irn=${connector.irn} bits_send=1`,
    headers: { 'content-type': 'text/plain' },
  });
  assert.equal(response.status, 204, response.text);
  const offsetMs = await queryNumber(
    owner,
    `select abs(max(to_ms) - extract(epoch from clock_timestamp()) * 1000) as number from metric_batches`,
  );
  assert.ok(offsetMs < 5000, `the time of a point is ${offsetMs} ms off`);
  const blocks = await queryNumber(owner, 'select count(*) as number from metric_blocks');
  assert.ok(blocks > 0, 'a replica whose clock is ahead deleted points within the retention');
  result.responses += 2;
}

/** Inserts a compacted block of a week ago. */
async function insertOldBlock(owner: pg.Client): Promise<void> {
  await owner.query(
    `insert into metric_series (organisation_id, subject_id, field, origin)
       select organisation_id, id, 1, 3 from connectors limit 1;
     insert into metric_blocks
       select organisation_id, id, (extract(epoch from now()) / 86400)::int - 7, '', '' from metric_series limit 1`,
  );
}

interface Started {
  context: ClockContext;
  /** The system clock of the second replica. */
  wrongClock: FakeClock;
  output: () => string;
}

async function openContext(home: string, seed: string, opened: AsyncDisposableStack): Promise<Started> {
  const clock = await createFakeClock(home, 'database');
  const wrongClock = await createFakeClock(home, 'replica', 400 * dayMs);
  const postgres = await startDebianPostgres(clock.env);
  opened.defer(() => postgres.stop());
  const shared = ['--database-url', postgres.url, '--keys', join(home, 'keys.json'), '--metrics-retention', '35'];
  const launch = async (folder: string, args: string[], env: Record<string, string>) => {
    const running = await start(join(home, folder), { args: [...shared, ...args], env });
    opened.defer(async () => {
      running.child.kill('SIGTERM');
      await running.exited;
    });
    return running;
  };
  const one = await launch('one', [], {});
  const owner = new pg.Client({ connectionString: postgres.url });
  await owner.connect();
  opened.defer(() => owner.end());
  await insertOldBlock(owner);
  const tls = join(home, 'one', 'tls');
  const files = ['--tls-cert', join(tls, 'server.pem'), '--tls-key', join(tls, 'server.key')];
  const two = await launch('two', files, wrongClock.env);
  const ca = await one.ca();
  const replicas: [Client, Client] = [createClient(one.url, ca), createClient(two.url, ca)];
  opened.defer(() => void replicas.map((client) => client.close()));
  const result: ClockResult = { cases: {}, responses: 0, skipped: 0, detectedMilliseconds: 0 };
  const random = createSeededRandom(`clock ${seed}`);
  const context = createContext({ random, replicas, home, owner, result }, clock);
  return { context, wrongClock, output: () => one.output() };
}

export async function jumpClocks(size: { cases: number; seed: string }, log: Log): Promise<ClockResult> {
  const home = await mkdtemp(join(tmpdir(), 'pbclock-'));
  await using opened = new AsyncDisposableStack();
  opened.defer(() => rm(home, { recursive: true, force: true }));
  // The database's account reads its clock file there.
  await chmod(home, 0o755);
  const { context, wrongClock, output } = await openContext(home, size.seed, opened);
  const { random, replicas, result } = context;
  const token = await signIn(replicas[0]);
  await checkMetrics(context, replicas[0].with({ token }), token);
  for (let count = 0; count < size.cases; count++) {
    await wrongClock.setOffset(wrongOffsetsMs[random.below(wrongOffsetsMs.length)] ?? 0);
    const expiry = expiries[count % expiries.length] ?? assert.fail('there is no expiry');
    result.cases[expiry.name] = (result.cases[expiry.name] ?? 0) + 1;
    try {
      if (expiry.run) await expiry.run(context);
      else await expireRecord(context, await expiry.create(context));
    } catch (error) {
      throw new Error(`case ${count}, ${expiry.name}: ${(error as Error).message}\n${output().slice(-2000)}`, {
        cause: error,
      });
    }
    if ((count + 1) % 20 === 0) log(`${count + 1} cases, ${result.responses} responses`);
  }
  return result;
}
