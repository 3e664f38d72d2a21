import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { createKeyedMutex } from './keyed-mutex.ts';

test('work on one key runs in order without overlap, also after failures; other keys do not wait', async () => {
  const withLock = createKeyedMutex();
  const finished: string[] = [];
  let running = 0;
  const work =
    (name: string, fails = false) =>
    async () => {
      assert.equal(++running, 1);
      await pause(5);
      running--;
      finished.push(name);
      if (fails) throw new Error(name);
      return name;
    };
  const outcomes = await Promise.allSettled([
    withLock('a', work('1')),
    withLock('a', work('2', true)),
    withLock('a', work('3')),
  ]);
  assert.deepEqual(finished, ['1', '2', '3']);
  assert.deepEqual(
    outcomes.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
  let release = () => {};
  const blocked = withLock(
    'b',
    () =>
      new Promise<void>((resolve) => {
        release = resolve;
      }),
  );
  assert.equal(await withLock('c', async () => 'free'), 'free');
  release();
  await blocked;
});
