import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { createEpochs } from '../store/epochs.ts';
import { type CacheFill, createEpochCache } from './epoch-cache.ts';

const organisations = ['a', 'b'];
const tables = ['connectors', 'tags'];
const everything = organisations.flatMap((organisation) => tables.map((table) => `${table} ${organisation}`));

/** A database of four counters, a cache in front of it, and control over when each load ends. */
function createModel(maxBytes = 100_000) {
  const epochs = createEpochs();
  const rows = new Map(everything.map((row) => [row, 0]));
  let isCurrent = true;
  const cache = createEpochCache<Record<string, number>>({ epochs, isCurrent: () => isCurrent, maxBytes });
  const waiting: (() => void)[] = [];
  const read = (organisation: string) => async (): Promise<CacheFill<Record<string, number>>> => {
    const ownRows = everything.filter((row) => row.endsWith(organisation));
    const value = Object.fromEntries(ownRows.map((row) => [row, rows.get(row) ?? 0]));
    const { promise, resolve } = Promise.withResolvers<void>();
    waiting.push(resolve);
    await promise;
    const dependencies = tables.map((table) => epochs.indexOf(table, organisation));
    return { value, bytes: 100, dependencies };
  };
  const setCurrent = (value: boolean): void => {
    isCurrent = value;
  };
  return { epochs, rows, cache, waiting, read, setCurrent };
}

type Action =
  | { do: 'read'; organisation: string }
  | { do: 'finish'; which: number }
  | { do: 'write'; row: string; isAcknowledged: boolean };

const action: fc.Arbitrary<Action> = fc.oneof(
  fc.record({ do: fc.constant('read' as const), organisation: fc.constantFrom(...organisations) }),
  fc.record({ do: fc.constant('finish' as const), which: fc.nat(5) }),
  fc.record({ do: fc.constant('write' as const), row: fc.constantFrom(...everything), isAcknowledged: fc.boolean() }),
);

test('in any interleaving, a read returns nothing older than the writes acknowledged before it', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { maxLength: 60 }), async (actions) => {
      const { epochs, rows, cache, waiting, read } = createModel();
      const acknowledged = new Map(rows);
      const unacknowledged = new Set<string>();
      const pending: Promise<void>[] = [];
      const check = (value: Record<string, number>, least: Map<string, number>) => {
        for (const [row, number] of Object.entries(value)) assert.ok(number >= (least.get(row) ?? 0), row);
      };
      for (const next of actions) {
        if (next.do === 'read') {
          const least = new Map(acknowledged);
          const found = cache.get(next.organisation);
          if (found) check(found, least);
          else
            pending.push(
              cache.fill(next.organisation, read(next.organisation)).then((value) => {
                check(value, least);
              }),
            );
        } else if (next.do === 'finish') waiting.splice(next.which, 1)[0]?.();
        else {
          rows.set(next.row, (rows.get(next.row) ?? 0) + 1);
          unacknowledged.add(next.row);
          // Several commits may be acknowledged together.
          if (next.isAcknowledged) {
            epochs.advance(`;${[...unacknowledged].join(';')};`);
            for (const row of unacknowledged) acknowledged.set(row, rows.get(row) ?? 0);
            unacknowledged.clear();
          }
        }
        await Promise.resolve();
      }
      for (const go of waiting) go();
      await Promise.all(pending);
    }),
    { numRuns: 500 },
  );
});

const finishLoads = async <T>(waiting: (() => void)[], filled: Promise<T>): Promise<T> => {
  await Promise.resolve();
  for (const go of waiting.splice(0)) go();
  return filled;
};

test('an entry stays valid until one of its own dependencies changes', async () => {
  const { epochs, cache, waiting, read } = createModel();
  await finishLoads(waiting, cache.fill('a', read('a')));
  assert.ok(cache.get('a'));
  epochs.advance(';connectors b;groups a;');
  assert.ok(cache.get('a'), 'those are not its dependencies');
  epochs.advance(';tags a;');
  assert.equal(cache.get('a'), undefined);
});

test('entries are unused while the change feed is behind; advancing all epochs invalidates all entries', async () => {
  const { epochs, cache, waiting, read, setCurrent } = createModel();
  await finishLoads(waiting, cache.fill('a', read('a')));
  setCurrent(false);
  assert.equal(cache.get('a'), undefined);
  setCurrent(true);
  assert.ok(cache.get('a'));
  epochs.advance('*');
  assert.equal(cache.get('a'), undefined);
});

test('concurrent fills share one load; a fill after a change loads again', async () => {
  const { epochs, cache, waiting, read } = createModel();
  const shared = [cache.fill('a', read('a')), cache.fill('a', read('a'))];
  await Promise.resolve();
  assert.equal(waiting.length, 1);
  epochs.advance(';tags b;');
  const later = cache.fill('a', read('a'));
  await Promise.resolve();
  assert.equal(waiting.length, 2);
  await finishLoads(waiting, Promise.all([...shared, later]));
});

test('a failed load rejects all fills that share it, and the next fill loads again', async () => {
  const { cache, waiting, read } = createModel();
  const broken = () => cache.fill('a', () => Promise.reject(new Error('unavailable')));
  const both = await Promise.allSettled([broken(), broken()]);
  assert.deepEqual(
    both.map(({ status }) => status),
    ['rejected', 'rejected'],
  );
  assert.ok(await finishLoads(waiting, cache.fill('a', read('a'))));
});

test('an entry expires after its ttl', async () => {
  const { cache } = createModel();
  await cache.fill('a', async () => ({ value: {}, bytes: 1, dependencies: [], ttlMs: 20 }));
  assert.ok(cache.get('a'));
  await new Promise((resolve) => setTimeout(resolve, 30));
  assert.equal(cache.get('a'), undefined);
});

test('the cache stays within its size: it evicts the least recently used entry and skips large values', async () => {
  const { cache } = createModel(10_000);
  const put = (key: string, bytes: number) => cache.fill(key, async () => ({ value: {}, bytes, dependencies: [] }));
  for (let n = 0; n < 100; n++) {
    await put(`k${n}`, 300);
    cache.get('k0');
    assert.ok(cache.stats.bytes <= 10_000, `${cache.stats.bytes} bytes`);
  }
  assert.ok(cache.get('k0'), 'it was used all the time');
  assert.ok(cache.get('k99'));
  assert.equal(cache.get('k1'), undefined);
  await put('giant', 5000);
  assert.equal(cache.get('giant'), undefined);
  assert.ok(cache.get('k99'), 'it evicted nothing');
});
