// Sends the most expensive requests of every route and measures for how long each holds the event loop of the service, which
// all tenants share, while another tenant reads.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { demoPassword } from '../src/demo/demo-world.ts';
import { type ApiDocument, type Client, createClient } from '../test/harness/client.ts';
import { type RunningService, root, start } from '../test/harness/process.ts';
import { basic } from '../test/harness/service.ts';
import type { Log } from './helpers.ts';
import { createInventory, type InventorySize } from './stalls/inventory.ts';
import { type ExpensiveRequest, expensiveRequests } from './stalls/requests.ts';

export const maxHoldMs = 20;

export interface RouteHold {
  route: string;
  requests: number;
  holdMs: number;
  /** The request that held the event loop for longest. */
  what: string;
  /** The median latency of another tenant's requests meanwhile. */
  otherMs: number;
}

export interface StallSize extends InventorySize {
  /** Texts for each field and filter. */
  variety: number;
  /** Only each n-th request of a route. */
  every: number;
  /** Only routes whose method and path contain this. */
  only: string;
  /** Watches the compaction of the written points, which begins within a minute. */
  isCompactionWatched: boolean;
}

const median = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** A reader of another tenant. `take` returns its median latency since the last call. */
function startOther(client: Client) {
  let isOver = false;
  let latencies: number[] = [];
  const running = (async () => {
    while (!isOver) {
      const startMs = performance.now();
      assert.equal((await client.get('/groups')).status, 200);
      latencies.push(performance.now() - startMs);
      await pause(5);
    }
  })();
  return {
    take(): number {
      const found = median(latencies);
      latencies = [];
      return found;
    },
    async stop(): Promise<void> {
      isOver = true;
      await running;
    },
  };
}

class HoldMeter {
  readonly #url: string;

  constructor(running: RunningService) {
    this.#url = /http:\/\/127\.0\.0\.1:\d+\/metrics/.exec(running.output())?.[0] ?? assert.fail('no metrics port');
  }

  /** The longest hold in milliseconds since the last call. */
  async take(): Promise<number> {
    const text = await (await fetch(this.#url)).text();
    const seconds = /^patchbay_event_loop_longest_hold_seconds (\S+)$/m.exec(text)?.[1];
    return Number(seconds ?? assert.fail('no hold was measured')) * 1000;
  }
}

/** The service measures at this interval. */
const settleMs = 12;
const attempts = 3;

let sent = 0;
/** Unknown parameters are ignored, but a URL that was not sent before has no cached response. */
const withoutCache = (path: string): string => `${path}${path.includes('?') ? '&' : '?'}stall=${++sent}`;

/** The shortest hold of several attempts, if the first was too long: garbage collection may fall into one of them. */
async function holdOf(meter: HoldMeter, client: Client, request: ExpensiveRequest): Promise<number> {
  let shortest = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attempts && shortest > maxHoldMs; attempt++) {
    await meter.take();
    const sender = request.options.headers?.authorization ? client.with({ token: undefined }) : client;
    // A body that is too large is refused before it is read, and the connection closed.
    const path = withoutCache(request.path);
    const status = await sender.call(request.method, path, request.options).then(
      (response) => response.status,
      () => 413,
    );
    assert.ok(status !== 500, `${request.route}, ${request.what}: 500`);
    await pause(settleMs);
    shortest = Math.min(shortest, await meter.take());
  }
  return shortest;
}

async function signIn(client: Client, username: string): Promise<Client> {
  const body = { grant_type: 'password', scope: 'everything', username, password: demoPassword };
  const { body: answer } = await client.post('/auth/token', body, { basic });
  return client.with({ token: answer.access_token });
}

async function measureRoutes(running: RunningService, size: StallSize, log: Log): Promise<RouteHold[]> {
  const plain = createClient(running.url, await running.ca());
  const document = (await plain.get('/openapi.json')).body as ApiDocument;
  const client = await signIn(plain, 'admin@meridian.example');
  const other = startOther(await signIn(plain, 'admin@atlas.example'));
  const meter = new HoldMeter(running);
  try {
    const values = await createInventory(client, size);
    log('inventory created');
    const holds = new Map<string, RouteHold & { others: number[] }>();
    let number = 0;
    for (const request of expensiveRequests(document, values, size.variety)) {
      const known = holds.get(request.route);
      if (!request.route.includes(size.only)) continue;
      // The first requests of a route are its own ones.
      if (known && known.requests >= 4 && number++ % size.every !== 0) continue;
      other.take();
      const holdMs = await holdOf(meter, client, request);
      const hold = known ?? { route: request.route, requests: 0, holdMs: -1, what: '', otherMs: 0, others: [] };
      hold.requests++;
      hold.others.push(other.take());
      if (holdMs > hold.holdMs) Object.assign(hold, { holdMs, what: request.what });
      holds.set(request.route, hold);
      if (holdMs > maxHoldMs) log(`${request.route}, ${request.what}: ${holdMs.toFixed(1)} ms`);
    }
    if (size.isCompactionWatched) await watchCompaction(meter, holds);
    return [...holds.values()].map(({ others, ...hold }) => ({ ...hold, otherMs: median(others) }));
  } finally {
    await other.stop();
    plain.close();
  }
}

async function watchCompaction(meter: HoldMeter, holds: Map<string, RouteHold & { others: number[] }>): Promise<void> {
  await meter.take();
  await pause(75_000);
  const holdMs = await meter.take();
  holds.set('compaction', { route: 'compaction', requests: 0, holdMs, what: 'all points', otherMs: 0, others: [] });
}

/** Runs a separate service with a brand, so that its event loop does nothing else. */
export async function measureStalls(size: StallSize, log: Log): Promise<RouteHold[]> {
  const home = await mkdtemp(join(tmpdir(), 'pbstalls-'));
  const running = await start(home, { args: ['--brand', join(root, 'examples', 'brand.json')] });
  try {
    return await measureRoutes(running, size, log);
  } finally {
    running.child.kill('SIGTERM');
    await running.exited;
    await rm(home, { recursive: true, force: true });
  }
}

export const tooLong = (holds: RouteHold[]): string[] =>
  holds
    .filter(({ holdMs }) => holdMs > maxHoldMs)
    .map(({ route, what, holdMs }) => `${route}, ${what}: ${holdMs.toFixed(1)} ms`);
