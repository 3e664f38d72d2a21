// npm run torture -- row-security, small: a statement without a condition on the organisation reaches no other tenant.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  asApp,
  fillTables,
  hiddenTables,
  probeTables,
  publicTables,
  tablesOf,
} from '../torture/row-security/tables.ts';
import { attackWithoutFilter, verifyDetection } from '../torture/row-security.ts';
import { fixture } from './harness/service.ts';

const f = await fixture();
const { atlas } = f.organisations;
await fillTables(f);

test('every table has row-level security, is public by decision, or is hidden from the service', async () => {
  const tables = await tablesOf(f);
  for (const table of tables) {
    if (publicTables.includes(table.name)) assert.equal(table.hasRowSecurity, false);
    else if (hiddenTables.includes(table.name)) assert.equal(table.readable, false, table.name);
    else assert.equal(table.hasRowSecurity, true, `${table.name} has no row-level security`);
  }
  assert.ok(tables.length > 10);
});

test('every table shows a tenant its own rows and no others', async () => {
  const { tables, statements } = await probeTables(f, 2);
  assert.ok(statements > tables * 20, `only ${statements} statements`);
});

test('rows cannot be written to another organisation', async () => {
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

test('statements without their condition leak nothing with row-level security, and do without it', {
  timeout: 600_000,
}, async (t) => {
  await verifyDetection();
  const { requests, rewritten } = await attackWithoutFilter('small');
  t.diagnostic(`${requests} requests, ${rewritten} statements without their condition`);
});
