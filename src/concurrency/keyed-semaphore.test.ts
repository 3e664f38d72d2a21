import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { AcquireTimeout } from '../errors/acquire-timeout.ts';
import { createKeyedSemaphore } from './keyed-semaphore.ts';

test('the limit holds for each key, permits are granted in order, and keys do not block each other', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 4 }),
      fc.array(fc.record({ key: fc.constantFrom('a', 'b', 'c'), ticks: fc.nat(3) }), { maxLength: 40 }),
      async (permits, tasks) => {
        const semaphore = createKeyedSemaphore(permits);
        const running = new Map<string, number>();
        const started: string[] = [];
        await Promise.all(
          tasks.map(async ({ key, ticks }, index) => {
            const release = await semaphore.acquire(key, 10_000);
            running.set(key, (running.get(key) ?? 0) + 1);
            assert.ok(running.get(key)! <= permits);
            started.push(`${key}${index}`);
            for (let tick = 0; tick < ticks; tick++) await new Promise(setImmediate);
            running.set(key, running.get(key)! - 1);
            release();
          }),
        );
        for (const key of ['a', 'b', 'c'])
          assert.deepEqual(
            started.filter((name) => name.startsWith(key)),
            tasks.flatMap((task, index) => (task.key === key ? [`${key}${index}`] : [])),
          );
      },
    ),
  );
});

test('a waiter that times out is rejected, and the permit goes to the next waiter', async () => {
  const semaphore = createKeyedSemaphore(1);
  const release = await semaphore.acquire('a', 10);
  await assert.rejects(semaphore.acquire('a', 10), AcquireTimeout);
  (await semaphore.acquire('b', 10))();
  const next = semaphore.acquire('a', 10_000);
  release();
  (await next)();
  (await semaphore.acquire('a', 10))();
});
