// The second wall: even a query that forgot its organisation sees and changes nothing foreign. npm run torture -- wall runs it at full size.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asApp, fillTables, hidden, open, probeTables, tablesOf } from '../torture/row-security/tables.ts';
import { assailUnfiltered, seeCrossing } from '../torture/row-security.ts';
import { fixture } from './harness/service.ts';

const f = await fixture();
const { atlas } = f.organisations;
await fillTables(f);

test('every table is behind the wall, open to all by decision, or not the application’s at all', async () => {
  const tables = await tablesOf(f);
  for (const table of tables) {
    if (open.includes(table.name)) assert.equal(table.walled, false);
    else if (hidden.includes(table.name)) assert.equal(table.readable, false, table.name);
    else assert.equal(table.walled, true, `${table.name} has no row-level security`);
  }
  assert.ok(tables.length > 10);
});

test('every table of an organisation has rows to show to it, and to it alone', async () => {
  const { tables, statements } = await probeTables(f, 2);
  assert.ok(statements > tables * 20, `only ${statements} statements`);
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
