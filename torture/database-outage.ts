// Database outages under load: the database refuses, cuts or ignores connections, or its disk is full. Responses say so
// in time, unauthenticated callers get nothing, no acknowledged write is lost, and the service recovers by itself.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { type ApiResponse, type Client, createClient } from '../test/harness/client.ts';
import type { RunningService } from '../test/harness/process.ts';
import { createSeededRandom, type SeededRandom } from '../test/harness/seeded-random.ts';
import { type Log, range, signIn } from './helpers.ts';

/** A service and the faults that its database can have. */
export interface OutageTarget {
  running: RunningService;
  faults: readonly string[];
  /** `none` ends the fault. */
  setFault(fault: string): Promise<void>;
  durationMs(fault: string, random: SeededRandom): number;
  /** Called after the service has exited. */
  close(): Promise<void>;
}

export interface OutageResult {
  cycles: Record<string, number>;
  requests: number;
  unavailable: number;
  acknowledged: number;
  lost: number;
  slowestMilliseconds: number;
  recoveryMilliseconds: number;
}

const writers = 4;
/** The longest time to a response, plus a margin for a busy machine. */
const maxResponseMs = 5000 + 500;

class OutageLoad {
  readonly result: OutageResult = {
    ...{ cycles: {}, requests: 0, unavailable: 0, acknowledged: 0 },
    ...{ lost: 0, slowestMilliseconds: 0, recoveryMilliseconds: 0 },
  };
  /** The ids of acknowledged groups, by name. */
  readonly created = new Map<string, string>();
  isOver = false;
  lastWriteMs = Date.now();

  /** During an outage a response is the expected one, or 503 or 504 in time. */
  async send(request: () => Promise<ApiResponse>, expected: number): Promise<ApiResponse> {
    const { result } = this;
    const startMs = performance.now();
    const response = await request();
    const elapsedMs = performance.now() - startMs;
    result.requests++;
    result.slowestMilliseconds = Math.max(result.slowestMilliseconds, Math.round(elapsedMs));
    assert.ok(elapsedMs < maxResponseMs, `${response.status} after ${Math.round(elapsedMs)} ms: ${response.text}`);
    assert.ok([expected, 503, 504].includes(response.status), `${response.status}, not ${expected}: ${response.text}`);
    if (response.status !== expected) {
      result.unavailable++;
      assert.ok(response.headers['retry-after'], 'the response lacks Retry-After');
    } else if (expected === 201) this.lastWriteMs = Date.now();
    return response;
  }

  async write(client: Client, writer: number): Promise<void> {
    for (let count = 0; !this.isOver; count++) {
      const name = `away ${writer} ${count}`;
      const response = await this.send(() => client.post('/groups', { name }), 201);
      if (response.status === 201) this.created.set(name, response.body.id);
      await pause(20);
    }
  }

  async read(client: Client, path: string, expected: number): Promise<void> {
    while (!this.isOver) {
      await this.send(() => client.get(path), expected);
      await pause(20);
    }
  }
}

async function runOutages(
  { running, faults, setFault, durationMs }: OutageTarget,
  size: { cycles: number; seed: string },
  [load, done]: [OutageLoad, Promise<unknown>],
  log: Log,
): Promise<void> {
  const random = createSeededRandom(`away ${size.seed}`);
  const { result } = load;
  for (let cycle = 0; cycle < size.cycles; cycle++) {
    await Promise.race([done, pause(300 + random.below(700))]);
    const fault = faults[cycle % faults.length] ?? '';
    await setFault(fault);
    result.cycles[fault] = (result.cycles[fault] ?? 0) + 1;
    await Promise.race([done, pause(durationMs(fault, random))]);
    await setFault('none');
    const endedMs = Date.now();
    while (load.lastWriteMs < endedMs) {
      assert.ok(Date.now() - endedMs < 15_000, `no write succeeds within 15 s:\n${running.output().slice(-3000)}`);
      await Promise.race([done, pause(10)]);
    }
    result.recoveryMilliseconds = Math.max(result.recoveryMilliseconds, load.lastWriteMs - endedMs);
    if ((cycle + 1) % 10 === 0) log(`${cycle + 1} outages, ${load.created.size} writes acknowledged`);
  }
}

export async function causeOutages(
  target: OutageTarget,
  size: { cycles: number; seed: string },
  log: Log,
): Promise<OutageResult> {
  const { running } = target;
  const client = createClient(running.url, await running.ca());
  const admin = client.with({ token: await signIn(client) });
  const load = new OutageLoad();
  const { result, created } = load;
  const done = Promise.all([
    ...range(writers).map((writer) => load.write(admin, writer)),
    load.read(admin, '/groups?limit=5', 200),
    load.read(client.with({ token: 'x'.repeat(40) }), '/groups', 401),
    load.read(client, '/groups', 401),
  ]);
  done.catch(() => undefined);
  try {
    await runOutages(target, size, [load, done], log);
    load.isOver = true;
    await done;
    result.acknowledged = created.size;
    for (const [name, id] of created) {
      const response = await admin.get(`/groups/${id}`);
      if (response.status !== 200 || response.body.name !== name) result.lost++;
    }
    assert.equal(running.child.exitCode, null, 'the service exited');
  } finally {
    load.isOver = true;
    await done.catch(() => undefined);
    running.child.kill('SIGTERM');
    await running.exited;
    client.close();
    await target.close();
  }
  return result;
}
