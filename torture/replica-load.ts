// Load of well-behaved callers: they retry every request without a definite response, with an idempotency key where
// a repetition would apply twice.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import type { ApiResponse, Client } from '../test/harness/client.ts';
import { basic } from '../test/harness/service.ts';
import { type Entry, isAssertion, Ledger } from './ledger.ts';

export class ReplicaLedger extends Ledger {
  /** Addresses that a mail was requested for. */
  readonly mailed = new Set<string>();
  requests = 0;
  /** Requests sent again because the connection broke or no replica could serve them. */
  retried = 0;
  /** The retries during rolling restarts, which must cause none. */
  readonly cut: string[] = [];
  /** The longest time without any response. */
  gapMilliseconds = 0;
}

interface Target {
  admin: Client;
  child: Client;
  groupId: string;
  destinationId: string;
}

const giveUpAfterMs = 60_000;
/** Responses after which the same request is to be sent again. */
const retryable = new Set([502, 503, 504]);

export class ReplicaLoad {
  readonly #target: Target;
  readonly #ledger: ReplicaLedger;
  readonly #writers: Promise<unknown>;
  #isOver = false;
  #respondedMs = performance.now();
  /** While false, retries count as cut requests. */
  mayCut = true;

  constructor(target: Target, ledger: ReplicaLedger) {
    this.#target = target;
    this.#ledger = ledger;
    const { admin, child } = target;
    this.#writers = Promise.all([
      this.#writeGroups(),
      this.#writeGroups(),
      this.#writeConnectors(),
      this.#writeConnectors(),
      this.#requestMails(),
      this.#read(child, '/groups?limit=5'),
      this.#read(admin, '/me/info'),
    ]);
    // stop() reports the failure.
    this.#writers.catch(() => {
      this.#isOver = true;
    });
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#writers;
  }

  #noteResponse(): void {
    const nowMs = performance.now();
    const ledger = this.#ledger;
    ledger.gapMilliseconds = Math.max(ledger.gapMilliseconds, Math.round(nowMs - this.#respondedMs));
    this.#respondedMs = nowMs;
  }

  /** Retries until there is a definite response. */
  async #persist(
    operation: string,
    send: () => Promise<ApiResponse>,
  ): Promise<{ response: ApiResponse; tries: number }> {
    const until = performance.now() + giveUpAfterMs;
    for (let tries = 1; ; tries++) {
      this.#ledger.requests++;
      const wasCutForbidden = !this.mayCut;
      let reason: string;
      try {
        const response = await send();
        if (!retryable.has(response.status)) {
          this.#noteResponse();
          if (response.body?.code !== 'StillRunning') return { response, tries };
          reason = 'still running';
        } else reason = response.text;
      } catch (error) {
        if (isAssertion(error)) throw error;
        reason = (error as Error).message;
      }
      if (reason !== 'still running') {
        if (wasCutForbidden && !this.mayCut) this.#ledger.cut.push(`${operation}: ${reason}`);
        this.#ledger.retried++;
      }
      assert.ok(performance.now() < until, `no response to ${operation}: ${reason}`);
      await pause(50);
    }
  }

  async #send(operation: string, expected: number, send: () => Promise<ApiResponse>): Promise<ApiResponse> {
    const { response } = await this.#persist(operation, send);
    assert.equal(response.status, expected, response.text);
    return response;
  }

  #post(client: Client, path: string, body: object, expected: number): Promise<ApiResponse> {
    const headers = { 'idempotency-key': randomUUID() };
    return this.#send(`POST ${path}`, expected, () => client.post(path, body, { headers }));
  }

  #delete(entry: Entry<string>, path: string, expected: number): Promise<unknown> {
    return this.#ledger.delete([entry], async () => {
      const { response, tries } = await this.#persist(`DELETE ${path}`, () => this.#target.child.delete(path));
      // The attempt that was cut may have deleted it.
      if (tries > 1 && response.status === 404) return { ...response, status: expected };
      assert.equal(response.status, expected, response.text);
      return response;
    });
  }

  async #writeGroups(): Promise<void> {
    const { child } = this.#target;
    const ledger = this.#ledger;
    const own: Entry<string>[] = [];
    for (let count = 0; !this.#isOver; count++) {
      const name = `group ${randomUUID()}`;
      const entry = await ledger.create({ kind: 'group', name }, name, () =>
        this.#post(child, '/groups', { name }, 201),
      );
      assert.ok(entry);
      const changed = `${name} changed`;
      await ledger.update(entry, changed, () =>
        this.#send('PUT /groups', 200, () => child.put(`/groups/${entry.id}`, { name: changed })),
      );
      own.push(entry);
      const oldest = count % 4 === 3 ? own.shift() : undefined;
      if (oldest) await this.#delete(oldest, `/groups/${oldest.id}`, 204);
      await pause(30);
    }
  }

  async #writeConnectors(): Promise<void> {
    const { child, groupId, destinationId } = this.#target;
    const own: Entry<string>[] = [];
    for (let count = 0; !this.#isOver; count++) {
      const name = `connector-${randomUUID()}`;
      const csp = { cloudDestinationID: destinationId, providerC: { pairingKey: name } };
      const send = () => this.#post(child, '/flow/connector/auto-deploy', { name, groupId, csp }, 200);
      const entry = await this.#ledger.create({ kind: 'connector', name }, name, send);
      assert.ok(entry);
      own.push(entry);
      const oldest = count % 2 === 1 ? own.shift() : undefined;
      if (oldest) await this.#delete(oldest, `/flow/connector/${oldest.id}`, 200);
      await pause(100);
    }
  }

  async #requestMails(): Promise<void> {
    const { admin } = this.#target;
    for (; !this.#isOver; await pause(400)) {
      const email = `${randomUUID()}@meridian.example`;
      await this.#post(admin, '/users', { email, lastName: 'Mailed', password: 'tidal lantern orbit cedar' }, 201);
      const body = { grant_type: 'client_credentials', scope: 'reset', username: email };
      await this.#send('POST /auth/reset', 200, () => admin.post('/auth/reset', body, { basic }));
      this.#ledger.acknowledged += 2;
      this.#ledger.mailed.add(email);
    }
  }

  async #read(client: Client, path: string): Promise<void> {
    for (; !this.#isOver; await pause(20)) await this.#send(`GET ${path}`, 200, () => client.get(path));
  }
}
