// Invariants that hold whenever no request is in progress, as queries by the database's owner.
import assert from 'node:assert/strict';
import type { RaceContext } from '../race-fixture.ts';

/** Stored sums that differ from the records, and records without those they refer to. */
export const sumDifferences = `
  select 'pool' as what, p.used::text as stored, count(c.id)::text as counted
    from product_pools p left join connectors c on c.organisation_id = p.organisation_id and c.family_id = p.family_id
      and c.locode in (select locode from cities where region_id = p.region_id)
    where p.organisation_id = $1 group by p.family_id, p.region_id, p.used, p.total
    having p.used <> count(c.id) or p.used > p.total
  union all
  select 'capacity', s.allocated_bps::text, coalesce(sum(a.allocation_bps), 0)::text
    from subscribed_capacities s left join allocations a on a.capacity_id = s.id
    where s.organisation_id = $1 group by s.id
    having s.allocated_bps <> coalesce(sum(a.allocation_bps), 0) or s.allocated_bps > s.capacity_bps
  union all
  select 'link', l.id::text, count(c.id)::text
    from links l left join connectors c on c.id in (l.from_id, l.to_id) and c.group_id = l.group_id
    where l.organisation_id = $1 group by l.id having count(c.id) <> 2
  union all
  select 'connector', c.id::text, count(g.id)::text
    from connectors c left join groups g on g.id = c.group_id left join appliances a on a.id = c.appliance_id
    where c.organisation_id = $1 group by c.id, c.appliance_id, a.id
    having count(g.id) <> 1 or c.appliance_id is distinct from a.id`;

/** Resellers with a parent that use and hand out more products or bandwidth than they have. */
export const boundViolations = `
  with resellers as (select id from organisations where reseller and parent_id is not null),
    pools as (
      select r.id, c.family_id, c.region_id, sum(c.total) as handed_out from resellers r
        join organisations children on children.parent_id = r.id
        join product_pools c on c.organisation_id = children.id group by 1, 2, 3),
    capacities as (
      select r.id, least(region1_id, region2_id) as low, greatest(region1_id, region2_id) as high,
          sum(c.capacity_bps) as handed_out from resellers r
        join organisations children on children.parent_id = r.id
        join subscribed_capacities c on c.organisation_id = children.id group by 1, 2, 3)
  select 'products' as what, pools.id::text, handed_out::text, own.total - own.used as left_over from pools
    left join product_pools own on own.organisation_id = pools.id and own.family_id = pools.family_id
      and own.region_id = pools.region_id
    where handed_out > coalesce(own.total - own.used, 0)
  union all
  select 'bandwidth', capacities.id::text, handed_out::text, sum(own.capacity_bps - own.allocated_bps) from capacities
    left join subscribed_capacities own on own.organisation_id = capacities.id
      and least(own.region1_id, own.region2_id) = low and greatest(own.region1_id, own.region2_id) = high
    group by capacities.id, low, high, handed_out
    having handed_out > coalesce(sum(own.capacity_bps - own.allocated_bps), 0)`;

/** Kinds whose number of records differs from created minus deleted in the audit trail. */
export const auditDifferences = `
  select what, stored::text, counted::text from (values
    ('connector', (select count(*) from connectors where organisation_id = $1)),
    ('link', (select count(*) from links where organisation_id = $1)),
    ('group', (select count(*) from groups where organisation_id = $1)),
    ('cpe', (select count(*) from appliances where organisation_id = $1)),
    ('tag', (select count(*) from tags where organisation_id = $1)),
    ('role', (select count(*) from roles where organisation_id = $1)),
    ('user', (select count(*) from users where organisation_id = $1)),
    ('capacity', (select count(*) from allocations where organisation_id = $1)
      + (select count(*) from subscribed_capacities where organisation_id = $1)),
    ('organisation', (select count(*) from organisations where id = $1))
  ) as records (what, stored)
  cross join lateral (
    select count(*) filter (where action = 'create') - count(*) filter (where action = 'delete') as counted
    from audit where organisation_id = $1 and service_type = what) as audited
  where stored <> counted`;

/** Records with a wrong number of teardown jobs: one if they were deployed and deleted, none otherwise. */
export const teardownDifferences = `
  select * from (
    select (data ->> 'id')::uuid as id, count(*) filter (where name = 'deploy') as deployed,
        count(*) filter (where name = 'teardown') as torn_down
      from pgboss.job where name in ('deploy', 'teardown') and data ->> 'organisationId' = $1 group by 1) as jobs
  left join lateral (
    select count(*) as records from (select id from connectors union all select id from links) as both_kinds
    where both_kinds.id = jobs.id) as counted on true
  where deployed = 0 or torn_down <> 1 - records`;

/** Ends a round. */
export async function checkSums({ f, id, stats }: RaceContext): Promise<void> {
  stats.rounds++;
  assert.deepEqual((await f.owner.query(sumDifferences, [id])).rows, [], 'sums and records disagree');
}

export async function countOf({ f }: RaceContext, source: string, ...values: string[]): Promise<number> {
  return Number((await f.owner.query(`select count(*) as total from ${source}`, values)).rows[0].total);
}
