import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createKeyedMutex } from './keyed-mutex.ts';

test('work on one key never overlaps and keeps its order, whatever fails; other keys do not wait', async () => {
  const inOrder = createKeyedMutex();
  const seen: string[] = [];
  let running = 0;
  const work =
    (name: string, fails = false) =>
    async () => {
      assert.equal(++running, 1);
      await pause(5);
      running--;
      seen.push(name);
      if (fails) throw new Error(name);
      return name;
    };
  const ends = await Promise.allSettled([
    inOrder('a', work('1')),
    inOrder('a', work('2', true)),
    inOrder('a', work('3')),
  ]);
  assert.deepEqual(seen, ['1', '2', '3']);
  assert.deepEqual(
    ends.map((end) => end.status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  let release = () => {};
  const blocked = inOrder(
    'b',
    () =>
      new Promise<void>((resolve) => {
        release = resolve;
      }),
  );
  assert.equal(await inOrder('c', async () => 'free'), 'free');
  release();
  await blocked;
});
