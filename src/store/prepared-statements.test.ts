import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameOf } from './prepared-statements.ts';

test('a statement keeps its name, and another has another', () => {
  const name = nameOf('select a from t where id = $1');
  assert.ok(name);
  assert.equal(nameOf('select a from t where id = $1'), name);
  assert.notEqual(nameOf('select b from t where id = $1'), name);
});

test('lists of values, which come in every length, are not kept; one value is no list', () => {
  assert.equal(nameOf('select a from t where id in ($1, $2, $3)'), undefined);
  assert.equal(nameOf('insert into t (a, b) values ($1, $2), ($3, $4)'), undefined);
  assert.ok(nameOf('select a from t where id in ($1)'));
  assert.ok(nameOf('insert into t (a, b) values ($1, $2)'));
});

test('whoever chooses filters does not choose how much is kept, nor takes the place of other statements', () => {
  const texts = Array.from({ length: 500 }, (_, n) => `select a from t where f${n} = $1 order by a limit $2`);
  const named = texts.filter((text) => nameOf(text) !== undefined);
  assert.equal(named.length, 100);
  assert.deepEqual(
    texts.filter((text) => nameOf(text) !== undefined),
    named,
  );
  assert.ok(nameOf('update t set a = $1 where id = $2'));
});
