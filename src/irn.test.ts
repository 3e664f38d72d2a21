import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { formatIrn, parseIrn } from './irn.ts';

const owner = fc.stringMatching(/^[0-9a-z]{12}$/);

test('a resource name leads back to exactly its record', () => {
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

test('singular and plural families name the same record', () => {
  const id = '0b9f6a52-2f51-4d0e-8a55-1f0d8f9d5b10';
  assert.deepEqual(
    parseIrn(formatIrn('link', 'abcdefghij01', id)),
    parseIrn(formatIrn('link', 'abcdefghij01', id).replace(':links:', ':link:')),
  );
});

test('anything else is no resource name, and nothing makes the parser throw', () => {
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
