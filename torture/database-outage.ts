// The database is refused, cut or silent under load, or its disk is full: callers are told so in time, nobody who may not gets anything, what was acknowledged is there, and
// everything goes on by itself when it is back.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { type ApiResponse, type Client, createClient } from '../test/harness/client.ts';
import type { RunningService } from '../test/harness/process.ts';
import { createSeededRandom, type SeededRandom } from '../test/harness/seeded-random.ts';
import { signIn } from './ledger.ts';

/** A service, and what can happen to its database. */
export interface Ground {
  running: RunningService;
  troubles: readonly string[];
  /** `none`: the trouble is over. */
  become(trouble: string): Promise<void>;
  lastsMs(trouble: string, dice: SeededRandom): number;
  /** After the service has ended. */
  close(): Promise<void>;
}

export interface Away {
  cycles: Record<string, number>;
  requests: number;
  refused: number;
  acknowledged: number;
  lost: number;
  slowestMilliseconds: number;
  backMilliseconds: number;
}

const writers = 4;
/** What nobody waits longer for, and a little for a machine that has much to do. */
const answerMs = 5000 + 500;

export async function takeDatabaseAway(
  { running, troubles, become, lastsMs, close }: Ground,
  size: { cycles: number; seed: string },
  log: (line: string) => void,
): Promise<Away> {
  const anybody = createClient(running.url, await running.ca());
  const admin = anybody.with({ token: await signIn(anybody) });
  const dice = createSeededRandom(`away ${size.seed}`);
  const seen: Away = {
    cycles: {},
    requests: 0,
    refused: 0,
    acknowledged: 0,
    lost: 0,
    slowestMilliseconds: 0,
    backMilliseconds: 0,
  };
  const made = new Map<string, string>();
  let isOver = false;
  let lastWrittenMs = Date.now();

  /** Whatever happens to the database, an answer is the right one or says that it is away, in time. */
  async function ask(work: () => Promise<ApiResponse>, right: number): Promise<ApiResponse> {
    const began = performance.now();
    const answer = await work();
    const took = performance.now() - began;
    seen.requests++;
    seen.slowestMilliseconds = Math.max(seen.slowestMilliseconds, Math.round(took));
    assert.ok(took < answerMs, `${answer.status} after ${Math.round(took)} ms: ${answer.text}`);
    assert.ok([right, 503, 504].includes(answer.status), `${answer.status}, not ${right}: ${answer.text}`);
    if (answer.status !== right) {
      seen.refused++;
      assert.ok(answer.headers['retry-after'], 'it says when to come again');
    } else if (right === 201) lastWrittenMs = Date.now();
    return answer;
  }

  async function keepWriting(number: number): Promise<void> {
    for (let count = 0; !isOver; count++) {
      const name = `away ${number} ${count}`;
      const answer = await ask(() => admin.post('/groups', { name }), 201);
      if (answer.status === 201) made.set(name, answer.body.id);
      await pause(20);
    }
  }
  async function keepReading(client: Client, path: string, right: number): Promise<void> {
    while (!isOver) {
      await ask(() => client.get(path), right);
      await pause(20);
    }
  }

  const load = Promise.all([
    ...Array.from({ length: writers }, (_, number) => keepWriting(number)),
    keepReading(admin, '/groups?limit=5', 200),
    keepReading(anybody.with({ token: `${'x'.repeat(40)}` }), '/groups', 401),
    keepReading(anybody, '/groups', 401),
  ]);
  load.catch(() => undefined);
  try {
    for (let cycle = 0; cycle < size.cycles; cycle++) {
      await Promise.race([load, pause(300 + dice.below(700))]);
      const trouble = troubles[cycle % troubles.length] ?? '';
      await become(trouble);
      seen.cycles[trouble] = (seen.cycles[trouble] ?? 0) + 1;
      await Promise.race([load, pause(lastsMs(trouble, dice))]);
      await become('none');
      const backMs = Date.now();
      while (lastWrittenMs < backMs) {
        assert.ok(Date.now() - backMs < 15_000, `not back after 15 s:\n${running.output().slice(-3000)}`);
        await Promise.race([load, pause(10)]);
      }
      seen.backMilliseconds = Math.max(seen.backMilliseconds, lastWrittenMs - backMs);
      if ((cycle + 1) % 10 === 0) log(`${cycle + 1} times away, ${made.size} writes acknowledged`);
    }
    isOver = true;
    await load;
    seen.acknowledged = made.size;
    for (const [name, id] of made) {
      const answer = await admin.get(`/groups/${id}`);
      if (answer.status !== 200 || answer.body.name !== name) seen.lost++;
    }
    assert.equal(running.child.exitCode, null, 'the service is still the same');
  } finally {
    isOver = true;
    await load.catch(() => undefined);
    running.child.kill('SIGTERM');
    await running.exited;
    anybody.close();
    await close();
  }
  return seen;
}
