// Whose turn it is to change the fabric of a group: one has it, and who had it before is not let in after the next.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { checkFencingToken } from '../../src/fabric/simulated/store.ts';
import { acquireLease, releaseLease, renewLease } from '../../src/reconciler/lease-store.ts';
import { allTenants, type Database } from '../../src/store/database.ts';
import { PostgresStore } from '../../src/store/postgres-store.ts';
import { type Arena, range } from '../race-fixture.ts';
import { settled } from './invariants.ts';

export async function oneTurn(arena: Arena, rounds: number): Promise<void> {
  const store = new PostgresStore(arena.f.databaseUrl, () => undefined);
  const asService = <T>(work: (database: Database) => Promise<T>): Promise<T> => store.write(allTenants, work);
  try {
    for (const _ of range(rounds)) {
      const group = randomUUID();
      const tokens: number[] = [];
      for (const __ of range(4)) {
        const taken = await Promise.all(
          range(10).map(() => asService((db) => acquireLease(db, allTenants, group, 60))),
        );
        const won = taken.filter((token) => token !== undefined);
        assert.equal(won.length, 1, 'one has the turn');
        tokens.push(won[0] as number);
        await asService((db) => releaseLease(db, allTenants, group, won[0] as number, false));
      }
      const newest = tokens.at(-1) as number;
      assert.ok(
        tokens.every((token, index) => index === 0 || token > (tokens[index - 1] as number)),
        'tokens go up',
      );
      assert.deepEqual(
        await Promise.all(tokens.map((token) => asService((db) => renewLease(db, allTenants, group, token, 60)))),
        tokens.map((token) => token === newest),
        'only the last can keep the turn',
      );
      // All come to the fabric at once, in any order; when the newest was there, nobody older is let in.
      const order = tokens.toSorted(() => arena.dice.next() - 0.5);
      await Promise.all(order.map((token) => asService((db) => checkFencingToken(db, allTenants, group, token))));
      const later = await Promise.all(
        order.map((token) => asService((db) => checkFencingToken(db, allTenants, group, token))),
      );
      assert.deepEqual(
        later,
        order.map((token) => token === newest),
        'an older token was let in after a newer one',
      );
      arena.tally.requests += 60;
      await asService((db) => db.deleteFrom('fabric_groups').where('group_id', '=', group).execute());
      await asService((db) => db.deleteFrom('simulated_groups').where('group_id', '=', group).execute());
      await settled(arena);
    }
  } finally {
    await store.close();
  }
}
