import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { greeting } from './greeting.ts';

test('a mail greets by name unless the name is long or contains a link', () => {
  assert.equal(greeting('Mara Lindqvist'), 'Hello Mara Lindqvist,');
  assert.equal(greeting('J. R. Okafor'), 'Hello J. R. Okafor,');
  for (const name of [
    'Your account is locked, call +1 555 0100 at once to keep it',
    'https://evil.example',
    'Verify at evil.example now',
    'evil。example',
    'WWW evil',
  ])
    assert.equal(greeting(name), 'Hello,', name);
});

test('whatever the name, the greeting is short and contains no link', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (name) => {
      const line = greeting(name);
      assert.ok([...line].length <= 'Hello ,'.length + 40);
      assert.doesNotMatch(line, /:\/\/|[a-z]\.[a-z]/i);
    }),
  );
});
