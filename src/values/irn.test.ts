import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatIrn, idRangesForPrefix, parseIrn } from './irn.ts';

const owner = fc.stringMatching(/^[0-9a-z]{12}$/);

test('formatting and parsing a resource name round-trips', () => {
  fc.assert(
    fc.property(
      fc.uuid(),
      owner,
      fc.constantFrom('user', 'connector', 'connectors', 'link', 'cloudgateway'),
      fc.constantFrom('', 'entreprise'),
      (id, code, family, qualifier) => {
        const irn = formatIrn(family, code, id, qualifier);
        const plural = family === 'connector' || family === 'link' ? `${family}s` : family;
        assert.deepEqual(parseIrn(irn), { family: plural, owner: code, qualifier, id });
        assert.match(irn, /^irn:[a-z]+:[0-9a-z]{12}:[a-z]*:[0-9a-z]{7,}$/);
      },
    ),
  );
});

test('singular and plural families are equivalent', () => {
  const id = '0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10';
  assert.deepEqual(
    parseIrn(formatIrn('link', 'abcdefghij01', id)),
    parseIrn(formatIrn('link', 'abcdefghij01', id).replace(':links:', ':link:')),
  );
});

test('other texts are rejected, and no text makes the parser throw', () => {
  fc.assert(fc.property(fc.string(), (text) => parseIrn(text) === undefined));
  for (const text of [
    'irn:user:abcdefghij01::short',
    'irn:user:abcdefghij0::0000007',
    'irn:user:abcdefghij01::00000000000000000000000007',
    'irn:user:abcdefghij01::zzzzzzzzzzzzzzzzzzzzzzzzz',
    'irn:User:abcdefghij01::1234567',
    'irn:user:abcdefghij01::1234567\n',
    'irn:user:abcdefghij01:../:1234567',
  ])
    assert.equal(parseIrn(text), undefined, text);
});

test('the id ranges of a prefix contain exactly the ids whose names start with it', () => {
  const code = 'abcdefghij01';
  // Small numbers have zero-padded names.
  const id = fc.oneof(
    fc.uuid(),
    fc.integer({ min: 0, max: 2 ** 31 }).map((n) => `00000000-0000-0000-0000-${n.toString(16).padStart(12, '0')}`),
    fc.constant('ffffffff-ffff-ffff-ffff-ffffffffffff'),
  );
  fc.assert(
    fc.property(id, id, fc.nat(60), fc.constantFrom('connector', 'group'), (one, other, length, family) => {
      const prefix = formatIrn(family, code, one).slice(0, Math.max(4, length));
      const isInRange = (uuid: string): boolean =>
        idRangesForPrefix(prefix, family, code).some(([low, high]) => low <= uuid && uuid <= high);
      assert.ok(isInRange(one), prefix);
      assert.equal(isInRange(other), formatIrn(family, code, other).startsWith(prefix), prefix);
    }),
    { numRuns: 500 },
  );
  const name = formatIrn('link', code, '0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10');
  assert.equal(idRangesForPrefix(name, 'link', code).length, 1);
  assert.deepEqual(
    idRangesForPrefix(name.replace(':links:', ':link:'), 'link', code),
    idRangesForPrefix(name, 'link', code),
  );
  for (const text of ['', 'irn', 'irm:', name.slice(1), `${name}0`, `${name} `, 'irn:links:abcdefghij01:x:1'])
    assert.deepEqual(idRangesForPrefix(text, 'link', code), [], text);
  assert.deepEqual(idRangesForPrefix(name, 'link', 'abcdefghij02'), []);
  assert.deepEqual(idRangesForPrefix(name, 'group', code), []);
});
