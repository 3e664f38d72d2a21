// The lease to change the fabric of a group: one process holds it, and an older fencing token is rejected.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { checkFencingToken } from '../../src/fabric/simulated/store.ts';
import { acquireLease, releaseLease, renewLease } from '../../src/reconciler/lease-store.ts';
import { allTenants, type Database } from '../../src/store/database.ts';
import { PostgresStore } from '../../src/store/postgres-store.ts';
import { range } from '../helpers.ts';
import type { RaceContext } from '../race-fixture.ts';
import { checkSums } from './invariants.ts';

export async function oneLease(context: RaceContext, rounds: number): Promise<void> {
  const store = new PostgresStore(context.f.databaseUrl, () => undefined);
  const asService = <T>(work: (database: Database) => Promise<T>): Promise<T> => store.write(allTenants, work);
  try {
    for (const _ of range(rounds)) {
      const group = randomUUID();
      const tokens: number[] = [];
      for (const __ of range(4)) {
        const acquired = await Promise.all(
          range(10).map(() => asService((db) => acquireLease(db, allTenants, group, 60))),
        );
        const won = acquired.filter((token) => token !== undefined);
        assert.equal(won.length, 1, 'one lease is acquired');
        tokens.push(won[0] as number);
        await asService((db) => releaseLease(db, allTenants, group, won[0] as number, false));
      }
      const newest = tokens.at(-1) as number;
      assert.ok(
        tokens.every((token, index) => index === 0 || token > (tokens[index - 1] as number)),
        'fencing tokens increase',
      );
      assert.deepEqual(
        await Promise.all(tokens.map((token) => asService((db) => renewLease(db, allTenants, group, token, 60)))),
        tokens.map((token) => token === newest),
        'only the newest lease can be renewed',
      );
      // All reach the fabric at once, in random order. Once the newest was there, older ones are rejected.
      const order = tokens.toSorted(() => context.random.next() - 0.5);
      await Promise.all(order.map((token) => asService((db) => checkFencingToken(db, allTenants, group, token))));
      const later = await Promise.all(
        order.map((token) => asService((db) => checkFencingToken(db, allTenants, group, token))),
      );
      assert.deepEqual(
        later,
        order.map((token) => token === newest),
        'an older token was accepted after a newer one',
      );
      context.stats.requests += 60;
      await asService((db) => db.deleteFrom('fabric_groups').where('group_id', '=', group).execute());
      await asService((db) => db.deleteFrom('simulated_groups').where('group_id', '=', group).execute());
      await checkSums(context);
    }
  } finally {
    await store.close();
  }
}
