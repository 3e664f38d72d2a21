import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { changesBetween } from './changes.ts';

test('changed, added and removed fields are listed with their paths', () => {
  assert.deepEqual(
    changesBetween(
      { name: 'a', contact: { phone: '1', site: null }, tagIds: ['x'], gone: 1 },
      { name: 'a', contact: { phone: '2', site: null }, tagIds: ['x', 'y'], added: true },
    ),
    [
      { path: 'contact.phone', before: '1', after: '2' },
      { path: 'tagIds', before: ['x'], after: ['x', 'y'] },
      { path: 'gone', before: 1, after: null },
      { path: 'added', before: null, after: true },
    ],
  );
});

const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.nat()));
const record = fc.dictionary(
  fc.stringMatching(/^[a-z]{1,3}$/),
  fc.oneof(leaf, fc.dictionary(fc.stringMatching(/^[a-z]$/), leaf)),
);

test('equal records have no changes, and no secret value is ever shown', () => {
  fc.assert(
    fc.property(record, record, (before, after) => {
      assert.deepEqual(changesBetween(before, before), []);
      const secrets = new Set(Object.keys({ ...before, ...after }));
      for (const { before: was, after: is } of changesBetween(before, after, secrets))
        for (const value of [was, is]) assert.ok(value === null || value === '***', String(value));
    }),
  );
});

test('the reverse comparison swaps before and after', () => {
  fc.assert(
    fc.property(record, record, (before, after) => {
      const sorted = (list: { path: string }[]) => list.sort((a, b) => (a.path < b.path ? -1 : 1));
      assert.deepEqual(
        sorted(changesBetween(before, after)),
        sorted(changesBetween(after, before).map((one) => ({ path: one.path, before: one.after, after: one.before }))),
      );
    }),
  );
});
