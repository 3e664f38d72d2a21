// Callers as they should be: whatever is not answered is repeated, and what must not happen twice has a key. They keep a ledger of what was acknowledged.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { ApiResponse, Client } from '../test/harness/client.ts';
import { basic } from '../test/harness/service.ts';

export interface Ledger {
  /** By name; undefined: it was deleted. */
  groups: Map<string, string | undefined>;
  connectors: Map<string, string | undefined>;
  /** Addresses that a mail goes to. */
  mailed: Set<string>;
  requests: number;
  acknowledged: number;
  /** Sent again because it was cut, or because nobody could take it. */
  repeated: number;
  /** The same while nobody may be cut. */
  cut: string[];
  /** The longest time in which nobody was answered. */
  gapMilliseconds: number;
}

export const newLedger = (): Ledger => ({
  groups: new Map(),
  connectors: new Map(),
  mailed: new Set(),
  requests: 0,
  acknowledged: 0,
  repeated: 0,
  cut: [],
  gapMilliseconds: 0,
});

export interface Load {
  /** From now on whoever is cut is noted. */
  mayCut(may: boolean): void;
  stop(): Promise<void>;
}

interface Workplace {
  groupId: string;
  destinationId: string;
}

const patienceMs = 60_000;
/** Not here, not now: the same request is the way to go on. */
const passing = new Set([502, 503, 504]);

export function startLoad(admin: Client, child: Client, { groupId, destinationId }: Workplace, ledger: Ledger): Load {
  let isOver = false;
  let mayCut = true;
  let answeredMs = performance.now();

  function note(): void {
    const nowMs = performance.now();
    ledger.gapMilliseconds = Math.max(ledger.gapMilliseconds, Math.round(nowMs - answeredMs));
    answeredMs = nowMs;
  }

  /** Repeats until there is an answer; says how often. */
  async function persist(
    what: string,
    send: () => Promise<ApiResponse>,
  ): Promise<{ answer: ApiResponse; tries: number }> {
    const until = performance.now() + patienceMs;
    for (let tries = 1; ; tries++) {
      ledger.requests++;
      const wasQuiet = !mayCut;
      let reason: string;
      try {
        const answer = await send();
        if (!passing.has(answer.status)) {
          note();
          // The first of two equal requests is still being carried out.
          if (answer.body?.code !== 'StillRunning') return { answer, tries };
          reason = 'still running';
        } else reason = answer.text;
      } catch (error) {
        if ((error as { code?: string }).code === 'ERR_ASSERTION') throw error;
        reason = (error as Error).message;
      }
      if (reason !== 'still running') {
        if (wasQuiet && !mayCut) ledger.cut.push(`${what}: ${reason}`);
        ledger.repeated++;
      }
      assert.ok(performance.now() < until, `${what} is not answered: ${reason}`);
      await pause(50);
    }
  }

  async function make(client: Client, path: string, body: object, right: number): Promise<ApiResponse> {
    const headers = { 'idempotency-key': randomUUID() };
    const { answer } = await persist(`POST ${path}`, () => client.post(path, body, { headers }));
    assert.equal(answer.status, right, answer.text);
    ledger.acknowledged++;
    return answer;
  }
  async function remove(client: Client, path: string, right: number): Promise<void> {
    const { answer, tries } = await persist(`DELETE ${path}`, () => client.delete(path));
    // The one that was cut may have done it.
    assert.ok(answer.status === right || (tries > 1 && answer.status === 404), answer.text);
    ledger.acknowledged++;
  }

  async function keepGroups(): Promise<void> {
    const mine: string[] = [];
    for (let count = 0; !isOver; count++) {
      const name = `group ${randomUUID()}`;
      const { id } = (await make(child, '/groups', { name }, 201)).body;
      const changed = `${name} changed`;
      const { answer } = await persist('PUT /groups', () => child.put(`/groups/${id}`, { name: changed }));
      assert.equal(answer.status, 200, answer.text);
      ledger.acknowledged++;
      ledger.groups.set(changed, id);
      mine.push(changed);
      const old = count % 4 === 3 ? mine.shift() : undefined;
      if (old) {
        await remove(child, `/groups/${ledger.groups.get(old)}`, 204);
        ledger.groups.set(old, undefined);
      }
      await pause(30);
    }
  }

  async function keepConnectors(): Promise<void> {
    const mine: string[] = [];
    for (let count = 0; !isOver; count++) {
      const name = `connector-${randomUUID()}`;
      const csp = { cloudDestinationID: destinationId, providerC: { pairingKey: name } };
      const { id } = (await make(child, '/flow/connector/auto-deploy', { name, groupId, csp }, 200)).body;
      ledger.connectors.set(name, id);
      mine.push(name);
      const old = count % 2 === 1 ? mine.shift() : undefined;
      if (old) {
        await remove(child, `/flow/connector/${ledger.connectors.get(old)}`, 200);
        ledger.connectors.set(old, undefined);
      }
      await pause(100);
    }
  }

  async function keepMailing(): Promise<void> {
    for (; !isOver; await pause(400)) {
      const email = `${randomUUID()}@meridian.example`;
      await make(admin, '/users', { email, lastName: 'Mailed', password: 'tidal lantern orbit cedar' }, 201);
      const wish = { grant_type: 'client_credentials', scope: 'reset', username: email };
      const { answer } = await persist('POST /auth/reset', () => admin.post('/auth/reset', wish, { basic }));
      assert.equal(answer.status, 200, answer.text);
      ledger.acknowledged++;
      ledger.mailed.add(email);
    }
  }

  async function keepReading(client: Client, path: string): Promise<void> {
    for (; !isOver; await pause(20)) {
      const { answer } = await persist(`GET ${path}`, () => client.get(path));
      assert.equal(answer.status, 200, answer.text);
    }
  }

  const load = Promise.all([
    keepGroups(),
    keepGroups(),
    keepConnectors(),
    keepConnectors(),
    keepMailing(),
    keepReading(child, '/groups?limit=5'),
    keepReading(admin, '/me/info'),
  ]);
  // Whoever stops the load hears of it.
  load.catch(() => {
    isOver = true;
  });
  return {
    mayCut(may) {
      mayCut = may;
    },
    async stop() {
      isOver = true;
      await load;
    },
  };
}
