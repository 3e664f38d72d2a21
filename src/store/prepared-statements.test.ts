import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statementName } from './prepared-statements.ts';

test('equal statements have the same name, different statements different names', () => {
  const name = statementName('select a from t where id = $1');
  assert.ok(name);
  assert.equal(statementName('select a from t where id = $1'), name);
  assert.notEqual(statementName('select b from t where id = $1'), name);
});

test('lists of values are not prepared, since they come in every length; a single value is no list', () => {
  assert.equal(statementName('select a from t where id in ($1, $2, $3)'), undefined);
  assert.equal(statementName('insert into t (a, b) values ($1, $2), ($3, $4)'), undefined);
  assert.ok(statementName('select a from t where id in ($1)'));
  assert.ok(statementName('insert into t (a, b) values ($1, $2)'));
});

test('the number of statements that callers choose is bounded and does not count against the others', () => {
  const texts = Array.from({ length: 500 }, (_, n) => `select a from t where f${n} = $1 order by a limit $2`);
  const named = texts.filter((text) => statementName(text) !== undefined);
  assert.equal(named.length, 100);
  assert.deepEqual(
    texts.filter((text) => statementName(text) !== undefined),
    named,
  );
  assert.ok(statementName('update t set a = $1 where id = $2'));
});
