import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { problem } from '../../errors/problems.ts';
import { FieldNames } from './field-names.ts';

const words = {
  keys: { alpha: 'eins', beta: 'zwei', alphaKey: 'einsKey' },
  values: { alpha: 'eins', beta: 'zwei' },
  valueKeys: ['family'],
  aliases: { groupID: 'groupId' },
};
const branded = new FieldNames(words);
const plain = new FieldNames({ ...words, keys: {}, values: {} });

const name = fc.constantFrom('alpha', 'beta', 'alphaKey', 'family', 'groupId', 'other');
const { tree } = fc.letrec<{ tree: unknown; object: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('alpha', 'beta', 'free text'),
    fc.integer(),
    fc.constant(null),
    tie('object'),
    fc.array(tie('tree'), { maxLength: 3 }),
  ),
  object: fc.dictionary(name, tie('tree'), { maxKeys: 5, noNullPrototype: true }),
}));

test('toWire and fromWire are inverse', () => {
  fc.assert(
    fc.property(tree, (value) => {
      assert.deepEqual(branded.fromWire(branded.toWire(value)), value);
      assert.deepEqual(branded.fromWire(value), value, 'the neutral words are understood too');
      assert.equal(plain.toWire(value), value);
      assert.equal(plain.fromWire(value), value, 'nothing is copied without need');
    }),
  );
});

test('keys are renamed everywhere, values only in fields of family names', () => {
  assert.deepEqual(branded.toWire({ alpha: [{ family: 'beta', text: 'beta', alphaKey: 1 }] }), {
    eins: [{ family: 'zwei', text: 'beta', einsKey: 1 }],
  });
  assert.deepEqual(branded.parametersFromWire({ family: 'eins', other: 'eins' }), { family: 'alpha', other: 'eins' });
  assert.deepEqual(branded.parametersToWire({ family: 'alpha' }), { family: 'eins' });
  for (const [inside, outside] of [
    [{ sort: 'alphaKey,DESC' }, { sort: 'einsKey,DESC' }],
    [{ sort: ['beta', 'other,ASC'] }, { sort: ['zwei', 'other,ASC'] }],
  ] as const) {
    assert.deepEqual(branded.parametersToWire(inside), outside, 'a column is a field');
    assert.deepEqual(branded.parametersFromWire(outside), inside);
    assert.deepEqual(branded.parametersFromWire(inside), inside);
  }
});

test('two names of one field are rejected by path, unless an alias agrees with its field', () => {
  const fault = (body: unknown) => {
    try {
      branded.fromWire(body);
    } catch (error) {
      return (error as { details: { path: string; message: string }[] }).details[0];
    }
    return undefined;
  };
  assert.deepEqual(fault({ list: [{ alpha: 1, eins: 1 }] }), {
    path: 'list.0.eins',
    message: 'is another spelling of a field that is there too: send one of them',
  });
  assert.equal(fault({ eins: 1, alpha: 1 })?.path, 'alpha');
  assert.deepEqual(branded.fromWire({ groupId: 'x', groupID: 'x' }), { groupId: 'x' });
  assert.deepEqual(branded.fromWire({ groupID: 'x' }), { groupId: 'x' });
  assert.equal(fault({ groupId: 'x', groupID: 'y' })?.path, 'groupID');
  assert.equal(fault({ groupID: 'x', groupId: 'y' })?.path, 'groupId', 'whichever comes first');
});

test('problems use wire names', () => {
  const told = branded.problemToWire(
    problem('InvalidInput', { details: [{ path: 'list.alpha.alphaKey', message: 'alpha must differ from alphaKey' }] }),
  );
  // What could be a word of the sentence is left alone.
  assert.deepEqual(told.details, [{ path: 'list.eins.einsKey', message: 'alpha must differ from einsKey' }]);
});

test('the document uses wire names in properties, required lists, examples and schema titles', () => {
  assert.deepEqual(
    branded.documentToWire({
      components: {
        schemas: { 'alphaKey.read': { title: 'alphaKey.read', properties: { alpha: {} }, required: ['alpha'] } },
      },
      schema: { $ref: '#/components/schemas/alphaKey.read' },
      example: { alpha: { family: 'alpha' } },
    }),
    {
      components: {
        schemas: { 'einsKey.read': { title: 'einsKey.read', properties: { eins: {} }, required: ['eins'] } },
      },
      schema: { $ref: '#/components/schemas/einsKey.read' },
      example: { eins: { family: 'eins' } },
    },
  );
});
