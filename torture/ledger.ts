// Who writes keeps a ledger: what was acknowledged must be found again, whatever happened in between.
import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { demoPassword } from '../src/demo/demo-world.ts';
import type { ApiResponse, Client } from '../test/harness/client.ts';
import { basic } from '../test/harness/service.ts';

/** What was answered, and what was cut: that may have happened or not. */
export interface Witness {
  acknowledged: number;
  created: Map<string, string>;
  deleted: Set<string>;
  unsure: Set<string>;
}

export const newWitness = (): Witness => ({
  acknowledged: 0,
  created: new Map(),
  deleted: new Set(),
  unsure: new Set(),
});

/** A kind of record that is made and deleted by name, and how each is answered. */
export interface Craft {
  create: (client: Client, name: string) => Promise<ApiResponse>;
  created: number;
  remove: (client: Client, name: string, made: string) => Promise<ApiResponse>;
  deleted: number;
}

export async function signIn(client: Client): Promise<string> {
  for (let attempt = 0; ; attempt++) {
    try {
      const answer = await client.post(
        '/auth/token',
        { grant_type: 'password', scope: 'everything', username: 'admin@meridian.example', password: demoPassword },
        { basic },
      );
      if (answer.status === 200) return answer.body.access_token;
      if (attempt > 100) assert.fail(answer.text);
    } catch (error) {
      if (attempt > 100) throw error;
    }
    await pause(50);
  }
}

/** Makes and deletes until told to stop. */
export async function write(
  client: Client,
  craft: Craft,
  witness: Witness,
  name: string,
  isOver: () => boolean,
): Promise<void> {
  const mine: string[] = [];
  const witnessed = async (
    record: string,
    work: Promise<ApiResponse>,
    expected: number,
  ): Promise<ApiResponse | undefined> => {
    witness.unsure.add(record);
    const answer = await work;
    if (answer.status !== expected) {
      assert.ok(answer.status === 503 || answer.status === 504, answer.text);
      return undefined;
    }
    witness.unsure.delete(record);
    witness.acknowledged++;
    return answer;
  };
  for (let index = 0; !isOver(); index++) {
    const record = `${name}-${index}`;
    try {
      const made = await witnessed(record, craft.create(client, record), craft.created);
      if (made) {
        witness.created.set(record, made.text);
        mine.push(record);
      }
      const old = index % 5 === 4 ? mine.shift() : undefined;
      const text = old && witness.created.get(old);
      if (old && text && (await witnessed(old, craft.remove(client, old, text), craft.deleted)))
        witness.deleted.add(old);
    } catch (error) {
      // Cut connections are what this is about; a wrong answer is not.
      if ((error as { code?: string }).code === 'ERR_ASSERTION') throw error;
      await pause(20);
    }
  }
}

/** How many records are not as they were acknowledged; `lasting` leaves out of an answer what may move on by itself. */
export function lostOf(
  witness: Witness,
  found: Map<string, string>,
  lasting: (text: string, acknowledged: string) => string = (text) => text,
): number {
  let lost = 0;
  for (const [record, text] of witness.created) {
    if (witness.unsure.has(record)) continue;
    const now = found.get(record);
    const isKept = now !== undefined && lasting(now, text) === lasting(text, text);
    if (witness.deleted.has(record) ? now !== undefined : !isKept) lost++;
  }
  return lost;
}
