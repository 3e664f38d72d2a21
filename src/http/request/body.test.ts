import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { jsonDepth, parseForm, parseJson } from './body.ts';

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

test('the scanned depth is the depth of the parsed value', () => {
  fc.assert(fc.property(fc.json({ maxDepth: 6 }), (text) => assert.equal(jsonDepth(text), depthOf(JSON.parse(text)))));
});

test('whatever JSON can say and is not too deep comes through unchanged', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (text) => {
      fc.pre(!text.includes('__proto__'));
      assert.deepEqual(parseJson(Buffer.from(text)), JSON.parse(text));
    }),
  );
});

test('no bytes make the parser fail in another way than by saying what is wrong', () => {
  fc.assert(
    fc.property(fc.uint8Array(), (bytes) => {
      try {
        parseJson(Buffer.from(bytes));
      } catch (error) {
        assert.equal((error as { status?: number }).status, 400);
      }
    }),
  );
});

test('32 levels pass, 33 are too deep, also when the text is hostile', () => {
  assert.doesNotThrow(() => parseJson(Buffer.from('['.repeat(32) + ']'.repeat(32))));
  assert.throws(() => parseJson(Buffer.from('['.repeat(33) + ']'.repeat(33))), { code: 'BodyTooDeep' });
  assert.throws(() => parseJson(Buffer.from('{"a":'.repeat(200_000))), { code: 'BodyTooDeep' });
});

test('prototype keys, broken UTF-8 and keys given twice in a form are refused; emptiness is no body', () => {
  assert.throws(() => parseJson(Buffer.from('{"a":{"__proto__":{"x":1}}}')), { code: 'InvalidJson' });
  assert.throws(() => parseJson(Buffer.from([0x22, 0xff, 0x22])), { code: 'InvalidJson' });
  assert.throws(() => parseForm(Buffer.from('a=1&a=2')), { code: 'InvalidInput' });
  assert.equal(parseJson(Buffer.from('')), undefined);
  assert.equal(parseJson(Buffer.from(' \n')), undefined);
});
