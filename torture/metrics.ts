// kill -9 while agents write points, late ones among them so that every start has days to pack: each point that was acknowledged is there, with
// the value that was written last.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type ApiResponse, type Client, createClient } from '../test/harness/client.ts';
import { createNetwork, type MeasuredRecord } from '../test/harness/customer-network.ts';
import { type RunningService, start } from '../test/harness/process.ts';
import { killKinds, strike } from './kill.ts';
import { signIn } from './ledger.ts';
import { chance } from './seed.ts';

const slotMs = 300_000;
const dayMs = 86_400_000;
const pointsAtOnce = 40;
/** As many points as one question may ask for. */
const slotsAtOnce = 1440;

/** An agent writes one point into each five minutes, so that each can be asked for by itself. */
export interface Agent {
  irn: string;
  baseMs: number;
  next: number;
  /** By slot: what was acknowledged. */
  kept: Map<number, number>;
  /** Slots that have not been looked at since they were written. */
  unseen: Set<number>;
}

/** They begin in a year that is long over, so that everything they write is late. */
export function newAgents(measured: MeasuredRecord[]): Agent[] {
  const baseMs = Math.floor(Date.now() / dayMs) * dayMs - 380 * dayMs;
  return measured.map(({ irn }) => ({ irn, baseMs, next: 0, kept: new Map(), unseen: new Set() }));
}

/** Writes until it is told to stop. What is not acknowledged may be there or not, and is written again with another value. */
export async function writePoints(client: Client, agent: Agent, isOver: () => boolean): Promise<number> {
  let acknowledged = 0;
  for (let turn = 0; !isOver(); turn++) {
    // Now and then what was written before is written anew.
    const first = turn % 5 === 4 ? Math.max(0, agent.next - 3 * pointsAtOnce) : agent.next;
    const slots = Array.from({ length: pointsAtOnce }, (_, index) => first + index);
    const values = slots.map((slot) => slot * 10 + (turn % 10));
    const lines = slots.map(
      (slot, index) => `x,irn=${agent.irn} bits_send=${values[index]} ${agent.baseMs + slot * slotMs}`,
    );
    const answer: ApiResponse | undefined = await client
      .call('POST', '/metrics/write?precision=ms', { raw: lines.join('\n') })
      .catch(() => undefined);
    for (const [index, slot] of slots.entries()) {
      if (answer?.status === 204) agent.kept.set(slot, values[index] ?? 0);
      // Nobody knows which of the two values it has.
      else agent.kept.delete(slot);
      agent.unseen.add(slot);
    }
    agent.next = Math.max(agent.next, first + pointsAtOnce);
    if (answer?.status === 204) acknowledged += slots.length;
    else {
      if (answer) assert.ok([401, 503, 504].includes(answer.status), answer.text);
      await pause(50);
    }
  }
  return acknowledged;
}

/** The points of an agent from this slot on. While the database comes back, the service says so. */
async function pointsOf(client: Client, agent: Agent, first: number): Promise<Map<number, number>> {
  const from = agent.baseMs + first * slotMs;
  const query = `start-d=${new Date(from).toISOString()}&end-d=${new Date(from + slotsAtOnce * slotMs).toISOString()}&interv=5`;
  for (const until = Date.now() + 30_000; ; await pause(100)) {
    const answer = await client.get(`/metrics/query/irn/${agent.irn}/bits_send/run?${query}`);
    if (answer.status === 200)
      return new Map(
        (answer.body.Results[0].Series?.[0].values ?? []).map(([time, value]: [string, number]) => [
          (Date.parse(time) - agent.baseMs) / slotMs,
          value,
        ]),
      );
    assert.ok(answer.status === 503 && Date.now() < until, answer.text);
  }
}

/** How many of the acknowledged points are not there, or are others. */
export async function lostPoints(client: Client, agent: Agent): Promise<number> {
  let lost = 0;
  const slots = [...agent.unseen].sort((a, b) => a - b);
  while (slots.length) {
    const first = slots[0] ?? 0;
    const found = await pointsOf(client, agent, first);
    for (; slots.length && (slots[0] ?? 0) < first + slotsAtOnce; slots.shift()) {
      const slot = slots[0] ?? 0;
      const kept = agent.kept.get(slot);
      if (kept !== undefined && found.get(slot) !== kept) lost++;
    }
  }
  agent.unseen.clear();
  return lost;
}

export async function killWriters(kills: number, log: (line: string) => void = () => undefined) {
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
      const writing = client.with({ token: await signIn(client), scope: network.id });
      let isOver = false;
      const load = Promise.all(agents.map((agent) => writePoints(writing, agent, () => isOver)));
      load.catch(() => undefined);
      try {
        await pause(150 + chance() * 600);
        running = (await strike(kind, running, data, client)).running;
        await pause(100);
      } finally {
        isOver = true;
      }
      for (const count of await load) acknowledged += count;
      client.close();
      const after = createClient(running.url, await running.ca());
      const looking = after.with({ token: await signIn(after), scope: network.id });
      for (const agent of agents) lost += await lostPoints(looking, agent);
      after.close();
      assert.equal(lost, 0, `kill ${kill} (${kind}) lost ${lost} acknowledged points`);
      if (kill % 10 === 9) log(`${kill + 1} kills, ${acknowledged} points acknowledged`);
    }
    // Once more from the beginning: what was packed since is there as well.
    const last = createClient(running.url, await running.ca());
    const looking = last.with({ token: await signIn(last), scope: network.id });
    for (const agent of agents) {
      for (const slot of agent.kept.keys()) agent.unseen.add(slot);
      lost += await lostPoints(looking, agent);
    }
    last.close();
    assert.equal(lost, 0, `${lost} acknowledged points are gone at last`);
    return { kills, acknowledged, lost };
  } finally {
    running?.child.kill('SIGTERM');
    await running?.exited;
    await rm(data, { recursive: true, force: true });
  }
}
