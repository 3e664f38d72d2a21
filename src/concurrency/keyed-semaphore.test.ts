import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AcquireTimeout, createKeyedSemaphore } from './keyed-semaphore.ts';

test('never more than so many of one, each gets its turn in the order of asking, and others do not wait for them', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.record({ who: fc.constantFrom('a', 'b', 'c'), ticks: fc.nat(3) }), { maxLength: 40 }),
      async (most, asked) => {
        const turns = createKeyedSemaphore(most);
        const working = new Map<string, number>();
        const begun: string[] = [];
        await Promise.all(
          asked.map(async ({ who, ticks }, index) => {
            const giveBack = await turns.take(who, 10_000);
            working.set(who, (working.get(who) ?? 0) + 1);
            assert.ok(working.get(who)! <= most);
            begun.push(`${who}${index}`);
            for (let tick = 0; tick < ticks; tick++) await new Promise(setImmediate);
            working.set(who, working.get(who)! - 1);
            giveBack();
          }),
        );
        for (const who of ['a', 'b', 'c'])
          assert.deepEqual(
            begun.filter((name) => name.startsWith(who)),
            asked.flatMap((one, index) => (one.who === who ? [`${who}${index}`] : [])),
          );
      },
    ),
  );
});

test('who waited too long is told, and the turn goes to the next', async () => {
  const turns = createKeyedSemaphore(1);
  const giveBack = await turns.take('a', 10);
  await assert.rejects(turns.take('a', 10), AcquireTimeout);
  (await turns.take('b', 10))();
  const next = turns.take('a', 10_000);
  giveBack();
  (await next)();
  (await turns.take('a', 10))();
});
