import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sortInSlices } from './sort-in-slices.ts';
import { TimeSlices } from './time-slices.ts';

test('the numbers are those of an ordinary sort, for every length around the length of a run', async () => {
  const number = fc.integer({ min: 0, max: 1000 });
  await fc.assert(
    fc.asyncProperty(fc.array(number, { maxLength: 40 }), fc.nat({ max: 4 }), async (tail, runs) => {
      const numbers = [...Array.from({ length: runs * 8192 }, (_, index) => (index * 7919) % 1009), ...tail];
      const sorted = await sortInSlices(Float64Array.from(numbers), new TimeSlices());
      assert.deepEqual(sorted, Float64Array.from(numbers).sort());
    }),
    { numRuns: 60 },
  );
});
