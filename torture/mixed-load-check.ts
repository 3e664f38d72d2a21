// What the writers of mixed-load.ts logged against what is found: every record must have exactly the audit rows of the deeds that show in it, and nothing
// may be there by half.
import assert from 'node:assert/strict';
import pg from 'pg';
import { findRunningUrl } from '../src/store/embedded-postgres.ts';
import { parseIrn } from '../src/values/irn.ts';
import type { Deed, Kind, MixedLog } from './mixed-load.ts';
import { books, trail } from './races/invariants.ts';

/** What each table shows of a record, by its id. */
const tables: Record<Kind, string> = {
  group: `select id, name, coalesce(description, '') as state from groups where organisation_id = $1`,
  tag: `select id, name, coalesce(description, '') as state from tags where organisation_id = $1`,
  connector: `select id, name, coalesce(description, '') as state from connectors where organisation_id = $1`,
  allocation: `select id, '' as name, allocation_bps::text as state from allocations where organisation_id = $1`,
  token: `select id, name, name as state from tokens where kind = 'personal'`,
};
const typeOf: Record<Kind, string> = {
  group: 'group',
  tag: 'tag',
  connector: 'connector',
  allocation: 'capacity',
  token: 'token',
};

/** Records that lack a part that is written in the same transaction (each connector of the writers has a secret). */
const halves = `
  select 'connector without its secret' as what, id::text from connectors c where organisation_id = $1 and name ~ '^k[0-9]+-'
    and not exists (select from connector_secrets s where s.connector_id = c.id)
  union all select 'secret without its connector', connector_id::text from connector_secrets s
    where not exists (select from connectors c where c.id = s.connector_id)
  union all select 'tag of nothing', tag_id::text from group_tags t
    where not exists (select from groups g where g.id = t.group_id) or not exists (select from tags where tags.id = t.tag_id)
  union all select 'token family without tokens', f.id::text from session_families f
    where not exists (select from tokens where tokens.family_id = f.id)`;

interface Found {
  rows: Map<string, { name: string; state: string }>;
  audit: Map<string, Record<string, number>>;
}

async function findAll(client: pg.Client, kind: Kind, organisationId: string): Promise<Found> {
  const values = kind === 'token' ? [] : [organisationId];
  const { rows } = await client.query(tables[kind], values);
  const told = await client.query(
    `select service_irn, action, count(*)::int as count from audit where service_type = $1 group by 1, 2`,
    [typeOf[kind]],
  );
  const audit = new Map<string, Record<string, number>>();
  for (const { service_irn, action, count } of told.rows) {
    const id = parseIrn(service_irn)?.id ?? assert.fail(`an audit row names ${service_irn}`);
    audit.set(id, { ...audit.get(id), [action]: count });
  }
  return { rows: new Map(rows.map(({ id, name, state }) => [id, { name, state }])), audit };
}

const countsOf = (deeds: Deed[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const { action } of deeds) counts[action] = (counts[action] ?? 0) + 1;
  return counts;
};

/** Whether this is what is found after these deeds. */
function shows({ rows, audit }: Found, id: string, deeds: Deed[]): boolean {
  const told = audit.get(id) ?? {};
  const wanted = countsOf(deeds);
  const isTold = (['create', 'update', 'delete'] as const).every(
    (action) => (told[action] ?? 0) === (wanted[action] ?? 0),
  );
  return isTold && rows.get(id)?.state === deeds.at(-1)?.state;
}

/** Every entry against what is found; answers how many are not as they were acknowledged. */
export async function verifyMixed(log: MixedLog, data: string): Promise<number> {
  const client = new pg.Client({ connectionString: findRunningUrl(data) ?? assert.fail('no database is running') });
  await client.connect();
  let lost = 0;
  try {
    for (const kind of Object.keys(tables) as Kind[]) {
      const found = await findAll(client, kind, log.organisationId);
      const byName = new Map([...found.rows].map(([id, { name }]) => [name, id]));
      for (const entry of log.entries.filter((one) => one.kind === kind)) {
        const { id = byName.get(entry.name), acknowledged, unsure } = entry;
        if (id === undefined) {
          // Its creation was cut, and it is not there.
          if (acknowledged.length) lost++;
          continue;
        }
        const isDone = unsure !== undefined && shows(found, id, [...acknowledged, unsure]);
        if (isDone) {
          log.cutButDone++;
          entry.id = id;
          entry.acknowledged.push(unsure);
          entry.unsure = undefined;
        } else if (!shows(found, id, acknowledged)) lost++;
        else entry.unsure = undefined;
      }
      // Nothing is there without the row that tells of it, nor told of twice.
      for (const id of found.rows.keys())
        assert.equal(found.audit.get(id)?.create, 1, `${kind} ${id} was made, but not told of once`);
    }
    for (const [complaint, text] of Object.entries({
      'sums are wrong': books,
      'audit rows and records disagree': trail,
    }))
      assert.deepEqual((await client.query(text, [log.organisationId])).rows, [], complaint);
    assert.deepEqual((await client.query(halves, [log.organisationId])).rows, [], 'something is half done');
  } finally {
    await client.end();
  }
  // What never was, and what is verified and gone, needs no second look.
  log.entries = log.entries.filter(({ acknowledged: deeds }) => deeds.length && deeds.at(-1)?.action !== 'delete');
  return lost;
}
