// kill -9 while agents write points, late ones included so that every start has days to compact: each acknowledged
// point is found with the value written last.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type ApiResponse, type Client, createClient } from '../test/harness/client.ts';
import { createNetwork, type MeasuredRecord } from '../test/harness/customer-network.ts';
import { type RunningService, start } from '../test/harness/process.ts';
import { type Log, noLog, range, signIn } from './helpers.ts';
import { killAndRecover, killKinds } from './kill.ts';
import { random } from './seed.ts';

const bucketMs = 300_000;
const dayMs = 86_400_000;
const pointsPerWrite = 40;
/** The largest number of points of one query. */
const bucketsPerQuery = 1440;

/** An agent writes one point into each five-minute bucket, so that each point can be queried separately. */
export interface Agent {
  irn: string;
  baseMs: number;
  next: number;
  /** The acknowledged value of each bucket. */
  acknowledged: Map<number, number>;
  /** Buckets that were not checked since they were written. */
  unchecked: Set<number>;
}

/** Agents start more than a year ago, so that every point is late. */
export function newAgents(measured: MeasuredRecord[]): Agent[] {
  const baseMs = Math.floor(Date.now() / dayMs) * dayMs - 380 * dayMs;
  return measured.map(({ irn }) => ({ irn, baseMs, next: 0, acknowledged: new Map(), unchecked: new Set() }));
}

/** Writes until `isOver`. A point that was not acknowledged may exist; it is written again with another value. */
export async function writePoints(client: Client, agent: Agent, isOver: () => boolean): Promise<number> {
  let acknowledged = 0;
  for (let round = 0; !isOver(); round++) {
    // Every fifth write overwrites earlier points.
    const first = round % 5 === 4 ? Math.max(0, agent.next - 3 * pointsPerWrite) : agent.next;
    const buckets = range(pointsPerWrite).map((index) => first + index);
    const pointValue = (bucket: number): number => bucket * 10 + (round % 10);
    const lines = buckets.map(
      (bucket) => `x,irn=${agent.irn} bits_send=${pointValue(bucket)} ${agent.baseMs + bucket * bucketMs}`,
    );
    const response: ApiResponse | undefined = await client
      .call('POST', '/metrics/write?precision=ms', { raw: lines.join('\n') })
      .catch(() => undefined);
    for (const bucket of buckets) {
      if (response?.status === 204) agent.acknowledged.set(bucket, pointValue(bucket));
      // It has the old or the new value.
      else agent.acknowledged.delete(bucket);
      agent.unchecked.add(bucket);
    }
    agent.next = Math.max(agent.next, first + pointsPerWrite);
    if (response?.status === 204) acknowledged += buckets.length;
    else {
      if (response) assert.ok([401, 503, 504].includes(response.status), response.text);
      await pause(50);
    }
  }
  return acknowledged;
}

/** Queries the points of an agent from this bucket on. Retries while the database is unavailable. */
async function pointsOf(client: Client, agent: Agent, first: number): Promise<Map<number, number>> {
  const from = agent.baseMs + first * bucketMs;
  const iso = (ms: number): string => new Date(ms).toISOString();
  const query = `start-d=${iso(from)}&end-d=${iso(from + bucketsPerQuery * bucketMs)}&interv=5`;
  for (const until = Date.now() + 30_000; ; await pause(100)) {
    const response = await client.get(`/metrics/query/irn/${agent.irn}/bits_send/run?${query}`);
    if (response.status === 200)
      return new Map(
        (response.body.Results[0].Series?.[0].values ?? []).map(([time, value]: [string, number]) => [
          (Date.parse(time) - agent.baseMs) / bucketMs,
          value,
        ]),
      );
    assert.ok(response.status === 503 && Date.now() < until, response.text);
  }
}

/** Counts acknowledged points that are missing or have another value. */
export async function countLostPoints(client: Client, agent: Agent): Promise<number> {
  let lost = 0;
  const buckets = [...agent.unchecked].sort((a, b) => a - b);
  while (buckets.length) {
    const first = buckets[0] ?? 0;
    const found = await pointsOf(client, agent, first);
    for (; buckets.length && (buckets[0] ?? 0) < first + bucketsPerQuery; buckets.shift()) {
      const bucket = buckets[0] ?? 0;
      const value = agent.acknowledged.get(bucket);
      if (value !== undefined && found.get(bucket) !== value) lost++;
    }
  }
  agent.unchecked.clear();
  return lost;
}

export async function killWriters(kills: number, log: Log = noLog) {
  const data = await mkdtemp(join(tmpdir(), 'pbpoints-'));
  let running: RunningService | undefined;
  let acknowledged = 0;
  let lost = 0;
  try {
    running = await start(data);
    const first = createClient(running.url, await running.ca());
    const network = await createNetwork(first.with({ token: await signIn(first) }), 'agents');
    first.close();
    const agents = newAgents(network.connectors);
    for (let kill = 0; kill < kills; kill++) {
      const kind = killKinds[kill % killKinds.length] ?? 'both';
      const client = createClient(running.url, await running.ca());
      const writer = client.with({ token: await signIn(client), scope: network.id });
      let isOver = false;
      const load = Promise.all(agents.map((agent) => writePoints(writer, agent, () => isOver)));
      load.catch(() => undefined);
      try {
        await pause(150 + random.next() * 600);
        running = (await killAndRecover(kind, running, data, client)).running;
        await pause(100);
      } finally {
        isOver = true;
      }
      for (const count of await load) acknowledged += count;
      client.close();
      const after = createClient(running.url, await running.ca());
      const reader = after.with({ token: await signIn(after), scope: network.id });
      for (const agent of agents) lost += await countLostPoints(reader, agent);
      after.close();
      assert.equal(lost, 0, `kill ${kill} (${kind}) lost ${lost} acknowledged points`);
      if (kill % 10 === 9) log(`${kill + 1} kills, ${acknowledged} points acknowledged`);
    }
    // All points once more: compaction since then must have lost none.
    const last = createClient(running.url, await running.ca());
    const reader = last.with({ token: await signIn(last), scope: network.id });
    for (const agent of agents) {
      for (const bucket of agent.acknowledged.keys()) agent.unchecked.add(bucket);
      lost += await countLostPoints(reader, agent);
    }
    last.close();
    assert.equal(lost, 0, `${lost} acknowledged points are missing at the end`);
    return { kills, acknowledged, lost };
  } finally {
    running?.child.kill('SIGTERM');
    await running?.exited;
    await rm(data, { recursive: true, force: true });
  }
}
