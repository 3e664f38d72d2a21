import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { editDistance, findSimilar } from './edit-distance.ts';

test('the usual typing mistakes are one edit', () => {
  for (const typed of ['DATABASE_ULR', 'DATABSE_URL', 'DATABASEE_URL', 'DATABASE_UR', 'DATABASE_URI', 'ADTABASE_URL'])
    assert.equal(editDistance(typed, 'DATABASE_URL'), 1, typed);
});

test('the distance is symmetric, at most the longer length, and zero for equal words alone', () => {
  const word = fc.string({ unit: fc.constantFrom('A', 'B', '_'), maxLength: 8 });
  fc.assert(
    fc.property(word, word, (one, other) => {
      const edits = editDistance(one, other);
      assert.equal(edits, editDistance(other, one));
      assert.equal(edits === 0, one === other);
      assert.ok(edits >= Math.abs(one.length - other.length) && edits <= Math.max(one.length, other.length));
    }),
  );
});

test('a similar name is the closest one, in any case, and none for a name that is far from all', () => {
  const known = ['PATCHBAY_PORT', 'PATCHBAY_HOST', 'DATABASE_URL'];
  assert.equal(findSimilar('PATCHBAY_PROT', known), 'PATCHBAY_PORT');
  assert.equal(findSimilar('patchbay_host', known), 'PATCHBAY_HOST');
  assert.equal(findSimilar('DATABASE_USER', known), undefined);
  assert.equal(findSimilar('HOME', known), undefined);
});
