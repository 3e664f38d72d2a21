// Generates many organisations with many records in SQL: a hundred thousand connectors within half a minute.
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';

/** SQL expressions for the n-th organisation. */
export interface BulkData {
  organisations: number;
  connectors: string;
  groups: string;
  appliances: string;
  users: string;
  capacities: string;
  /** The id of the parent organisation. */
  parent: string;
  isReseller: string;
  /** Of this many connectors of a group, two are linked. */
  linkEvery: number;
  /** Condition on a group (g) that has an allocation of every capacity. */
  allocated: string;
}

// The rows of an organisation are inserted in turn with those of the others, so that they are scattered over the pages.
// Triggers, foreign keys among them, are off: the statements only refer to rows that exist.
const statementsFor = (bulk: BulkData): string[] => [
  'set local session_replication_role = replica',
  `create temp table bulk on commit drop as
   select n, gen_random_uuid() as id, timestamptz '2025-03-01' + n * interval '1 second' as stamp,
     ${bulk.connectors} as connectors, ${bulk.groups} as groups, ${bulk.appliances} as appliances,
     ${bulk.users} as users, ${bulk.capacities} as capacities
   from generate_series(1, ${bulk.organisations}) n`,
  'analyze bulk',

  `insert into organisations (id, code, name, parent_id, reseller, created_at, updated_at)
   select id, 's' || lpad(n::text, 11, '0'), 'Company ' || md5(n::text),
     ${bulk.parent}, ${bulk.isReseller}, stamp, stamp + n % 7 * interval '1 day'
   from bulk order by n`,
  `update organisations
   set children_count = (select count(*) from organisations children where children.parent_id = organisations.id)`,
  'insert into addresses (organisation_id) select id from bulk order by n',
  'insert into invoices (organisation_id) select id from bulk order by n',
  `insert into roles (organisation_id, name, policies) select id, 'own', '[]' from bulk order by n`,
  `create temp table bulk_users on commit drop as
   select n, u, gen_random_uuid() as id, bulk.id as organisation_id, stamp + u * interval '1 hour' as stamp
   from bulk, generate_series(1, users) u`,
  `insert into users (id, organisation_id, role_id, email, email_key, last_name, created_at)
   select bulk_users.id, bulk_users.organisation_id, roles.id, n || '-' || u || '@bulk.example',
     n || '-' || u || '@bulk.example', 'User ' || u, stamp
   from bulk_users join roles on roles.organisation_id is null and roles.name = 'admin' order by u, n`,
  'insert into logins (user_id, organisation_id) select id, organisation_id from bulk_users order by u, n',
  `insert into tokens (kind, hash, user_id, organisation_id, name, expires_in_seconds, expires_at)
   select 'personal', sha256(id::text::bytea), id, organisation_id, 'token', 86400, now() + interval '1 day'
   from bulk_users order by u, n`,

  `create temp table bulk_tags on commit drop as
   select n, t, gen_random_uuid() as id, bulk.id as organisation_id, stamp + t * interval '1 hour' as stamp
   from bulk, generate_series(1, 5) t`,
  `insert into tags (id, organisation_id, name, created_at)
   select id, organisation_id, 'tag ' || t, stamp from bulk_tags order by t, n`,
  `create temp table bulk_groups on commit drop as
   select n, g, gen_random_uuid() as id, bulk.id as organisation_id, stamp + g * interval '1 hour' as stamp
   from bulk, generate_series(1, groups) g`,
  `insert into groups (id, organisation_id, name, created_at)
   select id, organisation_id, 'group ' || g, stamp from bulk_groups order by g, n`,
  `create temp table bulk_appliances on commit drop as
   select n, a, gen_random_uuid() as id, bulk.id as organisation_id, locode, edge_code,
     stamp + a * interval '1 hour' as stamp
   from bulk cross join lateral generate_series(1, appliances) a
   join (select row_number() over (order by locode) - 1 as place, * from cities) cities
     on place = (a * 7 + n) % (select count(*) from cities)`,
  `insert into appliances (id, organisation_id, name, kind, site_name, locode, model_id, created_at)
   select bulk_appliances.id, organisation_id, 'appliance ' || a,
     case when a % 2 = 0 then 'cloudAppliance' else 'routingAppliance' end, 'site ' || a, locode, model.id, stamp
   from bulk_appliances, (select id from appliance_models order by model_name limit 1) model order by a, n`,
  'analyze bulk_users, bulk_tags, bulk_groups, bulk_appliances',

  // A fifth are sites, the others providers, half of them at ten destinations. A quarter are in the first group.
  `create temp table bulk_connectors on commit drop as
   select bulk.n, k, gen_random_uuid() as id, bulk.id as organisation_id, bulk_groups.id as group_id, g,
     bulk_appliances.id as appliance_id, family_id, destinations.id as destination_id,
     coalesce(bulk_appliances.locode, destinations.locode) as locode,
     coalesce(bulk_appliances.edge_code, destinations.edge_code) as edge_code,
     bulk.stamp + k * interval '1 hour' as stamp,
     row_number() over (partition by bulk_groups.id order by k) as r,
     count(*) over (partition by bulk_groups.id) as in_group
   from bulk cross join lateral generate_series(1, connectors) k
   join bulk_groups on bulk_groups.n = bulk.n and g = case when k % 4 = 0 then 1 else k % groups + 1 end
   left join bulk_appliances on bulk_appliances.n = bulk.n and k % 5 = 0 and a = k / 5 % appliances + 1
   left join (select row_number() over (order by csp_city, family_id) - 1 as place, * from destinations) destinations
     on k % 5 <> 0 and place = case when k % 2 = 0 then k / 2 % 10
       else (k * 7 + bulk.n * 13) % (select count(*) from destinations) end`,
  'analyze bulk_connectors',
  `insert into routers (organisation_id, group_id, edge_code)
   select distinct organisation_id, group_id, edge_code from bulk_connectors`,
  `insert into connectors (id, organisation_id, group_id, name, flow, state, status, interface_id, family_id,
     destination_id, appliance_id, router_id, locode, edge_code, bandwidth_bps, details, created_at)
   select bulk_connectors.id, organisation_id, group_id, 'connector ' || k, k % 8 <> 0, 'delivered',
     case when k % 7 = 0 then 2 else 0 end, case when appliance_id is not null then gen_random_uuid() end, family_id,
     destination_id, appliance_id, routers.id, locode, edge_code, 1e9, case when appliance_id is null
       then jsonb_build_object('asNumber', 64710, 'providerAAccount', 123456789012, 'platformAsNumber', 64512)
       else jsonb_build_object('cloudApplianceID', appliance_id, 'vlan', k % 4094 + 1, 'customerASN', 64620,
         'cmeMask', '255.255.255.252', 'cmeGatewayIP', '192.0.2.18', 'serviceCloudApplianceASN', 64512,
         'cloudApplianceCloudVirtualInterfaceIP', '192.0.2.17') end, stamp
   from bulk_connectors join routers using (organisation_id, group_id, edge_code) order by k, n`,

  // Every group has linked pairs; in the first group one connector is linked to many others.
  `insert into links (organisation_id, group_id, name, flow, state, from_id, to_id, created_at)
   select a.organisation_id, a.group_id, 'link ' || a.k || '-' || b.k, b.k % 8 <> 0, 'delivered', a.id, b.id, b.stamp
   from bulk_connectors a join bulk_connectors b using (group_id)
   where (b.r = a.r + 1 and a.r % ${bulk.linkEvery} = 1) or (a.g = 1 and a.r = 1 and b.r between 3 and a.in_group / 3)
   order by b.k, a.n`,

  `insert into group_tags select bulk_groups.organisation_id, bulk_groups.id, bulk_tags.id
   from bulk_groups join bulk_tags using (n) where t = g % 5 + 1`,
  `insert into appliance_tags select bulk_appliances.organisation_id, bulk_appliances.id, bulk_tags.id
   from bulk_appliances join bulk_tags using (n) where t = a % 5 + 1`,
  `insert into connector_tags select bulk_connectors.organisation_id, bulk_connectors.id, bulk_tags.id
   from bulk_connectors join bulk_tags using (n)
   where (k % 3 > 0 and t = k % 5 + 1) or (k % 3 = 2 and t = (k + 1) % 5 + 1) order by k, n`,
  `insert into link_tags select links.organisation_id, links.id, bulk_tags.id
   from links join bulk_tags using (organisation_id) where t = 1 order by links.created_at`,

  `insert into product_pools (organisation_id, family_id, region_id, total, created_at)
   select bulk.id, families.id, regions.id, 10000, stamp from bulk cross join families cross join regions
   order by families.id, regions.id, n`,
  // A group has an allocation of every capacity, or of none.
  `create temp table bulk_capacities on commit drop as
   select n, c, gen_random_uuid() as id, bulk.id as organisation_id, stamp + c * interval '1 hour' as stamp
   from bulk, generate_series(1, capacities) c`,
  `insert into subscribed_capacities 
     (id, organisation_id, capacity_bps, allocated_bps, duration_months, region1_id, created_at)
   select bulk_capacities.id, organisation_id, 1e12, coalesce(allocating.groups, 0) * 1e9, 12, region.id, stamp
   from bulk_capacities
   left join (select n, count(*) as groups from bulk_groups where ${bulk.allocated} group by n) allocating using (n)
   cross join (select id from regions order by slug limit 1) region order by c, n`,
  `insert into allocations (organisation_id, group_id, capacity_id, allocation_bps, created_at)
   select bulk_groups.organisation_id, bulk_groups.id, bulk_capacities.id, 1e9, bulk_capacities.stamp
   from bulk_groups join bulk_capacities using (n) where ${bulk.allocated} order by c, n`,

  `insert into audit (organisation_id, action, client_ip, service_irn, service_name, service_type, user_id, user_name,
     created_at)
   select bulk.id, (array['create', 'update', 'delete', 'deploy'])[k % 4 + 1], '192.0.2.17',
     'irn:tag:k3x9m2p7q1za::6x0k3f0v1c9r', 'record ' || k,
     (array['connector', 'link', 'group', 'tag', 'user'])[k % 5 + 1], bulk_users.id, 'User',
     bulk.stamp + k * interval '1 hour'
   from bulk cross join lateral generate_series(1, connectors) k
   join bulk_users on bulk_users.n = bulk.n and u = k % users + 1 order by k, bulk.n`,
];

const deployedWithinMs = 180_000;

/** Waits until the deployments of the demo world have ended. Needs the owner of the database. */
export async function untilDeployed(owner: Pick<pg.Pool, 'query'> | pg.ClientBase): Promise<void> {
  for (const until = Date.now() + deployedWithinMs; Date.now() < until; await pause(100)) {
    const { rows } = await owner.query(
      `select count(*)::int as open from
         (select id::text from errands union all select id::text from deployments where is_open) remaining`,
    );
    if (rows[0].open === 0) return;
  }
  throw new Error(`Deployments are still open after ${deployedWithinMs / 1000} s`);
}

/** Needs the owner of the database. */
export async function loadBulkData(loader: pg.ClientBase, bulk: BulkData): Promise<void> {
  await untilDeployed(loader);
  await loader.query('begin');
  // The indexes of the two largest tables are built afterwards, which is much faster than inserting into them.
  const { rows: indexes } = await loader.query(
    `select indexrelid::regclass as name, pg_get_indexdef(indexrelid) as definition from pg_index
     where indrelid in ('connectors'::regclass, 'audit'::regclass)
       and not exists (select from pg_constraint where conindid = indexrelid)`,
  );
  await loader.query(`drop index ${indexes.map(({ name }) => name)}`);
  for (const statement of statementsFor(bulk)) await loader.query(statement);
  for (const { definition } of indexes) await loader.query(definition);
  await loader.query('commit');
  await loader.query('vacuum (analyze)');
  // An open transaction keeps pages from becoming all-visible. The service keeps updating a few rows of the demo world,
  // so a few pages may stay behind.
  for (let attempt = 0; attempt < 10; attempt++) {
    const { rows } = await loader.query(
      `select relname as name from pg_class
       where relname in ('organisations', 'connectors', 'links', 'audit') and relallvisible < relpages - 10`,
    );
    if (rows.length === 0) break;
    await pause(150);
    await loader.query(`vacuum (analyze) ${rows.map(({ name }) => name)}`);
  }
}
