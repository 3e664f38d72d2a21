// The second wall: even a query that forgot its organisation sees and changes nothing foreign. npm run torture -- wall runs it at full size.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asApp, fillTables, hidden, open, probeTables, tablesOf } from '../torture/wall/tables.ts';
import { assailUnfiltered, seeCrossing } from '../torture/wall.ts';
import { fixture } from './harness/service.ts';

const f = await fixture();
const { atlas } = f.organisations;
await fillTables(f);

await f.owner.query(
  `insert into far_end_faults select distinct on (organisation_id) organisation_id, id, 'down' from connectors`,
);

// Something of every table of the metrics, for everybody.
await f.owner.query(
  `insert into link_impairments select distinct on (organisation_id) organisation_id, id, 1, 1 from links;
   insert into metric_series (organisation_id, subject_id, field, origin)
     select distinct on (organisation_id) organisation_id, id, 1, 2 from connectors on conflict do nothing;
   insert into metric_batches (organisation_id, shard, from_ms, to_ms, points)
     select organisation_id, 1, 1, 1, '' from metric_series;
   insert into metric_blocks select organisation_id, id, 1, '', '' from metric_series on conflict do nothing;
   insert into metric_usage select organisation_id, subject_id, 2, 1, '' from metric_series on conflict do nothing;
   insert into demo_history values (1, 1, 1)`,
);

const { rows } = await f.owner.query(
  `select c.relname as name, c.relrowsecurity as walled,
     has_table_privilege('patchbay_app', c.oid, 'select') as readable,
     (select array_agg(attname::text) from pg_attribute where attrelid = c.oid and attname in ('organisation_id', 'parent_id', 'id')) as columns
   from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' order by 1`,
);
const open = ['appliance_models', 'cities', 'destinations', 'families', 'regions', 'service_facts'];
const hidden = ['schema_migrations'];
/** Of the service itself: no organisation sees anything of them. */
const ofService = [
  'api_clients',
  'clock',
  'demo_history',
  'errands',
  'fabric_groups',
  'simulated_groups',
  'simulated_items',
];

async function asApp<T>(organisation: string | undefined, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await f.owner.connect();
  try {
    await client.query('begin');
    await client.query('set local role patchbay_app');
    if (organisation) await client.query(`select set_config('patchbay.organisation', $1, true)`, [organisation]);
    return await work(client);
  } finally {
    await client.query('rollback');
    client.release();
  }
}

test('every table is behind the wall, open to all by decision, or not the application’s at all', () => {
  for (const table of rows) {
    if (open.includes(table.name)) assert.equal(table.walled, false);
    else if (hidden.includes(table.name)) assert.equal(table.readable, false, table.name);
    else assert.equal(table.walled, true, `${table.name} has no row-level security`);
  }
  assert.ok(tables.length > 10);
});

const firstColumn = (table: string): string =>
  ({ api_clients: 'id', clock: 'latest', demo_history: 'done_day' })[table] ?? 'group_id';
const walled = rows.filter((table) => table.walled).map((table) => table.name as string);

test('a transaction that names no organisation sees no rows', async () => {
  for (const table of walled.filter((name) => name !== 'roles')) {
    const { rowCount } = await asApp(undefined, (client) => client.query(`select from ${table}`));
    assert.equal(rowCount, 0, table);
  }
  assert.ok(
    (await asApp(undefined, (client) => client.query('select organisation_id from roles'))).rows.every(
      (row) => row.organisation_id === null,
    ),
    'only shipped roles',
  );
});

test('a query without its filter sees, changes and deletes only rows of its own organisation', async () => {
  for (const table of walled) {
    const column = table === 'organisations' ? 'id' : ofService.includes(table) ? undefined : 'organisation_id';
    const seen = await asApp(atlas, (client) => client.query(`select ${column ?? 'true'} as owner from ${table}`));
    const foreign = seen.rows.filter((row) => row.owner !== atlas && !(table === 'roles' && row.owner === null));
    assert.equal(column ? foreign.length : seen.rowCount, 0, `${table} shows foreign rows`);
    if (column && table !== 'idempotency_records')
      assert.ok(
        seen.rows.some((row) => row.owner === atlas),
        `${table} has rows of its own to show`,
      );
    for (const [verb, statement] of [
      ['update', `update ${table} set ${column ?? firstColumn(table)} = ${column ?? firstColumn(table)}`],
      ['delete', `delete from ${table}`],
    ] as const) {
      const result = await asApp(atlas, (client) =>
        client.query(`${statement} returning ${column ?? 'true'} as owner`),
      ).catch((error) => error);
      if (result instanceof Error)
        assert.match(result.message, /permission denied|violates foreign key/, `${verb} ${table}`);
      else
        assert.ok(
          result.rows.every((row: { owner: string }) => row.owner === atlas),
          `${verb} ${table} touches foreign rows`,
        );
    }
  }
});

test('rows cannot be put into another organisation', async () => {
  const attempts = [
    `insert into audit (organisation_id, action, client_ip, service_irn, service_name, service_type, user_name) values ('${f.organisations.boreal}', 'create', '', '', '', '', '')`,
    `insert into roles (organisation_id, name, policies) values ('${f.organisations.boreal}', 'x', '[]')`,
    `insert into roles (organisation_id, name, policies) values (null, 'x', '[]')`,
    `update users set organisation_id = '${f.organisations.boreal}'`,
    `update roles set organisation_id = null where organisation_id is not null`,
    `insert into groups (organisation_id, name) values ('${f.organisations.boreal}', 'x')`,
    `insert into tags (organisation_id, name) values ('${f.organisations.boreal}', 'x')`,
    `update connectors set organisation_id = '${f.organisations.boreal}'`,
    `insert into connector_secrets select '${f.organisations.boreal}', connector_id, 'x', key_id, sealed from connector_secrets`,
    `update product_pools set organisation_id = '${f.organisations.boreal}'`,
    `insert into organisations (code, name, parent_id) values ('abcdefghij01', 'x', '${f.organisations.boreal}')`,
  ];
  for (const attempt of attempts)
    await assert.rejects(
      asApp(f, atlas, (client) => client.query(attempt)),
      /row-level security/,
      attempt,
    );
});

test('an application that forgets its conditions shows nothing foreign, and would without the second wall', {
  timeout: 600_000,
}, async (t) => {
  await seeCrossing();
  const { requests, opened } = await assailUnfiltered('small');
  t.diagnostic(`${requests} requests, ${opened} statements without their condition`);
});
