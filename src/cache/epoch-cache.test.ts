import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createEpochs } from '../store/epochs.ts';
import { type CacheFill, createEpochCache } from './epoch-cache.ts';

const organisations = ['a', 'b'];
const tables = ['connectors', 'tags'];
const everything = organisations.flatMap((organisation) => tables.map((table) => `${table} ${organisation}`));

/** A database of four numbers, a memory in front of it, and somebody who decides when each thing happens. */
function world(mostBytes = 100_000) {
  const epochs = createEpochs();
  const rows = new Map(everything.map((word) => [word, 0]));
  let isCurrent = true;
  const memory = createEpochCache<Record<string, number>>({ epochs, isCurrent: () => isCurrent, mostBytes });
  const waiting: (() => void)[] = [];
  const read = (organisation: string) => async (): Promise<CacheFill<Record<string, number>>> => {
    const words = everything.filter((word) => word.endsWith(organisation));
    const value = Object.fromEntries(words.map((word) => [word, rows.get(word) ?? 0]));
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.push(resolve);
    await promise;
    const slots = tables.map((table) => epochs.indexOf(table, organisation));
    return { value, bytes: 100, dependencies: slots };
  };
  const trust = (value: boolean): void => {
    isCurrent = value;
  };
  return { epochs, rows, memory, waiting, read, trust };
}

type Act =
  | { do: 'ask'; organisation: string }
  | { do: 'answer'; which: number }
  | { do: 'write'; word: string; told: boolean };

const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ do: fc.constant('ask' as const), organisation: fc.constantFrom(...organisations) }),
  fc.record({ do: fc.constant('answer' as const), which: fc.nat(5) }),
  fc.record({ do: fc.constant('write' as const), word: fc.constantFrom(...everything), told: fc.boolean() }),
);

test('whatever happens in whatever order, nobody is given anything older than what was told when they asked', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 60 }), async (acts) => {
      const { epochs, rows, memory, waiting, read } = world();
      const told = new Map(rows);
      const untold = new Set<string>();
      const asked: Promise<void>[] = [];
      const check = (value: Record<string, number>, least: Map<string, number>) => {
        for (const [word, number] of Object.entries(value)) assert.ok(number >= (least.get(word) ?? 0), word);
      };
      for (const next of acts) {
        if (next.do === 'ask') {
          const least = new Map(told);
          const found = memory.find(next.organisation);
          if (found) check(found, least);
          else
            asked.push(
              memory.fill(next.organisation, read(next.organisation)).then((value) => {
                check(value, least);
              }),
            );
        } else if (next.do === 'answer') waiting.splice(next.which, 1)[0]?.();
        else {
          rows.set(next.word, (rows.get(next.word) ?? 0) + 1);
          untold.add(next.word);
          // Writers are acknowledged together now and then, as commits arrive.
          if (next.told) {
            epochs.move(`;${[...untold].join(';')};`);
            for (const word of untold) told.set(word, rows.get(word) ?? 0);
            untold.clear();
          }
        }
        await Promise.resolve();
      }
      for (const go of waiting) go();
      await Promise.all(asked);
    }),
    { numRuns: 500 },
  );
});

const answerAt = async <T>(waiting: (() => void)[], asked: Promise<T>): Promise<T> => {
  await Promise.resolve();
  for (const go of waiting.splice(0)) go();
  return asked;
};

test('it is remembered until its own are changed, whoever else changes what', async () => {
  const { epochs, memory, waiting, read } = world();
  await answerAt(waiting, memory.fill('a', read('a')));
  assert.ok(memory.find('a'));
  epochs.move(';connectors b;groups a;');
  assert.ok(memory.find('a'), 'that was not about it');
  epochs.move(';tags a;');
  assert.equal(memory.find('a'), undefined);
});

test('nothing is trusted by who has not heard anything, and everything is over when all was touched', async () => {
  const { epochs, memory, waiting, read, trust } = world();
  await answerAt(waiting, memory.fill('a', read('a')));
  trust(false);
  assert.equal(memory.find('a'), undefined);
  trust(true);
  assert.ok(memory.find('a'));
  epochs.move('*');
  assert.equal(memory.find('a'), undefined);
});

test('those who ask at once are answered from one reading; who asks after a change is not', async () => {
  const { epochs, memory, waiting, read } = world();
  const together = [memory.fill('a', read('a')), memory.fill('a', read('a'))];
  await Promise.resolve();
  assert.equal(waiting.length, 1);
  epochs.move(';tags b;');
  const later = memory.fill('a', read('a'));
  await Promise.resolve();
  assert.equal(waiting.length, 2);
  await answerAt(waiting, Promise.all([...together, later]));
});

test('a reading that fails is told to all who wait for it, and the next one asks again', async () => {
  const { memory, waiting, read } = world();
  const broken = () => memory.fill('a', () => Promise.reject(new Error('away')));
  const both = await Promise.allSettled([broken(), broken()]);
  assert.deepEqual(
    both.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.ok(await answerAt(waiting, memory.fill('a', read('a'))));
});

test('it ends when its time is over', async () => {
  const { memory } = world();
  await memory.fill('a', async () => ({ value: {}, bytes: 1, dependencies: [], goodForMs: 20 }));
  assert.ok(memory.find('a'));
  await new Promise((resolve) => setTimeout(resolve, 30));
  assert.equal(memory.find('a'), undefined);
});

test('it never takes more than it may: who was not asked for longest goes, and giants are not let in', async () => {
  const { memory } = world(10_000);
  const put = (key: string, bytes: number) => memory.fill(key, async () => ({ value: {}, bytes, dependencies: [] }));
  for (let n = 0; n < 100; n++) {
    await put(`k${n}`, 300);
    memory.find('k0');
    assert.ok(memory.figures.bytes <= 10_000, `${memory.figures.bytes} bytes`);
  }
  assert.ok(memory.find('k0'), 'it was asked for all the time');
  assert.ok(memory.find('k99'));
  assert.equal(memory.find('k1'), undefined);
  await put('giant', 5000);
  assert.equal(memory.find('giant'), undefined);
  assert.ok(memory.find('k99'), 'nobody was driven out by it');
});
