// Many organisations with many records, made by the database itself: a hundred thousand connectors within half a minute.
import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';

/** Numbers and conditions in SQL, of the n-th organisation. */
export interface BulkData {
  organisations: number;
  connectors: string;
  groups: string;
  appliances: string;
  users: string;
  capacities: string;
  /** The id of its parent. */
  parent: string;
  isReseller: string;
  /** Of so many connectors of a group, two are linked. */
  linkEvery: number;
  /** Which groups (g) have some of each capacity. */
  allocated: string;
}

// What an organisation has was made in turns with what the others have, so that it does not lie side by side. Nothing here can point to what is not
// there: that triggers are asleep meanwhile makes it fast, no more.
const statementsFor = (crowd: BulkData): string[] => [
  'set local session_replication_role = replica',
  `create temp table crowd on commit drop as
   select n, gen_random_uuid() as id, timestamptz '2025-03-01' + n * interval '1 second' as stamp,
     ${crowd.connectors} as connectors, ${crowd.groups} as groups, ${crowd.appliances} as appliances, ${crowd.users} as users,
     ${crowd.capacities} as capacities
   from generate_series(1, ${crowd.organisations}) n`,
  'analyze crowd',

  `insert into organisations (id, code, name, parent_id, reseller, created_at, updated_at)
   select id, 's' || lpad(n::text, 11, '0'), 'Company ' || md5(n::text),
     ${crowd.parent}, ${crowd.isReseller}, stamp, stamp + n % 7 * interval '1 day'
   from crowd order by n`,
  `update organisations
   set children_count = (select count(*) from organisations children where children.parent_id = organisations.id)`,
  'insert into addresses (organisation_id) select id from crowd order by n',
  'insert into invoices (organisation_id) select id from crowd order by n',
  `insert into roles (organisation_id, name, policies) select id, 'own', '[]' from crowd order by n`,
  `create temp table crowd_users on commit drop as
   select n, u, gen_random_uuid() as id, crowd.id as organisation_id, stamp + u * interval '1 hour' as stamp
   from crowd, generate_series(1, users) u`,
  `insert into users (id, organisation_id, role_id, email, email_key, last_name, created_at)
   select crowd_users.id, crowd_users.organisation_id, roles.id, n || '-' || u || '@crowd.example',
     n || '-' || u || '@crowd.example', 'User ' || u, stamp
   from crowd_users join roles on roles.organisation_id is null and roles.name = 'admin' order by u, n`,
  'insert into logins (user_id, organisation_id) select id, organisation_id from crowd_users order by u, n',
  `insert into tokens (kind, hash, user_id, organisation_id, name, expires_in_seconds, expires_at)
   select 'personal', sha256(id::text::bytea), id, organisation_id, 'token', 86400, now() + interval '1 day'
   from crowd_users order by u, n`,

  `create temp table crowd_tags on commit drop as
   select n, t, gen_random_uuid() as id, crowd.id as organisation_id, stamp + t * interval '1 hour' as stamp
   from crowd, generate_series(1, 5) t`,
  `insert into tags (id, organisation_id, name, created_at)
   select id, organisation_id, 'tag ' || t, stamp from crowd_tags order by t, n`,
  `create temp table crowd_groups on commit drop as
   select n, g, gen_random_uuid() as id, crowd.id as organisation_id, stamp + g * interval '1 hour' as stamp
   from crowd, generate_series(1, groups) g`,
  `insert into groups (id, organisation_id, name, created_at)
   select id, organisation_id, 'group ' || g, stamp from crowd_groups order by g, n`,
  `create temp table crowd_appliances on commit drop as
   select n, a, gen_random_uuid() as id, crowd.id as organisation_id, locode, edge_code,
     stamp + a * interval '1 hour' as stamp
   from crowd cross join lateral generate_series(1, appliances) a
   join (select row_number() over (order by locode) - 1 as place, * from cities) cities
     on place = (a * 7 + n) % (select count(*) from cities)`,
  `insert into appliances (id, organisation_id, name, kind, site_name, locode, model_id, created_at)
   select crowd_appliances.id, organisation_id, 'appliance ' || a,
     case when a % 2 = 0 then 'cloudAppliance' else 'routingAppliance' end, 'site ' || a, locode, model.id, stamp
   from crowd_appliances, (select id from appliance_models order by model_name limit 1) model order by a, n`,
  'analyze crowd_users, crowd_tags, crowd_groups, crowd_appliances',

  // A fifth leads to sites, the others to providers, half of them to ten places that everybody wants; a quarter is in the first group.
  `create temp table crowd_connectors on commit drop as
   select crowd.n, k, gen_random_uuid() as id, crowd.id as organisation_id, crowd_groups.id as group_id, g,
     crowd_appliances.id as appliance_id, family_id, destinations.id as destination_id,
     coalesce(crowd_appliances.locode, destinations.locode) as locode,
     coalesce(crowd_appliances.edge_code, destinations.edge_code) as edge_code,
     crowd.stamp + k * interval '1 hour' as stamp,
     row_number() over (partition by crowd_groups.id order by k) as r,
     count(*) over (partition by crowd_groups.id) as in_group
   from crowd cross join lateral generate_series(1, connectors) k
   join crowd_groups on crowd_groups.n = crowd.n and g = case when k % 4 = 0 then 1 else k % groups + 1 end
   left join crowd_appliances on crowd_appliances.n = crowd.n and k % 5 = 0 and a = k / 5 % appliances + 1
   left join (select row_number() over (order by csp_city, family_id) - 1 as place, * from destinations) destinations
     on k % 5 <> 0 and place = case when k % 2 = 0 then k / 2 % 10
       else (k * 7 + crowd.n * 13) % (select count(*) from destinations) end`,
  'analyze crowd_connectors',
  `insert into routers (organisation_id, group_id, edge_code)
   select distinct organisation_id, group_id, edge_code from crowd_connectors`,
  `insert into connectors (id, organisation_id, group_id, name, flow, state, status, interface_id, family_id,
     destination_id, appliance_id, router_id, locode, edge_code, bandwidth_bps, details, created_at)
   select crowd_connectors.id, organisation_id, group_id, 'connector ' || k, k % 8 <> 0, 'delivered',
     case when k % 7 = 0 then 2 else 0 end, case when appliance_id is not null then gen_random_uuid() end, family_id,
     destination_id, appliance_id, routers.id, locode, edge_code, 1e9, case when appliance_id is null
       then jsonb_build_object('asNumber', 64710, 'providerAAccount', 123456789012, 'platformAsNumber', 64512)
       else jsonb_build_object('cloudApplianceID', appliance_id, 'vlan', k % 4094 + 1, 'customerASN', 64620,
         'cmeMask', '255.255.255.252', 'cmeGatewayIP', '192.0.2.18', 'serviceCloudApplianceASN', 64512,
         'cloudApplianceCloudVirtualInterfaceIP', '192.0.2.17') end, stamp
   from crowd_connectors join routers using (organisation_id, group_id, edge_code) order by k, n`,

  // In every group some are linked two by two; in the first group one is linked with many.
  `insert into links (organisation_id, group_id, name, flow, state, from_id, to_id, created_at)
   select a.organisation_id, a.group_id, 'link ' || a.k || '-' || b.k, b.k % 8 <> 0, 'delivered', a.id, b.id, b.stamp
   from crowd_connectors a join crowd_connectors b using (group_id)
   where (b.r = a.r + 1 and a.r % ${crowd.linkEvery} = 1) or (a.g = 1 and a.r = 1 and b.r between 3 and a.in_group / 3)
   order by b.k, a.n`,

  `insert into group_tags select crowd_groups.organisation_id, crowd_groups.id, crowd_tags.id
   from crowd_groups join crowd_tags using (n) where t = g % 5 + 1`,
  `insert into appliance_tags select crowd_appliances.organisation_id, crowd_appliances.id, crowd_tags.id
   from crowd_appliances join crowd_tags using (n) where t = a % 5 + 1`,
  `insert into connector_tags select crowd_connectors.organisation_id, crowd_connectors.id, crowd_tags.id
   from crowd_connectors join crowd_tags using (n)
   where (k % 3 > 0 and t = k % 5 + 1) or (k % 3 = 2 and t = (k + 1) % 5 + 1) order by k, n`,
  `insert into link_tags select links.organisation_id, links.id, crowd_tags.id
   from links join crowd_tags using (organisation_id) where t = 1 order by links.created_at`,

  `insert into product_pools (organisation_id, family_id, region_id, total, created_at)
   select crowd.id, families.id, regions.id, 10000, stamp from crowd cross join families cross join regions
   order by families.id, regions.id, n`,
  // Groups that have some of a capacity have some of each.
  `create temp table crowd_capacities on commit drop as
   select n, c, gen_random_uuid() as id, crowd.id as organisation_id, stamp + c * interval '1 hour' as stamp
   from crowd, generate_series(1, capacities) c`,
  `insert into subscribed_capacities (id, organisation_id, capacity_bps, allocated_bps, duration_months, region1_id, created_at)
   select crowd_capacities.id, organisation_id, 1e12, coalesce((select count(*) from crowd_groups where crowd_groups.n = crowd_capacities.n and ${crowd.allocated}), 0) * 1e9, 12, region.id, stamp
   from crowd_capacities, (select id from regions order by slug limit 1) region order by c, n`,
  `insert into allocations (organisation_id, group_id, capacity_id, allocation_bps, created_at)
   select crowd_groups.organisation_id, crowd_groups.id, crowd_capacities.id, 1e9, crowd_capacities.stamp
   from crowd_groups join crowd_capacities using (n) where ${crowd.allocated} order by c, n`,

  `insert into audit (organisation_id, action, client_ip, service_irn, service_name, service_type, user_id, user_name, created_at)
   select crowd.id, (array['create', 'update', 'delete', 'deploy'])[k % 4 + 1], '192.0.2.17', 'irn:tag:k3x9m2p7q1za::6x0k3f0v1c9r',
     'record ' || k, (array['connector', 'link', 'group', 'tag', 'user'])[k % 5 + 1], crowd_users.id, 'User',
     crowd.stamp + k * interval '1 hour'
   from crowd cross join lateral generate_series(1, connectors) k
   join crowd_users on crowd_users.n = crowd.n and u = k % users + 1 order by k, crowd.n`,
];

const calmWithinMs = 60_000;

/** The demo world's own deployments have ended: nothing changes by itself any more. As the owner of the database. */
export async function untilDeployed(owner: Pick<pg.Pool, 'query'> | pg.ClientBase): Promise<void> {
  for (const until = Date.now() + calmWithinMs; Date.now() < until; await pause(100)) {
    const { rows } = await owner.query(
      'select count(*)::int as open from (select id::text from errands union all select id::text from deployments where is_open) todo',
    );
    if (rows[0].open === 0) return;
  }
  throw new Error(`Deployments are still open after ${calmWithinMs / 1000} s`);
}

/** As the owner of the database. */
export async function loadBulkData(loader: pg.ClientBase, crowd: BulkData): Promise<void> {
  await untilDeployed(loader);
  await loader.query('begin');
  // The indexes of the two longest tables are made again over what is there then: much faster than to let them grow.
  const { rows: indexes } = await loader.query(
    `select indexrelid::regclass as name, pg_get_indexdef(indexrelid) as definition from pg_index
     where indrelid in ('connectors'::regclass, 'audit'::regclass)
       and not exists (select from pg_constraint where conindid = indexrelid)`,
  );
  await loader.query(`drop index ${indexes.map(({ name }) => name)}`);
  for (const statement of statementsFor(crowd)) await loader.query(statement);
  for (const { definition } of indexes) await loader.query(definition);
  await loader.query('commit');
  // As autovacuum leaves a database at work. Somebody who reads at that very moment keeps it from finishing: then once more.
  for (let attempt = 0; attempt < 10; attempt++) {
    await loader.query('vacuum (analyze)');
    const { rows } = await loader.query(
      `select from pg_class where relname in ('organisations', 'connectors', 'links', 'audit') and relallvisible < relpages`,
    );
    if (rows.length === 0) break;
    await pause(150);
  }
}
