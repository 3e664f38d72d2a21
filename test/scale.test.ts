// A thousand organisations with a hundred thousand connectors. What a list costs depends on the list alone: it is walked along an index
// in its order, and what others have stored is not touched. The plans are those of the service's own statements, taken while it
// answers over HTTPS.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { formatIrn } from '../src/irn.ts';
import type { Client } from './harness/client.ts';
import { type Explained, nodesOf, type PlanNode, unexplained, watchPlans } from './harness/plans.ts';
import { createDatabase, startFixture } from './harness/service.ts';

/** The catalogue is small and nobody's: it may be read from end to end. Every other table grows with the organisations. */
const catalogue = ['families', 'cities', 'regions', 'destinations', 'appliance_models', 'service_facts'];
/** Records on the longest page: nothing longer is ever sorted. */
const longestPage = 100;
/** Pages of the database (8 KiB) that a request may touch for each connector of its organisation, whatever others have stored. */
const mostBuffers = 10;

const big = 1;
const usual = 500;

const database = await createDatabase();
const plans = await watchPlans(database.url);
// What is kept needs no plan.
const f = await startFixture(['--memory', '0'], database);
after(async () => {
  await f.close();
  await database.drop();
});

// One organisation is big, the others are alike. What an organisation has was made in turns with what the others have, so that it does
// not lie side by side. Nothing here can point to what is not there: that triggers are asleep meanwhile makes it fast, no more.
const crowd = [
  'set local session_replication_role = replica',
  `create temp table crowd on commit drop as
   select n, gen_random_uuid() as id, timestamptz '2025-03-01' + n * interval '1 second' as stamp,
     case when n = ${big} then 5000 when n <= 96 then 96 else 95 end as connectors,
     case when n = ${big} then 120 else 5 end as groups,
     case when n = ${big} then 250 else 4 end as appliances,
     case when n = ${big} then 150 else 5 end as users,
     case when n = ${big} then 130 else 3 end as capacities
   from generate_series(1, 1000) n`,
  'analyze crowd',

  // A fifth are children of the demo's reseller, the others of twenty of these.
  `insert into organisations (id, code, name, parent_id, reseller, created_at, updated_at)
   select id, 's' || lpad(n::text, 11, '0'), 'Company ' || md5(n::text),
     case when n = ${big} or n between 401 and 600 then '${f.organisations.meridian}'
       else (select id from crowd parent where parent.n = ${usual} + crowd.n % 20) end,
     n between ${usual} and ${usual + 19}, stamp, stamp + n % 7 * interval '1 day'
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
   where (b.r = a.r + 1 and a.r % 5 = 1) or (a.g = 1 and a.r = 1 and b.r between 3 and a.in_group / 3)
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
  // Every group has some of every capacity; in the big organisation the first group has all of them, and the others none.
  `create temp table crowd_capacities on commit drop as
   select n, c, gen_random_uuid() as id, crowd.id as organisation_id, stamp + c * interval '1 hour' as stamp
   from crowd, generate_series(1, capacities) c`,
  `insert into subscribed_capacities (id, organisation_id, capacity_bps, allocated_bps, duration_months, region1_id, created_at)
   select crowd_capacities.id, organisation_id, 1e12, case when n = ${big} then 1e9 else 5e9 end, 12, region.id, stamp
   from crowd_capacities, (select id from regions order by slug limit 1) region order by c, n`,
  `insert into allocations (organisation_id, group_id, capacity_id, allocation_bps, created_at)
   select crowd_groups.organisation_id, crowd_groups.id, crowd_capacities.id, 1e9, crowd_capacities.stamp
   from crowd_groups join crowd_capacities using (n) where n <> ${big} or g = 1 order by c, n`,

  `insert into audit (organisation_id, action, client_ip, service_irn, service_name, service_type, user_id, user_name, created_at)
   select crowd.id, (array['create', 'update', 'delete', 'deploy'])[k % 4 + 1], '192.0.2.17', 'irn:tag:k3x9m2p7q1za::6x0k3f0v1c9r',
     'record ' || k, (array['connector', 'link', 'group', 'tag', 'user'])[k % 5 + 1], crowd_users.id, 'User',
     crowd.stamp + k * interval '1 hour'
   from crowd cross join lateral generate_series(1, connectors) k
   join crowd_users on crowd_users.n = crowd.n and u = k % users + 1 order by k, crowd.n`,
];

async function load(): Promise<void> {
  const loader = await f.owner.connect();
  await unexplained(loader);
  // The demo world's own deployments have ended before anything is measured.
  for (const until = Date.now() + 30_000; Date.now() < until; await pause(100)) {
    const { rows } = await loader.query(
      'select count(*)::int as open from (select id::text from errands union all select id::text from deployments where is_open) todo',
    );
    if (rows[0].open === 0) break;
  }
  await loader.query('begin');
  // The indexes of the two longest tables are made again over what is there then: much faster than to let them grow.
  const { rows: indexes } = await loader.query(
    `select indexrelid::regclass as name, pg_get_indexdef(indexrelid) as definition from pg_index
     where indrelid in ('connectors'::regclass, 'audit'::regclass)
       and not exists (select from pg_constraint where conindid = indexrelid)`,
  );
  await loader.query(`drop index ${indexes.map(({ name }) => name)}`);
  for (const statement of crowd) await loader.query(statement);
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
  loader.release();
}

const started = Date.now();
await load();
const loadedIn = Date.now() - started;
const admin = await f.as('admin@meridian.example');

/** An organisation of the crowd, and something of it that each filter finds. */
async function sampleOf(n: number) {
  const { rows } = await f.owner.query(
    `select organisations.id, code, hub.id as hub_id, hub.group_id, hub.router_id, popular.destination_id, popular.edge_code,
       families.short_name as family, cities.slacity, users.id as user_id, site.appliance_id,
       (select array_agg(id order by name) from tags where organisation_id = organisations.id) as tags,
       (select array_agg(interface_id) from connectors
        where organisation_id = organisations.id and name in ('connector 5', 'connector 10')) as interfaces
     from organisations
     join groups on groups.organisation_id = organisations.id and groups.name = 'group 1'
     join lateral (select * from connectors where group_id = groups.id order by created_at limit 1) hub on true
     join connectors popular on popular.organisation_id = organisations.id and popular.name = 'connector 2'
     join connectors site on site.organisation_id = organisations.id and site.name = 'connector 5'
     join users on users.email_key = $2
     join families on families.id = popular.family_id
     join cities on cities.locode = popular.locode
     where code = $1`,
    [`s${String(n).padStart(11, '0')}`, `${n}-1@crowd.example`],
  );
  return rows[0];
}

type Sample = Awaited<ReturnType<typeof sampleOf>>;

/** What nothing matches must not be looked for any longer than the rest. */
const emptyListsOf = (sample: Sample): string[] =>
  [
    'edgeCode=NONE',
    'family=none',
    `destinationID=${sample.id}`,
    `tags=${sample.id}`,
    `linkedTo=${formatIrn('connector', sample.code, sample.id)}`,
    `linkedTo=${formatIrn('ire', sample.code, sample.id)}`,
  ].map((filter) => `/connectors?${filter}`);

function listsOf(sample: Sample): string[] {
  const filters = {
    group: `groupID=${sample.group_id}`,
    family: `family=${sample.family}`,
    destination: `destinationID=${sample.destination_id}`,
    peers: `linkedTo=${formatIrn('connector', sample.code, sample.hub_id)}`,
    router: `linkedTo=${formatIrn('ire', sample.code, sample.router_id)}`,
    city: `slacity=${sample.slacity}`,
    tag: `tags=${sample.tags[2]}`,
    tags: `tags=${sample.tags[2]},${sample.tags[3]}`,
    edge: `edgeCode=${sample.edge_code}`,
    ok: 'status=OK',
    ko: 'status=KO',
    legacy: 'legacy=legacy',
  };
  const pairs: [keyof typeof filters, keyof typeof filters][] = [
    ['group', 'family'],
    ['group', 'ko'],
    ['group', 'tag'],
    ['group', 'peers'],
    ['group', 'edge'],
    ['family', 'city'],
    ['family', 'ok'],
    ['family', 'legacy'],
    ['destination', 'edge'],
    ['destination', 'tag'],
    ['city', 'legacy'],
    ['city', 'ok'],
    ['edge', 'tag'],
    ['edge', 'ok'],
    ['tag', 'ko'],
    ['tags', 'legacy'],
    ['peers', 'tag'],
    ['router', 'ok'],
    ['ko', 'legacy'],
  ];
  const ofGroup = `/connectors/group/${sample.group_id}`;
  const someDays = 'start-d=2025-03-02T00:00:00Z&end-d=2025-03-20T00:00:00Z';
  return [
    '/connectors',
    ...Object.values(filters).map((filter) => `/connectors?${filter}`),
    ...pairs.map(([one, other]) => `/connectors?${filters[one]}&${filters[other]}`),
    ofGroup,
    `${ofGroup}?flow=flow`,
    `${ofGroup}?legacy=legacy`,
    `/link/group/${sample.group_id}`,
    '/groups',
    `/groups/${sample.group_id}/capacities`,
    '/tags',
    '/cloud-appliances',
    '/cloud-appliances?cloudApplianceOnly=true',
    '/cloud-appliances?routingApplianceOnly=true',
    `/cloud-appliances?virtualInterfacesIds=${sample.interfaces}`,
    `/cloud-appliances?virtualInterfacesIds=${sample.interfaces}&cloudApplianceOnly=true`,
    `/cloud-appliances/${sample.appliance_id}/cloud-virtual-interfaces`,
    '/capacities/available',
    ...soldTo(sample),
    '/audit',
    '/audit?action=update',
    '/audit?serviceType=group',
    `/audit?userID=${sample.user_id}`,
    '/audit?start-d=2025-03-02T00:00:00Z',
    '/audit?end-d=2025-03-20T00:00:00Z',
    `/audit?${someDays}`,
    '/audit?action=create&serviceType=connector',
    `/audit?action=update&${someDays}`,
    `/audit?serviceType=connector&userID=${sample.user_id}`,
    `/audit?userID=${sample.user_id}&${someDays}`,
    '/users',
    '/acl/roles',
  ];
}

const soldTo = ({ id }: { id: string }): string[] => [
  `/organisations/${id}/capacities`,
  `/organisations/${id}/products`,
];

const childrenOf = ({ id }: { id: string }): string[] => [
  '/organisations',
  ...['name', 'createdAt', 'updatedAt'].flatMap((column) => [
    `/organisations?sort=${column}`,
    `/organisations?sort=${column},DESC`,
  ]),
  `/organisations/${id}`,
];

interface Visit {
  path: string;
  total: number;
  plans: Explained[];
}

async function visit(client: Client, path: string): Promise<Visit> {
  const { value: answer, plans: seen } = await plans.during(() => client.get(path));
  assert.equal(answer.status, 200, `${path}: ${answer.text}`);
  assert.ok(seen.length > 1, `${path} told no plans`);
  const [, total] = answer.headers['content-range']?.split('/') ?? [];
  return { path, total: Number(total ?? answer.body.length), plans: seen };
}

/** Each list as it comes, then the first, a middle and the last page of it, as long as pages can be. */
async function visitAll(client: Client, lists: string[]): Promise<Visit[]> {
  const visits: Visit[] = [];
  for (const list of lists) {
    const plain = await visit(client, list);
    visits.push(plain);
    const limit = Math.max(1, Math.min(longestPage, Math.floor(plain.total / 4)));
    const last = Math.max(0, Math.ceil(plain.total / limit) - 1);
    const byOffset = /^\/organisations(\?|$|\/[^/]+$)/.test(list);
    for (const page of new Set([0, Math.floor(last / 2), last])) {
      const place = byOffset ? `offset=${page * limit}` : `page=${page + 1}`;
      visits.push(await visit(client, `${list}${list.includes('?') ? '&' : '?'}limit=${limit}&${place}`));
    }
  }
  return visits;
}

/** What a sort was given to sort: more than it hands on, where the page ends before it does. */
const sortedBy = (node: PlanNode): number =>
  Math.max(node['Actual Rows'], ...(node.Plans ?? []).map((inner) => inner['Actual Rows']));

/** What the service asks by itself all the time, whoever is asking for lists. */
const ofTheService =
  /\b(errands|deployments|fabric_groups|simulated_items|metric_\w+|reported_at)\b|"sealed" from "connector_secrets"|"edge_code" from "routers"/;

function complaintAbout(node: PlanNode, sorts: string[]): string | undefined {
  const { 'Node Type': type, 'Relation Name': table } = node;
  if (sorts.includes(type) && sortedBy(node) > longestPage) return `${type} of ${sortedBy(node)} rows`;
  if (!table || catalogue.includes(table)) return undefined;
  if (type === 'Seq Scan') return `Seq Scan on ${table}`;
  if (type.startsWith('Index') && !node['Index Cond']) return `${type} of the whole of ${node['Index Name']}`;
  return undefined;
}

function assertGood(visits: Visit[], sorts = ['Sort', 'Incremental Sort']): void {
  const complaints = visits.flatMap(({ path, plans: seen }) =>
    seen
      .filter(({ statement }) => !ofTheService.test(statement))
      .flatMap(({ root, statement }) =>
        nodesOf(root)
          .map((node) => complaintAbout(node, sorts))
          .filter((complaint) => complaint !== undefined)
          .map((complaint) => `${path}\n    ${complaint} in ${statement}`),
      ),
  );
  assert.ok(complaints.length === 0, `${complaints.length} bad plans:\n  ${complaints.join('\n  ')}`);
}

const sum = (visit: Visit, measure: 'milliseconds' | 'buffers'): number =>
  visit.plans.reduce((total, plan) => total + plan[measure], 0);

const pathsOf = (visits: Visit[]): string[] => visits.map(({ path }) => path);

/** For who reads along: the dearest pages, in the database alone. */
function told(visits: Visit[]): string {
  const worst = (measure: 'milliseconds' | 'buffers') => {
    const [first] = visits.toSorted((a, b) => sum(b, measure) - sum(a, measure));
    return first && `${sum(first, measure).toFixed()} ${measure} ${first.path}`;
  };
  return `${visits.length} pages; at the most ${worst('milliseconds')}; ${worst('buffers')}`;
}

test('the crowd is as large as it should be', async (t) => {
  const { rows } = await f.owner.query(
    `select (select count(*) from organisations)::integer as organisations, (select count(*) from connectors)::integer as connectors,
       (select count(*) from links)::integer as links, (select count(*) from audit)::integer as deeds`,
  );
  t.diagnostic(`loaded in ${loadedIn} ms: ${JSON.stringify(rows[0])}`);
  const { organisations, connectors, links, deeds } = rows[0];
  assert.ok(organisations >= 1000 && connectors >= 100_000 && links >= 30_000 && deeds >= 100_000);
});

for (const [title, n] of [
  ['big', big],
  ['usual', usual],
] as const)
  test(`the lists of a ${title} organisation are walked along indexes, and nothing longer than a page is sorted`, async (t) => {
    const sample = await sampleOf(n);
    const client = admin.with({ scope: sample.id });
    const visits = await visitAll(client, listsOf(sample));
    const empty = await visitAll(client, emptyListsOf(sample));
    const all = [...visits, ...empty];
    t.diagnostic(told(all));
    assert.deepEqual(pathsOf(empty.filter(({ total }) => total > 0)), []);
    // Of a usual organisation some pairs of filters leave nothing; of the big one all leave something to walk along.
    if (n === big) assert.deepEqual(pathsOf(visits.filter(({ total }) => total === 0)), []);
    assertGood(all);
    const most = mostBuffers * (visits[0]?.total ?? 0);
    const isDear = (one: Visit): boolean => sum(one, 'buffers') > most;
    let dear = all.filter(isDear);
    // What is dear because the table was not tidy at that moment (somebody was writing) is not when it is.
    for (let attempt = 0; attempt < 3 && dear.length > 0; attempt++) {
      await f.owner.query('vacuum (analyze)');
      const again: Visit[] = [];
      for (const { path } of dear) again.push(await visit(client, path));
      dear = again.filter(isDear);
    }
    assert.deepEqual(
      dear.map((one) => `${sum(one, 'buffers')} of at most ${most} pages: ${one.path}`),
      [],
    );
  });

test('children are walked along indexes, whichever column they are sorted by, and so is what they were sold', async (t) => {
  const child = await sampleOf(usual);
  const own = { id: f.organisations.meridian };
  const visits = [
    ...(await visitAll(admin.with({ scope: child.id }), childrenOf(child))),
    ...(await visitAll(admin, [
      ...childrenOf(own),
      `/organisations/${child.id}`,
      ...soldTo(child),
      '/personal/tokens',
    ])),
  ];
  t.diagnostic(told(visits));
  assertGood(visits);
});

test('children sorted by several columns are walked along the first; only what is equal there is sorted', async () => {
  const lists = ['/organisations?sort=updatedAt&sort=name,DESC', '/organisations?sort=name,DESC&sort=createdAt'];
  const visits = await visitAll(admin, lists);
  assertGood(visits, ['Sort']);
});
