// Compares the ledger of mixed-load.ts with the database: every record has exactly the audit entries of its writes, and
// no record is incomplete.
import assert from 'node:assert/strict';
import type pg from 'pg';
import { parseIrn } from '../src/values/irn.ts';
import { asOwner, countEach } from './helpers.ts';
import { type Found, isDeleted, type Ledger, type Matches } from './ledger.ts';
import type { Kind } from './mixed-load.ts';
import { auditDifferences, sumDifferences } from './races/invariants.ts';

/** The state of each record that the ledger knows, and the service type of its audit entries. */
const tables: Record<Kind, { query: string; serviceType: string }> = {
  group: {
    query: `select id, name, coalesce(description, '') as state from groups where organisation_id = $1`,
    serviceType: 'group',
  },
  tag: {
    query: `select id, name, coalesce(description, '') as state from tags where organisation_id = $1`,
    serviceType: 'tag',
  },
  connector: {
    query: `select id, name, coalesce(description, '') as state from connectors where organisation_id = $1`,
    serviceType: 'connector',
  },
  allocation: {
    query: `select id, '' as name, allocation_bps::text as state from allocations where organisation_id = $1`,
    serviceType: 'capacity',
  },
  token: {
    query: `select id, name, name as state from tokens where kind = 'personal' and $1::uuid is not null`,
    serviceType: 'token',
  },
};

/** Records that lack a part of the same transaction (each connector of the load has a secret). */
const incomplete = `
  select 'connector without its secret' as what, id::text from connectors c
    where organisation_id = $1 and name ~ '^k[0-9]+-'
      and not exists (select from connector_secrets s where s.connector_id = c.id)
  union all select 'secret without its connector', connector_id::text from connector_secrets s
    where not exists (select from connectors c where c.id = s.connector_id)
  union all select 'tag assignment without group or tag', tag_id::text from group_tags t
    where not exists (select from groups g where g.id = t.group_id)
      or not exists (select from tags where tags.id = t.tag_id)
  union all select 'token family without tokens', f.id::text from session_families f
    where not exists (select from tokens where tokens.family_id = f.id)`;

/** Audit entries of each record, by action. */
async function auditOf(owner: pg.Client, serviceType: string): Promise<Map<string, Record<string, number>>> {
  const { rows } = await owner.query(
    `select service_irn, action, count(*)::int as count from audit where service_type = $1 group by 1, 2`,
    [serviceType],
  );
  const audit = new Map<string, Record<string, number>>();
  for (const { service_irn, action, count } of rows) {
    const id = parseIrn(service_irn)?.id ?? assert.fail(`an audit entry names ${service_irn}`);
    audit.set(id, { ...audit.get(id), [action]: count });
  }
  return audit;
}

const matchesAudit =
  (audit: Map<string, Record<string, number>>): Matches<string> =>
  (found, writes, id = '') => {
    const audited = audit.get(id) ?? {};
    const written = countEach(writes.map(({ action }) => action));
    const isAudited = ['create', 'update', 'delete'].every(
      (action) => (audited[action] ?? 0) === (written[action] ?? 0),
    );
    return isAudited && found?.state === writes.at(-1)?.state;
  };

/** Returns what is lost. */
export async function verifyMixed(ledger: Ledger, organisationId: string, data: string): Promise<string[]> {
  return asOwner(data, async (owner) => {
    const lost: string[] = [];
    for (const [kind, { query, serviceType }] of Object.entries(tables)) {
      const found: (Found<string> & { id: string })[] = (await owner.query(query, [organisationId])).rows;
      const audit = await auditOf(owner, serviceType);
      lost.push(...ledger.compare(kind, found, matchesAudit(audit)).lost);
      for (const { id } of found)
        assert.equal(audit.get(id)?.create, 1, `${kind} ${id} exists without exactly one audit entry of its creation`);
      ledger.forget(kind, isDeleted);
    }
    for (const [complaint, query] of Object.entries({
      'sums are wrong': sumDifferences,
      'audit entries and records disagree': auditDifferences,
      'records are incomplete': incomplete,
    }))
      assert.deepEqual((await owner.query(query, [organisationId])).rows, [], complaint);
    return lost;
  });
}
