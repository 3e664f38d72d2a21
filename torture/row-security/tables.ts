// Every table × verb × tenant, as the role that the service works as, with queries that forgot their organisation.
import assert from 'node:assert/strict';
import type { PoolClient } from 'pg';
import { appRole } from '../../src/store/database.ts';
import type { Fixture } from '../../test/harness/service.ts';

export interface Table {
  name: string;
  walled: boolean;
  readable: boolean;
}

/** Belongs to nobody and is read by all. */
export const open = ['appliance_models', 'cities', 'destinations', 'families', 'regions', 'service_facts'];
/** Not the application's at all. */
export const hidden = ['schema_migrations'];
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
/** What a parent may see of its direct children, and what it may change there. */
const readByParent = ['organisations', 'addresses', 'invoices', 'product_pools', 'subscribed_capacities'];
const writtenByParent = ['organisations', 'addresses', 'invoices'];

export async function tablesOf(f: Fixture): Promise<Table[]> {
  const { rows } = await f.owner.query(
    `select c.relname as name, c.relrowsecurity as walled, has_table_privilege($1, c.oid, 'select') as readable
     from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' order by 1`,
    [appRole],
  );
  return rows;
}

/** Something of every table for everybody who has the records that it hangs on. */
export async function fillTables(f: Fixture): Promise<void> {
  for (const name of ['meridian', 'atlas', 'boreal', 'cobalt', 'labs']) {
    const admin = await f.as(`admin@${name}.example`);
    await admin.post('/personal/tokens', { name: 'wall', expiresIn: 600 }, { headers: { 'idempotency-key': 'wall' } });
    await admin.post('/acl/roles', { role: 'wall', policies: [] });
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

/** Whatever is done there is undone. */
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
  table === 'organisations' ? 'id' : ofService.includes(table) ? undefined : 'organisation_id';

interface Tenancy {
  id: string;
  children: string[];
}

async function tenanciesOf(f: Fixture): Promise<Tenancy[]> {
  const { rows } = await f.owner.query(
    `select id, array(select child.id from organisations child where child.parent_id = organisations.id) as children from organisations`,
  );
  return rows;
}

/** Reads the whole table, and holds it: all that is one's own, and nothing else. Answers how much that is. */
async function read(f: Fixture, table: string, { id, children }: Tenancy): Promise<number> {
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
    assert.equal(own, rows[0].count, `${table} does not show ${id} all that is its own`);
  }
  return own;
}

/** Changes and deletes without saying whose; moves rows to others, and puts rows of others in. */
async function write(f: Fixture, table: string, { id, children }: Tenancy, others: Tenancy[]): Promise<number> {
  const owner = ownerOf(table);
  const touched = new Set(writtenByParent.includes(table) ? [id, ...children] : [id]);
  const { rows: columns } = await f.owner.query(
    `select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and attidentity = '' and not attisdropped order by attnum`,
    [table],
  );
  const column = owner ?? columns[0].name;
  let tries = 0;
  for (const statement of [`update ${table} set ${column} = ${column}`, `delete from ${table}`]) {
    tries++;
    const result = await asApp(f, id, (client) =>
      client.query(`${statement} returning ${owner ?? 'null'} as owner`),
    ).catch((error: Error) => error);
    // A foreign key is looked at when rows of one's own have been found.
    if (result instanceof Error) assert.match(result.message, /permission denied|violates foreign key/, statement);
    else
      for (const row of result.rows)
        assert.ok(owner && touched.has(row.owner), `${statement} touches a row of ${row.owner} for ${id}`);
  }
  // A child's own number is within its parent's reach; that there cannot be two of one is what stands there.
  const refusal =
    table === 'organisations'
      ? /row-level security|permission denied|duplicate key/
      : /row-level security|permission denied/;
  for (const other of others) {
    if (owner === undefined || touched.has(other.id)) continue;
    const refused = async (text: string, values: unknown[], what: string): Promise<void> => {
      tries++;
      const result = await asApp(f, id, (client) => client.query(text, values)).catch((error: Error) => error);
      if (result instanceof Error) assert.match(result.message, refusal, what);
      else assert.equal(result.rowCount, 0, what);
    };
    await refused(`update ${table} set ${owner} = $1`, [other.id], `${table}: moved to another`);
    await refused(`update ${table} set ${column} = ${column} where ${owner} = $1`, [other.id], `${table}: changed`);
    await refused(`delete from ${table} where ${owner} = $1`, [other.id], `${table}: deleted`);
    const { rows } = await f.owner.query(`select to_jsonb(t) as row from ${table} t where ${owner} = $1 limit 1`, [
      other.id,
    ]);
    for (const { row } of rows)
      await refused(
        `insert into ${table} overriding system value select * from jsonb_populate_record(null::${table}, $1)`,
        [row],
        `${table}: put in for another`,
      );
  }
  return tries;
}

/** Without an organisation, and in the transaction after one that had it. */
async function readByNobody(f: Fixture, table: string, { id }: Tenancy): Promise<number> {
  const nobodys = async (client: PoolClient): Promise<void> => {
    const { rows } = await client.query(`select ${ownerOf(table) ?? 'true'} as owner from ${table}`);
    assert.ok(
      rows.every((row) => table === 'roles' && row.owner === null),
      `${table} shows rows to who names no organisation`,
    );
  };
  await asApp(f, undefined, nobodys);
  await asApp(f, id, async (client) => {
    await client.query('commit');
    await client.query('begin');
    await client.query(`set local role ${appRole}`);
    await nobodys(client);
  });
  return 2;
}

/** Answers how many statements were tried on how many tables. */
export async function probeTables(f: Fixture, most: number, log: (line: string) => void = () => undefined) {
  const walled = (await tablesOf(f)).filter((table) => table.walled).map(({ name }) => name);
  const all = await tenanciesOf(f);
  const tenants = all.slice(0, most);
  let statements = 0;
  for (const table of walled) {
    let shown = 0;
    for (const tenant of tenants) {
      statements += await readByNobody(f, table, tenant);
      shown += await read(f, table, tenant);
      statements += 3;
      statements += await write(
        f,
        table,
        tenant,
        all.filter(({ id }) => id !== tenant.id),
      );
    }
    assert.ok(shown || ofService.includes(table), `${table} has no rows to show to anybody`);
    log(`${table}: ${statements} statements so far`);
  }
  return { tables: walled.length, tenants: tenants.length, statements };
}
