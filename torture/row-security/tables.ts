// Every table × statement × tenant, as the role of the service, without a condition on the organisation.
import assert from 'node:assert/strict';
import type { PoolClient } from 'pg';
import { appRole } from '../../src/store/database.ts';
import type { Fixture } from '../../test/harness/service.ts';
import { type Log, noLog } from '../helpers.ts';

export interface Table {
  name: string;
  hasRowSecurity: boolean;
  readable: boolean;
}

/** Tables without a tenant that all may read. */
export const publicTables = ['appliance_models', 'cities', 'destinations', 'families', 'regions', 'service_facts'];
/** Tables that the role of the service may not read. */
export const hiddenTables = ['schema_migrations'];
/** Tables of the service itself: no tenant sees their rows. */
const serviceTables = [
  'api_clients',
  'capacity_bounds',
  'clock',
  'demo_history',
  'errands',
  'fabric_groups',
  'free_address_blocks',
  'simulated_groups',
  'simulated_items',
];
/** Tables in which a parent may read, or write, rows of its direct children. */
const readByParent = ['organisations', 'addresses', 'invoices', 'product_pools', 'subscribed_capacities'];
const writtenByParent = ['organisations', 'addresses', 'invoices'];

export async function tablesOf(f: Fixture): Promise<Table[]> {
  const { rows } = await f.owner.query(
    `select c.relname as name, c.relrowsecurity as "hasRowSecurity",
       has_table_privilege($1, c.oid, 'select') as readable
     from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' order by 1`,
    [appRole],
  );
  return rows;
}

/** Inserts rows into every table, for tenants that have the records they refer to. */
export async function fillTables(f: Fixture): Promise<void> {
  for (const name of ['meridian', 'atlas', 'boreal', 'cobalt', 'labs']) {
    const admin = await f.as(`admin@${name}.example`);
    const headers = { 'idempotency-key': 'row-security' };
    await admin.post('/personal/tokens', { name: 'row-security', expiresIn: 600 }, { headers });
    await admin.post('/acl/roles', { role: 'row-security', policies: [] });
  }
  await f.owner.query(
    `insert into far_end_faults select distinct on (organisation_id) organisation_id, id, 'down' from connectors;
     insert into link_impairments select distinct on (organisation_id) organisation_id, id, 1, 1 from links;
     insert into metric_series (organisation_id, subject_id, field, origin)
       select distinct on (organisation_id) organisation_id, id, 1, 2 from connectors on conflict do nothing;
     insert into metric_batches (organisation_id, shard, from_ms, to_ms, points)
       select organisation_id, 1, 1, 1, '' from metric_series;
     insert into metric_blocks select organisation_id, id, 1, '', '' from metric_series on conflict do nothing;
     insert into metric_usage select organisation_id, subject_id, 2, 1, '' from metric_series on conflict do nothing;
     insert into deployments (organisation_id, group_id, connector_id, is_open)
       select distinct on (organisation_id) organisation_id, group_id, id, false from connectors on conflict do nothing;
     insert into demo_history values (1, 1, 1)`,
  );
}

/** Runs work as the role of the service, for a tenant, in a transaction that is rolled back. */
export async function asApp<T>(
  f: Fixture,
  organisation: string | undefined,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  const client = await f.owner.connect();
  try {
    await client.query('begin');
    await client.query(`set local role ${appRole}`);
    if (organisation) await client.query(`select set_config('patchbay.organisation', $1, true)`, [organisation]);
    return await work(client);
  } finally {
    await client.query('rollback');
    client.release();
  }
}

const ownerOf = (table: string): string | undefined =>
  table === 'organisations' ? 'id' : serviceTables.includes(table) ? undefined : 'organisation_id';

interface TenantRow {
  id: string;
  children: string[];
}

async function listTenants(f: Fixture): Promise<TenantRow[]> {
  const { rows } = await f.owner.query(
    `select id, array(select child.id from organisations child where child.parent_id = organisations.id) as children
     from organisations`,
  );
  return rows;
}

/** Reads and locks the whole table: the tenant gets all of its rows and no other. Returns their number. */
async function readAll(f: Fixture, table: string, { id, children }: TenantRow): Promise<number> {
  const owner = ownerOf(table);
  const seen = new Set(readByParent.includes(table) ? [id, ...children] : [id]);
  let own = 0;
  for (const tail of ['', ' for share', ' for update']) {
    const result = await asApp(f, id, (client) =>
      client.query(`select ${owner ?? 'null'} as owner from ${table}${tail}`),
    ).catch((error: Error) => error);
    if (result instanceof Error) {
      assert.match(result.message, /permission denied/, `${table}${tail}`);
      continue;
    }
    for (const row of result.rows)
      assert.ok(
        owner && (seen.has(row.owner) || (table === 'roles' && row.owner === null)),
        `select from ${table}${tail} shows a row of ${row.owner} to ${id}`,
      );
    own = Math.max(own, result.rows.filter((row) => row.owner === id).length);
  }
  if (owner) {
    const { rows } = await f.owner.query(`select count(*)::int as count from ${table} where ${owner} = $1`, [id]);
    assert.equal(own, rows[0].count, `${table} does not show ${id} all of its rows`);
  }
  return own;
}

/** Updates and deletes without a condition, moves rows to other tenants, and inserts rows for others. */
async function writeAll(f: Fixture, table: string, { id, children }: TenantRow, others: TenantRow[]): Promise<number> {
  const owner = ownerOf(table);
  const writable = new Set(writtenByParent.includes(table) ? [id, ...children] : [id]);
  const { rows: columns } = await f.owner.query(
    `select attname as name from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and attidentity = '' and not attisdropped order by attnum`,
    [table],
  );
  const column = owner ?? columns[0].name;
  let statements = 0;
  for (const statement of [`update ${table} set ${column} = ${column}`, `delete from ${table}`]) {
    statements++;
    const result = await asApp(f, id, (client) =>
      client.query(`${statement} returning ${owner ?? 'null'} as owner`),
    ).catch((error: Error) => error);
    // Foreign keys are checked once rows of the tenant are found.
    if (result instanceof Error) assert.match(result.message, /permission denied|violates foreign key/, statement);
    else
      for (const row of result.rows)
        assert.ok(owner && writable.has(row.owner), `${statement} touches a row of ${row.owner} for ${id}`);
  }
  // A parent may write the ids of its children; then the primary key prevents a second row.
  const refusal =
    table === 'organisations'
      ? /row-level security|permission denied|duplicate key/
      : /row-level security|permission denied/;
  for (const other of others) {
    if (owner === undefined || writable.has(other.id)) continue;
    const refused = async (text: string, values: unknown[], attempt: string): Promise<void> => {
      statements++;
      const result = await asApp(f, id, (client) => client.query(text, values)).catch((error: Error) => error);
      if (result instanceof Error) assert.match(result.message, refusal, attempt);
      else assert.equal(result.rowCount, 0, attempt);
    };
    await refused(`update ${table} set ${owner} = $1`, [other.id], `${table}: moved to another tenant`);
    await refused(
      `update ${table} set ${column} = ${column} where ${owner} = $1`,
      [other.id],
      `${table}: updated for another tenant`,
    );
    await refused(`delete from ${table} where ${owner} = $1`, [other.id], `${table}: deleted for another tenant`);
    const { rows } = await f.owner.query(`select to_jsonb(t) as row from ${table} t where ${owner} = $1 limit 1`, [
      other.id,
    ]);
    for (const { row } of rows)
      await refused(
        `insert into ${table} overriding system value select * from jsonb_populate_record(null::${table}, $1)`,
        [row],
        `${table}: inserted for another tenant`,
      );
  }
  return statements;
}

/** Reads without a tenant, and in a transaction after one with a tenant. */
async function readWithoutTenant(f: Fixture, table: string, { id }: TenantRow): Promise<number> {
  const expectNoRows = async (client: PoolClient): Promise<void> => {
    const { rows } = await client.query(`select ${ownerOf(table) ?? 'true'} as owner from ${table}`);
    assert.ok(
      rows.every((row) => table === 'roles' && row.owner === null),
      `${table} shows rows without a tenant`,
    );
  };
  await asApp(f, undefined, expectNoRows);
  await asApp(f, id, async (client) => {
    await client.query('commit');
    await client.query('begin');
    await client.query(`set local role ${appRole}`);
    await expectNoRows(client);
  });
  return 2;
}

/** Runs the statements on every table with row-level security. */
export async function probeTables(f: Fixture, maxTenants: number, log: Log = noLog) {
  const tables = (await tablesOf(f)).filter((table) => table.hasRowSecurity).map(({ name }) => name);
  const all = await listTenants(f);
  const tenants = all.slice(0, maxTenants);
  let statements = 0;
  for (const table of tables) {
    let shown = 0;
    for (const tenant of tenants) {
      statements += await readWithoutTenant(f, table, tenant);
      shown += await readAll(f, table, tenant);
      statements += 3;
      statements += await writeAll(
        f,
        table,
        tenant,
        all.filter(({ id }) => id !== tenant.id),
      );
    }
    assert.ok(shown || serviceTables.includes(table), `${table} has no rows`);
    log(`${table}: ${statements} statements so far`);
  }
  return { tables: tables.length, tenants: tenants.length, statements };
}
