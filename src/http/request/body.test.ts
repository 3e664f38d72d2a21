import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { measureJson, parseForm, parseJson } from './body.ts';

const depthOf = (value: unknown): number =>
  typeof value === 'object' && value !== null ? 1 + Math.max(0, ...Object.values(value).map(depthOf)) : 0;

test('the scanned depth is the depth of the parsed value', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (text) => assert.equal(measureJson(text).depth, depthOf(JSON.parse(text)))),
  );
});

test('any JSON value within the depth limit is parsed unchanged', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (text) => {
      fc.pre(!text.includes('__proto__'));
      assert.deepEqual(parseJson(Buffer.from(text)), JSON.parse(text));
    }),
  );
});

test('any bytes are parsed or rejected with a problem', () => {
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

test('32 levels are accepted and 33 rejected, also in hostile text', () => {
  assert.doesNotThrow(() => parseJson(Buffer.from('['.repeat(32) + ']'.repeat(32))));
  assert.throws(() => parseJson(Buffer.from('['.repeat(33) + ']'.repeat(33))), { code: 'BodyTooDeep' });
  assert.throws(() => parseJson(Buffer.from('{"a":'.repeat(200_000))), { code: 'BodyTooDeep' });
});

const countValues = (value: unknown): number =>
  typeof value === 'object' && value !== null
    ? Object.values(value).reduce((sum: number, inner) => sum + countValues(inner), 1)
    : 1;

test('no value escapes the count; an empty list or object counts twice at most', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), (text) => {
      const { values } = measureJson(JSON.stringify(JSON.parse(text)));
      const counted = countValues(JSON.parse(text));
      assert.ok(values >= counted && values <= 2 * counted, `${values} for ${counted}`);
    }),
  );
});

test('more than 5,000 values are too large, whatever their form', () => {
  const list = (count: number): Buffer => Buffer.from(`[${Array(count).fill(0).join(',')}]`);
  assert.doesNotThrow(() => parseJson(list(4_999)));
  const wide = [list(5_000), Buffer.from(`{${Array.from({ length: 5_001 }, (_, n) => `"k${n}":1`).join(',')}}`)];
  for (const bytes of [...wide, Buffer.from(`[${'[],'.repeat(2_501)}[]]`)])
    assert.throws(() => parseJson(bytes), { code: 'TooLarge' });
  assert.doesNotThrow(() => parseJson(Buffer.from(JSON.stringify(','.repeat(100_000)))));
});

test('prototype keys, invalid UTF-8 and repeated form keys are rejected; an empty body is undefined', () => {
  assert.throws(() => parseJson(Buffer.from('{"a":{"__proto__":{"x":1}}}')), { code: 'InvalidJson' });
  assert.throws(() => parseJson(Buffer.from([0x22, 0xff, 0x22])), { code: 'InvalidJson' });
  assert.throws(() => parseForm(Buffer.from('a=1&a=2')), { code: 'InvalidInput' });
  assert.equal(parseJson(Buffer.from('')), undefined);
  assert.equal(parseJson(Buffer.from(' \n')), undefined);
});
