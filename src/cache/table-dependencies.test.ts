import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createTableDependencies } from './table-dependencies.ts';

const sources = createTableDependencies(
  new Map([
    ['connectors', true],
    ['tags', true],
    ['connector_tags', true],
    ['logins', false],
  ]),
);

test('every table whose name stands in a statement counts, wherever it stands', () => {
  const statement = `select "connectors".* from "connectors" where id in (select connector_id from connector_tags) and name <> 'tags'`;
  assert.deepEqual(sources.tablesOf(statement)?.toSorted(), ['connector_tags', 'connectors', 'tags']);
  assert.deepEqual(sources.tablesOf('select 1'), []);
});

test('what changes without being told is not remembered: other tables, the clock, chance, another wall', () => {
  for (const unsteady of [
    'select * from "connectors" join "logins" on true',
    'select * from "connectors" where created_at < now()',
    'select clock_timestamp() from "connectors"',
    'select * from "connectors" order by random()',
    `select set_config('patchbay.organisation', $1, true)`,
  ])
    assert.equal(sources.tablesOf(unsteady), undefined, unsteady);
});
