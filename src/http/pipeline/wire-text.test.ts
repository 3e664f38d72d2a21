import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { FieldNames } from '../request/field-names.ts';
import { wireText } from './wire-text.ts';

const branded = new FieldNames({
  keys: { inner: 'outer', list: 'items' },
  values: { providerA: 'aws' },
  valueKeys: ['family'],
  aliases: {},
});

const leaf = fc.oneof(fc.constantFrom('providerA', null, undefined, true), fc.string(), fc.integer());
const key = fc.constantFrom('inner', 'list', 'family', 'a', '"', 'x\\');
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.array(tie('value'), { maxLength: 5 }),
    fc.dictionary(key, tie('value'), { maxKeys: 5 }),
    // Large ones, which are divided.
    tie('value').map((one) => Array(60).fill(one)),
    tie('value').map((one) => Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`k${index}`, one]))),
  ),
}));

test('a large response built in slices has the text of the whole', async () => {
  await fc.assert(
    fc.asyncProperty(value, async (response) => {
      const wanted = JSON.stringify(branded.toWire(response ?? null));
      assert.equal(await wireText(branded, response ?? null), wanted);
    }),
    { numRuns: 300 },
  );
});
