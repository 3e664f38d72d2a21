import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTableDependencies } from './table-dependencies.ts';

const dependencies = createTableDependencies(
  new Map([
    ['connectors', true],
    ['tags', true],
    ['connector_tags', true],
    ['logins', false],
  ]),
);

test('every table whose name appears anywhere in a statement is a dependency', () => {
  const statement = `select "connectors".* from "connectors"
    where id in (select connector_id from connector_tags) and name <> 'tags'`;
  assert.deepEqual(dependencies.tablesOf(statement)?.toSorted(), ['connector_tags', 'connectors', 'tags']);
  assert.deepEqual(dependencies.tablesOf('select 1'), []);
});

test('results that change without a notification are not cached: other tables, time, randomness', () => {
  for (const statement of [
    'select * from "connectors" join "logins" on true',
    'select * from "connectors" where created_at < now()',
    'select clock_timestamp() from "connectors"',
    'select * from "connectors" order by random()',
    `select set_config('patchbay.organisation', $1, true)`,
  ])
    assert.equal(dependencies.tablesOf(statement), undefined, statement);
});
