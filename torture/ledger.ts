// The ledger of a load generator: every write it sent, what was acknowledged, and how that compares with the records
// that are found afterwards.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import type { ApiResponse } from '../test/harness/client.ts';

/** A write, and the state of the record after it: undefined after a deletion, or while it is unknown. */
export interface Write<State> {
  action: 'create' | 'update' | 'delete';
  state?: State | undefined;
}

interface Progress<State> {
  /** Known once the creation is acknowledged, if the record has an id. */
  id: string | undefined;
  acknowledged: Write<State>[];
  /** Sent and not answered: it may have been applied. The next comparison tells. */
  pending: Write<State> | undefined;
}

export interface Named {
  kind: string;
  name: string;
}
export type Entry<State, Facts extends Named = Named> = Facts & Progress<State>;

/** A record as it is found. */
export interface Found<State> {
  id?: string;
  name: string;
  state: State;
}

/** Whether a record (undefined: there is none) is as these writes leave it. */
export type Matches<State> = (found: Found<State> | undefined, writes: Write<State>[], id?: string) => boolean;

export interface Comparison<State> {
  /** Entries that are not as acknowledged. */
  lost: string[];
  /** Records that no entry explains. */
  unexpected: Found<State>[];
}

type Send = () => Promise<ApiResponse>;

/** A wrong response fails the test; a broken connection is part of it. */
export const isAssertion = (error: unknown): boolean => (error as { code?: string }).code === 'ERR_ASSERTION';
export const isDeleted = ({ acknowledged }: Pick<Entry<unknown>, 'acknowledged'>): boolean =>
  acknowledged.at(-1)?.action === 'delete';

/** Compares the state after the last write; a state that is unknown matches any. */
export const matchesState =
  <State>(isEqual: (found: State, acknowledged: State) => boolean): Matches<State> =>
  (found, writes) => {
    const last = writes.at(-1);
    if (!last || last.action === 'delete') return found === undefined;
    return found !== undefined && (last.state === undefined || isEqual(found.state, last.state));
  };

export class Ledger<State = string, Facts extends Named = Named> {
  readonly entries = new Set<Entry<State, Facts>>();
  acknowledged = 0;
  /** Requests with an unknown outcome, and how many of their writes turned out to be applied. */
  interrupted = 0;
  interruptedButApplied = 0;
  readonly #refusals: readonly string[];

  /** Refusals other than these fail the test. */
  constructor(refusals: readonly string[] = []) {
    this.#refusals = refusals;
  }

  of(kind: string): Entry<State, Facts>[] {
    return [...this.entries].filter((entry) => entry.kind === kind);
  }

  /**
   * Sends a request that writes to these entries. Without a response, or with 503 or 504, the outcome is unknown: the
   * write stays pending and the result is undefined. An allowed refusal is returned and writes nothing.
   */
  async attempt(
    entries: Entry<State, Facts>[],
    write: Write<State>,
    send: Send,
    stateOf?: (response: ApiResponse) => State,
  ): Promise<ApiResponse | undefined> {
    for (const entry of entries) entry.pending = write;
    const response = await send().catch((error: { code?: string }) => error);
    if (!('status' in response)) {
      if (isAssertion(response)) throw response;
      // Nothing was sent.
      if (response.code === 'ECONNREFUSED') for (const entry of entries) entry.pending = undefined;
      else this.interrupted++;
      await pause(20);
      return undefined;
    }
    if (response.status === 503 || response.status === 504) {
      this.interrupted++;
      return undefined;
    }
    for (const entry of entries) entry.pending = undefined;
    if (response.status >= 300) {
      assert.ok(this.#refusals.includes(`${response.status} ${response.body?.code}`), response.text);
      return response;
    }
    this.acknowledged++;
    if (stateOf) write.state = stateOf(response);
    for (const entry of entries) {
      entry.id ??= response.body?.id;
      entry.acknowledged.push(write);
    }
    return response;
  }

  /** Sends the creation of a record. Returns its entry once that is acknowledged. */
  async create(
    facts: Facts,
    state: State | undefined,
    send: Send,
    stateOf?: (response: ApiResponse) => State,
  ): Promise<Entry<State, Facts> | undefined> {
    const entry: Entry<State, Facts> = { ...facts, id: undefined, acknowledged: [], pending: undefined };
    this.entries.add(entry);
    await this.attempt([entry], { action: 'create', state }, send, stateOf);
    if (entry.acknowledged.length) return entry;
    if (!entry.pending) this.entries.delete(entry);
    return undefined;
  }

  update(entry: Entry<State, Facts>, state: State, send: Send): Promise<ApiResponse | undefined> {
    return this.attempt([entry], { action: 'update', state }, send);
  }

  delete(entries: Entry<State, Facts>[], send: Send): Promise<ApiResponse | undefined> {
    return this.attempt(entries, { action: 'delete' }, send);
  }

  /** Compares the entries of a kind with the records found. A pending write is applied or not from here on. */
  compare(kind: string, found: Found<State>[], matches: Matches<State>): Comparison<State> {
    const byId = new Map(found.map((record) => [record.id, record]));
    const byName = new Map(found.map((record) => [record.name, record]));
    const unexpected = new Set(found);
    const lost: string[] = [];
    for (const entry of this.of(kind)) {
      const record = entry.id === undefined ? byName.get(entry.name) : byId.get(entry.id);
      const { acknowledged, pending, id = record?.id } = entry;
      if (pending && matches(record, [...acknowledged, pending], id)) {
        this.interruptedButApplied++;
        entry.id = id;
        acknowledged.push(pending);
      } else if (!matches(record, acknowledged, id)) {
        const wanted = JSON.stringify(acknowledged);
        lost.push(`${kind} ${entry.name} (${id}): ${wanted} acknowledged, ${JSON.stringify(record)} found`);
      }
      entry.pending = undefined;
      if (acknowledged.length === 0) this.entries.delete(entry);
      else if (record) unexpected.delete(record);
    }
    return { lost, unexpected: [...unexpected] };
  }

  forget(kind: string, isForgotten: (entry: Entry<State, Facts>) => boolean = () => true): void {
    for (const entry of this.of(kind)) if (isForgotten(entry)) this.entries.delete(entry);
  }

  /**
   * Marks the present. The result, called later, returns a ledger of what was acknowledged at the mark and has not
   * been written to since.
   */
  snapshot(): () => Ledger<State, Facts> {
    const marked = [...this.entries].map((entry) => ({ entry, count: entry.acknowledged.length }));
    return () => {
      const unchanged = new Ledger<State, Facts>();
      for (const { entry, count } of marked) {
        if (count === 0 || entry.pending || entry.acknowledged.length !== count) continue;
        unchanged.entries.add({ ...entry, acknowledged: [...entry.acknowledged] });
        unchanged.acknowledged += count;
      }
      return unchanged;
    };
  }
}
